"""The turns of a conversation in the order they were finished, and the summary of those that are too old to be given.

How a summary is made, and what a turn's `about` means, is not known here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from memory.desk import Desk
from memory.store import insert_new
from memory.tables import summaries, turns
from orchestrator.contracts import Json


@dataclass(frozen=True, slots=True)
class Turn:
    """`status`: an AnswerStatus; `at`: when the question was asked; `about`: JSON that a follow-up may refer to, None
    where nothing was kept; `seq`: its place, which only grows."""

    session: str
    run: str
    question: str
    answer: str
    status: str
    at: datetime
    user: str = ""
    about: Json = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """`upto`: the last turn (its `seq`) that is in the text; 0 where there is none yet."""

    text: str = ""
    upto: int = 0


class Turns:
    """Several processes may add to one session: nothing is lost. Every method raises StoreError."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add(
        self,
        session: str,
        run: str,
        question: str,
        answer: str,
        status: str,
        at: datetime,
        user: str = "",
        about: Json = None,
    ) -> None:
        """One run is one turn: a resumed run that adds it again replaces it, in its place."""
        said = {"answer": answer, "status": status, "about": _dumped(about)}
        row = {"session": session, "run": run, "question": question, "at": at, "user": user, **said}
        put = insert_new(self._desk.dialect, turns).on_conflict_do_update(index_elements=[turns.c.run], set_=said)
        await self._desk.write(lambda connection: connection.execute(put, row) and None)

    async def last(self, session: str, n: int) -> list[Turn]:
        """The session's last `n` turns, the oldest of them first."""
        query = sa.select(turns).where(turns.c.session == session).order_by(turns.c.seq.desc()).limit(n)
        rows = await self._desk.read(lambda connection: connection.execute(query).all())
        return [
            Turn(
                r.session, r.run, r.question, r.answer, r.status, r.at, r.user, json.loads(r.about or "null"), r.seq
            )
            for r in reversed(rows)
        ]  # fmt: skip

    async def summary(self, session: str) -> Summary:
        query = sa.select(summaries).where(summaries.c.session == session)
        row = await self._desk.read(lambda connection: connection.execute(query).first())
        return Summary(row.text, row.upto) if row else Summary()

    async def sum_up(self, session: str, text: str, upto: int, at: datetime) -> None:
        """Replaces the summary, unless another process has summed up further already."""
        new = {"text": text, "upto": upto, "at": at}
        put = insert_new(self._desk.dialect, summaries).on_conflict_do_update(
            index_elements=[summaries.c.session], set_=new, where=summaries.c.upto < upto
        )
        await self._desk.write(lambda connection: connection.execute(put, {"session": session, **new}) and None)


def _dumped(about: Json) -> str:
    return "" if about is None else json.dumps(about, ensure_ascii=False)
