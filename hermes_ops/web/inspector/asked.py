"""What an address of the inspector asks for: filters, a place in a list, a span of days. Nobody is believed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import get_args
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from memory import RunStatus, Wanted
from memory.digests import Counted
from orchestrator.contracts import AnswerStatus
from orchestrator.errors import ConfigError

LONGEST = 300  # characters of one value
STATUSES = tuple(dict.fromkeys((*get_args(AnswerStatus), *get_args(RunStatus))))
KINDS = {"question": "Questions", "replay": "Replays", "all": "All runs"}
SPANS = {"1": "Today", "7": "7 days", "30": "30 days", "90": "90 days", "0": "All time"}


@dataclass(frozen=True, slots=True)
class Filter:
    """Of the list of runs, as it was typed. `since`, `until`: days, both of them in it; `after`: the run above."""

    q: str = ""
    user: str = ""
    agent: str = ""
    status: str = ""
    wrong: str = ""
    since: str = ""
    until: str = ""
    kind: str = "question"
    session: str = ""
    after: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Filter:
        given = {name: query.get(name, "").strip()[:LONGEST] for name in cls.__dataclass_fields__}
        return cls(**{name: value for name, value in given.items() if value})

    def wanted(self, zone: str) -> Wanted:
        """Raises ConfigError for what can't be meant."""
        if self.status and self.status not in STATUSES:
            raise ConfigError(f"{self.status!r} is no status. There are: {', '.join(STATUSES)}.")
        if self.kind not in KINDS:
            raise ConfigError(f"{self.kind!r} is no kind of run. There are: {', '.join(KINDS)}.")
        since, until = _day(self.since, zone), _day(self.until, zone)
        return Wanted(
            session=self.session,
            user=self.user,
            since=since,
            until=until and until + timedelta(days=1),
            text=self.q,
            kind="" if self.kind == "all" else self.kind,
            statuses=(self.status,) if self.status else (),
            agent=self.agent,
            wrong=bool(self.wrong),
            before=_cursor(self.after),
        )

    @property
    def narrow(self) -> bool:
        """It leaves something out."""
        return replace(self, after="", kind="question") != Filter()

    def address(self, **changed: str) -> str:
        """As a query, without what says nothing."""
        whole = replace(self, **changed)
        given = {name: getattr(whole, name) for name in self.__dataclass_fields__}
        return urlencode({k: v for k, v in given.items() if v and (k, v) != ("kind", "question")})


@dataclass(frozen=True, slots=True)
class Span:
    """Of statistics: the last `days`, today among them, 0: all; of one person, or of all."""

    days: str = "30"
    user: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Span:
        days = query.get("days", "30")
        if days not in SPANS:
            raise ConfigError(f"{days[:20]!r} is no span of days. There are: {', '.join(SPANS)}.")
        return cls(days, query.get("user", "").strip()[:LONGEST])

    def since(self, now: datetime) -> datetime | None:
        """Days are those of UTC, as they are counted."""
        today = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
        return today - timedelta(days=int(self.days) - 1) if self.days != "0" else None

    def counted(self, now: datetime) -> Counted:
        return Counted(self.user, self.since(now))


def cursor(started: datetime, run: str) -> str:
    return f"{started.astimezone(UTC).isoformat()}~{run}"


def _cursor(said: str) -> tuple[datetime, str] | None:
    at, _, run = said.partition("~")
    try:
        return (datetime.fromisoformat(at).astimezone(UTC), run) if said else None
    except (ValueError, OverflowError):
        raise ConfigError("This address names no place in the list. Begin at its top.") from None


def _day(said: str, zone: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(said), time(), ZoneInfo(zone)) if said else None
    except (ValueError, OverflowError):
        raise ConfigError(f"{said[:40]!r} is no day. Write it like 2026-11-30.") from None
