"""Checks an answer against the evidence it cites: every figure, every clock time, every claimed cause.

What counts as the evidence of a figure: what its sentence cites; if the figure isn't borne out there (or the sentence
cites nothing), what its paragraph, bullet or table row cites; if that cites nothing either, whatever the answer cites
anywhere. A figure that only uncited evidence bears out fails ("not in what it cites"): a reader couldn't find it.

What a figure must be is told in `figures.py`; a number that is no typed figure but stands in the cited text with the
same unit (a diff's `max: 10`, a log line's 3000 ms) passes too. Numbers of the question, the window's length and
durations between two times that are stated or few in the evidence pass. A claimed cause must be cited in its own
sentence or bullet. Pure, linear in the answer's length, and never raises; it deliberately doesn't know whether an
answer *needed* evidence: the caller does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations, takewhile

from orchestrator.cleaning import CHINESE
from orchestrator.contracts import Evidence, Window
from orchestrator.evidence import prose
from orchestrator.evidence.claims import Claim, Reading
from orchestrator.evidence.clocks import Times, clock_of, zone_of
from orchestrator.evidence.exhibits import Entry, Exhibit
from orchestrator.evidence.figures import Pool
from orchestrator.evidence.numbers import Number, plain, reach

_FEW_SHOWN = 6  # figures of one block that another sentence of it may be derived from
_PAIRED = 8  # clock times of one block that may be paired to a duration


@dataclass(frozen=True, slots=True)
class Checked:
    """`unverified`: what failed, in words; `marked`: the text with a mark after each of them; `cited`, `unknown`: the
    cited ids that exist and that don't; `uncited`: evidence was gathered, or something claimed, and none is cited.
    """

    unverified: tuple[str, ...]
    marked: str
    cited: tuple[str, ...]
    unknown: tuple[str, ...]
    uncited: bool


def check(text: str, evidence: Sequence[Evidence], window: Window | None, question: str = "") -> Checked:
    """Compares `text` with the typed figures and times of `evidence`; ids stand as [A1], [L3, C101], 【A1】, (A1)."""
    known = {e.id: e for e in evidence}
    mentioned = prose.ids(text)
    cited = tuple(i for i in mentioned if i in known)
    families = {i.rstrip("0123456789") for i in known}
    unknown = tuple(
        i
        for i in mentioned
        if i not in known and (i.rstrip("0123456789") in families or re.search(rf"[\[【]\s?{i}\b", text))
    )
    faults = sorted(_Check(text, known, cited, window, question).faults(), key=lambda f: (f.at, f.words))
    words = tuple(dict.fromkeys(f.words for f in faults))
    return Checked(words, _mark(text, faults), cited, unknown, (bool(evidence) or bool(faults)) and not cited)


@dataclass(frozen=True, slots=True)
class _Fault:
    at: int  # where the mark goes
    words: str
    zh: bool


def _mark(text: str, faults: Sequence[_Fault]) -> str:
    parts, last = [], 0
    for at, zh in {f.at: f.zh for f in faults}.items():
        parts += [text[last:at], " ⚠未核实" if zh else " ⚠unverified"]
        last = at
    return "".join((*parts, text[last:]))


@dataclass
class _Check:
    written: str
    known: Mapping[str, Evidence]
    cited: tuple[str, ...]
    window: Window | None
    question: str
    _ids_of: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    _pools: dict[frozenset[str], Pool] = field(default_factory=dict)
    _pools_of: dict[prose.Sentence, list[Pool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        zone = zone_of(self.window)
        self.exhibits = {i: Exhibit(e, zone) for i, e in self.known.items()}
        self.reading = Reading(self.written, tuple(self.exhibits.values()), self.question)
        self.text = self.reading.text

    def faults(self) -> Iterator[_Fault]:
        for s in self.reading.sentences:
            yield from self._cause(s)
        for claims in self.reading.blocks():
            yield from self._block(claims)
        yield from self._clocks()

    def _block(self, claims: list[Claim]) -> Iterator[_Fault]:
        shown: dict[prose.Sentence | None, list[Entry]] = {None: []}
        for c in claims:
            c.proof = next((x for p in self._evidence_of(c.sentence) if (x := p.direct(c.number, c.named))), None)
            if c.proof:
                shown.setdefault(c.sentence, []).append(c.proof)
                shown[None].append(c.proof)
        open_ = [c for c in claims if not c.proof]
        timed = any(c.number.unit == "s" for c in open_)
        clocks = self._seconds_between(claims[0].sentence.block) if timed else []
        for c in open_:
            pools, own = self._evidence_of(c.sentence), shown.get(c.sentence, [])
            near = own if len(own) > 1 or len(shown[None]) > _FEW_SHOWN else shown[None]
            if any(self._else(c, p, near) for p in pools) or self._timely(c.number, pools, clocks):
                continue
            if not any(_literal(c, p) for p in pools):
                yield self._fault(c, pools)

    def _else(self, c: Claim, pool: Pool, shown: Sequence[Entry]) -> bool:
        """Borne out without being a figure of its own: derived, nothing found, or a count of names."""
        n = c.number
        if pool.derived(n, c.named, shown) or (n.value == 0 and pool.empty):
            return True
        listed = self.reading.listed(c) if not n.unit else None
        return listed is not None and n.value in (pool.listed.get(listed[0]), listed[1])

    def _timely(self, n: Number, pools: Sequence[Pool], clocks: Sequence[float]) -> bool:
        if n.unit != "s":
            return False
        low, high = reach(n)
        slack = 59.0 if n.step >= 60 else 0.0  # clock times without seconds
        near = (d for d in clocks if low <= d + slack and d - slack <= high)
        if any(abs(d - n.value) < max(n.step, 1) for d in near):
            return True
        known = {d for p in pools for x in p.exhibits for d in x.durations}
        if self.window:
            known.add((self.window.end - self.window.start).total_seconds())
        return any(low <= d <= high for d in known)

    def _fault(self, c: Claim, pools: Sequence[Pool]) -> _Fault:
        n, zh = c.number, self._is_zh(c.number.start, c.number.end)
        elsewhere = self._pool(frozenset(self.known)).direct(n, c.named) is not None
        ids = ", ".join(dict.fromkeys(x.evidence.id for p in pools for x in p.exhibits))
        if zh:
            why = "不在所引用的证据里" if elsewhere or not ids else f"{ids} 里没有这个数"
        else:
            why = "not in what it cites" if elsewhere or not ids else f"no such figure in {ids}"
        return _Fault(n.end, f"{self.written[n.start : n.end].strip()}: {why}", zh)

    # ── clocks and causes ─────────────────────────────────────────────────────────────────────

    def _is_zh(self, start: int, end: int) -> bool:
        return CHINESE.search(self.text, max(0, start - 40), end + 40) is not None

    def _clocks(self) -> Iterator[_Fault]:
        for m in self.reading.times:
            if self.reading.quoted[m.start()]:
                continue
            if self._times.clock(m, self.text) if m.lastgroup == "clock" else self._times.date(m):
                continue
            zh = self._is_zh(m.start(), m.end())
            why = "证据里没有这个时间" if zh else "no such time in the evidence"
            yield _Fault(m.end(), f"{m[0].strip()}: {why}", zh)

    def _cause(self, s: prose.Sentence) -> Iterator[_Fault]:
        if self._ids(s.block if s.item else (s.start, s.end)):
            return
        words = self.text[s.start : s.end]
        if prose.claims_cause(words):
            zh = CHINESE.search(words) is not None
            said = " ".join(self.written[s.start : s.end].split())
            end = s.start + len(self.written[s.start : s.end].rstrip())
            yield _Fault(end, f"{said}: {'说了原因，却没有引用证据' if zh else 'claims a cause without citing'}", zh)

    # ── what is looked up once ────────────────────────────────────────────────────────────────

    def _ids(self, span: tuple[int, int]) -> frozenset[str]:
        """Those of the known ids that are cited in a span."""
        if span not in self._ids_of:
            first, last = (bisect_left(self._cites, (at,)) for at in span)
            found = {i for _, ids in self._cites[first:last] for i in ids if i in self.known}
            self._ids_of[span] = frozenset(found)
        return self._ids_of[span]

    @cached_property
    def _cites(self) -> list[tuple[int, list[str]]]:
        return [(m.start(), prose.ids(m[0])) for m in prose.CITE.finditer(self.text)]

    def _evidence_of(self, s: prose.Sentence) -> list[Pool]:
        if s not in self._pools_of:
            own, block = self._ids((s.start, s.end)), self._ids(s.block)
            ids = [x for x in dict.fromkeys((own, block)) if x] or [frozenset(self.cited)]
            self._pools_of[s] = [self._pool(x) for x in ids]
        return self._pools_of[s]

    def _pool(self, ids: frozenset[str]) -> Pool:
        if ids not in self._pools:
            self._pools[ids] = Pool([x for i, x in self.exhibits.items() if i in ids])
        return self._pools[ids]

    @cached_property
    def _times(self) -> Times:
        windows = [w for e in self.known.values() if (w := e.result.window)]
        texts, all_ = (plain(e.result.text) for e in self.known.values()), (x.text for x in self.exhibits.values())
        return Times(chain(texts, all_), windows, self.window, self.question)

    def _seconds_between(self, block: tuple[int, int]) -> list[float]:
        clocks = self.reading.clocks
        first = bisect_left(clocks, block[0], key=lambda m: m.start())
        inside = takewhile(lambda m: m.start() < block[1], clocks[first : first + _PAIRED])
        seconds = [h * 3600 + mi * 60 + (s or 0) for h, mi, s, _ in (clock_of(m, self.text) for m in inside)]
        return [min((b - a) % 86400.0, (a - b) % 86400.0) for a, b in combinations(seconds, 2)]


def _literal(c: Claim, pool: Pool) -> bool:
    """Stands in the text; a count of something must be a figure."""
    n = c.number
    return (n.unit != "" or not (n.counted or c.named.concepts)) and (n.value, n.unit) in pool.literals
