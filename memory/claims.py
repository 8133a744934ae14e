"""How several processes take from one inbox without taking the same: SQL on the database's thread.

A conversation is looked at by one process at a time (a lock of the transaction; a SQLite file is locked as a whole), so
its order and how many of it are in flight hold whoever takes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from memory.tables import inbox, outbox

CONVERSATIONS, TOGETHER = 400, 16  # looked at by one claim at most; read at a time
LOCKS = 0x6865726D  # our half of the two-number locks of a PostgreSQL database
DIED = "The process ended while it worked on this"
UNDONE = inbox.c.state.in_(("queued", "running"))


def candidates(connection: sa.Connection, free: int, each: int) -> list[str]:
    """Conversations in which something waits that may be begun, those that wait longest first. `free`: questions that
    may be begun; `each`: at once in a conversation. Commands always may."""
    queued, command = inbox.c.state == "queued", inbox.c.kind == "command"
    first = sa.func.min(sa.case((queued, inbox.c.seq)))
    busy = sa.func.sum(sa.case((sa.or_(queued, command), 0), else_=1))
    commands = sa.func.sum(sa.case((sa.and_(queued, command), 1), else_=0))
    may = sa.or_(commands > 0, busy < each) if free > 0 else commands > 0
    query = sa.select(inbox.c.conversation).where(UNDONE).group_by(inbox.c.conversation)
    query = query.having(sa.and_(first.is_not(None), may)).order_by(first).limit(CONVERSATIONS)
    return list(connection.scalars(query))


def batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[start : start + TOGETHER] for start in range(0, len(names), TOGETHER))


def locked(connection: sa.Connection, names: Sequence[str]) -> Sequence[str]:
    """Those of the names that nobody else has, and nobody gets until this transaction ends."""
    if connection.dialect.name == "sqlite":
        return names
    key = sa.func.hashtext(sa.func.concat(sa.func.current_schema(), " ", sa.bindparam("name", type_=sa.Text)))
    query = sa.select(sa.func.pg_try_advisory_xact_lock(LOCKS, key))
    return [name for name in names if connection.scalar(query, {"name": name})]


def requeue(connection: sa.Connection, owner: str | None = None) -> int:
    """What `owner` had (None: whoever did) waits again, in its place, and is free: questions and parcels. How many
    questions had been begun."""
    theirs, hers = inbox.c.owner != "", outbox.c.owner != ""
    if owner is not None:
        theirs, hers = inbox.c.owner == owner, outbox.c.owner == owner
    begun = sa.true() if owner is None else theirs  # older programs wrote no owner
    left = {"state": "queued", "owner": "", "reason": DIED, "deaths": inbox.c.deaths + 1}
    count = connection.execute(inbox.update().where(inbox.c.state == "running", begun).values(left)).rowcount
    connection.execute(inbox.update().where(inbox.c.state == "queued", theirs).values(owner=""))
    connection.execute(outbox.update().where(outbox.c.state == "waiting", hers).values(owner=""))
    return count
