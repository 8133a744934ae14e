"""Reads the claims out of an answer: its numbers, without those that are names, and what the words around each name.

It deliberately doesn't judge them: `check.py` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from orchestrator.evidence import prose
from orchestrator.evidence.exhibits import Entry, Exhibit, concepts
from orchestrator.evidence.figures import Named
from orchestrator.evidence.mentions import Bound, Labels, Mention, Vocabulary, between
from orchestrator.evidence.numbers import MEASURES, Number, plain, read, unit_of

_TALK = re.compile(  # numbers of the answer's own layout: two reasons, 3 steps
    rf"[{MEASURES}点]?\s?(?:可能的?|主要)?(?:原因|步骤?|方面|可能|问题|建议|选项|要点|阶段|假设|方向|部分|候选|结论|解释|角度|维度)"
    r"|[\s-]?(?:\w+\s)?(?:steps?|reasons?|options?|things?|ways?|possib\w+|hypothes[ei]s|questions?|parts?|phases?|points?"
    r"|causes?|explanations?|suspects?|candidates?|suggestions?)\b", re.IGNORECASE
)  # fmt: skip
_LISTED = {
    "service": r"服务|services?\b", "host": r"主机|机器|hosts?\b", "node": r"节点|nodes?\b", "pod": r"实例|pods?\b",
    "instance": r"实例|instances?\b", "alertname": r"告警|报警|alerts?\b", "alert": r"告警|报警|alerts?\b",
    "version": r"版本|versions?\b", "code": r"状态码|codes?\b", "cluster": r"集群|clusters?\b",
}  # fmt: skip
_COUNTED = {key: re.compile(rf"\s?(?:\w+\s)?(?:{words})", re.IGNORECASE) for key, words in _LISTED.items()}
_LISTABLE = re.compile("|".join(dict.fromkeys(_LISTED.values())))
_COLUMN_UNIT = re.compile(r"[(（]\s?([^)）]{1,12}?)\s?[)）]|(%)")
_NEAR = 60  # characters of its clause that tell what kind of number one is
_HASH = re.compile(r"(?<![A-Za-z0-9])[0-9a-f]{7,40}(?![A-Za-z0-9])")
_NEXT = re.compile(r"[，。；、,;:：()（）|\n]")
_BESIDE = re.compile(r"[\s:：=]*(?:数量?|总?数|总量|次数|为|共|是|达到?|有|了|were|was|at|of|=|:|：|\s){0,3}$")


@dataclass(slots=True)
class Claim:
    """A number that claims something, with what its clause names; `proof`: the figure that bears it out."""

    number: Number
    named: Named
    sentence: prose.Sentence
    proof: Entry | None = None


class Reading:
    """An answer read against the names that its evidence uses."""

    def __init__(self, written: str, exhibits: Sequence[Exhibit], question: str) -> None:
        self.text = plain(written)
        self.names = list(prose.NAMES.finditer(self.text))
        self.times = [m for m in self.names if m.lastgroup in ("clock", "date", "date6")]
        self.clocks = [m for m in self.times if m.lastgroup == "clock"]
        self.sentences = list(prose.sentences(self.text))
        self._exhibits = exhibits
        self._question = question
        self._said: dict[tuple[int, int], frozenset[tuple[str, str]]] = {}
        named = prose.covered(self.text, (*self.names, *prose.CITE.finditer(self.text)))
        self._numbers = [n for n in read(self.text) if not (named[n.start] or self.quoted[n.start])]

    @cached_property
    def _asked(self) -> set[tuple[float, str]]:
        return {(n.value, n.unit) for n in read(plain(self._question))}

    @cached_property
    def _words(self) -> Vocabulary:
        return Vocabulary(x for exhibit in self._exhibits for x in exhibit.entries)

    @cached_property
    def _mentions(self) -> list[Mention]:
        figures = {n.start for n in self._numbers if n.counted}  # the 502 of "502 次" is no code
        return [m for m in self._words.find(self.text, self.clocks) if m.start not in figures]

    def blocks(self) -> list[list[Claim]]:
        """The claims of each paragraph, bullet or table row."""
        found: dict[tuple[int, int], list[Claim]] = {}
        at = 0
        for s in self.sentences:
            own: list[Number] = []
            while at < len(self._numbers) and self._numbers[at].start < s.end:
                own += [self._numbers[at]] if self._numbers[at].start >= s.start else []
                at += 1
            if own:
                found.setdefault(s.block, []).extend(self._claims(s, own))
        return [claims for claims in found.values() if claims]

    def listed(self, c: Claim) -> tuple[str, int] | None:
        """What a count counts, if that is a label (3 services): its key, and how many the block names."""
        after = self.text[c.number.end : c.number.end + 12]
        for key, counted in _COUNTED.items():
            if counted.match(after):
                return key, len({v for k, v in c.named.block if k == key})
        return None

    def _claims(self, s: prose.Sentence, numbers: Sequence[Number]) -> Iterator[Claim]:
        said = between(self._mentions, s.start, s.end)
        heads = {at: {m.key: frozenset({m.value}) for m in self._words.find(head)} for at, head in s.heads}
        bound = Bound(self.text, s, said, heads)
        if s.block not in self._said:
            self._said[s.block] = frozenset((m.key, m.value) for m in between(self._mentions, *s.block))
        block = self._said[s.block]
        for nth, n in enumerate(numbers):
            if self._is_name(n):
                continue
            labels = bound.at(n.start, nth, len(numbers))
            head = _head_of(s, n.start)
            yield Claim(_with_unit(n, head), self._named(n, bound.span(n.start), labels, block, head), s)

    def _named(
        self, n: Number, clause: tuple[int, int], labels: Labels, block: frozenset[tuple[str, str]], head: str
    ) -> Named:
        start, end = clause
        after = _NEXT.split(self.text[n.end : min(end, n.end + 14)], 1)[0]
        beside = concepts(after) or concepts(head)
        if not beside:
            before = self.text[max(start, n.start - 24) : n.start]
            beside = concepts(before) and concepts(_BESIDE.sub("", before), last=True)
        words = self.text[max(start, n.start - _NEAR) : min(end, n.end + _NEAR)]
        return Named(labels, block, beside, words.lower(), head.lower())

    @cached_property
    def quoted(self) -> bytearray:
        """1 where the text is quoted literally from the evidence or the question."""
        return prose.covered(self.text, (m for m in prose.QUOTE.finditer(self.text) if self._quotes(m)))

    def _quotes(self, m: re.Match[str]) -> bool:
        said = next(g for g in m.groups() if g is not None)
        return said in self._question or any(said in x.text for x in self._exhibits)

    def _is_name(self, n: Number) -> bool:
        written = self.text[n.start : n.end]
        if self._words.code(written.removesuffix("s")):  # the 502s
            return True
        if (n.value, n.unit) in self._asked:
            return True
        if 5 < len(written) < 13 and written.isdigit() and written in self._hashes:
            return True
        after = self.text[n.end : n.end + 24]
        if not n.unit and n.value <= 20 and _TALK.match(after if not n.counted else self.text[n.end - 1 : n.end + 24]):
            return True
        strong = n.counted and self.text[n.end - 1] in "次条起笔台行例"
        return n.word and not n.unit and n.value <= 12 and not strong and not (
            concepts(after) or _LISTABLE.search(after)
        )  # fmt: skip

    @cached_property
    def _hashes(self) -> set[str]:
        """How a hash of the evidence may be cut short to digits only."""
        found = (h for x in self._exhibits for h in _HASH.findall(x.text))
        return {h[:n] for h in found for n in range(6, 13)}


def _head_of(s: prose.Sentence, at: int) -> str:
    return next((head for start, head in reversed(s.heads) if start <= at), "")


def _with_unit(n: Number, head: str) -> Number:
    """A bare number of a table takes the unit of its column: "latency (ms)"."""
    if not head or n.unit or n.counted:
        return n
    written = _COLUMN_UNIT.search(head)
    if not written:
        return n
    unit, factor = unit_of(written[1] or written[2])
    return n._replace(unit=unit, value=n.value * factor, step=n.step * factor)
