"""The house holds its own rules, and the checks really catch a breach of each."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.conftest import is_local
from tools import check_house, check_weight
from tools.check_house import File

ROOT = Path(__file__).resolve().parents[1]
DOC = '"""A module."""\n'


def found(path: str, source: str) -> list[str]:
    file = File(path, source)
    rules = (*check_house.SOURCE_RULES, check_house.names) if path.endswith(".py") else (check_house.names,)
    return [breach for rule in rules for breach in rule(file)]


@pytest.mark.slow
def test_the_repository_keeps_the_rules() -> None:
    breaches, sums = check_house.check(ROOT)
    assert breaches == []
    assert all(lines > 0 for lines, _ in sums.values()), f"a measure measures nothing: {sums}"


@pytest.mark.parametrize(
    ("path", "source", "says"),
    [
        ("orchestrator/a.py", "import memory.store", "orchestrator may not import memory"),
        ("orchestrator/a.py", "from subagents.sources import Source", "orchestrator may not import subagents"),
        ("subagents/a.py", "from memory import store", "subagents may not import memory"),
        ("memory/a.py", "from hermes_ops import app", "memory may not import hermes_ops"),
        ("subagents/a.py", "if True:\n    import hermes_ops", "subagents may not import hermes_ops"),
        ("hermes_ops/a.py", "from tests.shared import shared", "hermes_ops may not import tests"),
        ("orchestrator/loop.py", "import openai", "openai may be imported only in orchestrator/gateway/"),
        ("hermes_ops/a.py", "from sqlalchemy.orm import Session", "sqlalchemy may be imported only in memory/"),
        ("hermes_ops/a.py", "def f():\n    import lark_oapi", "lark_oapi may be imported only in"),
        (
            "hermes_ops/channels/a.py",
            "from hermes_ops.cli.inputs import read",
            "hermes_ops.cli may be imported only in",
        ),
        ("subagents/a.py", "def f():\n    from orchestrator import loop", "import of ours inside f()"),
        ("subagents/a.py", "async def f():\n    from . import b", "import of ours inside f()"),
        ("memory/a.py", "n = 0\ndef f():\n    global n\n    n = 1", "module global that changes: n"),
    ],
)
def test_a_breach_in_a_source_is_found(path: str, source: str, says: str) -> None:
    (breach,) = found(path, DOC + source)
    assert breach.startswith(f"{path}:")
    assert says in breach


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("orchestrator/gateway/client.py", "import openai"),
        ("memory/store.py", "import sqlalchemy\nfrom orchestrator import contracts"),
        ("memory/store.py", "def f():\n    from memory.migrations import upgrade"),
        ("hermes_ops/cli/ask.py", "def ask():\n    from hermes_ops import app"),
        ("hermes_ops/channels/feishu/api.py", "def client():\n    import lark_oapi"),
        ("tests/memory/test_a.py", "import sqlalchemy\nfrom hermes_ops import app"),
    ],
)
def test_what_is_allowed_is_let_through(path: str, source: str) -> None:
    assert found(path, DOC + source) == []


def test_a_module_without_docstring_is_found_and_an_empty_one_is_not() -> None:
    assert "no module docstring" in found("memory/a.py", "x = 1\n")[0]
    assert found("memory/__init__.py", "") == []


def test_sizes_at_the_limit_pass_and_one_more_line_does_not() -> None:
    def function(lines: int) -> str:
        return DOC + "def f():\n" + "    pass\n" * (lines - 1)

    assert found("tests/a.py", function(check_house.FUNCTION_LINES)) == []
    assert "f() has 41 lines" in found("tests/a.py", function(check_house.FUNCTION_LINES + 1))[0]
    assert found("bench/a.py", "x = 1\n" * check_house.FILE_LINES) == []
    assert "301 lines" in found("bench/a.py", "x = 1\n" * (check_house.FILE_LINES + 1))[0]


def test_nesting_counts_blocks_not_elifs() -> None:
    deep = "def f(a):\n    for x in a:\n        with x:\n            if x:\n                pass\n"
    deeper = deep.replace("pass", "while x:\n                    pass")
    chain = "def f(a):\n    if a == 1:\n        pass\n" + "".join(
        f"    elif a == {n}:\n        pass\n" for n in range(2, 8)
    )
    assert found("memory/a.py", DOC + deep) == []
    assert "f() nests 4 deep" in found("memory/a.py", DOC + deeper)[0]
    assert found("memory/a.py", DOC + chain) == []
    assert found("tests/a.py", deeper) == []


@pytest.mark.parametrize("where", ["work", "root", "tmp", "Users"])
def test_a_path_of_one_machine_is_found_in_any_file(where: str) -> None:
    path = f"/{where}/incident"
    assert "names a path of one machine" in found("docs/A.md", f"look into {path} for it")[0]
    assert found("docs/A.md", f"look into ../{where}/incident and $HOME{path}") == []


def test_a_registry_host_is_found() -> None:
    assert "names a package registry" in found("Makefile", "# https://" + "pypi" + ".org/simple")[0]


def test_sums_over_files_are_limited() -> None:
    paths = {"orchestrator/loop.py": 121, "orchestrator/gateway/a.py": 10, "orchestrator/new/a.py": 1}
    sums = check_house.measures([File(path, "x = 1\n" * lines) for path, lines in paths.items()])
    assert sums["loop"] == (121, 120)
    assert sums["reading path"][0] == sums["kernel: core"][0] == 121
    assert sums["kernel: gateway"][0] == 10
    assert sums["kernel: new"] == (1, 0), "a new room of the kernel needs a limit, and a decision"
    assert sums["kernel"][0] == 132


def test_the_command_prints_the_breach_and_fails(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.py").write_text(DOC + "import openai\n", encoding="utf-8")
    command = [sys.executable, "-m", "tools.check_house", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "memory/a.py:2: openai may be imported only in" in done.stdout


# ── weight ────────────────────────────────────────────────────────────────────────────────────


def test_the_closure_holds_what_is_required_and_leaves_out_extras_and_tools() -> None:
    names = {package.name for package in check_weight.weigh(check_weight.closure("hermes-ops"))}
    assert {"hermes-ops", "openai", "aiohttp", "pydantic-core", "mako"} <= names
    assert names.isdisjoint({"pytest", "ruff", "psycopg", "pip"})


def test_sizes_are_those_on_disk() -> None:
    dist = distribution("tenacity")
    folder = Path(str(dist.locate_file("tenacity")))
    assert check_weight.size(dist) >= sum(f.stat().st_size for f in folder.rglob("*.py")) > 10_000


def test_too_many_packages_or_bytes_are_found() -> None:
    light = [check_weight.Package(f"p{n}", "1", 1_000_000) for n in range(check_weight.PACKAGES)]
    assert check_weight.breaches(light) == []
    assert "46 packages, at most 45" in check_weight.breaches([*light, light[0]])[0]
    heavy = [check_weight.Package("big", "1", check_weight.MEGABYTES * 10**6 + 60_000)]
    assert "130.1 MB, at most 130" in check_weight.breaches(heavy)[0]


# ── setting up ────────────────────────────────────────────────────────────────────────────────


def set_up(folder: Path, pythons: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """tools/setup.sh in an empty folder on a machine whose Pythons are the given shell scripts."""
    (folder / "tools").mkdir()
    (folder / "tools" / "setup.sh").write_text((ROOT / "tools" / "setup.sh").read_text(encoding="utf-8"))
    commands = folder / "bin"
    commands.mkdir()
    (commands / "dirname").symlink_to("/usr/bin/dirname")
    for name, script in pythons.items():
        (commands / name).write_text(f"#!/bin/sh\n{script}\n")
        (commands / name).chmod(0o755)
    command = ["/bin/sh", str(folder / "tools" / "setup.sh"), "base"]
    return subprocess.run(command, env={"PATH": str(commands)}, capture_output=True, text=True, check=False)


OLD = 'case "$2" in *python_version*) echo 3.9.2 ;; *) exit 1 ;; esac'
BARE = 'case "$2" in *python_version*) echo 3.11.2 ;; *ensurepip*) exit 1 ;; *) exit 0 ;; esac'
GOOD = 'case "$1" in -c) case "$2" in *python_version*) echo 3.12.1 ;; esac ;; *) echo "made by $0" >&2; exit 7 ;; esac'


def test_a_python_that_is_too_old_is_named_with_its_version(tmp_path: Path) -> None:
    done = set_up(tmp_path, {"python3": OLD})
    assert done.returncode == 2
    assert "needs Python 3.11 or newer; python3 is 3.9.2. Install a newer one" in done.stderr


def test_no_python_at_all_is_said(tmp_path: Path) -> None:
    done = set_up(tmp_path, {})
    assert done.returncode == 2
    assert "python3 is missing or does not run" in done.stderr


def test_a_python_without_ensurepip_is_said_with_the_cure(tmp_path: Path) -> None:
    done = set_up(tmp_path, {"python3": BARE})
    assert done.returncode == 2
    assert "its ensurepip is missing" in done.stderr
    assert "apt-get install python3-venv" in done.stderr


def test_a_newer_python_beside_an_old_or_a_bare_one_is_taken(tmp_path: Path) -> None:
    done = set_up(tmp_path, {"python3": OLD, "python3.13": BARE, "python3.12": GOOD})
    assert f"made by {tmp_path / 'bin' / 'python3.12'}" in done.stderr


# ── what conftest promises ────────────────────────────────────────────────────────────────────


def test_addresses_are_told_apart() -> None:
    assert all(
        map(is_local, [("127.0.0.1", 1), ("::1", 1, 0, 0), ("localhost", 1), ("127.8.0.1", 1), "/run/s", b"\0s"])
    )
    assert not any(map(is_local, [("192.0.2.1", 1), ("2001:db8::1", 1, 0, 0), ("example.org", 1), ("0.0.0.0", 1)]))


REACHES = """
import socket, pytest

@pytest.mark.parametrize("host", ["192.0.2.1", "example.invalid", "127.0.0.1"])
def test_polite_code(host):
    try:
        socket.create_connection((host, 9), timeout=0.2)
    except BaseException:
        pass
"""


@pytest.mark.slow
def test_reaching_outside_fails_even_where_the_refusal_was_caught(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(REACHES, encoding="utf-8")
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "-c", os.devnull]
    command = [sys.executable, "-m", "pytest", "-q", *options, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert re.findall(r"^ERROR [^\[]*\[(.+?)\]", done.stdout, re.MULTILINE) == ["192.0.2.1", "example.invalid"]
    assert "AssertionError: the test reached for [('example.invalid',)]" in done.stdout


def test_the_home_is_empty_and_foreign_settings_are_gone(home: Path) -> None:
    assert Path.home() == home
    assert list(home.iterdir()) == []
    assert not [name for name in os.environ if name.startswith(("HERMES_OPS_", "OPENAI_", "XDG_"))]
