"""Notes on persons: kept, given along and forgotten, whoever asks for it: a plain order, the model, or an extraction.

One way in for all three (`keep`), so that the same things are refused everywhere. When a run forgets something, what
that run itself still writes about it is erased at its end (`settle`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from hermes_ops.recall.kinds import CLOSED, NOTE, Refused, canonical, faded, kind_of, line
from hermes_ops.recall.orders import EVERYTHING, Order, read
from hermes_ops.recall.refusals import own_words, refuse
from memory import Memory, Note, Trace
from orchestrator.contracts import Incoming, Json

HEAD = (
    "What the person who asks wants, kept from earlier messages: "
    "preferences, no facts about any system and no evidence."
)
TOKENS, AGENT_TOKENS = 300, 120  # of what is given to the supervisor and to a sub-agent, at 3 bytes a token
FOR_AGENTS = ("environment", "services", "team", "role", NOTE)
LEAST = timedelta(hours=12)  # how exactly it is known when a note was used last
UNDONE = timedelta(days=1)  # so long a bare "undo" takes back what was kept last
UNSETTLED = 1_000  # runs whose forgotten notes are remembered until they end
MARK = "from preference"  # what `Scope.why` says of a scope that a note filled


def utc_now() -> datetime:
    return datetime.now(UTC)


class Keeper:
    """The notes of all persons. Every method raises StoreError."""

    def __init__(self, memory: Memory, clock: Callable[[], datetime] = utc_now) -> None:
        self._memory = memory
        self._notes = memory.preferences
        self._clock = clock
        self._forgotten: dict[str, list[Note]] = {}  # run → what it forgot; one that was cut off may go on

    async def keep(self, asked: Incoming, run: str, kind: str, words: str, said: str) -> str:
        """Keeps what the person's words say, and returns the note's key. Raises Refused."""
        kept = canonical(kind, words)
        source = "" if refuse(said, free=False) else said[:200]
        await self._notes.keep(asked.tenant, asked.user, kept.key, kept.value, source, run, self._clock())
        return kept.key

    async def forget(self, tenant: str, user: str, keys: Sequence[str] | None, run: str = "") -> list[Note]:
        """Removes notes (None: all) and all that was stored because of them. What was removed."""
        gone = await self._notes.remove(tenant, user, keys)
        await self._erase(tenant, user, gone, more=bool(run))
        if gone and run:
            self._forgotten.setdefault(run, []).extend(gone)
            for old in list(self._forgotten)[:-UNSETTLED]:
                del self._forgotten[old]
        return gone

    async def kept_last(self, tenant: str, user: str) -> list[Json]:
        """What one message had kept last, (key, ISO time) each: what an undo takes back."""
        now = self._clock()
        fresh = [n for n in await self._notes.of(tenant, user) if now - n.at < UNDONE]
        last = max(fresh, key=lambda n: n.at, default=None)
        return [[n.key, n.at.isoformat()] for n in fresh if last and n.run == last.run]

    async def undo(self, tenant: str, user: str, kept: Sequence[Json]) -> None:
        """Takes back what `kept_last` gave, values before it stand again; what is taken back already stays so."""
        back = [await self._notes.undo(tenant, user, key, datetime.fromisoformat(at)) for key, at in kept]
        await self._erase(tenant, user, [_last_only(n) for n in back if n])

    async def settle(self, asked: Incoming, run: str) -> None:
        """Erases what a run wrote about something it forgot itself; after its last event."""
        await self._erase(asked.tenant, asked.user, self._forgotten.pop(run, []))

    async def of(self, tenant: str, user: str) -> list[Note]:
        return await self._notes.of(tenant, user)

    # ── before the answer ─────────────────────────────────────────────────────────────────────

    async def obey(self, asked: Incoming, run: str, kept: Sequence[Json]) -> Json:
        """Follows the plain orders in a message. JSON: `gone` keys, `back` keys, `refused` (kind, why), and `only`:
        there is nothing else in the message. What is kept is told by `untold`. `kept`: what an undo takes back."""
        found = read(asked.text)
        done: dict[str, Json] = {"gone": [], "back": [], "refused": [], "missing": [], "only": bool(found.orders)}
        for order in found.orders:
            if order.action == "keep":
                await self._keep_order(asked, run, order, done)
            elif order.action == "undo":
                await self.undo(asked.tenant, asked.user, kept)
                done["back"] = [key for key, _ in kept]
                done["only"] &= bool(done["back"])
            else:
                await self._forget_order(asked, run, order, done)
        done["only"] = bool(done["only"] and not found.rest)
        return done

    async def _keep_order(self, asked: Incoming, run: str, order: Order, done: dict[str, Json]) -> None:
        try:
            await self.keep(asked, run, order.what, order.value, order.said)
        except Refused as e:
            done["refused"].append([order.what, e.why])

    async def _forget_order(self, asked: Incoming, run: str, order: Order, done: dict[str, Json]) -> None:
        notes = await self._notes.of(asked.tenant, asked.user)
        keys = matching(notes, order.what, order.value)
        done["gone"] += [n.key for n in await self.forget(asked.tenant, asked.user, keys, run)] if keys else []
        if not keys and order.what:
            done["missing"].append(order.what)
        done["only"] &= bool(keys or order.what)

    async def given(self, asked: Incoming) -> Json:
        """What counts for this question. JSON: `supervisor` and `agents` (texts for prompts), and the values that code
        applies: `environment`, `services`, `zone`, `language`."""
        now = self._clock()
        notes = [n for n in await self._notes.of(asked.tenant, asked.user) if not faded(n, now)]
        touched = {n.key for n in notes if kind_of(n.key) != NOTE or touches(n.value, asked.text)}
        ordered = sorted(notes, key=lambda n: (kind_of(n.key) == NOTE, n.key not in touched, -n.at.timestamp()))
        stale = [n.key for n in notes if n.key in touched and now - n.used > LEAST]
        await self._notes.mark(asked.tenant, asked.user, stale, used=now)
        by_key = {n.key: n.value for n in notes if n.key in CLOSED}
        agents = [n for n in ordered if kind_of(n.key) in FOR_AGENTS and n.key in touched]
        return {
            "supervisor": _text(ordered, TOKENS),
            "agents": _text(agents, AGENT_TOKENS),
            **{key: by_key.get(key, "") for key in ("environment", "services", "zone", "language")},
        }

    async def untold(self, tenant: str, user: str) -> list[list[str]]:
        """What was kept and not shown yet, (key, value) each; from now on it counts as shown."""
        fresh = [n for n in await self._notes.of(tenant, user) if not n.told]
        await self._notes.mark(tenant, user, [n.key for n in fresh], told=True)
        return [[n.key, n.value] for n in fresh]

    async def _erase(self, tenant: str, user: str, gone: Sequence[Note], more: bool = False) -> None:
        await self._memory.eraser.erase(tenant, user, [trace(note) for note in gone], more)


def trace(note: Note) -> Trace:
    """What a note may have left: the words it came from and the line a model was given; what is the person's own, also
    its value wherever it stands; a default, its value where the scope came from it. Codes of a table (a zone, a
    language, a length) stand everywhere for other reasons, and stay."""
    kind = kind_of(note.key)
    runs = tuple(dict.fromkeys((note.run, *(f[2] for f in note.former))))
    lines = tuple(line(note.key, value) for value in note.values)
    lines += tuple(f'"default_{kind}": {json.dumps(value, ensure_ascii=False)}' for value in note.values)
    words = (*note.sayings, *lines) + (() if kind in CLOSED else note.values)
    applied = note.values if kind in ("environment", "services") else ()
    return Trace(tuple(filter(None, runs)), tuple(filter(None, words)), applied, MARK)


def matching(notes: Sequence[Note], what: str, value: str) -> list[str]:
    """The keys that an order to forget means: of a kind, of a key, or of a note that says so."""
    if what == EVERYTHING:
        return [n.key for n in notes]
    if what:
        return [n.key for n in notes if n.key == what or kind_of(n.key) == what]
    wanted = re.sub(r"\W+", "", value).casefold()
    return [n.key for n in notes if wanted and (same := re.sub(r"\W+", "", n.value).casefold()) and (
        wanted in same or same in wanted
    )]  # fmt: skip


def touches(note: str, question: str) -> bool:
    """Whether a free note shares a word with a question: a Latin word of three letters, two Chinese characters."""
    return bool(_grams(note) & _grams(question))


def _grams(text: str) -> set[str]:
    low = text.casefold()
    chinese = (run for run in re.findall(r"[\u3400-\u9fff]{2,}", low))
    pairs = {run[i : i + 2] for run in chinese for i in range(len(run) - 1)}
    return pairs | set(re.findall(r"[a-z][a-z0-9_-]{2,}", low))


def stands_in(words: str, text: str) -> bool:
    """Whether a person's message has these words as its own."""
    return holds(own_words(text), words)


def holds(text: str, words: str) -> bool:
    """Whether a text has these words, marks and blanks aside."""
    bare = re.sub(r"\W+", "", words).casefold()
    return bool(bare) and bare in re.sub(r"\W+", "", text).casefold()


def _text(notes: Sequence[Note], budget: int) -> str:
    lines = [HEAD]
    for note in notes:
        new = line(note.key, note.value)
        if len("\n".join([*lines, new]).encode()) > 3 * budget:
            break
        lines.append(new)
    return "\n".join(lines) if len(lines) > 1 else ""


def _last_only(note: Note) -> Note:
    return Note(note.key, note.value, note.said, note.run, note.at, note.used)
