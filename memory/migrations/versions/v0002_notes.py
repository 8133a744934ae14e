"""Notes on persons, summaries of sessions, and what a turn was about."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("runs", sa.Column("kind", sa.Text, nullable=False, server_default="question"))
    op.add_column("turns", sa.Column("user", sa.Text, nullable=False, server_default=""))
    op.add_column("turns", sa.Column("about", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "summaries",
        sa.Column("session", sa.Text, primary_key=True),
        sa.Column("upto", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
    )
    op.create_table(
        "notes",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("user", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("said", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("used", Time, nullable=False),
        sa.Column("told", sa.Boolean, nullable=False),
        sa.Column("former", sa.Text, nullable=False),
    )
