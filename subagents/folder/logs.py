"""Logs of a folder: counted, searched and mined by worker processes, each answer remembered per file."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from typing import Any

from orchestrator.contracts import Window
from subagents.folder import merge, recognise, rows, seek
from subagents.folder.files import Unreadable, unpacked
from subagents.folder.jobs import Job
from subagents.folder.material import LogFile, Material, of_files
from subagents.folder.records import Row
from subagents.folder.scan import ERRORS, Ask, finder
from subagents.folder.scan_counts import DIMENSIONS
from subagents.folder.wording import query
from subagents.sources import Answered, Count, Coverage, Health, LogLine, LogQuery, Pattern, SourceError

PIECE = 8 << 20  # bytes of a plain file that one job reads
SECONDS = 25.0  # after which a scan gives what it has
MINED = 512 << 10  # bytes of a plain file from which on mining a window of it seeks the window first
SPARSE = 16  # so much less work is a byte search for errors than reading every line
_MINUTES_DAYS = 3  # files up to this long are summed up by minute, longer ones by hour
_BATCH = 5_000
SUMMARY = ("service", "level", "minute", "code")


class FolderLogs:
    """`only`: the name of the one log format to look at; None: all. `seeks`: large files are read where the window
    lies, not as a whole for the questions that may follow: for files that change all the time."""

    caps = frozenset(("count", "search", "patterns", "context"))

    def __init__(
        self, material: Material, only: str | None = None, seeks: bool = False, name: str = "folder logs"
    ) -> None:
        self.name, self._material, self._seeks = name, material, seeks
        self._files = [f for f in material.logs if only is None or f.survey["name"] == only]
        self._patterns = material.of("pattern") if only is None else []

    async def probe(self) -> Health:
        n = len(self._files)
        return Health(n > 0, f"{n} log file(s) in {self._material.root}" if n else "no logs in this folder")

    async def coverage(self) -> Coverage:
        services = {s for f in self._files for s in f.services}
        return of_files(self._files, services, self._material.notes)

    # ── counting ──────────────────────────────────────────────────────────────────────────────

    async def count(self, q: LogQuery, by: tuple[str, ...]) -> Answered[tuple[Count, ...]]:
        """Groups by any of service, level, day, hour, minute, code. Raises SourceError (bad_query) for others."""
        if wrong := [d for d in by if d not in DIMENSIONS]:
            raise SourceError(self.name, f"can't count by {', '.join(wrong)}: use {', '.join(DIMENSIONS)}", "bad_query")
        ask = _ask(q)
        groups: Counter[tuple[str, ...]] = Counter()
        files = self._relevant(ask)
        plans = [(ask, by) if self._seekable(f) else _plan(f, ask, by) for f in files]
        results = await self._asked([(f, plan, "count", (dims,)) for f, (plan, dims) in zip(files, plans, strict=True)])
        for file, (plan, dims), result in zip(files, plans, results, strict=True):
            summed = merge.counts(result["groups"], dims, ask if plan != ask else None, by)
            groups.update(summed)
            self._services(file, dims, result)
        counted = tuple(
            Count({d: rows.shown(d, k) for d, k in zip(by, key, strict=True)}, n) for key, n in sorted(groups.items())
        )
        gaps = self._gaps(files, results)
        return Answered(
            counted, self._said("logs", q, by), q.window, total=sum(groups.values()), complete=not gaps, gaps=gaps
        )

    def _services(self, file: LogFile, dims: tuple[str, ...], result: Row) -> None:
        """Services that a whole scan found and the first look didn't."""
        if "service" in dims and not file.survey["exact"]:
            seen = {key[dims.index("service")] for key, _ in result["groups"]}
            file.survey["services"] += sorted(seen - set(file.survey["services"]))

    # ── rows ──────────────────────────────────────────────────────────────────────────────────

    async def search(
        self, q: LogQuery, limit: int = 50, context: int = 0, cursor: str | None = None
    ) -> Answered[tuple[LogLine, ...]]:
        """The oldest matching lines after the cursor, with `context` lines before and after each."""
        ask = _ask(q)
        after = self._place(cursor)
        files = self._relevant(ask)
        results = await self._asked([(f, ask, "search", (limit, context, after)) for f in files])
        found = sorted((row for r in results for row in r["rows"]), key=lambda row: tuple(row["place"]))
        shown, total = found[:limit], sum(r["n"] for r in results)
        more = len(found) > limit or (any(len(r["rows"]) >= limit for r in results) and len(shown) < total)
        gaps = self._gaps(files, results)
        names = {f.number: f.name for f in files}
        return Answered(
            tuple(rows.line(row, names) for row in shown),
            self._said("logs", q),
            q.window,
            total=total,
            complete=not gaps and not more,
            gaps=gaps,
            cursor=json.dumps(shown[-1]["place"]) if shown and more else None,
        )

    async def batches(self, q: LogQuery) -> AsyncIterator[tuple[LogLine, ...]]:
        """All matching lines, file by file, some thousands at a time."""
        ask = _ask(q)
        for file, part in [(f, part) for f in self._relevant(ask) for part in await self._parts(f, ask, (), "batch")]:
            skip, more = 0, True
            while more:
                [result] = await self._material.pool.all([_job("batch", file, part, ask, (skip, _BATCH))])
                yield tuple(rows.line(row, {file.number: file.name}) for row in result["rows"])
                skip, more = skip + _BATCH, result["more"]
                if more and not file.found.packed:  # go on behind the last one's first byte, not from the beginning
                    skip, part = 0, (*part[:3], result["rows"][-1]["offset"] + 1, part[4])

    async def patterns(self, q: LogQuery, baseline: Window | None, limit: int = 20) -> Answered[tuple[Pattern, ...]]:
        """Templates of the window, the most changed against the baseline first; mined pattern files of the folder
        come first where they cover it, since the log lines beside them are often a sample."""
        ask = _ask(q)
        before = None if baseline is None else (baseline.start.timestamp(), baseline.end.timestamp())
        wide = ask if before is None else ask._replace(since=min(ask.since or 0, before[0]))
        files = self._relevant(wide)
        results = await self._asked([(f, ask, "patterns", (before,)) for f in files])
        mined = merge.patterns([p for r in results for p in r["patterns"]])
        covered = bool(baseline and await self._covers(baseline))
        found = [rows.pattern(row, covered) for row in mined if row["n"]]
        told = [rows.told(p) for p in self._patterns if not q.services or p["service"] in (*q.services, "")]
        if q.text:
            told = [p for p in told if all(t.lower() in p.template.lower() for t in q.text)]
        ranked = sorted(found, key=lambda p: (-abs(p.n - (p.before or 0)), -p.n, p.template))
        gaps = unread = self._gaps(files, results)
        if told:
            gaps = (*gaps, f"{len(told)} pattern(s) come from a mined file, with its own window and counts")
        if baseline is not None and not covered:
            gaps = (*gaps, "the logs don't reach back over the baseline")
        shown = tuple([*told, *ranked][:limit])
        total = len(told) + len(ranked)
        whole = len(shown) == total and not unread
        return Answered(shown, self._said("log patterns", q), q.window, total=total, complete=whole, gaps=gaps)

    async def _covers(self, window: Window) -> bool:
        since = (await self.coverage()).since
        return since is not None and since < window.end

    # ── asking files ──────────────────────────────────────────────────────────────────────────

    def _relevant(self, ask: Ask) -> list[LogFile]:
        """Files that can hold matching lines; one whose end is only estimated can."""
        return [f for f in self._files if _may_hold(f, ask)]

    async def _asked(self, wanted: list[tuple[LogFile, Ask, str, tuple[Any, ...]]]) -> list[Row]:
        """One result for each file; jobs of all files run side by side."""
        index = self._material.index
        questions = [(name, tuple(ask), f.hints, args) for f, ask, name, args in wanted]
        results = [index.get(f.found, question) for (f, *_), question in zip(wanted, questions, strict=True)]
        deadline = time.time() + SECONDS
        jobs: list[Job] = []
        owners: list[int] = []
        for n, (file, ask, name, args) in enumerate(wanted):
            if name == "count" and ask.since is None and args == (SUMMARY,) and "groups" in file.survey:
                results[n] = _surveyed(file)
            for part in await self._parts(file, ask, args, name) if results[n] is None else ():
                jobs.append(_job(name, file, part, ask._replace(deadline=deadline), args))
                owners.append(n)
        parts: dict[int, list[Row]] = {}
        for n, result in zip(owners, await self._material.pool.all(jobs), strict=True):
            parts.setdefault(n, []).append(result)
        for n, pieces in parts.items():
            whole = merge.MERGED[wanted[n][2]](pieces)
            if whole["late"] is None:
                index.put(wanted[n][0].found, questions[n], whole)
            results[n] = whole
        return [r for r in results if r is not None]

    def _seekable(self, file: LogFile) -> bool:
        return self._seeks and not file.found.packed and file.found.size >= seek.LEAST

    def _mined_there(self, file: LogFile, ask: Ask, name: str) -> bool:
        """Mining parses each line of a file, a count or a search for errors doesn't: it reads where the window lies."""
        if name != "patterns" or file.found.packed or file.found.size < MINED:
            return False
        return finder(recognise.log_format(file.survey["name"]), file.hints, ask) is None

    async def _parts(self, file: LogFile, ask: Ask, args: tuple[Any, ...], name: str) -> list[tuple[Any, ...]]:
        """What of a file is to be read, in pieces that one job reads."""
        path, size, _, packed = file.found
        start, end = 0, size
        since, until = ask.since, ask.until
        seeks = self._seekable(file) or self._mined_there(file, ask, name)
        if seeks and since is not None and until is not None:
            since = min([since, *(a[0] for a in args if isinstance(a, tuple) and a and isinstance(a[0], float))])
            form = recognise.log_format(file.survey["name"])
            with contextlib.suppress(Unreadable):  # the job says so
                found = await asyncio.to_thread(seek.span, path, form, file.hints, since, until)
                start, end = found or (start, end)
        if packed or ((start, end) == (0, size) and size <= PIECE):
            return [(path, packed, file.number, 0, None)]
        ends = (None if self._seeks and at + PIECE >= size else min(end, at + PIECE) for at in range(start, end, PIECE))
        return [(path, packed, file.number, at, stop) for at, stop in zip(range(start, end, PIECE), ends, strict=True)]

    def _gaps(self, files: Iterable[LogFile], results: Iterable[Row]) -> tuple[str, ...]:
        gaps = []
        for file, result in zip(files, results, strict=True):
            if result["late"] is not None:
                gaps.append(f"{file.name} was read for {SECONDS:.0f} s only; what is counted is a part")
            if result["broken"]:
                gaps.append(f"{file.name}: {result['broken']}")
        undated = sum(1 for f in self._files if f.survey["since"] is None)
        if undated:
            gaps.append(f"{undated} log file(s) have no times and are in no window")
        return (*gaps, *self._material.unread)

    def _place(self, cursor: str | None) -> tuple[float, int, int] | None:
        if cursor is None:
            return None
        try:
            at, number, offset = json.loads(cursor)
            return float(at), int(number), int(offset)
        except (ValueError, TypeError) as e:
            raise SourceError(self.name, f"{cursor!r} is no cursor of a former answer", "bad_query") from e

    def _said(self, kind: str, q: LogQuery, by: tuple[str, ...] = ()) -> str:
        return query(kind, q.window, by, level=q.levels, service=q.services, text=q.text)


def _ask(q: LogQuery) -> Ask:
    return Ask(
        q.window.start.timestamp(),
        q.window.end.timestamp(),
        tuple(sorted(q.services)),
        tuple(sorted(q.levels)),
        tuple(q.text),
    )


def _surveyed(file: LogFile) -> Row:
    """The counts that the first look at a small file already took."""
    own = file.hints.service
    groups = [[[service or own, *rest], n] for (service, *rest), n in file.survey["groups"]]
    return {"groups": groups, "late": None, "broken": file.survey["why"]}


def _plan(file: LogFile, ask: Ask, by: tuple[str, ...]) -> tuple[Ask, tuple[str, ...]]:
    """A count that others can reuse where the window allows it: of the whole file, by its finest time step.

    Errors alone are counted apart from all levels, since finding them is cheap.
    """
    survey = file.survey
    days = ((survey["until"] or 0) - (survey["since"] or 0)) / 86_400
    exact = "groups" in survey
    grain, span = ("minute", 60) if days <= _MINUTES_DAYS or exact else ("hour", 3600)
    aligned = (ask.since or 0) % span == 0 and (ask.until or 0) % span == 0
    if ask.text or not aligned or (grain == "hour" and "minute" in by):
        return ask, by
    levels = ("error", "fatal") if ask.levels and ERRORS.issuperset(ask.levels) and not exact else ()
    return Ask(None, None, (), levels, ()), ("service", "level", grain, "code")


def _may_hold(file: LogFile, ask: Ask) -> bool:
    survey = file.survey
    if survey["since"] is None:
        return False
    if not survey["exact"]:
        return True
    if ask.services and not set(ask.services) & set(file.services):
        return False
    return bool(survey["since"] < (ask.until or 1e12) and survey["until"] >= (ask.since or 0.0))


def _job(name: str, file: LogFile, part: tuple[Any, ...], ask: Ask, args: tuple[Any, ...]) -> Job:
    size = unpacked((part[4] or file.found.size) - part[3], part[1])
    if name == "count" and not ask.text and finder(recognise.log_format(file.survey["name"]), file.hints, ask):
        size //= SPARSE
    return Job(name, size, (part, file.survey["name"], tuple(file.hints), tuple(ask), *args))
