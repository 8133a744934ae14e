"""Which change a question means: by its id, version or sha, by the time it was made, by words of its title, or as the
latest one. Reads listed and ranked changes; judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from orchestrator import when
from orchestrator.contracts import Json
from subagents.plain.fillers import DOINGS, FILLERS
from subagents.plain.kinds import AT_CHANGE, JUST, SINCE_CHANGE, changes_asked
from subagents.plain.seen import Seen
from subagents.plain.words import moment

NEAR = timedelta(minutes=30)  # "the 18:00 deploy" was made no farther from that time
NAMED = re.compile(  # what can only be the name of a change
    r"(?<![\w.-])(?:v?\d+\.\d+(?:\.\d+)+(?:[-+][\w.]+)?|[A-Z][A-Z0-9]+-\d+|(?=[a-f]*\d)[0-9a-f]{7,40}|#\d+)(?![\w-])",
    re.ASCII,
)
_TOKEN = re.compile(r"(?<![\w.#-])(?=[\w.-]*\d)[A-Za-z][\w.-]*\w", re.ASCII)  # what may be the id of a listed change
_WORD = re.compile(r"[A-Za-z][\w.-]+\w", re.ASCII)


def called(seen: Seen, said: str) -> list[Json]:
    """The changes that a question names, those of a service it names first; () where it names none that was found."""
    kinds = changes_asked(said)
    names = (*NAMED.findall(said), *_TOKEN.findall(said))
    rows = [r for r in known(seen) if any(is_named(r, n) for n in names)]
    if not rows and not NAMED.search(said):
        rows = _by_time(seen, kinds) or (_by_title(seen, said) if kinds is not None else [])
        rows = rows or _since(seen, said, kinds) or _latest(seen, said, kinds)
    return sorted(rows, key=lambda r: r["service"].casefold() not in seen.text.casefold() if r["service"] else True)


def known(seen: Seen) -> list[Json]:
    """Every change that was ranked or listed, each once."""
    ranked = seen.ranking[0] if seen.ranking else {"suspects": [], "rejected": []}
    listed = seen.of("list_changes")
    rows = [*ranked["suspects"], *ranked["rejected"], *(listed[0]["changes"] if listed else ())]
    return list({(r["id"], r["at"]): r for r in reversed(rows)}.values())[::-1]


def is_named(row: Json, name: str) -> bool:
    """Also where only its title holds the name: "cart 2.3.1: wording of a dialog"."""
    low = name.casefold()
    if low.startswith("#"):
        return low in row["title"].casefold() or row["id"] == low[1:]
    bare = low.removeprefix("v")
    if low in (row["id"].casefold(), row["id"].partition("@")[0].casefold()):
        return True
    if len(low) >= 7 and row["sha"].casefold().startswith(low):
        return True
    if row["version"]:
        return bare == str(row["version"]).casefold().removeprefix("v")
    return re.search(rf"(?<![\w.-])v?{re.escape(bare)}(?![\w-]|\.\d)", row["title"].casefold()) is not None


def made_at(seen: Seen) -> datetime | None:
    """The time by which a question names a change: "the 18:00 deploy"."""
    if not AT_CHANGE.search(seen.text):
        return None
    read = when.resolve(seen.text, min(seen.turn.ctx.now, seen.window.end), seen.window.zone).window
    if read is None:
        return None
    return read.start + NEAR if read.end - read.start == 2 * NEAR else read.start


def words(seen: Seen, said: str) -> tuple[str, ...]:
    """What may be words of a change's title or id: no service's name, and none that any question holds."""
    taken = {s.casefold() for s in (*seen.asked, *seen.turn.ctx.scope.said.split())} | FILLERS | DOINGS
    return tuple(w for w in _WORD.findall(said) if w.casefold() not in taken)


def _by_time(seen: Seen, kinds: frozenset[str] | None) -> list[Json]:
    """The one made nearest to the time, of the kind that is spoken of where there is one."""
    at = made_at(seen)
    if at is None:
        return []
    near = [r for r in known(seen) if abs(moment(r) - at) <= NEAR]
    near.sort(key=lambda r: (bool(kinds) and r["kind"] not in (kinds or ()), abs(moment(r) - at)))
    return near[:1]


def _by_title(seen: Seen, said: str) -> list[Json]:
    return [r for r in known(seen) if any(_holds(r, w) for w in words(seen, said))]


def _holds(row: Json, word: str) -> bool:
    text = " ".join((row["id"], row["what"], row["title"])).casefold()
    return re.search(rf"(?<![a-z0-9]){re.escape(word.casefold())}", text) is not None


def _since(seen: Seen, said: str, kinds: frozenset[str] | None) -> list[Json]:
    """ "since the payment deploy": of that service's the one that is suspected most, else the last one."""
    found = SINCE_CHANGE.search(said)
    name = (found["of"] or found["zh"] or "").casefold() if found else ""
    if not name:
        return []
    rows = [r for r in known(seen) if r["service"].casefold() == name and (not kinds or r["kind"] in kinds)]
    suspects = [r["id"] for r in seen.ranking[0]["suspects"]] if seen.ranking else []
    best = [r for i in suspects for r in rows if r["id"] == i]
    return best[:1] or sorted(rows, key=moment)[-1:]


def _latest(seen: Seen, said: str, kinds: frozenset[str] | None) -> list[Json]:
    """ "the flag that was just turned on": the last one of its kind before the trouble began."""
    if kinds is None or not JUST.search(said):
        return []
    onset = datetime.fromisoformat(seen.ranking[0]["onset_asked"]) if seen.ranking else seen.window.end
    rows = [r for r in known(seen) if moment(r) <= onset and (not kinds or r["kind"] in kinds)]
    return sorted(rows, key=moment)[-1:]


def by_words(seen: Seen, said: str) -> tuple[list[Json], Sequence[str]]:
    """Changes whose title or id holds what a question names, and those words."""
    return _by_title(seen, said), words(seen, said)
