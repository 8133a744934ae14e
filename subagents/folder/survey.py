"""The first look at one file: what it is, when it begins and ends, which services it speaks of, its rows if it holds
records. Runs in worker processes; the result is plain JSON and is cached.

Log files up to `FULL` bytes are read whole (and counted on the way: "groups" by service, level, minute and code); of
larger ones the beginning and the end are.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

from subagents.folder import codings, documents, files, keys, missed, recognise
from subagents.folder.formats import csv_metrics, gitlines, gitlog, openmetrics
from subagents.folder.formats.alertmanager import service_of
from subagents.folder.formats.sampled import SAMPLES, Samples
from subagents.folder.records import Hints, Rec, Row
from subagents.folder.scan import decoded

FULL = 8 << 20
SAMPLE = 512 << 10
SERVICES_MAX = 2000
_WORDS_MAX = 300
_WORDS_READ = 512 << 10
_IDENTIFIER = re.compile(r"(?<![A-Za-z_])[A-Za-z_][\w-]*+(?:[./][A-Za-z_][\w-]*+)+")
_FAR_EAST = "Pacific/Kiritimati"  # a time that reads otherwise there states no offset
_ZONE_TRIED = 50  # records
_OFFSET = re.compile(r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})? ?([+-]\d\d:?\d\d)(?!\d)")
_NOBODY = ("", "-", "localhost", "unknown")
_OTHER_LABELS = frozenset(("alertstate", "__name__"))
GAP = 2.5  # sample steps: a longer silence ends an episode


def weight(file: files.Found) -> int:
    """The bytes that the first look reads line by line, about."""
    if not file.packed and file.size > FULL:
        return SAMPLE + files.HEAD
    return files.unpacked(file.size, file.packed)


def survey(path: str, packed: str, near: float | None, zone: str = "", full: int = FULL) -> Row:
    """{"kind", "name", "shape", "why", "since", "until", "exact", "services", "rows" …} of one file; logs up to `full`
    bytes are read whole. Of logs also
    "last" (time of the last record), "undated" records, "broken" characters that couldn't be decoded."""
    out: Row = {
        "kind": "", "name": "", "shape": "", "why": "", "since": None, "until": None, "exact": True, "services": [],
        "rows": [], "unknown": 0, "words": {}, "codes": {}, "codes_until": None, "n": 0, "dated": True, "zoned": True,
        "last": None, "undated": 0, "broken": 0,
    }  # fmt: skip
    try:
        told = recognise.recognise(path, packed)
        out.update(kind=told.kind, name=told.name if told.kind else "", shape=told.shape)
        if not told.kind:
            out["why"] = told.name
        elif told.kind == "log":
            _log(path, packed, told, Hints("", near, told.shape, zone), full, out)
        elif told.kind in SAMPLES:
            _sampled(SAMPLES[told.kind], path, packed, out)
        elif told.kind == "csv":
            _csv(path, packed, zone, out)
        else:
            _records(path, packed, told, zone, out)
    except files.Unreadable as e:
        out["why"] = out["why"] or str(e)
        out["kind"] = out["kind"] if out["n"] or out["rows"] else ""
    if not out["kind"] and not out["why"].startswith(("it is empty", "it is an empty")):
        with suppress(files.Unreadable):
            out["about"], out["structured"] = missed.look(path, packed)
    return out


# ── logs ──────────────────────────────────────────────────────────────────────────────────────


def _log(path: str, packed: str, told: recognise.Recognised, hints: Hints, full: int, out: Row) -> None:
    parse = recognise.log_format(told.name).parser(hints)
    elsewhere = recognise.log_format(told.name).parser(hints._replace(zone=_FAR_EAST))
    services: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    groups: Counter[tuple[str, str, str, str]] = Counter()
    words: Counter[str] = Counter()
    offsets, hosts = set[str](), set[str]()
    read, last = 0, None
    for at, line in _first(path, packed, full, out):
        text = decoded(line)
        rec = parse(text)
        read = at + len(line)
        out["broken"] += codings.undecodable(line, text)
        if read < _WORDS_READ and not services.keys() - {""}:
            words.update(_segments(text))
        if rec is None:
            continue
        if out["n"] < _ZONE_TRIED and rec.at is not None:
            far = elsewhere(text)
            out["zoned"] = out["zoned"] and far is not None and far.at == rec.at
            offsets.update(_OFFSET.findall(text[:200])[:1])
        out["undated"] += rec.at is None
        hosts.update(_machine(rec) if len(hosts) < 2 else ())
        groups[rec.service, rec.level, _minute(rec.at), rec.code] += 1
        out["n"] += 1
        if len(services) < SERVICES_MAX or rec.service in services:
            services[rec.service] += 1
        codes.update([rec.code] if rec.code else ())
        last = _widen(out, rec.at) or last
    out["services"] = [s for s, _ in services.most_common()]
    out["codes"], out["codes_until"], out["words"] = dict(codes), last, dict(words.most_common(_WORDS_MAX))
    out["offsets"], out["host"] = sorted(offsets), _host(hosts, services)
    out["dated"], out["last"] = out["since"] is not None or not out["n"], last
    if out["exact"]:
        out["groups"] = [[list(k), n] for k, n in groups.items()]
    else:
        for line in files.tail(path, packed).split(b"\n"):
            if rec := parse(decoded(line)):
                out["last"] = _widen(out, rec.at) or out["last"]


def _machine(rec: Rec) -> list[str]:
    return [str(host)] if rec.fields and (host := rec.fields.get("host")) else []


def _host(hosts: set[str], services: Iterable[str]) -> str:
    """The one machine that a file is of; "" where it is of several, or a replica of the service itself."""
    host = next(iter(hosts)) if len(hosts) == 1 else ""
    return "" if host.lower() in _NOBODY or keys.workload(host) in services else host


def _first(path: str, packed: str, full: int, out: Row) -> Iterator[tuple[int, bytes]]:
    """All lines, or of a large file the first; `exact` tells which."""
    size = os.path.getsize(path)
    if not packed and size > full:
        out["exact"] = False
        yield from files.lines(path, packed, 0, min(full, SAMPLE))
        return
    for at, line in files.lines(path, packed):
        if at > full:
            out["exact"] = False
            return
        yield at, line


def _minute(at: float | None) -> str:
    return "" if at is None else str(int(at // 60) * 60)


def _widen(out: Row, at: float | None) -> float | None:
    if at is not None:
        out["since"] = at if out["since"] is None else min(out["since"], at)
        out["until"] = at if out["until"] is None else max(out["until"], at)
    return at


def _segments(text: str) -> list[str]:
    """Parts of dotted and slashed names (packages, paths): a service's own name is often among them."""
    return [part.lower() for name in _IDENTIFIER.findall(text[:400]) for part in re.split(r"[./]", name)]


# ── metrics ───────────────────────────────────────────────────────────────────────────────────


def _sampled(samples: Samples, path: str, packed: str, out: Row) -> None:
    seen: dict[str, bool] = {}
    alerts: dict[str, list[float]] = defaultdict(list)
    since = until = None
    for series, at, value in samples(path, packed, {}):
        out["n"] += 1
        since = at if since is None or at < since else since
        until = at if until is None or at > until else until
        firing = seen.get(series)
        if firing is None:
            firing = seen[series] = series.startswith("ALERTS{") and 'alertstate="firing"' in series
        if firing and value == value and value != 0:
            alerts[series].append(at)
    out["since"], out["until"] = since, until
    names = (service_of(openmetrics.name_and_labels(s)[1]) for s in seen)
    out["services"] = sorted({n for n in names if n})
    out["names"] = sorted({openmetrics.name_and_labels(s)[0] for s in seen})
    out["rows"] = list(_episodes(alerts))


def _episodes(alerts: dict[str, list[float]]) -> Iterator[Row]:
    """Episodes by rising edges. An end is the first sample time at which the alert was gone."""
    steps = [b - a for at in alerts.values() for a, b in pairwise(at) if b > a]
    common = sorted(steps)[len(steps) // 2] if steps else 60.0
    for series, at in alerts.items():
        at.sort()
        own = sorted(b - a for a, b in pairwise(at) if b > a)
        step = own[len(own) // 2] if own else common
        start = 0
        for i in range(1, len(at) + 1):
            if i == len(at) or at[i] - at[i - 1] > GAP * step:
                yield _episode(series, at[start], at[i - 1], step)
                start = i


def _episode(series: str, start: float, last: float, step: float) -> Row:
    labels = {k: v for k, v in openmetrics.name_and_labels(series)[1].items() if k not in _OTHER_LABELS}
    return {
        "kind": "alert", "name": labels.get("alertname", ""), "service": service_of(labels),
        "severity": labels.get("severity", ""), "start": start, "end": last + step, "step": step, "end_known": True,
        "suppressed": False, "by": "", "labels": labels, "annotations": {}, "link": "", "seen": None, "series": True,
    }  # fmt: skip


def _csv(path: str, packed: str, zone: str, out: Row) -> None:
    top = [row for _, row in zip(range(20), csv_metrics.rows(path, packed), strict=False)]
    form = csv_metrics.layout(top)
    services, names = set[str](), set[str]()
    out["zoned"] = not any(documents.is_local(cell) for row in top for cell in row[:6])
    out["stated"] = sorted({o for row in top for cell in row[:6] if (o := documents.offset(cell))})
    for point in csv_metrics.points(path, packed, form, zone) if form else ():
        out["n"] += 1
        _widen(out, point.at)
        names.add(point.name)
        if point.service:
            services.add(point.service)
    out["services"], out["names"] = sorted(services), sorted(names)


# ── records ───────────────────────────────────────────────────────────────────────────────────


def _records(path: str, packed: str, told: recognise.Recognised, zone: str, out: Row) -> None:
    if told.kind == "gitlog":
        rows: list[Row] = list(gitlines.read(path, packed, told.shape) if told.shape else gitlog.read(path, packed))
        out.update(rows=rows, n=len(rows))
    else:
        loaded = _loaded(path, packed, told, zone)
        out["zoned"], out["stated"] = not loaded.local, sorted(loaded.offsets)
        out.update(rows=loaded.rows, n=sum(loaded.formats.values()), unknown=loaded.unknown)
        out["name"] = ", ".join(loaded.formats) or told.name
        if loaded.left:
            out["why"] = f"{loaded.left:,} records after the first {documents.ROWS_MAX:,} were left out"
        if not loaded.formats:
            out.update(kind="", why=_nothing(told.kind, path, packed))
    for row in out["rows"]:
        for at in _times(row):
            _widen(out, at)
    out["services"] = sorted({s for row in out["rows"] if (s := row.get("service"))})


def _loaded(path: str, packed: str, told: recognise.Recognised, zone: str) -> documents.Loaded:
    if told.kind == "document":
        return documents.load_document(path, packed, zone)
    if told.kind == "lines":
        return documents.load_lines(path, packed, zone)
    rows = csv_metrics.rows(path, packed, told.shape)
    header = [name.strip() for name in next(rows, [])]
    return documents.load_table(header, rows, zone)


def _nothing(kind: str, path: str, packed: str) -> str:
    if kind == "document" and files.head(path, packed, 64).strip() in (b"[]", b"{}"):
        return "it is an empty list"
    return "its JSON holds no alerts, metrics, spans, patterns or changes that are known"


def _times(row: Row) -> Iterable[float]:
    """The times of a row that are facts: not the planned end of a window."""
    wanted: tuple[Any, ...] = (row.get("start"), row.get("end"), row.get("seen"), row.get("last"), row.get("first"))
    if row["kind"] in ("change", "point"):
        wanted = (row.get("at"),)
    return [t for t in wanted if t is not None]
