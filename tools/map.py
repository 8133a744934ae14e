"""Writes the map of files, docs/MAP.md, from the modules' own docstrings.

    python -m tools.map             renews it
    python -m tools.map --check     exit 1 when it is out of date

Of each docstring the first sentence is taken, and those that say what the module doesn't know. It judges nothing.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

from tools.check_house import ARROWS

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "MAP.md"
HEAD = """# Every file

Made by `make docs` from the modules' docstrings. How they belong together: [ARCHITECTURE](ARCHITECTURE.md).
"""
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
IGNORANCE = re.compile(r"\b(?:know|knows) (?:no|neither|nothing|only)\b|\b(?:doesn't|don't) know\b", re.IGNORECASE)


def saying(docstring: str) -> str:
    """What a map says of a module: its first sentence, and what it deliberately doesn't know."""
    first, *others = SENTENCE.split(" ".join(docstring.split()))
    return " ".join([first, *(s for s in others if IGNORANCE.search(s))]).replace("|", r"\|")


def table(room: str, root: Path) -> str:
    rows = []
    for path in sorted((root / room).rglob("*.py"), key=lambda p: (len(p.relative_to(root).parts), p)):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if tree.body:
            rows.append(f"| `{path.relative_to(root).as_posix()}` | {saying(ast.get_docstring(tree) or '')} |\n")
    return f"## {room}\n\n| file | what it does, and doesn't know |\n|---|---|\n{''.join(rows)}\n"


def drawn(root: Path) -> str:
    return "\n".join((HEAD, *(table(room, root).rstrip("\n") + "\n" for room in ARROWS)))


def main(argv: list[str]) -> int:
    new = drawn(ROOT)
    if "--check" in argv:
        stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != new
        if stale:
            print("docs/MAP.md: the map is out of date; run `make docs`")
        return int(stale)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
