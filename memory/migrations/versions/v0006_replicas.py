"""Several processes on one database: who works on what, who lives; and what is used up of rates and budgets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    for table in ("inbox", "outbox"):
        op.add_column(table, sa.Column("owner", sa.Text, nullable=False, server_default=""))
    op.create_index("inbox_conversation", "inbox", ["conversation", "state"])
    op.add_column("runs", sa.Column("tokens", sa.BigInteger, nullable=False, server_default="0"))
    op.create_table(
        "replicas",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("backend", sa.Integer, nullable=False),
        sa.Column("beats", sa.BigInteger, nullable=False),
        sa.Column("started", Time, nullable=False),
        sa.Column("taken", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "rates",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("made", sa.Text, nullable=False),
        sa.Column("cool", sa.Float, nullable=False),
    )
    op.create_table(
        "spent",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("tokens", sa.BigInteger, nullable=False),
    )
