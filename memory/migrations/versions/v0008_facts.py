"""What all processes on one database have to agree upon, such as the check value of their masking key."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table("facts", sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False))
