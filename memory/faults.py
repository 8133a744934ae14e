"""What a database's errors mean for a person: one sentence, what is wrong, where, and what to do next.

It knows SQLite's and PostgreSQL's words for them, and nothing of what was being done.
"""

from __future__ import annotations

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from orchestrator.errors import StoreError

SQLITE = (  # words in SQLite's message → what a person is told
    ("readonly database", "can't be written: the file or its directory is read-only. Choose another data directory"),
    (
        "unable to open",
        "can't be opened: its directory can't be written. Choose another data directory",
    ),
    ("not a database", "is damaged or is no SQLite database. Move the file away (a new one is made), or restore it"),
    ("malformed", "is damaged. Move the file away (a new one is made), or restore it from a copy"),
    ("unsupported file format", "is damaged or from a newer SQLite. Move the file away, or restore it from a copy"),
    ("full", "can't be written: the disk is full. Free some space"),
    ("too big", "can't be written: the disk or a file size limit is full. Free some space"),
    ("disk i/o error", "can't be read or written: the disk is full, or fails. Check its space and health"),
    ("locked", "is held by another process for too long. End that process, or try again"),
    ("no such table", "lacks tables of ours: it belongs to another program. Choose another database"),
)

POSTGRES = {  # SQLSTATE → what a person is told
    "53100": "can't be written: the server's disk is full. Free some space",
    "25006": "can't be written: the server is read-only (a standby?). Point to the primary",
    "42501": "refuses this role. Grant it CREATE and USAGE on the schema, and its tables",
    "42P01": "lacks tables of ours: it is another program's, or has another search_path. Choose another database",
}


def store_error(error: BaseException, url: URL) -> StoreError:
    """The error as a person should read it; passwords are left out."""
    if isinstance(error, StoreError):
        return error
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    words = str(cause).strip()
    where = place(url)
    if isinstance(cause, OSError):
        return StoreError(
            f"The database {where} can't be made: {cause.strerror or words} ({cause.filename}). "
            "Choose another data directory."
        )
    if url.get_backend_name() == "sqlite":
        for mark, meaning in SQLITE:
            if mark in words.lower():
                return StoreError(f"The database {where} {meaning}.")
    elif (state := getattr(cause, "sqlstate", None)) in POSTGRES:
        return StoreError(f"The database {where} {POSTGRES[str(state)]}.")
    elif isinstance(error, DBAPIError) and (state is None or str(state)[:2] in ("08", "57", "28", "3D")):
        return StoreError(
            f"The database {where} can't be reached: {_first_line(words)}. "
            "Check that the server runs, and the address, user and password in HERMES_OPS_DATABASE_URL."
        )
    return StoreError(f"The database {where} failed: {_first_line(words) or type(cause).__name__}.")


def passing(error: BaseException) -> bool:
    """Whether the same rows may be written later: the database is away, full or busy, and the rows are not at fault."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, StoreError)
    return type(error).__name__ in ("OperationalError", "InterfaceError", "InternalError", "DatabaseError")


def place(url: URL) -> str:
    """The file of a SQLite database, the address of another, without its password."""
    if url.get_backend_name() == "sqlite":
        return url.database or "in memory"
    return url.set(drivername="postgresql", password=None).render_as_string()


def _first_line(words: str) -> str:
    return " ".join(words.splitlines()[:1]).strip().rstrip(".")
