"""What is shipped: the wheel's content, the dependencies, and that importing does nothing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from tools.check_house import ARROWS, imports, top

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEPENDENCIES = [Requirement(line) for line in PROJECT["dependencies"]]

# distributions whose import name differs, and those that are used without an import
IMPORTED_AS = {"pydantic-settings": "pydantic_settings", "json-repair": "json_repair"}
WITHOUT_IMPORT = {"tzdata"}  # zoneinfo reads it where the system has no time zones


def sources() -> list[Path]:
    return sorted(path for room in ARROWS for path in (ROOT / room).rglob("*.py"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZipFile]:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with ZipFile(path) as opened:
        yield opened


def test_the_wheel_holds_every_file_of_the_rooms_and_nothing_else(wheel: ZipFile) -> None:
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", *ARROWS]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: nothing to compare the wheel with")
    assert packed == {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert {f"{room}/py.typed" for room in ARROWS} <= packed


def test_the_wheel_carries_its_licence_and_command(wheel: ZipFile) -> None:
    info = f"hermes_ops-{PROJECT['version']}.dist-info"
    assert "Apache License" in wheel.read(f"{info}/licenses/LICENSE").decode()
    assert "hermes-ops = hermes_ops.cli.main:main" in wheel.read(f"{info}/entry_points.txt").decode()


def test_the_command_is_there() -> None:
    (command,) = entry_points(group="console_scripts", name="hermes-ops")
    assert callable(command.load())


@pytest.mark.slow
def test_importing_everything_prints_nothing_starts_nothing_and_writes_nothing(tmp_path: Path, home: Path) -> None:
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sources()]
    names = [m.removesuffix(".__init__") for m in modules if not re.search(r"migrations\.(env|versions\.)", m)]
    script = (
        "import importlib, threading, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "assert threading.active_count() == 1, threading.enumerate()\n"
    )
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == list(home.iterdir()) == []


def test_the_version_is_told_without_loading_what_it_does_not_need() -> None:
    script = (
        "import sys\nfrom hermes_ops.cli.main import main\n"
        "sys.argv = ['hermes-ops', '--version']\n"
        "try: main()\nexcept SystemExit as e: assert not e.code, e\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules}"
        " & {'openai', 'sqlalchemy', 'alembic', 'aiohttp', 'pydantic'}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[-2:] == ["[]", ""]
    assert PROJECT["version"] in done.stdout


@pytest.mark.slow
def test_every_dependency_is_used() -> None:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in sources())
    used = {top(module) for tree in trees for _, module in imports(ast.walk(tree))}
    names = {d.name for d in DEPENDENCIES} - WITHOUT_IMPORT
    assert {name for name in names if IMPORTED_AS.get(name, name) not in used} == set()


def test_constraints_pin_every_requirement_inside_its_range_and_hold_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line)] == []
    pinned = dict(line.split("==") for line in lines)
    extras = [line for group in PROJECT["optional-dependencies"].values() for line in group]
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    for need in [*DEPENDENCIES, *map(Requirement, extras), *map(Requirement, groups["dev"])]:
        assert need.specifier.contains(pinned[need.name]), f"{need} is pinned to {pinned[need.name]}"
