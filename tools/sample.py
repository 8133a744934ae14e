"""Writes into both READMEs what the demo really prints, in their language.

    python -m tools.sample             renews what stands between the two marks
    python -m tools.sample --check     exit 1 when that is out of date

The demo is run as a person would, at a fixed time and in an empty data directory, so that it prints the same each time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"README.md": "en_US.UTF-8", "README.zh.md": "zh_CN.UTF-8"}
CLOCK = ("--now", "2026-11-30T09:00+08:00", "--zone", "Asia/Shanghai")
MARKS = ("<!-- sample: made by `make docs` -->\n", "<!-- end of sample -->\n")


def demo(language: str) -> tuple[str, str]:
    """The question and the answer."""
    with tempfile.TemporaryDirectory() as home:
        foreign = ("HERMES_OPS_", "OPENAI_", "LC_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        environ = {**kept, "HOME": home, "HERMES_OPS_DATA_DIR": home, "LC_ALL": language, "PYTHONUTF8": "1"}
        command = [sys.executable, "-m", "hermes_ops", "demo", *CLOCK]
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, encoding="utf-8", check=True)
    question = next(line for line in done.stderr.splitlines() if line.startswith("Question: "))
    return question.removeprefix("Question: "), done.stdout.strip()


def quoted(text: str) -> str:
    """A Markdown quotation that keeps its lines."""
    lines = text.splitlines()
    ends = ["\\" if line and after else "" for line, after in zip(lines, [*lines[1:], ""], strict=True)]
    return "".join(f"> {line}{end}".rstrip() + "\n" for line, end in zip(lines, ends, strict=True))


def renewed(page: str, language: str) -> str:
    before, found, rest = page.partition(MARKS[0])
    _, closed, after = rest.partition(MARKS[1])
    if not found or not closed:
        raise SystemExit("a README has lost the marks of its sample")
    question, answer = demo(language)
    command = f"hermes-ops demo {' '.join(CLOCK)}"
    return f"{before}{MARKS[0]}\n`{command}`\n\n**{question}**\n\n{quoted(answer)}\n{MARKS[1]}{after}"


def main(argv: list[str]) -> int:
    stale = 0
    for name, language in PAGES.items():
        page = (ROOT / name).read_text(encoding="utf-8")
        new = renewed(page, language)
        stale += new != page
        if "--check" not in argv:
            (ROOT / name).write_text(new, encoding="utf-8")
        elif new != page:
            print(f"{name}: the sample is out of date; run `make docs`")
    return int(stale > 0 and "--check" in argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
