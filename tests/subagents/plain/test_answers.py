"""Plain answers from findings: the first word, what shows it, and that absence of data is never a yes or a no."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from orchestrator.agent import Agent, Taken, Turn
from orchestrator.contracts import Evidence, Findings, Json, Scope, ToolCall, ToolResult, to_json
from subagents.joined import compose
from subagents.plain.answers import plainly
from tests.kit import DAY, context

AGENTS = (Agent("logs", "d", "p", (), "L"), Agent("changes", "d", "p", (), "C", after=("logs",)))


def at(clock: str) -> str:
    return f"2026-11-29T{clock}:00+00:00"


def counted(*rows: Json, **more: Any) -> tuple[str, Json]:
    base = {"counts": list(rows), "elsewhere": None, "lines": 900, "still": False, "until": at("23:59"), "base": None}
    return "count_errors", {**base, "asked": [], "zone": "UTC", **more}


def errors(service: str, n: int, onset: str = "", end: str = "", before: int | None = None) -> Json:
    times = {"onset": at(onset) if onset else None, "end": at(end) if end else None}
    return {"service": service, "n": n, "before": before, "known": True, "slots": {}, **times}


def fired(*rows: Json, blind: bool = False) -> tuple[str, Json]:
    return "list_alerts", {"alerts": list(rows), "blind": blind, "elsewhere": None}


def alert(name: str, service: str, start: str, end: str = "", known: bool = True) -> Json:
    times = {"start": at(start), "end": at(end) if end else None, "end_known": known}
    return {"name": name, "service": service, "severity": "critical", "lead": True, "n": 1, **times}


def suspect(id: str, service: str, version: str, clear: bool = True, **more: Any) -> Json:
    about: Json = {"id": id, "kind": "deploy", "service": service, "version": version, "sha": "", "at": at("13:50")}
    about |= {"what": f"{service} {version}", "title": "t", "author": "mei", "why": [], "against": "", "back": None}
    return {**about, "clear": clear, "sure": "high" if clear else "low", **more}


def ranked(*good: Json, rejected: tuple[Json, ...] = (), cause: Json = None, tied: int = 1) -> tuple[str, Json]:
    about = {"suspects": list(good), "rejected": list(rejected), "tied": tied, "cause": cause, "total": 4}
    return "suspects", {**about, "onset_asked": at("14:03")}


def changed(*rows: Json, undone: tuple[Json, ...] = ()) -> tuple[str, Json]:
    return "list_changes", {"changes": list(rows), "undone": list(undone), "total": len(rows)}


def said(question: str, *results: tuple[str, Json], services: tuple[str, ...] = (), lang: Any = "en") -> list[str]:
    evidence = tuple(
        Evidence(f"E{n}", "logs", tool, {}, ToolResult("ok", "", data)) for n, (tool, data) in enumerate(results, 1)
    )
    ctx = replace(context(question, window=DAY), lang=lang, scope=Scope(services=services))
    return list(plainly(Turn(AGENTS[0], [], ctx), [Findings("logs", "ok", "s", evidence=evidence)]).lines)


ENDED = counted(errors("cart", 9, "14:03", "14:47"))
GOING = counted(errors("cart", 9, "14:03"))
SILENT = counted(lines=0)
QUIET = counted()


@pytest.mark.parametrize(
    ("question", "results", "first"),
    [
        ("is it fixed now?", (ENDED, fired(alert("High", "cart", "14:04", "14:49"))), "Yes: "),
        ("is it fixed now?", (ENDED, fired(alert("High", "cart", "14:04", known=False))), "Yes: "),
        ("is it fixed now?", (ENDED, fired(alert("High", "cart", "14:04"))), "No: "),
        ("is it fixed now?", (GOING, fired()), "No: "),
        ("is it fixed now?", (SILENT, fired(blind=True)), "Can't tell: "),
        ("is it fixed now?", (SILENT, fired(alert("High", "cart", "14:04", known=False))), "Can't tell: "),
        ("is it still failing?", (GOING, fired()), "Yes: "),
        ("is it still failing?", (ENDED, fired()), "No: "),
        ("any problems yesterday?", (QUIET, fired()), "No: "),
        ("any problems yesterday?", (SILENT, fired(blind=True)), "Can't tell: "),
        ("any problems yesterday?", (ENDED, fired()), "Yes: "),
        ("is everything ok?", (QUIET, fired()), "Yes: "),
        ("is everything ok?", (GOING, fired()), "No: "),
        ("is everything ok?", (SILENT, fired(blind=True)), "Can't tell: "),
    ],
)
def test_the_state_by_its_first_word(question: str, results: tuple[tuple[str, Json], ...], first: str) -> None:
    assert said(question, *results)[0].startswith(first)


def test_errors_of_a_log_that_names_no_service_are_a_number_alone() -> None:
    assert "（1）" in said("昨天有报错吗", counted(errors("", 1)), lang="zh")[0]


def test_going_on_where_the_data_ended_hours_ago_is_not_known() -> None:
    lines = said("is it fixed now?", counted(errors("cart", 9, "14:03"), still=True, until=at("15:00")), fired())
    assert lines[0].startswith("Can't tell: ")
    assert "14:59" in lines[0]


def test_what_ended_and_what_was_taken_back_stand_together() -> None:
    undone = {**suspect("2", "cart", "1.2.4"), "of": "cart 1.2.3", "at": at("14:46")}
    lines = said("did the rollback help?", ENDED, fired(), changed(undone=(undone,)))
    assert lines[0] == "Yes: Errors of cart began at 14:03, ended at 14:47 [E1]."
    assert lines[-1] == "cart 1.2.4 took back cart 1.2.3 at 14:46 [E3]."


GOOD, OTHER = suspect("1", "cart", "1.2.3"), suspect("7", "tax", "2.0.0", against="after_onset")
OUTAGE = {"verdict": "operational", "kind": "certificate", "title": "a certificate has expired", "service": "cart",
          "first_failing": "cart"}  # fmt: skip


@pytest.mark.parametrize(
    ("question", "results", "first"),
    [
        ("was it cart 1.2.3?", (ranked(GOOD),), "Yes: "),
        ("was it tax 2.0.0?", (ranked(GOOD, rejected=(OTHER,)),), "No: "),
        ("was it tax 9.9.9?", (ranked(GOOD),), "Can't tell: "),
        ("was it cart 1.2.3?", (ranked(GOOD, suspect("3", "tax", "1.0.1"), tied=2),), "Can't tell: "),
        ("was it cart 1.2.3?", (ENDED, changed(GOOD)), "Can't tell: "),
        ("was it the deploy?", (ranked(GOOD),), "Yes: "),
        ("was it a config change?", (ranked(GOOD),), "No: "),
        ("is it an expired certificate?", (ranked(cause=OUTAGE),), "Yes: "),
        ("is it the database?", (ranked(cause=OUTAGE),), "No: "),
        ("is it the database?", (counted(),), "Can't tell: "),
        ("was it cart?", (ENDED, ranked(GOOD)), "Yes: "),
        ("was it tax?", (counted(errors("cart", 9, "14:03"), errors("tax", 2, "14:05")), ranked(GOOD)), "No: "),
    ],
)
def test_is_it_x(question: str, results: tuple[tuple[str, Json], ...], first: str) -> None:
    lines = said(question, *results)
    assert lines[0].startswith(first), lines


def test_a_rejected_change_is_said_with_its_reason_and_the_likelier_one() -> None:
    lines = said("was it tax 2.0.0?", ranked(GOOD, rejected=(OTHER,)))
    assert "after the onset" in lines[0]
    assert "cart 1.2.3" in lines[1]


@pytest.mark.parametrize(("question", "lang"), [("要不要回滚？", "zh"), ("should we roll back?", "en")])
def test_rolling_back_is_left_to_a_person(question: str, lang: str) -> None:
    lines = said(question, GOING, fired(), ranked(GOOD), lang=lang)
    assert lines[0].startswith("由人决定" if lang == "zh" else "That is a person's decision")
    assert "cart 1.2.3" in lines[0]
    assert len(lines) <= 6
    back = {"what": "cart 1.2.4", "at": at("14:46")}
    taken = "\n".join(said(question, ENDED, fired(), ranked({**GOOD, "back": back}), lang=lang))
    assert "cart 1.2.4" in taken
    assert "14:47" in taken


def test_who_made_the_suspect() -> None:
    assert said("谁改的", ranked(GOOD), lang="zh")[0].startswith("mei：")
    commit = {**GOOD, "author": "omar", "author_of": "commit"}
    assert said("who did it?", ranked(commit))[0].startswith("omar (author of the commit): ")
    assert said("谁改的", ranked({**GOOD, "author": ""}), lang="zh")[0].startswith("作者没有记录")


def test_the_first_by_onset_and_the_longest_by_duration() -> None:
    rows = counted(errors("cart", 9, "14:05", "14:47"), errors("tax", 2, "14:03", "14:30"), errors("web", 1))
    assert said("哪个服务最先坏", rows, lang="zh")[0].startswith("最先报错的是 tax（14:03），其后 cart 14:05")
    alerts = fired(alert("A", "cart", "14:00", "14:10"), alert("B", "tax", "14:00", "14:40"))
    assert said("which alert lasted longest?", alerts)[0].startswith("The longest is B (tax): 40 min")
    unknown = fired(alert("A", "cart", "14:00", known=False))
    assert "isn't recorded" in said("which alert lasted longest?", unknown)[0]


OLD = alert("High", "cart", "09:00", "09:20")
NOW_HIGH = alert("High", "cart", "14:04", "14:49")
SLOW = (
    "metric",
    {"onset": at("14:01"), "series": [{"service": "cart", "name": "p99", "onset": at("14:01"), "end": None}]},
)


@pytest.mark.parametrize(
    ("question", "results", "first"),
    [
        ("when did it start?", (ENDED, fired(OLD, NOW_HIGH)), "Since 14:03 UTC: errors of cart [E1]."),
        ("when did it start?", (counted(), fired(NOW_HIGH)), "Since 14:04 UTC: alert High (cart) [E2]."),
        ("when did it start?", (counted(), fired(), SLOW), "Since 14:01 UTC: cart `p99` [E3]."),
        ("when did High fire?", (ENDED, fired(NOW_HIGH)), "Since 14:04 UTC: alert High (cart) [E2]."),
        ("when did it end?", (ENDED, fired(NOW_HIGH)), "Ended at 14:47 UTC: errors of cart [E1]."),
        ("when did High clear?", (GOING, fired(NOW_HIGH)), "Ended at 14:49 UTC: alert High (cart) [E2]."),
        ("when did it end?", (GOING, fired(NOW_HIGH)), "Not over: "),
        ("when did it end?", (SILENT, fired(alert("High", "cart", "14:04", known=False))), "Can't tell: "),
        ("how long did it last?", (ENDED, fired(NOW_HIGH)), "44 min (14:03–14:47): errors of cart [E1]."),
        ("how long has it been down?", (GOING, fired()), "Since 14:03 UTC: errors of cart [E1]."),
        ("when did it start?", (QUIET, fired()), "In 2026-11-29"),
        ("when did it start?", (SILENT, fired(blind=True)), "There are no logs and no alert data"),
    ],
)
def test_a_time_is_asked_for_and_given_first(question: str, results: tuple[tuple[str, Json], ...], first: str) -> None:
    assert said(question, *results)[0].startswith(first)


def test_alerts_of_another_time_are_no_beginning_of_these_errors() -> None:
    lines = said("when did it start?", ENDED, fired(OLD, NOW_HIGH))
    assert lines[1] == "alert High (cart): at 14:04 [E2]."


def test_a_time_outside_the_window_follows_that_there_is_none_in_it() -> None:
    other = {"service": "cart", "onset": at("14:03"), "end": at("14:47"), "n": 9}
    lines = said("when did it end?", counted(elsewhere=other), fired())
    assert "no errors" in lines[0]
    assert lines[1].startswith("Ended at 14:47")


def test_a_comparison_gives_both_numbers_or_says_that_one_is_missing() -> None:
    both = counted(errors("cart", 9), errors("tax", 2))
    assert "cart 9, tax 2" in said("cart vs tax", both, services=("cart", "tax"))[0]
    earlier = counted(errors("cart", 9, before=4), base=["2026-11-28T00:00:00+00:00", "2026-11-29T00:00:00+00:00"])
    assert "9 errors" in (line := said("cart errors compared to before", earlier, services=("cart",))[0])
    assert "4 before" in line
    assert "doesn't reach back" in said("cart errors compared to before", both, services=("cart",))[0]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("is the error rate above 5%?", "Yes: "),
        ("is the error rate above 20%?", "No: "),
        ("错误率低于 20% 吗", "是，"),
        ("was availability above 99%?", "No: "),
        ("可用率达到 99% 了吗", "否，"),
        ("did it meet the SLO?", "Can't tell: "),
    ],
)
def test_a_limit_is_compared_with_the_figure(question: str, first: str) -> None:
    ratio = {"service": "cart", "percent": 90.0, "total": 100, "bad": 10, "objective": None, "spent": None}
    lang = "zh" if first[0] in "是否" else "en"
    lines = said(question, ("availability", {"ratios": [ratio]}), lang=lang)
    assert lines[0].startswith(first)
    assert "90%" in lines[0]


def test_users_are_not_counted_and_what_is_nearest_is_given() -> None:
    ratio = {"service": "cart", "percent": 90.0, "total": 100, "bad": 10, "objective": None, "spent": None}
    line = said("how many users were affected?", ("availability", {"ratios": [ratio]}))[0]
    assert line.startswith("Not measured")
    assert "cart 10/100" in line


def test_a_why_is_not_answered_with_yes() -> None:
    assert said("why is cart still failing?", GOING, fired()) == []


def test_the_whole_answer_is_short_and_a_taken_name_is_said() -> None:
    evidence = (
        Evidence("E1", "logs", *counted(errors("cart", 9, "14:03", "14:47"))[:1], {}, ToolResult("ok", "", ENDED[1])),
    )
    found = Findings("logs", "ok", "head [E1].\n\ndetail [E1].", evidence=evidence)
    rows = [{"asked": {}, "findings": to_json(found)}]
    taken = Taken("", ToolCall("1", "investigate", {}), ToolResult("ok", "", rows))
    scope = Scope(services=("cart",), why="no service 'crat': read as cart")
    ctx = replace(context("is crat fixed now?", window=DAY), scope=scope)
    lines = [line for line in compose(Turn(AGENTS[0], [], ctx, taken=[taken]), AGENTS).splitlines() if line]
    assert lines[0] == "No service is called `crat`; this is about cart."
    assert lines[1].startswith("Yes: ")
    assert len(lines) <= 6


@pytest.mark.parametrize(("hours", "told"), [(8, True), (0.05, False)])
@pytest.mark.parametrize("question", ["is it fixed now?", "现在好了吗", "why is cart failing?", "any alerts?"])
def test_data_that_ended_well_before_the_question_is_said_to(question: str, hours: float, told: bool) -> None:
    found = Findings("logs", "ok", "head [E1].", evidence=(_evidence(*ENDED),))
    taken = Taken(
        "", ToolCall("1", "investigate", {}), ToolResult("ok", "", [{"asked": {}, "findings": to_json(found)}])
    )
    ctx = replace(context(question, window=DAY), now=DAY.end, lang="zh" if "好" in question else "en")
    late = replace(ctx, question=replace(ctx.question, at=DAY.end + timedelta(hours=hours)))
    lines = compose(Turn(AGENTS[0], [], late, taken=[taken]), AGENTS).splitlines()
    assert any(("The data end at" in line or "数据到" in line) for line in lines[:2]) == told
    early = replace(late, window=replace(DAY, end=DAY.end - timedelta(hours=3)))
    assert "The data end at" not in compose(Turn(AGENTS[0], [], early, taken=[taken]), AGENTS)


@pytest.mark.parametrize("question", ["is it fixed now?", "any problems yesterday?", "is everything ok?"])
def test_what_could_not_be_read_is_no_all_clear(question: str) -> None:
    found = Findings("logs", "partial", "s", evidence=(_evidence(*fired()),), unreachable=("count_errors: refused",))
    turn = Turn(AGENTS[0], [], context(question, window=DAY))
    assert plainly(turn, [found], broken=True).lines[0].startswith("Can't tell: ")


def test_no_cause_is_no_all_clear_where_nothing_was_read() -> None:
    assert "nothing to explain" in said("is it the database?", QUIET, fired())[0]
    assert "doesn't tell" in said("is it the database?", SILENT, fired(blind=True))[0]


def _evidence(tool: str, data: Json) -> Evidence:
    return Evidence("E1", "logs", tool, {}, ToolResult("ok", "", data))
