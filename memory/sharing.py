"""The tables by which several processes share one database: who lives, what was used up of rates and budgets, what
all have to agree upon."""

from __future__ import annotations

import sqlalchemy as sa

from memory.tables import AnyText, UtcTime, metadata

replicas = sa.Table(  # processes that serve, each as long as it lives
    "replicas",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("backend", sa.Integer, nullable=False),  # the server's process that holds its lock
    sa.Column("beats", sa.BigInteger, nullable=False),  # grows while it lives
    sa.Column("started", UtcTime, nullable=False),
    sa.Column("taken", sa.BigInteger, nullable=False),  # questions of dead ones that it gave back to the queue
)

rates = sa.Table(  # one row a limit
    "rates",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("made", sa.Text, nullable=False),  # JSON: calls by second, of the last minute
    sa.Column("cool", sa.Float, nullable=False),  # nobody calls before; seconds since 1970
)

spent = sa.Table(  # tokens of a day
    "spent",
    metadata,
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # day | user | team
    sa.Column("name", AnyText, primary_key=True),
    sa.Column("tokens", sa.BigInteger, nullable=False),
)

facts = sa.Table(  # what all have to agree upon
    "facts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
