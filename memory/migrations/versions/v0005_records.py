"""Alerts and changes that other systems told by web hook, and from when on they are whole."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "records",
        sa.Column("seq", Serial, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("series", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("until", Time),
        sa.Column("service", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("told", Time, nullable=False),
        sa.Column("received", Time, nullable=False),
        sa.Column("seen", Time, nullable=False),
        sa.Column("closed", Time),
        sa.UniqueConstraint("kind", "source", "key", name="records_key"),
    )
    op.create_index("records_at", "records", ["kind", "at"])
    op.create_index("records_until", "records", ["kind", "until"])
    op.create_index("records_series", "records", ["kind", "source", "series", "at"])
    op.create_index("records_seen", "records", ["seen"])
    op.create_table(
        "hearing",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("since", Time, nullable=False),
    )
