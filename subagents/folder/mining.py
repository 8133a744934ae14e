"""Templates of log messages, mined online: what varies becomes `<*>`.

After Drain (He et al., ICWS 2017): messages of the same length in words meet in one group and are told apart by how
many words they share. Ours differs in three places. What is always a variable (numbers, ids, addresses, paths, quoted
text) is masked first, and a message seen before is found by its masked text alone: one look-up, the usual case. Plain
words don't melt into `<*>` when two messages differ in one ("started", "stopped"), only when a place has shown
`VALUES` of them. Places are compared by what they are: a variable isn't likeness.
"""

from __future__ import annotations

import re
from collections import OrderedDict

WILD = "<*>"
SIMILAR = 0.5  # share of equal fixed words that two messages need to be one template
VALUES = 5  # so many different plain words in one place make it a variable
_FAST = 20_000  # masked texts remembered
_GIST = 500  # characters of a message's first line, and of the error that its trace ends in
_TRACE = 20_000  # characters of a trace in which that is sought
_WORDS = 100  # of a message; the rest is cut

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_URL = r"""[a-z][a-z0-9+.-]{0,30}+://[^\s"',;)\]]+"""
_REST = (
    r"0[xX][0-9a-fA-F]+"
    r"|(?=[a-fA-F]*\d)[0-9a-fA-F]{6,}"  # hash, id
    r"|[+-]?\d[\d.,:_/-]*(?:[eE][+-]?\d+)?(?:%|[kKMGT]?i?B|ms|us|ns|s|m|h)?"  # number, address, date
)
_MASKS = re.compile(rf"(?<![A-Za-z0-9])(?:{_UUID}|{_REST})(?![A-Za-z0-9])")
_MASKS_URLS = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_UUID}|{_URL}|{_REST})(?![A-Za-z0-9])"
)  # every word may begin one: slow
_PATHS = re.compile(r"(?<![\w<>])(?:/[\w.@%+~<>*-]+){2,}/?")
_DATES = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \d{4})?")
_QUOTED = re.compile(r'(?<=\w=)"[^"]*"')  # `tag="View Lock"`
_UNDER = re.compile(r"<\d+ (?:ms|s|secs?|seconds?|min|minutes?|hours?)\b")  # `lifetime <1 sec`
_USERS = re.compile(r"(?<=\buser )[\w.@$-]+")
_DIGIT = re.compile(r"\d")
_PLAIN = re.compile(r"[^\W\d_]+[^\w]*$|[^\w]*[^\W\d_]+[^\w]*$")  # a word, punctuation around it


_ERROR = re.compile(  # what a trace says happened, at the margin: the frames and what was suppressed stand further in
    r"^(?:Caused by: )?(?:[\w$]+\.)*([A-Z][\w$]*(?:Error|Exception|Failure|Fault|Panic|Throwable|Timeout)\b.*)$",
    re.MULTILINE,
)


def gist(message: str) -> str:
    """What of a message makes its template: the first line, and behind it what its trace ends in: the last cause of a
    Java one, the last line of a Python one, without its package."""
    first, _, trace = message.partition("\n")
    if trace and (found := _ERROR.findall(trace[:_TRACE])):
        error = found[-1][:_GIST]
        first = first[:_GIST] if error[:40] in first else f"{first[:_GIST]} · {error}"
    return first[: 2 * _GIST]


def masked(message: str) -> str:
    """The message with what is surely a variable as `<*>`."""
    text = _QUOTED.sub(WILD, message) if '="' in message else message
    if _DIGIT.search(text):
        if ":" in text:
            text = _DATES.sub(WILD, text)
        if "<" in text:
            text = _UNDER.sub(WILD, text)
        text = (_MASKS_URLS if "://" in text else _MASKS).sub(WILD, text)
    if "user " in text:
        text = _USERS.sub(WILD, text)
    return _PATHS.sub(WILD, text) if "/" in text else text


class Cluster:
    """One template and how many messages it has taken in. `id` counts from 0 in order of appearance."""

    __slots__ = ("home", "id", "into", "n", "words")

    def __init__(self, number: int, words: list[str], home: list[Cluster]) -> None:
        self.id, self.words, self.n, self.home = number, words, 0, home
        self.into: Cluster | None = None  # the one that it became part of

    @property
    def root(self) -> Cluster:
        return self if self.into is None else self.into.root

    @property
    def template(self) -> str:
        return " ".join(self.words)


class Miner:
    """Add messages, get clusters; ask a cluster for its `root` at the end, since clusters may grow together.

    Memory is bounded by `most` clusters; what comes after joins all-variable ones.
    """

    def __init__(self, similar: float = SIMILAR, most: int = 5000) -> None:
        self._similar, self._most, self._made = similar, most, 0
        self._groups: dict[tuple[int, str], list[Cluster]] = {}
        self._seen: OrderedDict[str, Cluster] = OrderedDict()
        self._siblings: dict[tuple[int, str], list[Cluster]] = {}
        self._melted: dict[tuple[int, str], Cluster] = {}  # places that have become variables

    @property
    def clusters(self) -> list[Cluster]:
        return [c for group in self._groups.values() for c in group]

    def add(self, message: str) -> Cluster:
        text = masked(message)
        cluster = self._seen.get(text)
        if cluster is None:
            cluster = self._place(text.split())
            if len(self._seen) >= _FAST:
                self._seen.popitem(last=False)
            self._seen[text] = cluster
        cluster = cluster.root
        cluster.n += 1
        return cluster

    def _place(self, words: list[str]) -> Cluster:
        words = words[:_WORDS]
        first = words[0] if words and _PLAIN.match(words[0]) else WILD
        group = self._groups.setdefault((len(words), first), [])
        best, score = None, -1.0
        for cluster in group:
            likeness = _likeness(cluster.words, words, self._similar)
            if likeness > score:
                best, score = cluster, likeness
        if best is not None and score >= 0:
            best.words = [a if a == b else WILD for a, b in zip(best.words, words, strict=True)]
            return best
        if len(group) and self._made >= self._most:
            return group[-1]
        cluster = Cluster(self._made, words, group)
        self._made += 1
        group.append(cluster)
        self._meet(cluster)
        return cluster

    def _meet(self, cluster: Cluster) -> None:
        """Clusters that differ in one plain word become one when there are many of them."""
        for place, word in enumerate(cluster.words):
            if not _PLAIN.match(word):
                continue
            key = (place, " ".join([*cluster.words[:place], WILD, *cluster.words[place + 1 :]]))
            if key in self._melted:
                self._join(cluster, self._melted[key].root)
                return
            siblings = self._siblings.setdefault(key, [])
            siblings.append(cluster)
            if len(siblings) >= VALUES:
                first = siblings[0].root
                first.words = key[1].split(" ")
                self._melted[key] = first
                del self._siblings[key]
                for other in siblings[1:]:
                    self._join(other.root, first)
                return

    def _join(self, cluster: Cluster, into: Cluster) -> None:
        if cluster is into:
            return
        into.n += cluster.n
        cluster.into = into
        if cluster in cluster.home:
            cluster.home.remove(cluster)


def _likeness(template: list[str], words: list[str], least: float) -> float:
    """Share of equal words; -1 where two messages can't be one template."""
    same = fixed = 0
    for a, b in zip(template, words, strict=True):
        if a == b:
            same += a != WILD
            fixed += a != WILD
        elif a != WILD:
            fixed += 1
            if _PLAIN.match(a) and _PLAIN.match(b):
                return -1.0
    if not template or fixed == 0:
        return 1.0 if template == words or fixed == 0 else -1.0
    return same / fixed if same >= least * fixed else -1.0
