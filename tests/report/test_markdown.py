"""A report as Markdown: a phone screen of it or all of it, and names that stay names."""

import re

import pytest

from hermes_ops.report.view.markdown import escaped, render
from tests.report.samples import HOSTILE, bad_day, blind_day, hostile, quiet_day, shift, week


@pytest.mark.parametrize("made", [bad_day(), bad_day("en"), quiet_day(), blind_day(), hostile(), week()])
def test_the_short_form_fits_on_a_phone(made):
    text = render(made)
    assert text.startswith("# ")
    assert len(text.splitlines()) <= 70
    assert len(text) < 4_000


def test_the_long_form_holds_every_line():
    text = render(bad_day(), full=True)
    for row in bad_day().alerts.rows:
        assert row.name in text
    assert bad_day().incidents[0].key in text
    assert len(text) > len(render(bad_day()))


def test_unknown_is_a_dash_and_a_gap_is_named():
    text = render(blind_day())
    assert "告警：—" in text
    assert "prometheus" in text
    assert "0" not in re.sub(r"[\d-]+ ?\d\d:\d\d|\d{4}-\d\d-\d\d", "", text).replace("3 个", "")


def test_names_never_become_markup():
    text = render(hostile())
    assert "<script>" not in text
    assert not re.search(r"(?<!\\)\|", text)
    assert not re.search(r"(?<!\\)\*\*bold", text)
    assert "\u202e" not in text
    for name in HOSTILE[:4]:
        assert escaped(name) in text
    assert escaped("snake_case_name") == "snake_case_name"


def test_a_handover_comes_first():
    text = render(shift())
    assert text.index("仍未恢复") < text.index("**告警")
    assert "至 11-30 16:00" in text
