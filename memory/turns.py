"""The turns of a conversation: question and answer, in the order they were finished.

What a model makes of them (summaries, preferences) is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from memory.desk import Desk
from memory.store import insert_new
from memory.tables import turns


@dataclass(frozen=True, slots=True)
class Turn:
    """`status`: an AnswerStatus; `at`: when the question was asked."""

    session: str
    run: str
    question: str
    answer: str
    status: str
    at: datetime


class Turns:
    """Several processes may add to one session: nothing is lost. Every method raises StoreError."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add(self, session: str, run: str, question: str, answer: str, status: str, at: datetime) -> None:
        """One run is one turn: a resumed run that adds it again replaces it, in its place."""
        row = {"session": session, "run": run, "question": question, "answer": answer, "status": status, "at": at}

        put = insert_new(self._desk.dialect, turns).on_conflict_do_update(
            index_elements=[turns.c.run], set_={"answer": answer, "status": status}
        )
        await self._desk.write(lambda connection: connection.execute(put, row) and None)

    async def last(self, session: str, n: int) -> list[Turn]:
        """The session's last `n` turns, the oldest of them first."""
        query = sa.select(turns).where(turns.c.session == session).order_by(turns.c.seq.desc()).limit(n)
        rows = await self._desk.read(lambda connection: connection.execute(query).all())
        return [Turn(r.session, r.run, r.question, r.answer, r.status, r.at) for r in reversed(rows)]
