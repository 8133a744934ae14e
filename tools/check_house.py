"""The rules of the house that ruff and mypy can't hold: arrows between rooms, doors, sizes, and what must not be named.

    python -m tools.check_house [ROOT]     prints the measured sizes and each breach; exit 1 when there is one

It reads sources with `ast` and imports nothing of ours. Raising a limit needs a line in docs/DECISIONS.md.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# room → the rooms it may import
ARROWS = {
    "orchestrator": {"orchestrator"},
    "subagents": {"subagents", "orchestrator"},
    "memory": {"memory", "orchestrator"},
    "hermes_ops": {"hermes_ops", "orchestrator", "subagents", "memory"},
}
OURS = {*ARROWS, "tests", "bench", "tools"}

# heavy dependency, or a room that stands above all others → where alone it may be imported (path prefixes)
DOORS = {
    "openai": ("orchestrator/gateway/",),
    "aiohttp": ("orchestrator/gateway/", "subagents/web/"),
    "sqlalchemy": ("memory/",),
    "alembic": ("memory/",),
    "lark_oapi": ("hermes_ops/channels/feishu/",),
    "hermes_ops.cli": ("hermes_ops/cli/", "hermes_ops/__main__.py"),
}

FILE_LINES = 300
FUNCTION_LINES = 40
NESTING = 3
LOOP_LINES = 120
READING_LINES = 700
KERNEL_LINES = {  # part of orchestrator/ → its limit; docs/DECISIONS.md has the reasons
    "core": 2_550,
    "gateway": 1_600,
    "evidence": 1_600,
    "when": 1_200,
    "guard": 500,
}
LOOP = "orchestrator/loop.py"
READING_PATH = tuple(f"orchestrator/{name}.py" for name in ("contracts", "loop", "tool", "supervisor"))

# Command bodies import late, so that `--version` doesn't pay for what `ask` needs; these modules are so heavy and so
# rarely needed that everybody may.
LATE_IMPORTERS = ("hermes_ops/cli/",)
LATE_MODULES = ("memory.migrations",)  # alembic: only when the schema is out of date

# Written in pieces, or this file would name them itself.
UNNAMED = {
    "a path of one machine": re.compile(r"(?<![\w.~/-])/(?:" + "|".join(("work", "root", "tmp", "Users")) + r")/\w"),
    "a package registry": re.compile(
        "|".join(
            (
                r"pypi\." + "org",
                "python" + "hosted",
                r"npmjs\." + "(?:org|com)",
                r"deb\.deb" + "ian",
                r"crates\.i" + "o",
            )
        )
    ),
    "a tool of one workplace": re.compile(r"\." + "library/"),
}

Breach = str
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class File:
    """One tracked text file. `path` is relative to the root, with slashes."""

    path: str
    text: str

    @property
    def room(self) -> str:
        return self.path.partition("/")[0]

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(self.tree))

    @property
    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        return (node for node in self.nodes if isinstance(node, FUNCTIONS))


def tracked(root: Path) -> Iterator[File]:
    """Text files that git would carry; in a tree without git (an unpacked archive) all but hidden and generated."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = sorted(filter(None, listed.stdout.split("\0")))
    else:
        hidden = re.compile(r"(?:^|/)(?:\.(?!ci/)|__pycache__|dist/|build/|out/)")
        found = (p.relative_to(root).as_posix() for p in sorted(root.rglob("*")) if p.is_file())
        names = [name for name in found if not hidden.search(name)]
    for name in names:
        try:
            yield File(name, (root / name).read_text(encoding="utf-8"))
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # binary, or deleted and not yet committed


# ── rules: each gets one file and yields its breaches ─────────────────────────────────────────


def imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """(line, module) of every import among the nodes; a relative one is "." and its module."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * bool(node.level) + (node.module or "")


def top(module: str) -> str:
    return module.partition(".")[0]


def arrows(file: File) -> Iterator[Breach]:
    allowed = ARROWS.get(file.room, OURS)
    for line, module in imports(file.nodes):
        if top(module) in OURS - allowed:
            yield f"{file.path}:{line}: {file.room} may not import {top(module)}"


def doors(file: File) -> Iterator[Breach]:
    for line, module in imports(file.nodes) if file.room in ARROWS else ():
        name = next((door for door in DOORS if f"{module}.".startswith(f"{door}.")), "")
        if name and not file.path.startswith(DOORS[name]):
            yield f"{file.path}:{line}: {name} may be imported only in {', '.join(DOORS[name])}"


def late_imports(file: File) -> Iterator[Breach]:
    if file.room not in ARROWS or file.path.startswith(LATE_IMPORTERS):
        return
    for function in file.functions:
        for line, module in imports(ast.walk(function)):
            if top(module) in OURS | {""} and module not in LATE_MODULES:
                yield f"{file.path}:{line}: import of ours inside {function.name}()"


def changing_globals(file: File) -> Iterator[Breach]:
    if file.room in ARROWS:
        for node in file.nodes:
            if isinstance(node, ast.Global):
                yield f"{file.path}:{node.lineno}: module global that changes: {', '.join(node.names)}"


def docstrings(file: File) -> Iterator[Breach]:
    if file.room in ARROWS and file.tree.body and not ast.get_docstring(file.tree):
        yield f"{file.path}:1: no module docstring (what it does, and what it deliberately doesn't know)"


def sizes(file: File) -> Iterator[Breach]:
    if file.lines > FILE_LINES:
        yield f"{file.path}: {file.lines} lines, at most {FILE_LINES}"
    for function in file.functions:
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > FUNCTION_LINES:
            yield f"{file.path}:{function.lineno}: {function.name}() has {length} lines, at most {FUNCTION_LINES}"
        deep = depth(function)
        if deep > NESTING and file.room not in ("tests", "bench"):
            yield f"{file.path}:{function.lineno}: {function.name}() nests {deep} deep, at most {NESTING}"


def depth(node: ast.AST) -> int:
    """How many blocks deep the deepest statement under `node` lies. `elif` is as deep as its `if`; an inner function
    is measured on its own."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            continue
        inside = depth(child)
        deepest = max(deepest, inside + 1 if isinstance(child, BLOCKS) and not is_elif(node, child) else inside)
    return deepest


def is_elif(parent: ast.AST, child: ast.AST) -> bool:
    alone = isinstance(parent, ast.If) and parent.orelse == [child] and isinstance(child, ast.If)
    return alone and child.col_offset == parent.col_offset  # type: ignore[attr-defined]


def names(file: File) -> Iterator[Breach]:
    for number, line in enumerate(file.text.splitlines(), 1):
        for what, pattern in UNNAMED.items():
            if found := pattern.search(line):
                yield f"{file.path}:{number}: names {what}: {found.group()}"


SOURCE_RULES = (arrows, doors, late_imports, changing_globals, docstrings, sizes)


# ── the whole ─────────────────────────────────────────────────────────────────────────────────


def part(path: str) -> str:
    """Which part of the kernel a file is: one of its rooms, or "core"."""
    inside = path.removeprefix("orchestrator/")
    return inside.partition("/")[0] if "/" in inside else "core"


def measures(files: list[File]) -> dict[str, tuple[int, int]]:
    """What is measured over several files: name → (lines, limit). A room of the kernel without a limit has none: 0."""
    lines = {file.path: file.lines for file in files}
    kernel = Counter[str]()
    for path in filter(lambda p: p.startswith("orchestrator/"), lines):
        kernel[part(path)] += lines[path]
    return {
        "loop": (lines.get(LOOP, 0), LOOP_LINES),
        "reading path": (sum(lines.get(path, 0) for path in READING_PATH), READING_LINES),
        **{f"kernel: {name}": (kernel[name], KERNEL_LINES.get(name, 0)) for name in {**KERNEL_LINES, **kernel}},
        "kernel": (kernel.total(), sum(KERNEL_LINES.values())),
    }


def check(root: Path) -> tuple[list[Breach], dict[str, tuple[int, int]]]:
    files = list(tracked(root))
    sources = [file for file in files if file.path.endswith(".py")]
    breaches = [breach for file in sources for rule in SOURCE_RULES for breach in rule(file)]
    breaches += [breach for file in files for breach in names(file)]
    sums = measures(sources)
    breaches += [f"{name}: {n} lines, at most {limit}" for name, (n, limit) in sums.items() if n > limit]
    return breaches, sums


def main(argv: list[str]) -> int:
    root = Path(argv[0]) if argv else Path(__file__).resolve().parents[1]
    breaches, sums = check(root)
    print("house: " + ", ".join(f"{name} {n:,} of {limit:,} lines" for name, (n, limit) in sums.items()))
    print("\n".join(breaches) if breaches else "house: arrows, doors and sizes hold")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
