"""Times without an offset: by which clock they are read, and that it is said."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from subagents.folder.folder import Folder, open_folder
from subagents.folder.zones import Asker
from subagents.sources import AlertQuery, ChangeQuery, LogQuery, MetricQuery
from tests.subagents.folder.helpers import ALL, folder_of, utc

SHANGHAI = "Asia/Shanghai"
LOCAL = {
    "pay.log": "2026-04-22 10:04:20.000 ERROR [main] c.P - failed\n2026-04-22 10:47:00.000 INFO [main] c.P - ok\n",
    "告警.csv": "告警名称,服务,触发时间,恢复时间\nHigh,pay,2026-04-22 10:06:00,2026-04-22 10:49:00\n",
    "deploys.json": '[{"service": "pay", "version": "1", "deployed_at": "2026-04-22T10:02:00"}]',
    "cpu.csv": "time,service,metric,value\n2026-04-22 10:00:00,pay,cpu,1\n2026-04-22 10:01:00,pay,cpu,2\n",
}
NOTE = "4 file(s) write times without a zone; they were read as "


def asker(zone: str, now: str) -> Asker:
    return Asker(zone, datetime.fromisoformat(now).timestamp())


async def firsts(folder: Folder) -> list[datetime | None]:
    """The first record of each kind."""
    held = folder.sources()
    found = [
        (await held.logs[0].search(LogQuery(ALL), 1)).rows[0].at,
        (await held.alerts[0].episodes(AlertQuery(ALL))).rows[0].start,
        (await held.changes[0].list(ChangeQuery(ALL))).rows[0].at,
        (await held.metrics[0].series(MetricQuery(ALL))).rows[0].points[0][0],
    ]
    folder.close()
    return found


def at(*clocks: str) -> list[datetime]:
    return [utc(f"2026-04-22T{clock}") for clock in clocks]


AS_UTC, AS_SHANGHAI = at("10:04:20", "10:06", "10:02", "10:00"), at("02:04:20", "02:06", "02:02", "02:00")


@pytest.mark.parametrize(("given", "zone", "found"), [
    (None, "", AS_UTC),  # nobody tells
    (asker(SHANGHAI, "2026-04-22T11:30+08:00"), "", AS_SHANGHAI),  # as UTC they lie after now
    (asker(SHANGHAI, "2026-04-22T20:00+08:00"), "", AS_UTC),  # as UTC they don't
    (asker("America/New_York", "2026-04-22T03:00+00:00"), "", AS_UTC),  # the asker's clock helps nothing
    (asker(SHANGHAI, "2026-04-22T20:00+08:00"), SHANGHAI, AS_SHANGHAI),  # said by hand
    (asker(SHANGHAI, "2026-04-22T11:30+08:00"), "UTC", AS_UTC),
])  # fmt: skip
async def test_all_kinds_of_files_are_read_by_one_clock(
    tmp_path: Path, given: Asker | None, zone: str, found: list[datetime]
) -> None:
    folder_of(tmp_path, LOCAL).close()
    assert await firsts(open_folder(tmp_path, zone=zone, asker=given)) == found


async def test_files_with_offsets_tell_the_clock_of_the_others(tmp_path: Path) -> None:
    stated = {"gate.log": "2026-04-22T10:00:00+08:00 INFO ok\n2026-04-22T10:59:00+08:00 INFO ok\n"}
    folder = folder_of(tmp_path, {**LOCAL, **stated})  # which nobody asks
    assert folder.coverage().zone == "UTC"  # an offset is no clock to print times by
    told = (await folder.sources().changes[0].list(ChangeQuery(ALL))).gaps
    assert told == (f"{NOTE}+08:00",)
    found = await firsts(folder)
    assert found[1:] == AS_SHANGHAI[1:]


async def test_what_was_assumed_is_said_and_what_was_set_is_not(tmp_path: Path) -> None:
    folder_of(tmp_path, LOCAL).close()
    now = asker(SHANGHAI, "2026-04-22T11:30+08:00")
    guessed, said = open_folder(tmp_path, asker=now), open_folder(tmp_path, zone=SHANGHAI, asker=now)
    for folder, gaps in ((guessed, (f"{NOTE}{SHANGHAI}",)), (said, ())):
        assert (await folder.sources().logs[0].count(LogQuery(ALL), ())).gaps == gaps
        assert folder.coverage().zone == SHANGHAI
        folder.close()


async def test_records_after_now_are_said(tmp_path: Path) -> None:
    folder_of(tmp_path, {"a.log": "2026-04-22T10:04:20Z ERROR failed\n"}).close()
    folder = open_folder(tmp_path, asker=asker("UTC", "2026-04-22T08:00+00:00"))
    gaps = (await folder.sources().logs[0].count(LogQuery(ALL), ())).gaps
    assert gaps == ("records lie after the question's time, up to 2026-04-22T10:04:20Z",)
    folder.close()


async def test_logs_that_state_the_askers_offset_are_written_by_the_askers_clock(tmp_path: Path) -> None:
    folder_of(tmp_path, {"a.log": "2026-04-22T10:04:20+08:00 ERROR failed\n"}).close()
    for zone, own in ((SHANGHAI, SHANGHAI), ("Europe/Berlin", "UTC")):
        folder = open_folder(tmp_path, asker=asker(zone, "2026-04-22T08:00+00:00"))
        assert folder.coverage().zone == own
        folder.close()


DAY_LONG = "2026-04-22 02:00:00.000 ERROR [main] c.P - failed\n2026-04-22 22:00:00.000 INFO [main] c.P - ok\n"


def gate(*offsets: str) -> str:
    return "".join(f"2026-04-22T{hour}:00:00{o} INFO ok\n" for o in offsets for hour in ("01", "23"))


@pytest.mark.parametrize(("beside", "read_as"), [
    ({"gate.log": gate("+01:00")}, "+01:00"),  # every clock fits; one is stated
    ({"gate.log": gate("+01:00"), "api.log": gate("Z")}, "+01:00"),  # Z says of no place
    ({"gate.log": gate("+01:00"), "far.log": gate("+05:00")}, ""),  # two: which one isn't told
    ({"qps.csv": "time,service,metric,value\n2026-04-22T01:00:00+01:00,pay,qps,1\n"
      "2026-04-22T23:00:00+01:00,pay,qps,2\n"}, "+01:00"),
    ({"d.json": '[{"service": "pay", "version": "1", "deployed_at": "2026-04-22T12:02:00+01:00"}]'}, "+01:00"),
    ({"d.json": '[{"service": "pay", "version": "1", "deployed_at": "2026-04-22T12:02:00+00:00"}]'}, ""),
    ({"api.log": gate("Z")}, ""),
])  # fmt: skip
async def test_the_one_offset_that_a_folder_states_is_the_clock_of_files_without(
    tmp_path: Path, beside: dict[str, str], read_as: str
) -> None:
    source = folder_of(tmp_path, {"pay.log": DAY_LONG, **beside}).sources().logs[0]
    first = (await source.search(LogQuery(ALL, levels=("error",)), 1)).rows[0].at
    assert first == utc("2026-04-22T01:00" if read_as else "2026-04-22T02:00")
    gaps = (await source.count(LogQuery(ALL), ())).gaps
    assert gaps == ((f"1 file(s) write times without a zone; they were read as {read_as}",) if read_as else ())


async def test_a_stated_offset_that_the_asker_shares_is_called_by_the_askers_zone(tmp_path: Path) -> None:
    folder_of(tmp_path, {"pay.log": DAY_LONG, "gate.log": gate("+02:00")}).close()
    later = asker("Europe/Berlin", "2026-04-23T11:30+02:00")
    folder = open_folder(tmp_path, asker=later)
    assert folder.coverage().zone == "Europe/Berlin"
    assert (await folder.sources().logs[0].count(LogQuery(ALL), ())).gaps == (
        "1 file(s) write times without a zone; they were read as Europe/Berlin",
    )
    folder.close()


async def test_no_offset_puts_records_after_the_askers_now(tmp_path: Path) -> None:
    folder_of(tmp_path, {"pay.log": DAY_LONG, "gate.log": gate("-05:00")}).close()
    folder = open_folder(tmp_path, asker=asker("UTC", "2026-04-22T22:30+00:00"))
    assert (await folder.sources().logs[0].search(LogQuery(ALL, ("pay",)), 1)).rows[0].at == utc("2026-04-22T02:00")
    folder.close()


async def test_utc_is_said_too_where_the_asker_lives_by_another_clock(tmp_path: Path) -> None:
    folder_of(tmp_path, {"pay.log": DAY_LONG}).close()
    for zone, gaps in ((SHANGHAI, ("1 file(s) write times without a zone; they were read as UTC",)), ("UTC", ())):
        folder = open_folder(tmp_path, asker=asker(zone, "2026-05-01T10:00+00:00"))
        assert (await folder.sources().logs[0].count(LogQuery(ALL), ())).gaps == gaps
        folder.close()


async def test_files_of_one_export_begin_and_end_together(tmp_path: Path) -> None:
    """By which of several clocks that would do is then no guess."""
    stated = "".join(f"2026-04-22T{hour}:01:00Z INFO ok\n" for hour in ("01", "21"))
    other = "".join(f"2026-04-22T{hour}:00:00+05:00 INFO ok\n" for hour in ("01", "23"))
    for n, (files, first, gaps) in enumerate((
        ({"gate.log": stated, "far.log": other}, "01:00", 1),
        ({"gate.log": stated.replace("T01", "T02").replace("T21", "T22"), "far.log": other}, "02:00", 0),
        ({"gate.log": stated.replace("T21", "T23")}, "02:00", 1),  # they only begin so
    )):  # fmt: skip
        folder_of(tmp_path / str(n), {"pay.log": DAY_LONG, **files}).close()
        folder = open_folder(tmp_path / str(n), asker=asker("Europe/London", "2026-04-23T11:30+01:00"))
        source = folder.sources().logs[0]
        found = (await source.search(LogQuery(ALL, levels=("error",)), 1)).rows[0].at
        assert (found, len((await source.count(LogQuery(ALL), ())).gaps)) == (utc(f"2026-04-22T{first}"), gaps)
        folder.close()
