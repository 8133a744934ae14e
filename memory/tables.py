"""The tables, as SQLAlchemy Core knows them, and the schema versions this program knows.

The migrations make them (`memory/migrations`); a test holds both to each other. Times are UTC. Long texts are blobs
under their hash, so that an append-only log can still forget. Nothing here opens a database.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa

KNOWN = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")  # oldest first; we need the last
VERSION_TABLE = "hermes_ops_schema"  # of our own: another program in the same database may use Alembic too

metadata = sa.MetaData()


class UtcTime(sa.TypeDecorator[datetime]):
    """An aware time, stored as UTC: `timestamptz` in PostgreSQL, ISO text in SQLite."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


class AnyText(sa.TypeDecorator[str]):
    """Text of a person or a model. NUL and lone surrogates, which databases refuse, become U+FFFD."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        if value is None:
            return None
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite numbers rows by itself only in INTEGER columns

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("question", AnyText, nullable=False),  # Incoming as JSON
    sa.Column("text", AnyText, nullable=False),
    sa.Column("session", AnyText, nullable=False),
    sa.Column("folder", AnyText, nullable=False),
    sa.Column("user", AnyText, nullable=False),
    sa.Column("status", sa.Text, nullable=False),  # running | done | failed | cancelled | interrupted
    sa.Column("started", UtcTime, nullable=False),
    sa.Column("ended", UtcTime),
    sa.Column("host", sa.Text, nullable=False),  # the owner: where, which process, born when
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("born", sa.Text, nullable=False),
    sa.Column("window", AnyText),  # Window and Scope as JSON, once they are known
    sa.Column("scope", AnyText),
    sa.Column("model", AnyText),
    sa.Column("kind", sa.Text, nullable=False, server_default="question"),  # question | notes | replay
    sa.Column("tokens", sa.BigInteger, nullable=False, server_default="0"),  # counted into `spent` so far
    sa.Column("answer", sa.Text),  # this and what follows: when it has ended (memory.digests)
    sa.Column("asked", sa.Text),  # sub-agents, between blanks
    sa.Column("wrong", sa.Boolean),
    sa.Column("ms", sa.Integer),
    sa.Column("calls", sa.Integer),
    sa.Column("prompt_tokens", sa.Integer),
    sa.Column("completion_tokens", sa.Integer),
    sa.Column("cached_tokens", sa.Integer),
    sa.Column("cost", sa.Float),
    sa.Index("runs_status_started", "status", "started"),
    sa.Index("runs_started", "started"),
    sa.Index("runs_kind_started", "kind", "started"),
    sa.Index("runs_user_started", "user", "started"),
    sa.Index("runs_session_started", "session", "started"),
    sa.Index("runs_ms_started", "ms", "started"),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", Serial, primary_key=True, autoincrement=True),  # order of arrival, over all paths
    sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("path", AnyText, nullable=False),
    sa.Column("n", sa.Integer, nullable=False),
    sa.Column("kind", AnyText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON
    sa.Column("blobs", sa.Text, nullable=False),  # hash:size, separated by blanks
    sa.Column("v", sa.Integer, nullable=False),
    sa.UniqueConstraint("run", "path", "n", name="events_key"),
)

blobs = sa.Table(
    "blobs",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("coding", sa.Text, nullable=False),  # "" | zlib
    sa.Column("data", sa.LargeBinary, nullable=False),  # UTF-8
    sa.Column("labels", sa.Text, nullable=False, server_default=""),  # who may see it, separated by blanks
    sa.Column("expires", UtcTime),  # NULL: kept
)

turns = sa.Table(
    "turns",
    metadata,
    sa.Column("seq", Serial, primary_key=True, autoincrement=True),
    sa.Column("session", AnyText, nullable=False),
    sa.Column("run", sa.Text, nullable=False, unique=True),
    sa.Column("question", AnyText, nullable=False),
    sa.Column("answer", AnyText, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("user", AnyText, nullable=False, server_default=""),
    sa.Column("about", AnyText, nullable=False, server_default=""),  # JSON: what a follow-up may refer to
    sa.Index("turns_session", "session", "seq"),
)

summaries = sa.Table(
    "summaries",
    metadata,
    sa.Column("session", AnyText, primary_key=True),
    sa.Column("upto", sa.BigInteger, nullable=False),  # the last turn (turns.seq) that is in the text
    sa.Column("text", AnyText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

notes = sa.Table(  # what a person wants to be kept: one row a key
    "notes",
    metadata,
    sa.Column("tenant", AnyText, primary_key=True),
    sa.Column("user", AnyText, primary_key=True),
    sa.Column("key", AnyText, primary_key=True),
    sa.Column("value", AnyText, nullable=False),
    sa.Column("said", AnyText, nullable=False),  # the person's own words
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("used", UtcTime, nullable=False),
    sa.Column("told", sa.Boolean, nullable=False),  # whether the person was shown that it is kept
    sa.Column("former", AnyText, nullable=False),  # JSON: what stood there before, for undo; the newest last
)

# ── messages on their way in and out ──────────────────────────────────────────────────────────

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("seq", Serial, primary_key=True, autoincrement=True),
    sa.Column("id", AnyText, nullable=False, unique=True),  # the message and its attempt
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("conversation", AnyText, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # question | command
    sa.Column("question", AnyText, nullable=False),  # Incoming as JSON
    sa.Column("extra", AnyText, nullable=False),  # JSON of the channel's own
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # queued | running | done | failed | cancelled | refused
    sa.Column("tries", sa.Integer, nullable=False),  # how often the work failed
    sa.Column("deaths", sa.Integer, nullable=False),  # how often its process died
    sa.Column("ran", sa.Float, nullable=False),  # seconds of work so far
    sa.Column("reason", AnyText, nullable=False),
    sa.Column("cancel", AnyText, nullable=False),  # who wants it ended
    sa.Column("received", UtcTime, nullable=False),
    sa.Column("due", UtcTime, nullable=False),
    sa.Column("started", UtcTime),
    sa.Column("ended", UtcTime),
    sa.Column("owner", sa.Text, nullable=False, server_default=""),  # the process that has it
    sa.Index("inbox_conversation", "conversation", "state"),
    sa.Index("inbox_state", "state", "seq"),
    sa.Index("inbox_run", "run"),
)

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("seq", Serial, primary_key=True, autoincrement=True),
    sa.Column("key", AnyText, nullable=False, unique=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # finish | send
    sa.Column("lane", AnyText, nullable=False),  # what keeps its order: a chat
    sa.Column("address", AnyText, nullable=False),  # JSON
    sa.Column("payload", AnyText, nullable=False),  # JSON
    sa.Column("state", sa.Text, nullable=False),  # waiting | sent | failed
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("reason", AnyText, nullable=False),
    sa.Column("sent", AnyText, nullable=False),  # the channel's name for what was sent
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("due", UtcTime, nullable=False),
    sa.Column("ended", UtcTime),
    sa.Column("owner", sa.Text, nullable=False, server_default=""),  # the process that delivers it
    sa.Index("outbox_state", "state", "seq"),
)

posts = sa.Table(  # answers that were begun in a chat
    "posts",
    metadata,
    sa.Column("key", AnyText, primary_key=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("chat", AnyText, nullable=False),
    sa.Column("message", AnyText, nullable=False),
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("state", AnyText, nullable=False),  # JSON of the channel's own
    sa.Column("at", UtcTime, nullable=False),
    sa.Index("posts_message", "message"),
)

feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column("run", sa.Text, primary_key=True),
    sa.Column("user", AnyText, primary_key=True),
    sa.Column("mark", sa.Text, nullable=False),  # good | bad
    sa.Column("about", AnyText, nullable=False),
    sa.Column("text", AnyText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

tallies = sa.Table(  # calls of a platform, by month
    "tallies",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("month", sa.Text, primary_key=True),
    sa.Column("count", sa.BigInteger, nullable=False),
)

# ── reports and schedules ─────────────────────────────────────────────────────────────────────

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("seq", Serial, primary_key=True, autoincrement=True),
    sa.Column("team", AnyText, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # day | week | shift
    sa.Column("start", UtcTime, nullable=False),
    sa.Column("end", UtcTime, nullable=False),
    sa.Column("zone", sa.Text, nullable=False),
    sa.Column("lang", sa.Text, nullable=False),
    sa.Column("figures", AnyText, nullable=False),  # JSON
    sa.Column("made_at", UtcTime, nullable=False),
    sa.Column("corrected", sa.Integer, nullable=False),  # 0 the first of its window, 1 … those that replace it
    sa.UniqueConstraint("team", "kind", "start", "end", "corrected", name="reports_key"),
)

causes = sa.Table(  # of incidents, as people confirmed them
    "causes",
    metadata,
    sa.Column("team", AnyText, primary_key=True),
    sa.Column("incident", AnyText, primary_key=True),
    sa.Column("text", AnyText, nullable=False),
    sa.Column("by", AnyText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

slots = sa.Table(  # what was due when, and who takes it: each slot once
    "slots",
    metadata,
    sa.Column("name", AnyText, primary_key=True),
    sa.Column("slot", UtcTime, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),  # known | taken | done | failed
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("reason", AnyText, nullable=False),
)

schedules = sa.Table(  # what people have asked for at fixed times
    "schedules",
    metadata,
    sa.Column("id", Serial, primary_key=True, autoincrement=True),
    sa.Column("tenant", AnyText, nullable=False),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("user", AnyText, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),  # what its person calls it
    sa.Column("chat", AnyText, nullable=False),
    sa.Column("thread", AnyText, nullable=False),
    sa.Column("private", sa.Boolean, nullable=False),
    sa.Column("cron", sa.Text, nullable=False),
    sa.Column("zone", sa.Text, nullable=False),
    sa.Column("workdays", sa.Boolean, nullable=False),
    sa.Column("locale", sa.Text, nullable=False),
    sa.Column("text", AnyText, nullable=False),
    sa.Column("made", UtcTime, nullable=False),
    sa.UniqueConstraint("tenant", "channel", "user", "number", name="schedules_key"),
)
