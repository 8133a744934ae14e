"""Reports that were made, causes that people confirmed, people's own schedules, and which slot was taken when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "reports",
        sa.Column("seq", Serial, primary_key=True, autoincrement=True),
        sa.Column("team", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("start", Time, nullable=False),
        sa.Column("end", Time, nullable=False),
        sa.Column("zone", sa.Text, nullable=False),
        sa.Column("lang", sa.Text, nullable=False),
        sa.Column("figures", sa.Text, nullable=False),
        sa.Column("made_at", Time, nullable=False),
        sa.Column("corrected", sa.Integer, nullable=False),
        sa.UniqueConstraint("team", "kind", "start", "end", "corrected", name="reports_key"),
    )
    op.create_table(
        "causes",
        sa.Column("team", sa.Text, primary_key=True),
        sa.Column("incident", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
    )
    op.create_table(
        "slots",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("slot", Time, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    _schedules()


def _schedules() -> None:
    op.create_table(
        "schedules",
        sa.Column("id", Serial, primary_key=True, autoincrement=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("chat", sa.Text, nullable=False),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("cron", sa.Text, nullable=False),
        sa.Column("zone", sa.Text, nullable=False),
        sa.Column("workdays", sa.Boolean, nullable=False),
        sa.Column("locale", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("made", Time, nullable=False),
        sa.UniqueConstraint("tenant", "channel", "user", "number", name="schedules_key"),
    )
