"""What each source reaches over, told apart: a folder that ended beside a store that goes on, samples, unknown time."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_ops.attached import together
from hermes_ops.report.build import Known, Order, build
from hermes_ops.report.day import local_day
from hermes_ops.report.explaining import by_name
from hermes_ops.report.model import Amount, Report
from hermes_ops.report.reach import Reach, Span
from hermes_ops.report.template import sentences
from hermes_ops.report.view import card, digest, markdown, missing
from hermes_ops.report.view.tiles import tiles
from memory import Memory
from orchestrator.contracts import Window
from subagents.cause.model import Reason
from subagents.folder.folder import open_folder
from subagents.sources import Change, Sources
from tests.hooks.place import Place, hooks
from tests.memory.conftest import free_port, memory
from tests.report.samples import ROWS, bad_day, quiet_day
from tests.report.staged import DAY, alert, at, lines, logs, report, sources
from tests.report.view.test_golden import words
from tests.report.view.test_terminal import printed

__all__ = ["free_port", "memory"]
ZONE = "Asia/Shanghai"
NOON = datetime(2026, 11, 29, 4, tzinfo=UTC)  # where the folder ends
HOOKED = datetime(2026, 11, 29, 14, tzinfo=UTC)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
async def place(memory: Memory) -> Place:
    """A store of web hooks that has run for a month."""
    place = Place(memory, hooks())
    place.clock.now = HOOKED - timedelta(days=30)
    await place.ear.begin()
    place.clock.now = HOOKED + timedelta(hours=1)
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Logs and an alert from midnight in Shanghai till noon."""
    made, first, last = tmp_path / "data", NOON - timedelta(hours=12), NOON - timedelta(hours=11)
    made.mkdir()
    rows = [{"timestamp": f"{first + timedelta(minutes=10 * n):%Y-%m-%dT%H:%M:%SZ}", "service": "cart",
             "level": "error" if n == 3 else "info", "message": "no stock"} for n in range(73)]  # fmt: skip
    (made / "cart.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    told = {"labels": {"alertname": "Old", "service": "cart", "severity": "warning"}, "status": "resolved",
            "startsAt": f"{first:%Y-%m-%dT%H:%M:%SZ}", "endsAt": f"{last:%Y-%m-%dT%H:%M:%SZ}"}  # fmt: skip
    (made / "alerts.json").write_text(json.dumps({"version": "4", "status": "resolved", "alerts": [told]}))
    return made


async def made(folder: Path, place: Place, window: Window, kind: str = "day", lang: str = "zh") -> Report:
    opened = open_folder(folder)
    try:
        of = together(opened.sources(), Sources(alerts=(place.alerts,), changes=(place.changes,)))
        order = Order(kind, window, lang)  # type: ignore[arg-type]
        found = await build(order, of, Known(), place.clock())
        return replace(found, prose=replace(found.prose, sentences=sentences(found)))
    finally:
        opened.close()


def forms(found: Report) -> dict[str, str]:
    return {
        "md": markdown.render(found), "html": words(found), "terminal": printed(found),
        "card": json.dumps(card.render(found), ensure_ascii=False), "text": card.text(found),
    }  # fmt: skip


# ── a store beside a folder that ended ────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["day", "shift"])
async def test_what_the_store_holds_is_told_though_the_folder_ended(folder: Path, place: Place, kind: str):
    await place.tell()
    now = place.clock()
    start = now - timedelta(hours=2) if kind == "shift" else local_day(HOOKED.date(), ZONE).start
    found = await made(folder, place, Window(start, now, ZONE), kind)
    assert (found.alerts.fired.value, found.alerts.still_open.value) == (1 if kind == "shift" else 2, 1)
    assert found.verdict.rating == "bad"
    assert any(a.kind == "open_alert" and a.service == "checkout" for a in found.attention)
    lacking = {(g.source, g.where) for g in found.gaps}
    assert ("folder alerts", "alerts") in lacking
    assert not any(source == "received" for source, _ in lacking)
    assert kind == "day" or [r.name for r in found.handover.open] == ["Slow"]  # type: ignore[union-attr]
    assert not any("告警—" in text or "告警触发未知" in text for text in forms(found).values())


async def test_a_window_that_only_the_store_covers_has_exact_counts(folder: Path, place: Place):
    await place.tell()
    found = await made(folder, place, Window(HOOKED - timedelta(hours=1), place.clock(), ZONE), "shift")
    assert found.alerts.fired == Amount(1)
    assert found.changes.total == Amount(0)
    assert found.errors.total.value is None
    assert [g.what for g in found.gaps if g.source == "folder alerts"] == ["没有这段时间的数据"]


async def test_a_store_that_began_inside_the_window_says_since_when_in_the_clock_of_the_report(memory: Memory):
    young = Place(memory, hooks())
    young.clock.now = HOOKED
    await young.ear.begin()
    await young.tell()
    of = replace(sources(), alerts=(young.alerts,))
    window = Window(HOOKED - timedelta(hours=4), HOOKED + timedelta(hours=4), ZONE)
    found = await build(Order("shift", window, "zh"), of, Known(), window.end)
    assert [(g.source, g.what) for g in found.gaps] == [("received", "数据从 11-29 22:00 才开始，之前的不知道")]
    assert (found.alerts.fired.value, found.alerts.fired.sure) == (1, "least")


async def test_what_a_store_was_told_of_a_time_before_it_began_is_in_the_report(folder: Path, memory: Memory):
    young = Place(memory, hooks())
    young.clock.now = HOOKED + timedelta(minutes=5)
    await young.ear.begin()
    await young.tell()  # it fires since five minutes before
    window = Window(HOOKED - timedelta(hours=1), HOOKED + timedelta(minutes=3), ZONE)
    found = await made(folder, young, window, "shift")
    assert [r.name for r in found.handover.open] == ["Slow"]  # type: ignore[union-attr]
    assert found.verdict.rating == "bad"
    assert (found.alerts.fired.value, found.alerts.fired.sure) == (1, "least")


def test_spans_of_several_sources_are_put_together():
    window = Window(at(0), at(24), "UTC")
    folder, store = Span("folder", at(0), at(8)), Span("store", at(6))
    both = Reach((folder, store))
    assert (both.unbroken(window), both.whole(window), both.hours(window)) == (True, False, 24)
    apart = Reach((folder, Span("late", at(20))))
    assert apart.parts(window) == ((at(0), at(8)), (at(20), at(24)))
    assert not apart.compares(replace(window, end=at(23)))
    assert (apart.knows(at(7), window), apart.knows(at(8), window)) == (True, False)
    assert Reach((Span("empty", empty="no records"), folder)).hours(window) == 8
    assert Reach((Span("empty", empty="no records"),)).empty == "no records"


# ── a time of which a part is unknown ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_calm_part_of_a_day_is_no_calm_day(lang: str):
    """Logs end at eight; nothing happened before."""
    of = sources(errors=logs(lines("cart", 0, 1, level="info"), lines("cart", 8, 1, level="info"), since=None))
    found = await report(of, lang=lang)
    assert (found.verdict.rating, [r.name for r in found.verdict.rules]) == ("incomplete", ["part"])
    assert (found.errors.total.value, found.errors.total.sure) == (0, "least")
    found = replace(found, prose=replace(found.prose, sentences=sentences(found)))
    hours = "00:00–08:00"
    calm = ("平静", "没有需要人处理", "quiet", "Nothing needs a person", "nothing needs a person", "≈0", "约 0")
    for name, text in forms(found).items():
        assert not [word for word in calm if word in text], name
        head = text[: text.index(missing.calm(found))]
        assert hours in head, name  # beside the verdict, before what needs a person
    assert forms(found)["card"].count('"green"') == 0


async def test_the_first_sentence_gives_the_hours_that_are_known():
    of = sources([alert("A", "cart", 2)], logs(lines("cart", 0, 3), lines("cart", 8, 1, level="info"), since=None))
    ended = replace(of, alerts=(replace(of.alerts[0], since=None, rows=of.alerts[0].rows),))
    first = sentences(await report(ended, lang="zh"))[0]
    assert first == "11-25（周三）数据不全：只覆盖 00:00–08:00，其间没有事故，告警触发 1 次，错误日志 3 条。"


def test_nothing_seen_in_a_part_is_never_written_as_zero():
    part = Amount(0, "least", "只覆盖 00:00–08:00")
    quiet = quiet_day()
    found = replace(quiet, alerts=replace(quiet.alerts, fired=part), errors=replace(quiet.errors, total=part))
    text = markdown.render(found)
    assert "**告警：—（只覆盖 00:00–08:00，其间为 0）**" in text
    assert "错误日志：—" in text
    assert not any(t.value in ("0", "≥0", "≈0") and t.place in ("alerts", "errors") for t in tiles(found))


# ── logs that are a sample ────────────────────────────────────────────────────────────────────


async def test_a_sample_of_logs_is_called_one_and_the_patterns_counts_are_taken(tmp_path: Path):
    rows = [{"timestamp": f"{at(10 + n / 60):%Y-%m-%dT%H:%M:%SZ}", "service": "cart", "level": "error",
             "message": "no stock"} for n in range(20)]  # fmt: skip
    mined = [
        {"signature": said, "service": "cart", "count": n, "delta_vs_baseline": f"+{n}", "sentiment": mood}
        for said, n, mood in (("no stock", 900, "negative"), ("served", 9000, "neutral"))
    ]
    (tmp_path / "cart.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "patterns.json").write_text(json.dumps(mined))
    opened = open_folder(tmp_path)
    try:
        found = await build(Order("day", local_day(DAY, "UTC"), "zh"), opened.sources(), Known(), at(30))
    finally:
        opened.close()
    assert found.errors.sampled
    assert (found.errors.total.value, found.errors.total.sure) == (900, "least")
    assert [(r.service, r.n.value) for r in found.errors.rows] == [("cart", 900)]
    assert [p.template for p in found.errors.patterns if p.n > 100] == ["no stock"]
    assert any("抽样" in g.what and "20" in g.what for g in found.gaps)
    for name, text in forms(found).items():
        assert "抽样" in text, name


async def test_lines_that_hold_what_patterns_count_are_no_sample():
    found = await report(sources(errors=logs(lines("cart", 5, 9), lines("cart", 23.9, 1, level="info"))))
    assert (found.errors.sampled, found.errors.total) == (False, Amount(9))


# ── words ─────────────────────────────────────────────────────────────────────────────────────


def test_a_firing_of_another_year_has_its_year_and_a_carried_one_no_count_of_zero():
    old = replace(bad_day().alerts.rows[0], service="", fired=0, first=datetime(2017, 8, 4, tzinfo=UTC), end=None)
    line = digest.alert(old, bad_day())
    assert "2017-08-04" in line
    assert "0 次" not in line
    assert "()" not in line


def test_not_yet_is_said_of_now_only():
    found = bad_day()
    going = replace(found.incidents[0], end=None)
    told = [
        sentences(replace(found, incidents=(going,), made_at=made_at))[1]
        for made_at in (found.window.end, found.window.end + timedelta(days=150))
    ]
    assert "至今未恢复" in told[0]
    assert "到 24:00 仍未恢复" in told[1]
    assert "是否恢复未知" in sentences(replace(found, incidents=(replace(going, open_known=False),)))[1]


async def test_a_chinese_report_words_what_sources_say_in_english(memory: Memory):
    empty = Place(memory, hooks())
    unheard = replace(sources(), alerts=(type(empty.alerts)("received", empty.records, ("nobody",)),))
    found = await build(Order("day", local_day(DAY, "UTC"), "zh"), unheard, Known(), at(30))
    assert [g.what for g in found.gaps if g.where == "alerts"] == [
        "web hook nobody 从未收到过数据：请确认 hermes-ops serve 在运行"
    ]


# ── what no data can't say ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("hours", "kind"), [(1, "undecided"), (48, "unknown")])
async def test_no_change_explains_it_is_said_only_where_changes_are_known(hours: int, kind: str):
    """The changes are known since an hour before noon, or for days; the incident begins then."""
    of = sources([alert("Down", "cart", 12, 30, "critical")], logs(lines("cart", 12, 60), lines("cart", 23.9, 1)))
    young = replace(of, changes=(replace(of.changes[0], since=at(12.5 - hours)),))
    found = await report(young, lang="zh")
    assert [i.cause.kind for i in found.incidents] == [kind]
    assert any("无法判断是否由变更引起" in g.what for g in found.gaps) == (kind == "undecided")


def test_what_took_a_change_back_has_a_name_and_not_the_number_of_a_row():
    reverted = Change("9009", "deploy", "payment", at(12), "Revert the pool", version="2.4.2")
    reason = Reason("taken back", "taken back at 14:47 by 9009", 1.5)
    assert by_name("14:47 被 9009 回滚", reason, (reverted,)) == "14:47 被 payment 2.4.2 回滚"
    assert by_name("14:47 被 9009 回滚", reason, (replace(reverted, version=""),)) == "14:47 被 Revert the pool 回滚"


def test_the_longest_that_is_still_open_is_called_so_beside_the_median_of_those_that_ended() -> None:
    day = bad_day("en")
    for longest, wanted in ((ROWS[-1], True), (ROWS[0], False)):
        report = replace(day, alerts=replace(day.alerts, longest=longest))
        [tile] = [t for t in tiles(report) if t.place == "resolve"]
        assert ("still open" in tile.note) is wanted
