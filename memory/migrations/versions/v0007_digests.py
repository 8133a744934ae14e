"""What came of each run and of each loop in it, in columns: for lists and statistics over very many runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

COUNTS = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens")


def upgrade() -> None:
    op.add_column("runs", sa.Column("answer", sa.Text))
    op.add_column("runs", sa.Column("asked", sa.Text))
    op.add_column("runs", sa.Column("wrong", sa.Boolean))
    op.add_column("runs", sa.Column("ms", sa.Integer))
    for name in COUNTS:
        op.add_column("runs", sa.Column(name, sa.Integer))
    op.add_column("runs", sa.Column("cost", sa.Float))
    op.create_index("runs_kind_started", "runs", ["kind", "started"])
    op.create_index("runs_user_started", "runs", ["user", "started"])
    op.create_index("runs_session_started", "runs", ["session", "started"])
    op.create_index("runs_ms_started", "runs", ["ms", "started"])
    op.create_table(
        "loops",
        sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("path", sa.Text, primary_key=True),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("empty", sa.Boolean, nullable=False),
        sa.Column("slot", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in COUNTS),
        sa.Column("cost", sa.Float),
        sa.Column("tools", sa.Integer, nullable=False),
        sa.Column("errors", sa.Integer, nullable=False),
    )
    op.create_index("loops_started", "loops", ["started"])
