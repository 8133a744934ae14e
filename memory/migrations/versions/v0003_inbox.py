"""What waits to be answered, what must reach a chat, what was posted there, what people thought of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    _inbox()
    _outbox()
    op.create_table(
        "posts",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("chat", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
    )
    op.create_index("posts_message", "posts", ["message"])
    op.create_table(
        "feedback",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("user", sa.Text, primary_key=True),
        sa.Column("mark", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
    )
    op.create_table(
        "tallies",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("month", sa.Text, primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
    )


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("seq", Serial, primary_key=True, autoincrement=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("extra", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("deaths", sa.Integer, nullable=False),
        sa.Column("ran", sa.Float, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("cancel", sa.Text, nullable=False),
        sa.Column("received", Time, nullable=False),
        sa.Column("due", Time, nullable=False),
        sa.Column("started", Time),
        sa.Column("ended", Time),
    )
    op.create_index("inbox_state", "inbox", ["state", "seq"])
    op.create_index("inbox_run", "inbox", ["run"])


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("seq", Serial, primary_key=True, autoincrement=True),
        sa.Column("key", sa.Text, nullable=False, unique=True),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("lane", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("sent", sa.Text, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("due", Time, nullable=False),
        sa.Column("ended", Time),
    )
    op.create_index("outbox_state", "outbox", ["state", "seq"])
