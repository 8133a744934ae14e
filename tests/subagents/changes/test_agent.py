from __future__ import annotations

import re
from datetime import datetime
from typing import Literal

import pytest

from hermes_ops.testing.sources import MemoryAlerts, MemoryChanges, MemoryLogs
from orchestrator.agent import Agent
from orchestrator.contracts import Findings
from subagents import alerts, changes, logs
from subagents.sources import Change, Sources
from tests.subagents.alerts.test_tools import FIRED
from tests.subagents.changes.test_ranking import OTHER, SHA, change
from tests.subagents.logs.test_tools import INCIDENT
from tests.subagents.rig import at, call, context, findings, window

CHANGES = [
    change("ticket", "search", "03:00", "CHG-1", until=at("03:35"), title="reindex"),
    change("deploy", "search", "12:40", "6", version="5.1.0", sha=OTHER, author="wei", title="search: cache (#481)"),
    change("commit", "", "13:00:40", "c" * 40, title="docs: tidy the runbook", files=("docs/README.md",)),
    change("commit", "pay", "13:01:25", SHA, title="pay: smaller pool (#487)", files=("pay/pool.toml",), has_diff=True),
    change("deploy", "pay", "13:02:10", "7", version="2.4.1", sha=SHA, author="omar", title="pay: smaller pool (#487)"),
    change("deploy", "pay", "13:47", "9", version="2.4.2", sha="d" * 40, author="ana", title="Revert pay pool change"),
]
DIFF = "-pool = 20\n+pool = 2\n"


def agent(rows: list[Change] = CHANGES, **more: str) -> Agent:
    return changes.make(Sources(changes=(MemoryChanges("git", rows=rows, diffs={SHA: DIFF}, **more),)))


async def earlier() -> list[Findings]:
    ctx = context(window(), ["cart"])
    sources = Sources(alerts=(MemoryAlerts("am", rows=FIRED),), logs=(MemoryLogs("files", lines=INCIDENT),))
    return [
        await findings(alerts.make(sources), ctx),
        await findings(logs.make(sources), context(window(), ["cart"])),
    ]


async def test_the_cause_is_found_from_what_alerts_and_logs_told():
    found = await findings(agent(), context(window(), ["cart"]), await earlier())
    lines = found.summary.splitlines()
    assert lines[0] == (
        f"The likeliest cause is pay 2.4.1 deploy {SHA[:12]} by omar at 13:02:10, 50 s before the onset "
        "(confidence high) [C1]. pay 2.4.2 took it back at 13:47 [C1]."
    )
    assert lines[1:3] == [
        "",
        f"pay 2.4.1: `pay: smaller pool (#487)` (sha {SHA}), on pay, which fails, "
        "and the logs of cart name it [L2] [C1].",
    ]
    assert lines[-2].startswith("Not these nearby: ")
    assert "(13:00:40, documents or tests only)" in lines[-2]
    assert lines[-1].startswith("Others nearby, of unknown bearing: search 5.1.0 ")
    assert [(e.id, e.tool) for e in found.evidence] == [
        ("C1", "suspects"),
        ("C2", "list_changes"),
        ("C3", "show_change"),
    ]
    assert found.evidence[0].args["services"][0] == "pay", "whom the others complain about stands first"


async def test_in_chinese_with_the_same_figures():
    found = await findings(agent(), context(window(), ["cart"], "为什么", "zh"), await earlier())
    assert found.summary.startswith(f"最可能的起因是 pay 2.4.1 部署 {SHA[:12]}（把握：高）：omar 于 13:02:10")
    assert "比开始早 50 秒" in found.summary


async def test_no_change_explains_it_is_an_answer():
    found = await findings(agent([CHANGES[1], CHANGES[2]]), context(window(), ["cart"]), await earlier())
    assert found.summary.startswith("No change explains this: of 2 in ")
    assert "likeliest" not in found.summary


async def test_two_equally_near_are_called_a_tie():
    flag = change("flag", "pay", "13:02:20", "new_pool", title="new_pool: off -> on")
    rows = sorted([*CHANGES, flag], key=lambda c: c.at)
    rows.remove(CHANGES[-1])
    found = await findings(agent(rows), context(window(), ["cart"]), await earlier())
    assert found.summary.startswith("2 changes are equally near, a tie [C1]:")
    assert "likeliest" not in found.summary


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "No sign of a failure was found in that time, so no change is blamed"),
        ("zh", "没有查到故障迹象，因此不指认变更"),
    ],
)
async def test_what_begins_at_another_time_is_no_cause_for_the_time_asked(lang: Literal["en", "zh"], said: str):
    ctx = context(window("09:00", "10:00"), ["cart"])
    sources = Sources(logs=(MemoryLogs("files", lines=INCIDENT),))
    told = [await findings(logs.make(sources), ctx)]
    found = await findings(agent(), context(window("09:00", "10:00"), ["cart"], "why?", lang), told)
    assert found.summary.startswith(said)
    assert "suspects" not in {e.tool for e in found.evidence}


async def test_without_an_onset_changes_are_listed():
    found = await findings(agent(), context(window(), [], "what changed?"))
    assert found.summary.splitlines()[0] == "4 changes in 2026-03-04 06:00–15:00 +00:00 [C1]:"
    named = await findings(agent(), context(window(), ["pay"], "what changed?"))
    assert named.summary.splitlines()[0] == "4 changes in 2026-03-04 06:00–15:00 +00:00, 2 of them related [C1]:"
    assert "search" not in named.summary
    assert named.summary.splitlines()[-1] == "Left out, since of other services: 2 [C1]."
    assert f"- 13:02:10 deploy pay 2.4.1 {SHA[:12]} by omar: `pay: smaller pool (#487)` [C1]" in found.summary


async def test_the_asked_time_is_the_answer_and_older_changes_stand_beside_it():
    found = await findings(agent(), context(window("13:00", "13:30"), [], "what changed in the half hour before 13:30"))
    first, *rest = found.summary.splitlines()
    assert re.match(r"\d+ changes? in 2026-03-04 13:00–13:30 \+00:00 \[C1\]:", first)
    older = next(i for i, line in enumerate(rest) if line.startswith("Before that, searched from 2026-03-04 07:00"))
    assert all(line >= "- 13:00" for line in rest[:older])
    assert all(line < "- 13:00" for line in rest[older + 1 :] if line.startswith("- "))
    none = await findings(agent(), context(window("14:40", "14:50"), [], "14:40 到 14:50 改了什么", "zh"))
    assert none.summary.splitlines()[0] == "2026-03-04 14:40–14:50 +00:00 内没有变更 [C1]。"


async def test_a_long_list_says_what_it_leaves_out_and_keeps_what_runs():
    notes = [change("commit", "pay", f"14:{m:02}", f"{m:02}" * 20, title=f"docs: note {m}") for m in range(20)]
    found = await findings(
        agent(sorted([*CHANGES, *notes], key=lambda c: c.at)), context(window(), [], "what changed?")
    )
    lines = found.summary.splitlines()
    assert len(lines) == 14
    assert lines[-1] == "12 more changes, earlier ones, are left out [C1]."
    assert all(any(f"{v} " in line for line in lines) for v in ("5.1.0", "2.4.1", "2.4.2"))


async def test_list_changes_looks_back_and_puts_dependencies_first():
    one = changes.make(Sources(changes=(MemoryChanges("git", rows=CHANGES),)), {"cart": ["pay"]})
    got = await call(one, context(window(), ["cart"]), "list_changes")
    assert "first cart, pay" in got.text
    assert got.text.splitlines()[1].startswith(f"13:02:10 deploy pay 2.4.1 {SHA[:12]} by omar")
    assert f"carries {SHA[:12]} (pay/pool.toml)" in got.text
    assert not any(c["kind"] == "ticket" for c in got.data["changes"]), "03:00 is over six hours before"
    narrow = await call(
        one, context(window(), ["cart"]), "list_changes", hours_before=0, kinds="deploy", window="13:40-14:00"
    )
    assert [c["id"] for c in narrow.data["changes"]] == ["9"]


async def test_nothing_changed_says_what_was_searched():
    got = await call(agent([]), context(window(), ["cart"]), "list_changes")
    assert got.status == "no_data"
    assert got.text == "no changes of cart in 2026-03-04 06:00–15:00 +00:00"


@pytest.mark.parametrize("name", ["7", SHA[:8], SHA, "2.4.1", "pay 2.4.1"])
async def test_a_change_is_shown_by_any_of_its_names_with_its_commits_diff(name: str):
    got = await call(agent(), context(window(), ["cart"]), "show_change", id=name)
    assert "deploy pay 2.4.1" in got.text
    assert DIFF in got.text
    assert "files: pay/pool.toml" in got.text


async def test_an_unknown_change_is_not_invented():
    got = await call(agent(), context(window(), ["cart"]), "show_change", id="8.8.8")
    assert got.status == "no_data"


@pytest.mark.parametrize(
    "onset",
    ["2026-03-04T13:03:00+00:00", "13:03 UTC", "21:03", "21:03 +08:00", "03-04 21:03", "2026-03-04T21:03:00+08:00"],
)
async def test_an_onset_is_read_as_models_write_it(onset: str):
    got = await call(agent(), context(window(zone="Asia/Shanghai"), ["pay"]), "suspects", onset=onset)
    assert datetime.fromisoformat(got.data["onset_asked"]) == at("13:03")


async def test_an_unreadable_onset_comes_back_with_the_valid_forms():
    got = await call(agent(), context(window(), ["pay"]), "suspects", onset="soonish")
    assert got.status == "error"
    assert "valid: 2026-11-29T14:03:00+00:00" in got.text


async def test_an_unreachable_source_is_named():
    found = await findings(agent(down="token expired"), context(window(), ["cart"]))
    assert found.status == "failed"
    assert found.unreachable == ("list_changes: git: token expired",)


async def test_a_change_that_is_only_the_nearest_is_called_weak():
    far = change("deploy", "pay", "12:35", "8", version="2.3.9", sha=SHA, title="pay: reword the receipt")
    found = await findings(agent([far]), context(window(), ["cart"]), await earlier())
    assert found.summary.startswith("No change clearly explains this; the nearest is pay 2.3.9 deploy ")
    assert "(confidence low)" in found.summary
