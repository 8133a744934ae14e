"""Both languages say the same: every sentence takes the same figures in each."""

from __future__ import annotations

from string import Formatter

import pytest

from hermes_ops.report.view.words import WORDS, say


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_take_the_same_figures(key: str) -> None:
    zh, en = ({name for _, name, _, _ in Formatter().parse(text) if name} for text in WORDS[key])
    assert zh == en
    assert all(text.strip() for text in WORDS[key])


def test_weekdays_begin_with_monday_in_both() -> None:
    assert [say("weekdays", lang).split()[0] for lang in ("zh", "en")] == ["周一", "Mon"]
    assert [len(say("weekdays", lang).split()) for lang in ("zh", "en")] == [7, 7]
