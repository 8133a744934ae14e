"""Runs, events, blobs, turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    _runs()
    _events()
    _blobs()
    _turns()


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("started", Time, nullable=False),
        sa.Column("ended", Time),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("born", sa.Text, nullable=False),
        sa.Column("window", sa.Text),
        sa.Column("scope", sa.Text),
        sa.Column("model", sa.Text),
    )
    op.create_index("runs_status_started", "runs", ["status", "started"])
    op.create_index("runs_started", "runs", ["started"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("seq", Serial, primary_key=True, autoincrement=True),
        sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("blobs", sa.Text, nullable=False),
        sa.Column("v", sa.Integer, nullable=False),
        sa.UniqueConstraint("run", "path", "n", name="events_key"),
    )


def _blobs() -> None:
    op.create_table(
        "blobs",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("coding", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("labels", sa.Text, nullable=False, server_default=""),
        sa.Column("expires", Time),
    )


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("seq", Serial, primary_key=True, autoincrement=True),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False, unique=True),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
    )
    op.create_index("turns_session", "turns", ["session", "seq"])
