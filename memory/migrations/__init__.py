"""The schema's history, for SQLite and PostgreSQL alike; run by the program itself, without an ini file."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config


def config() -> Config:
    made = Config()
    made.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    made.set_main_option("path_separator", "os")
    return made


def upgrade(connection: sa.Connection) -> None:
    """Brings the schema up to the newest version, inside the caller's transaction."""
    made = config()
    made.attributes["connection"] = connection
    command.upgrade(made, "head")
