"""What a change's content can bring is said in Chinese to who asks in Chinese, whatever the analysis found."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

from subagents.cause import effects, values, waking
from subagents.cause.mechanisms import PUT_IN, TAKEN_OUT
from subagents.cause.rules import RULES
from subagents.cause.values import KEYS
from subagents.cause.words import FAMILIES
from subagents.changes import chinese

LINE = "`x = f(1)`"


def bare(said: str) -> str:
    """Without what stands between backquotes: that is the change's own."""
    return re.sub(r"`[^`]*`", "", said)


def literals() -> set[str]:
    """The sentences of effects as the code writes them, with a line in each of their places."""
    found = set()
    for module in (effects, values, waking):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Effect" and node.args:
                text = node.args[0]
                if isinstance(text, ast.JoinedStr):
                    parts = (str(v.value) if isinstance(v, ast.Constant) else "x" for v in text.values)
                    found.add("".join(parts))
    return {t for t in found if not t.startswith("x version")}  # its words are a table of their own


@pytest.mark.parametrize("said", [m.text.format("x = f(1)") for m in (*TAKEN_OUT, *PUT_IN)] + sorted(literals()))
def test_each_effect_has_its_words(said: str) -> None:
    told = bare(chinese.in_words(f"{said}: can bring pool, errors", zh=True))
    assert re.search(r"[一-鿿]", told.partition("，可能引起")[0])
    assert not re.search(r"[A-Za-z]{3,}", re.sub("CPU|TLS", "", told))


def test_keys_kinds_and_causes_have_theirs() -> None:
    assert {what for _, what, _, _ in KEYS} <= chinese._KEYS.keys()
    assert {r.kind for r in RULES} <= chinese._CAUSES.keys()
    assert FAMILIES.keys() <= chinese.FAMILIES.keys()
