"""Alerts of one severity, or of one service: what else there was isn't listed, unless a cause is asked for."""

from __future__ import annotations

import pytest

from hermes_ops.testing.sources import MemoryAlerts
from subagents import alerts
from subagents.severity import named
from subagents.sources import Sources
from tests.subagents.rig import context, episode, findings, window

AGENT = alerts.make(
    Sources(
        alerts=(
            MemoryAlerts(
                "am",
                rows=[
                    episode("Down", "cart", "13:00", "13:30"),
                    episode("Slow", "cart", "13:01", "13:30", "warning"),
                    episode("Full", "tax", "14:00", "14:10", "page"),
                    episode("Note", "mail", "14:30", "14:40", "info"),
                ],
            ),
        )
    )
)


@pytest.mark.parametrize(
    ("text", "known", "said", "meant"),
    [
        ("critical alerts today", ("critical", "P1", "warning"), "critical", {"critical"}),
        ("只看严重的", ("critical", "warning"), "严重", {"critical"}),
        ("P1 告警有哪些", ("P0", "P1", "P2"), "P1", {"P1"}),
        ("only sev1", ("fatal", "low"), "sev1", {"fatal"}),
        ("警告级别的告警", ("warning", "critical"), "警告", {"warning"}),
        ("just the warnings", ("warning",), "", set()),
        ("is it critical that we act?", ("critical",), "", set()),
        ("no alerts at all?", ("critical",), "", set()),
        ("哪些告警", ("critical",), "", set()),
        ("high error rate alerts", ("high",), "", set()),
    ],
)
def test_the_severity_that_a_text_wants(text: str, known: tuple[str, ...], said: str, meant: set[str]) -> None:
    assert named(text, known) == (said, meant)


@pytest.mark.parametrize(
    ("question", "services", "there", "not_there"),
    [
        ("critical alerts between 12 and 15", (), ("Down",), ("Full", "Slow", "Note")),
        ("严重告警有哪些", (), ("Down",), ("Slow", "Note")),
        ("有哪些 info 告警", (), ("Note",), ("Down", "Full", "Slow")),
        ("alerts of tax", ("tax",), ("Full",), ("Down", "Note")),
        ("alerts", (), ("Down", "Slow", "Full", "Note"), ()),
        ("why did tax page us?", ("tax",), ("Full", "Down"), ()),
    ],
)
async def test_only_what_is_wanted_is_listed(
    question: str, services: tuple[str, ...], there: tuple[str, ...], not_there: tuple[str, ...]
) -> None:
    found = await findings(AGENT, context(window("12:00", "15:00"), services, question))
    assert all(name in found.summary for name in there), found.summary
    assert not any(name in found.summary for name in not_there), found.summary


async def test_that_there_is_none_of_a_severity_is_said_of_it() -> None:
    found = await findings(AGENT, context(window("14:20", "15:00"), (), "critical alerts?"))
    assert "No alerts of `critical` in it [A1]." in found.summary
