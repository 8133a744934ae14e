"""What the views say of one report, word for word. RENEW=1 writes the files anew."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_ops.report.model import Report
from hermes_ops.report.view import card, html
from tests.report.samples import bad_day, quiet_day
from tests.report.view.pages import Page
from tests.report.view.test_terminal import printed

HERE = Path(__file__).parent / "golden"


def words(report: Report) -> str:
    """A page's words, a line for each piece."""
    pieces = (text.strip() for tag, text in Page(html.render(report)).texts if tag != "style")
    return "\n".join(filter(None, pieces))


def terminal(report: Report) -> str:
    return "\n".join(line.rstrip() for line in printed(report).splitlines())


GOLDEN: dict[str, tuple[Callable[[Report], str], Report]] = {
    "page.txt": (words, bad_day("en")),
    "terminal.txt": (terminal, bad_day()),
    "card.json": (lambda r: json.dumps(card.render(r), ensure_ascii=False, indent=1), quiet_day()),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_word_for_word(name: str) -> None:
    make, report = GOLDEN[name]
    said, file = make(report) + "\n", HERE / name
    if os.environ.get("RENEW"):
        file.write_text(said, "utf-8")
    assert said == file.read_text("utf-8")
