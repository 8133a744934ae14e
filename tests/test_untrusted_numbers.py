"""Digits in what others say: Unicode has some that `isdigit` takes and `int` doesn't, and some fill a page."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hermes_ops
from hermes_ops.channels.feishu.rest import _refused
from subagents.pages import paged

ODD = ("²", "①", "1²", "", "-1", "1e3", "9" * 5_000, "x", "٣x")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ROOMS = Path(hermes_ops.__file__).parent.parent


@pytest.mark.parametrize("said", ODD)
def test_a_wait_or_a_cursor_that_is_no_number_is_none(said: str) -> None:
    assert _refused(None, 429, {"retry-after": said}).wait in (0.0, float("inf"))
    assert paged("abc", 2, said) == (("a", "b"), "2")


def test_a_wait_and_a_cursor_are_read() -> None:
    assert _refused({"code": 1}, 429, {"x-ogw-ratelimit-reset": "7"}).wait == 7
    assert paged("abc", 2, "2") == (("c",), None)
    assert paged("abc", 2, None) == (("a", "b"), "2")
    assert paged("abc", 2, "7") == ((), None)


def test_nothing_is_made_a_number_because_isdigit_takes_it() -> None:
    found = []
    rooms = ("hermes_ops", "subagents", "orchestrator", "memory")
    for file in (f for room in rooms for f in ROOMS.glob(f"{room}/**/*.py")):
        text = file.read_text("utf-8")
        nodes = ast.walk(ast.parse(text)) if ".isdigit()" in text or ".isnumeric()" in text else ()
        for made in (n for n in nodes if isinstance(n, FUNCTIONS)):
            calls = [n for n in ast.walk(made) if isinstance(n, ast.Call)]
            methods = [n.func for n in calls if isinstance(n.func, ast.Attribute)]
            asked = {ast.unparse(f.value) for f in methods if f.attr in ("isdigit", "isnumeric")}
            read = {ast.unparse(n.args[0]) for n in calls if ast.unparse(n.func) in ("int", "float") and n.args}
            found += [f"{file.name}: {made.name}: {what}" for what in asked & read]
    assert found == []
