"""The documents agree with the code: paths, commands, options, exit codes, settings, events, dependencies, targets."""

from __future__ import annotations

import ast
import dataclasses
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import typer
from pydantic import BaseModel

from hermes_ops import exits
from hermes_ops.cli.commands import app
from hermes_ops.loading import load
from hermes_ops.render import answer_json
from hermes_ops.settings import OneModel, Settings
from orchestrator.contracts import Answer, AnswerStatus
from orchestrator.errors import ConfigError, HermesError
from orchestrator.gateway.profiles import PROFILES
from orchestrator.ports import Limits
from tools import check_house, check_weight, sample
from tools import map as map_of_files

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
ROOMS = tuple(check_house.ARROWS)
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def trees() -> tuple[tuple[str, ast.Module], ...]:
    paths = sorted(p for room in ROOMS for p in (ROOT / room).rglob("*.py"))
    return tuple((p.relative_to(ROOT).as_posix(), ast.parse(p.read_text(encoding="utf-8"))) for p in paths)


@cache
def nodes() -> tuple[ast.AST, ...]:
    return tuple(node for _, tree in trees() for node in ast.walk(tree))


def sections(text: str, level: str = "##") -> dict[str, str]:
    """Heading → what stands under it."""
    parts = re.split(rf"^{level} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def cells(text: str, column: int = 0) -> list[str]:
    """What stands in backticks in one column of the tables of a text."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [name for row in rows for name in CODE.findall(row[column])]


# ── paths and links ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_what_a_page_links_to_is_there(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [t for t in targets if "://" not in t and not (path.parent / t).exists()] == []


@pytest.mark.parametrize("name", ["docs/ARCHITECTURE.md", "CONTRIBUTING.md", "docs/DECISIONS.md"])
def test_a_path_that_a_page_names_exists(name: str) -> None:
    starts = (*(f"{room}/" for room in ROOMS), "tests/", "tools/", "docs/", "bench/", ".ci/")
    named = {
        code for code in CODE.findall(page(name)) if code.startswith(starts) and "<" not in code and " " not in code
    }
    assert named, "the page names no path: is this test reading it right?"
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.slow
def test_the_map_of_files_says_what_the_modules_say() -> None:
    text = page("docs/MAP.md")
    assert {path for path, tree in trees() if tree.body} <= set(cells(text)), "run `make docs`"
    assert map_of_files.drawn(ROOT) == text, "run `make docs`"


def test_the_map_takes_the_first_sentence_and_what_is_not_known() -> None:
    text = "Reads logs.\n\nFast, and in order. It deliberately doesn't know who asks: see x.py. Has no cache."
    assert map_of_files.saying(text) == "Reads logs. It deliberately doesn't know who asks: see x.py."


# ── commands ──────────────────────────────────────────────────────────────────────────────────


@cache
def commands() -> dict[str, frozenset[str]]:
    """Command → its options and arguments as a person types them; also the groups that only hold commands."""
    found: dict[str, frozenset[str]] = {}
    waiting: list[tuple[str, Any]] = [("hermes-ops", typer.main.get_command(app))]
    for name, command in waiting:
        options = [max(p.opts, key=len) for p in command.params if p.param_type_name == "option"]
        arguments = [(p.metavar or p.name or "").upper() for p in command.params if p.param_type_name == "argument"]
        found[name] = frozenset([*options, *arguments])
        waiting += [(f"{name} {n}", c) for n, c in getattr(command, "commands", {}).items()]
    return found


def test_every_command_and_option_is_documented() -> None:
    documented = sections(page("docs/CLI.md"))
    shown = {name: text for heading, text in documented.items() for name in CODE.findall(heading)}
    assert {name for name, options in commands().items() if options} - set(shown) == set()
    for name in commands().keys() & shown.keys():
        named = set(re.findall(r"--[a-z-]+|\b[A-Z]+\b", shown[name]))
        assert commands()[name] - named == set(), name


def test_every_documented_option_exists() -> None:
    known = {option for options in commands().values() for option in options} | {"--help"}
    named = {word for code in CODE.findall(page("docs/CLI.md")) for word in re.findall(r"(?<![\w-])--[a-z-]+", code)}
    assert named - known == set()


def test_every_exit_code_is_documented() -> None:
    bodies = [line for node in nodes() if isinstance(node, ast.ClassDef) for line in node.body]
    set_here = [
        (line.targets[0] if isinstance(line, ast.Assign) else line.target, line.value)
        for line in bodies
        if isinstance(line, ast.Assign | ast.AnnAssign)
    ]
    errors = {ast.literal_eval(value) for name, value in set_here if ast.unparse(name) == "exit_code" and value}
    assert errors >= {HermesError.exit_code, ConfigError.exit_code}, "is this test reading the code right?"
    codes = {value for name, value in vars(exits).items() if name.isupper() and isinstance(value, int)}
    documented = cells(sections(page("docs/CLI.md"))["Exit codes"])
    assert {int(code) for code in documented if code.isdigit()} == codes | errors


def test_every_field_of_the_json_object_is_documented() -> None:
    text = sections(page("docs/CLI.md"))["The JSON object"]
    assert set(cells(text)) == set(answer_json(Answer("run", "ok", "text")))
    statuses = next(line for line in text.splitlines() if line.startswith("| `status`"))
    assert set(get_args(AnswerStatus)) <= set(CODE.findall(statuses))


# ── settings and events ───────────────────────────────────────────────────────────────────────


def keys(kind: Any, path: str = "") -> Iterator[str]:
    """The settings as dotted paths; what is a table of its own name has NAME in it."""
    hints = get_type_hints(kind)
    for name, hint in hints.items():
        if name == "model_config" or name.startswith("_"):
            continue
        inner = [t for t in (hint, *get_args(hint)) if isinstance(t, type)]
        table = next((t for t in inner if dataclasses.is_dataclass(t) or issubclass(t, BaseModel)), None)
        if table is None or (issubclass(table, OneModel) and path):
            yield f"{path}{name}"  # fallbacks and the light model have the keys of [model]
        else:
            yield from keys(table, f"{path}{name}." + "NAME." * (get_origin(hint) is dict))


def test_every_setting_is_documented_and_nothing_else() -> None:
    real = set(keys(Settings))
    named = set(
        cells("".join(text for head, text in sections(page("docs/SETTINGS.md")).items() if head != "Environment"))
    )
    assert {"zone", "model.base_url", "limits.parallel", "services.NAME.aliases"} <= real
    assert real - set(CODE.findall(page("docs/SETTINGS.md"))) == set()
    assert named - real - {"model.price"} == set()


def test_the_defaults_of_limits_are_the_documented_ones() -> None:
    for name, value in dataclasses.asdict(Limits()).items():
        assert f"| `limits.{name}` | {value:g} |" in page("docs/SETTINGS.md")


def test_every_profile_is_documented() -> None:
    assert set(PROFILES) <= set(CODE.findall(page("docs/SETTINGS.md")))


def test_the_example_in_the_settings_page_is_valid(home: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", page("docs/SETTINGS.md"), re.DOTALL)
    assert example
    (home / "config.toml").write_text(example[1], encoding="utf-8")
    (home / "model.key").write_text("secret\n", encoding="utf-8")
    settings = load({"HERMES_OPS_CONFIG": str(home / "config.toml")})
    assert settings.zone == "Asia/Shanghai"
    assert settings.model.api_key is not None
    assert [e.model for e in settings.model.endpoints()] == ["qwen3-32b", "qwen3-8b"]


def test_every_environment_variable_in_the_code_is_documented() -> None:
    written = {n.value for n in nodes() if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    used = {text for text in written if re.fullmatch(r"(?:HERMES_OPS|OPENAI)_[A-Z_]*[A-Z]", text)}
    assert used, "no variable found: is this test reading the code right?"
    assert used - set(CODE.findall(page("docs/SETTINGS.md"))) == set()


def first_words(name: str) -> set[str]:
    """The first word of the literal that begins the first argument of each call of `name`."""
    words = set()
    calls = (node for node in nodes() if isinstance(node, ast.Call) and node.args)
    for call in calls:
        if name == getattr(call.func, "attr", getattr(call.func, "id", "")):
            first = call.args[0].values[0] if isinstance(call.args[0], ast.JoinedStr) else call.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                words.add(first.value.split(" ")[0])
    return words


def test_every_kind_of_event_is_documented() -> None:
    """Facts are named where they are emitted; a step's kind is the first word of its name."""
    kinds = first_words("emit") | first_words("step") | first_words("Call")
    assert {"agent", "route", "model", "tool"} <= kinds
    assert kinds - set(cells(page("docs/EVENTS.md"))) == set()


# ── dependencies ──────────────────────────────────────────────────────────────────────────────


def test_dependencies_are_listed_with_their_reason() -> None:
    parts = sections(page("docs/DEPENDENCIES.md"))
    project = tomllib.loads(page("pyproject.toml"))
    wanted = [re.split(r"[\[<>=]", line)[0] for line in project["project"]["dependencies"]]
    assert sorted(cells(parts["Asked for by us"])) == sorted(wanted)
    assert all(len(row.split("|")[2].strip()) > 10 for row in parts["Asked for by us"].splitlines() if "`" in row)
    installed = {p.name for p in check_weight.weigh(check_weight.closure("hermes-ops"))}
    assert set(cells(parts["Brought along"])) == installed - {"hermes-ops", *wanted}
    assert set(cells(parts["Extras"])) == set(project["project"]["optional-dependencies"])
    dev = [re.split(r"[\[<>=]", line)[0] for line in project["dependency-groups"]["dev"]]
    assert set(dev) <= set(CODE.findall(parts["Development only"]))


# ── the pages themselves ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "CONTRIBUTING.md", ".ci/run"])
def test_make_targets_that_are_named_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", page("Makefile"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`|    )make ([a-z-]+)", page(name), re.MULTILINE))
    assert named
    assert named - targets == set()


def test_the_two_readmes_say_the_same() -> None:
    english, chinese = page("README.md"), page("README.zh.md")
    assert FENCE.findall(english) == FENCE.findall(chinese)
    assert len(re.findall(r"^#+ ", english, re.MULTILINE)) == len(re.findall(r"^#+ ", chinese, re.MULTILINE))
    assert len(re.findall(r"^- ", english, re.MULTILINE)) == len(re.findall(r"^- ", chinese, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(sample.PAGES))
def test_the_readmes_show_what_the_demo_prints(name: str) -> None:
    assert sample.renewed(page(name), sample.PAGES[name]) == page(name), "run `make docs`"


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert "make test\n" in page("README.md")
    assert page(".ci/run").rstrip().endswith("make test")


def test_decisions_are_numbered_and_dated() -> None:
    heads = re.findall(r"^\*\*(\d+)\. .+?\*\* \(\d{4}-\d\d-\d\d\)", page("docs/DECISIONS.md"), re.MULTILINE)
    assert [int(n) for n in heads] == list(range(1, len(heads) + 1))
    assert len(heads) == len(re.findall(r"^\*\*\d", page("docs/DECISIONS.md"), re.MULTILINE))


def test_limits_in_the_documents_are_those_that_are_held() -> None:
    rules, decisions = page("CONTRIBUTING.md"), page("docs/DECISIONS.md")
    assert f"at most {check_house.FILE_LINES} lines, a function {check_house.FUNCTION_LINES}" in rules
    assert f"nesting {check_house.NESTING}" in rules
    for name, limit in check_house.KERNEL_LINES.items():
        assert f"{name} {limit:,}" in decisions
    assert f"reading path* of {check_house.READING_LINES} lines" in decisions
    assert f"at most {check_weight.PACKAGES} packages and {check_weight.MEGABYTES} MB" in decisions


def test_the_changelog_has_a_place_for_what_is_new() -> None:
    version = tomllib.loads(page("pyproject.toml"))["project"]["version"]
    heads = re.findall(r"^## \[(.+?)\]", page("CHANGELOG.md"), re.MULTILINE)
    assert heads
    assert heads[0] in ("Unreleased", version)
