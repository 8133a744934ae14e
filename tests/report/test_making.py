"""The one path to a report, on a small folder and a real store: made, stored, found again, confirmed, rolled up."""

import gzip
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from hermes_ops.models import Models
from hermes_ops.recall.past import recall
from hermes_ops.report.build import Order
from hermes_ops.report.confirming import find_incident
from hermes_ops.report.day import local_day, week_of
from hermes_ops.report.making import Maker, last_day, made, named
from hermes_ops.report.turn import about, remember
from hermes_ops.settings import Settings
from hermes_ops.sourcing.opener import Opener
from memory import Memory, open_memory
from orchestrator import work
from orchestrator.errors import ConfigError
from orchestrator.scope import Catalogue, Service
from orchestrator.stop import Stop
from subagents.sources import Coverage

DAY = date(2026, 11, 25)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
START = datetime(2026, 11, 25, tzinfo=UTC)


def minute(n: int) -> str:
    return (START + timedelta(minutes=n)).isoformat()


def folder(at: Path) -> Path:
    """Two services with a line each ten minutes for a day, errors of one of them for half an hour, and its alerts."""
    at.mkdir()
    for service in ("checkout", "payment"):
        lines = []
        for n in range(24 * 60):
            bad = service == "payment" and 600 <= n < 630
            level, said = ("error", "pool timeout") if bad else ("info", "ok")
            times = 5 if bad else int(n % 10 == 9)
            lines += [json.dumps({"time": minute(n), "level": level, "service": service, "msg": said})] * times
        (at / f"{service}.log.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    alerts = [
        {"labels": {"alertname": name, "service": "payment", "severity": "critical"}, "annotations": {},
         "startsAt": minute(602), "endsAt": minute(632),
         "status": {"state": "resolved", "inhibitedBy": [], "silencedBy": []}}
        for name in ("PaymentErrors", "PaymentSlow")
    ]  # fmt: skip
    (at / "alerts.json").write_text(json.dumps(alerts))
    return at


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("report") / "files")


@pytest.fixture
async def maker(files: Path, tmp_path: Path) -> AsyncIterator[Maker]:
    settings = Settings(data_dir=tmp_path, team={"name": "shop"}, oncall={"people": ["Ana"], "since": "2026-11-01"})
    memory, threads = open_memory(settings.database_url), work.Threads()
    opener = Opener(settings.sources, files, files.parent / "index", str, threads)
    yield Maker(settings, memory, opener, Models(settings, True), str, clock=lambda: NOW)
    await opener.aclose()
    threads.close()
    await memory.close()


def memory_of(maker: Maker) -> Memory:
    return maker._memory


ORDER = Order("day", local_day(DAY, "UTC"), "zh")


async def test_a_report_is_made_stored_and_found_again(maker: Maker):
    assert await maker.stored(ORDER) is None
    report = await maker.make(ORDER, Stop())
    assert (report.team, report.alerts.fired.value, report.errors.total.value) == ("shop", 2, 150)
    assert [o.who for o in report.on_call] == ["Ana"]
    assert report.prose.author == "template"
    await maker.store(report)
    assert await maker.stored(ORDER) == report
    assert await maker.stored(Order("day", ORDER.window, "en")) is None
    assert await maker.stored(Order("day", ORDER.window, "zh", services=("payment",))) is None


async def test_a_confirmed_cause_changes_a_stored_report_too(maker: Maker):
    report = await maker.make(ORDER, Stop())
    await maker.store(report)
    memory = memory_of(maker)
    key = await find_incident(memory, "shop", "payment")
    assert key == report.incidents[0].key
    assert any(a.kind == "incident" for a in report.attention)
    await memory.reports.confirm("shop", key, "连接池太小", "ana")
    again = await maker.stored(ORDER)
    assert (again.incidents[0].cause.kind, again.incidents[0].cause.by) == ("confirmed", "ana")
    assert "连接池太小" in " ".join(again.prose.sentences)
    assert not any(a.kind == "incident" for a in again.attention)
    fresh = await maker.make(ORDER, Stop())
    assert fresh.incidents[0].cause.title == "连接池太小"
    with pytest.raises(ConfigError, match="no one incident"):
        await find_incident(memory, "shop", "nobody")
    assert await find_incident(memory, "shop", "x@2026-11-25T10:02Z") == "x@2026-11-25T10:02Z"


async def test_a_week_makes_each_day_once_and_keeps_it(maker: Maker):
    order = Order("week", week_of(DAY, "UTC"), "zh")
    week = await maker.make(order, Stop())
    assert [d.missing for d in week.days] == [True, True, False, True, True, True, True]
    assert (week.alerts.fired.value, week.alerts.fired.sure) == (2, "least")
    kept = await memory_of(maker).reports.within("shop", "day", order.window.start, order.window.end)
    assert len(kept) == 1
    assert (await maker.make(order, Stop())).days == week.days


async def test_a_day_that_is_not_over_is_not_kept(maker: Maker):
    cut = replace(ORDER.window, end=ORDER.window.start + timedelta(hours=12))
    await maker.store(await maker.make(Order("day", cut, "zh"), Stop()))
    assert await memory_of(maker).reports.latest("shop") is None


async def test_for_a_chat_it_is_a_title_a_text_a_card_and_figures(maker: Maker):
    ready = await maker("day", ORDER.window, "zh")
    assert "shop" in ready.title
    assert ready.text.startswith("**")
    assert ready.card
    assert any(f.name == "errors" and f.value == 150 for f in ready.figures)
    assert ready.json["schema"] == 1


async def test_a_reply_goes_on_from_the_report(maker: Maker):
    report = await maker.make(ORDER, Stop())
    turns = memory_of(maker).turns
    await remember(turns, "chat", report, NOW, "run.report", "那 150 个是什么？")
    await remember(turns, "chat", report, NOW, "run.report", "那 150 个是什么？")
    assert len(await turns.last("chat", 5)) == 1
    past = await recall(turns, "chat", NOW)
    assert past.former is not None
    assert (past.former.window.start, past.former.window.end) == (ORDER.window.start, ORDER.window.end)
    assert "errors of payment 150" in past.turns[-1][1]
    assert past.former.scope.services == ("payment",)
    assert past.former.asked[0] == "payment 错误日志 150"


def test_names_of_services_are_resolved_and_unknown_ones_refused():
    catalogue = Catalogue((Service("checkout", aliases=("结算",)), Service("payment")))
    assert named(("结算", "payment"), catalogue) == ("checkout", "payment")
    with pytest.raises(ConfigError, match="checkout"):
        named(("chekout",), catalogue)


def test_an_old_folder_is_reported_by_its_last_day():
    now, utc = datetime(2027, 1, 5, tzinfo=UTC), "UTC"
    whole = Coverage(START, START + timedelta(hours=23, minutes=59))
    assert last_day(whole, now, utc) == DAY
    assert last_day(Coverage(START + timedelta(hours=20), START + timedelta(hours=22)), now, utc) == DAY
    assert last_day(whole, START + timedelta(hours=33), utc) is None  # that is yesterday
    assert last_day(Coverage(None, None), now, utc) is None


async def test_two_made_at_once_are_alike(maker: Maker):
    assert made(await maker.make(ORDER, Stop())).json == made(await maker.make(ORDER, Stop())).json


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("那 150 个是什么？", ["payment 错误日志 150"]),
        ("150 个报错呢", ["payment 错误日志 150"]),
        ("150 次告警是什么", ["payment 错误日志 150"]),  # no alert counts so many
        ("151 个是什么", []),
        ("2026-11-25 10:00 呢", []),
        ("那些是什么", []),
    ],
)
async def test_a_reply_may_name_a_figure_by_its_number(maker: Maker, said: str, meant: list[str]):
    report = await maker.make(ORDER, Stop())
    assert about(report, said)["asked"][:-1] == meant
