"""Logs of a folder: counted, searched and mined by worker processes, each answer remembered per file."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial

from orchestrator.contracts import Window
from subagents.folder import merge, planning, rows, seek
from subagents.folder.jobs import Job
from subagents.folder.material import LogFile, Material, of_files
from subagents.folder.planning import Wanted
from subagents.folder.records import Row
from subagents.folder.scan import Ask
from subagents.folder.scan_counts import DIMENSIONS
from subagents.folder.wording import query
from subagents.gaps import NAMELESS
from subagents.sources import Answered, Count, Coverage, Health, LogLine, LogQuery, Pattern, SourceError

SECONDS = 25.0  # after which a scan gives what it has
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
        self._spans: dict[int, planning.Spans] = {}  # by the file's number

    async def probe(self) -> Health:
        n = len(self._files)
        return Health(n > 0, f"{n} log file(s) in {self._material.root}" if n else self._material.none("logs"))

    async def coverage(self) -> Coverage:
        services = {s for f in self._files for s in f.services}
        return of_files(self._files, services, self._material.notes, self._material.zone)

    # ── counting ──────────────────────────────────────────────────────────────────────────────

    async def count(self, q: LogQuery, by: tuple[str, ...]) -> Answered[tuple[Count, ...]]:
        """Groups by any of service, level, day, hour, minute, code. Raises SourceError (bad_query) for others."""
        if wrong := [d for d in by if d not in DIMENSIONS]:
            raise SourceError(self.name, f"can't count by {', '.join(wrong)}: use {', '.join(DIMENSIONS)}", "bad_query")
        ask = _ask(q)
        groups: Counter[tuple[str, ...]] = Counter()
        asked = [w for f in self._relevant(ask) for w in self._counts(f, _of_file(ask, f), by)]
        asked.sort(key=lambda w: w.ask.since is not None)  # what is learnt of a whole file tells where to read
        whole = sum(w.ask.since is None for w in asked)
        results = [*await self._asked(asked[:whole]), *await self._asked(asked[whole:])]
        for wanted, result in zip(asked, results, strict=True):
            dims = wanted.args[0]
            counts = merge.counts(result["groups"], dims, wanted.fits, by)
            groups.update(merge.renamed(counts, by, partial(wanted.file.called, asked=q.services)))
            self._services(wanted.file, dims, result)
        counted = tuple(
            Count({d: rows.shown(d, k) for d, k in zip(by, key, strict=True)}, n) for key, n in sorted(groups.items())
        )
        gaps = self._gaps([w.file for w in asked], results)
        total, whole = sum(groups.values()), not gaps
        gaps += (*self._material.gaps("logs", total), *self._nameless(ask))
        return Answered(counted, self._said("logs", q, by), q.window, total=total, complete=whole, gaps=gaps)

    def _counts(self, file: LogFile, ask: Ask, by: tuple[str, ...]) -> list[Wanted]:
        if self._seekable(file):
            return [Wanted(file, ask, "count", (by,))]
        return planning.counts(file, ask, by, file.number in self._spans)

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
        results = await self._asked([Wanted(f, _of_file(ask, f), "search", (limit, context, after)) for f in files])
        found = [_called(row, f, q) for f, r in zip(files, results, strict=True) for row in r["rows"]]
        found.sort(key=lambda row: tuple(row["place"]))
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
        asked = [Wanted(f, _of_file(ask, f), "batch", (0, _BATCH)) for f in self._relevant(ask)]
        for wanted, place in [(w, place) for w in asked for place in await self._places(w)]:
            skip, more = 0, True
            while more:
                batch = wanted._replace(args=(skip, _BATCH))
                [result] = await self._material.pool.all([planning.job(batch, place, math.inf)])
                yield tuple(rows.line(row, {wanted.file.number: wanted.file.name}) for row in result["rows"])
                skip, more = skip + _BATCH, result["more"]
                if more and not place[1]:  # go on behind the last one's first byte, not from the beginning
                    skip, place = 0, (*place[:3], result["rows"][-1]["offset"] + 1, *place[4:])

    async def patterns(self, q: LogQuery, baseline: Window | None, limit: int = 20) -> Answered[tuple[Pattern, ...]]:
        """Templates of the window, the most changed against the baseline first; mined pattern files of the folder
        come first where they cover it, since the log lines beside them are often a sample."""
        ask = _ask(q)
        before = None if baseline is None else (baseline.start.timestamp(), baseline.end.timestamp())
        wide = ask if before is None else ask._replace(since=min(ask.since or 0, before[0]))
        files = self._relevant(wide)
        results = await self._asked([Wanted(f, _of_file(ask, f), "patterns", (before,)) for f in files])
        mined = merge.patterns([_called(p, f, q) for f, r in zip(files, results, strict=True) for p in r["patterns"]])
        covered = bool(baseline and await self._covers(baseline))
        found = [rows.pattern(row, covered) for row in mined if row["n"]]
        told = [rows.told(p) for p in self._patterns if not q.services or p["service"] in (*q.services, "")]
        if ask.worded:
            told = [p for p in told if ask.holds(p.template.lower())]
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

    async def _asked(self, wanted: Sequence[Wanted]) -> list[Row]:
        """One result for each question; jobs of all files run side by side."""
        index = self._material.index
        questions = [(w.name, tuple(w.ask), w.file.hints, w.args) for w in wanted]
        results = [index.get(w.file.found, question) for w, question in zip(wanted, questions, strict=True)]
        deadline = time.monotonic() + SECONDS
        jobs: list[Job] = []
        parts: dict[int, list[Row]] = {}
        owners: list[int] = []
        for n, w in enumerate(wanted):
            if w.of_all and w.args == (SUMMARY,) and "groups" in w.file.survey:
                results[n] = _surveyed(w.file)
            if results[n] is None:
                parts[n] = []
                jobs += (planned := [planning.job(w, place, deadline) for place in await self._places(w)])
                owners += [n] * len(planned)
        for n, result in zip(owners, await self._material.pool.all(jobs), strict=True):
            parts[n].append(result)
        for n, pieces in parts.items():
            results[n] = whole = merge.MERGED[wanted[n].name](pieces)
            if whole["late"] is None:
                index.put(wanted[n].file.found, questions[n], whole)
        found = [r for r in results if r is not None]
        self._note(wanted, found)
        return found

    def _note(self, wanted: Sequence[Wanted], results: Sequence[Row]) -> None:
        """Where in a file which times are, if somebody has read it all."""
        for w, result in zip(wanted, results, strict=True):
            if w.of_all and result["late"] is None and not w.file.found.packed and result.get("spans"):
                self._spans[w.file.number] = result["spans"]

    def _seekable(self, file: LogFile) -> bool:
        return self._seeks and not file.found.packed and file.found.size >= seek.LEAST

    async def _places(self, wanted: Wanted) -> list[planning.Place]:
        spans = None if self._seeks else self._spans.get(wanted.file.number)
        return await asyncio.to_thread(planning.places, wanted, self._seekable(wanted.file), spans)

    def _gaps(self, files: Iterable[LogFile], results: Iterable[Row]) -> tuple[str, ...]:
        gaps: dict[str, None] = {}
        for file, result in zip(files, results, strict=True):
            if result["late"] is not None:
                gaps[f"{file.name} was read for {SECONDS:.0f} s only; what is counted is a part"] = None
            if result["broken"]:
                gaps[f"{file.name}: {result['broken']}"] = None
        undated = sum(1 for f in self._files if f.survey["since"] is None)
        if undated:
            gaps[f"{undated} log file(s) have no times and are in no window"] = None
        return (*gaps, *self._material.unread)

    def _nameless(self, ask: Ask) -> tuple[str, ...]:
        """That lines which don't say whose they are may be of a service that no line names: unknown, not absent."""
        strange = set(ask.services) - {s for f in self._files for s in f.services}
        mute = sum(1 for f in self._files if "" in f.services and _may_hold(f, ask._replace(services=())))
        return (f"{mute}{NAMELESS}{', '.join(sorted(strange))}",) if strange and mute else ()

    def _place(self, cursor: str | None) -> tuple[float, int, int] | None:
        if cursor is None:
            return None
        try:
            at, number, offset = json.loads(cursor)
            return float(at), int(number), int(offset)
        except (ValueError, TypeError) as e:
            raise SourceError(self.name, f"{cursor!r} is no cursor of a former answer", "bad_query") from e

    def _said(self, kind: str, q: LogQuery, by: tuple[str, ...] = ()) -> str:
        return query(kind, q.window, by, level=q.levels, service=q.services, text=q.text, near=q.near)


def _ask(q: LogQuery) -> Ask:
    return Ask(
        q.window.start.timestamp(),
        q.window.end.timestamp(),
        tuple(sorted(q.services)),
        tuple(sorted(q.levels)),
        tuple(q.text),
        near=q.near,
    )


def _of_file(ask: Ask, file: LogFile) -> Ask:
    """All lines of the machine that is asked for, whichever program wrote them."""
    return ask._replace(services=()) if file.called("", ask.services) else ask


def _called(row: Row, file: LogFile, q: LogQuery) -> Row:
    return {**row, "service": file.called(row["service"], q.services)}


def _surveyed(file: LogFile) -> Row:
    """The counts that the first look at a small file already took."""
    own = file.hints.service
    groups = [[[service or own, *rest], n] for (service, *rest), n in file.survey["groups"]]
    return {"groups": groups, "late": None, "broken": file.survey["why"]}


def _may_hold(file: LogFile, ask: Ask) -> bool:
    survey = file.survey
    if survey["since"] is None:
        return False
    if not survey["exact"]:
        return True
    if ask.services and not set(ask.services) & set(file.services):
        return False
    return bool(survey["since"] < (ask.until or 1e12) and survey["until"] >= (ask.since or 0.0))
