"""What the sub-agents' findings hold for a plain question: rows of their tools' data with the evidence id to cite.

It reads data that tools left (`count_errors`, `list_alerts`, `firing_now`, `availability`, `suspects`, `list_changes`);
it asks nothing and words nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from orchestrator import when
from orchestrator.agent import Turn
from orchestrator.contracts import Evidence, Findings, Json, Window
from subagents.asking import DAY
from subagents.plain.fillers import DOINGS, FILLERS
from subagents.plain.kinds import kinds
from subagents.saying import Clock, at

SECOND = timedelta(seconds=1)
_EXTENT = frozenset(("began", "ended", "lasted"))
_WORD = re.compile(r"[A-Za-z]{3,}")
FRESH = timedelta(minutes=10)  # data that ends so shortly before the question tells of the present


@dataclass(frozen=True, slots=True)
class Stretch:
    """When errors were up. `end` None: still up where the data ends; `aside`: at another time than was asked for."""

    services: tuple[str, ...]
    start: datetime
    end: datetime | None
    n: int
    aside: bool
    cite: str


@dataclass(frozen=True)
class Seen:
    """`broken`: something that was asked could not be read, so that finding nothing says nothing."""

    turn: Turn
    found: Sequence[Findings]
    broken: bool = False

    @property
    def zh(self) -> bool:
        return self.turn.ctx.lang == "zh"

    @property
    def text(self) -> str:
        return self.turn.ctx.question.text

    @cached_property
    def asked(self) -> tuple[str, ...]:
        return self.turn.ctx.scope.services or self._spoken_of

    @cached_property
    def _spoken_of(self) -> tuple[str, ...]:
        """Where a question about an incident names no service but a matter ("the sms thing"): those services, if they
        aren't all, whose messages speak of it."""
        said = [w.casefold() for w in _WORD.findall(self.text) if w.casefold() not in FILLERS | DOINGS]
        if not said or not _EXTENT & {*kinds(self.text)}:
            return ()
        rows = [row for data, _, _ in self.all_of("patterns") for row in data["patterns"] if row["service"]]
        hit = {r["service"] for r in rows if {*said} & {w.casefold() for w in _WORD.findall(r["template"])}}
        return tuple(sorted(hit)) if len(hit) < len({r["service"] for r in rows}) else ()

    @cached_property
    def window(self) -> Window:
        ctx = self.turn.ctx
        return ctx.window or Window(ctx.now - DAY, ctx.now, ctx.question.zone)

    @cached_property
    def clock(self) -> Clock:
        return Clock(self.window)

    @cached_property
    def span(self) -> str:
        return when.say(self.window, lang=self.turn.ctx.lang)

    def of(self, tool: str) -> tuple[Json, str, Evidence] | None:
        """The last result of a tool: its data, its citation, itself."""
        return next((row for row in self.all_of(tool) if "compared" not in row[0]), None)

    def beside(self, tool: str) -> tuple[Json, str, Evidence] | None:
        """The same of the time that the question compares with."""
        found = (row for row in self.all_of(tool) if "compared" in row[0])
        return next(((data["compared"], cite, e) for data, cite, e in found), None)

    def all_of(self, tool: str) -> Iterator[tuple[Json, str, Evidence]]:
        """Every result of a tool, the last first."""
        for e in (e for finding in reversed(self.found) for e in reversed(finding.evidence)):
            if e.tool == tool and isinstance(e.result.data, dict):
                yield e.result.data, f"[{e.id}]", e

    @property
    def answered(self) -> bool:
        """Whether a sub-agent was asked about one thing alone (rules, targets, receivers, silences) and has told it."""
        data = [e.result.data for f in self.found for e in f.evidence if isinstance(e.result.data, dict)]
        return any({"rules", "down", "groups"} & set(d) or d.get("suppressed_only") for d in data)

    def rows(self, tool: str, key: str) -> tuple[list[Json], str]:
        """Rows of a tool's data that are of the asked services, all where none was asked; and their citation."""
        got = self.of(tool)
        if got is None:
            return [], ""
        rows = [r for r in got[0].get(key) or () if not self.asked or r.get("service") in self.asked]
        return rows, got[1]

    @cached_property
    def services(self) -> tuple[str, ...]:
        """All services that the findings name."""
        tables = (("count_errors", "counts"), ("list_alerts", "alerts"), ("list_changes", "changes"))
        rows = [r for tool, key in tables if (got := self.of(tool)) for r in got[0].get(key) or ()]
        return tuple(dict.fromkeys(r["service"] for r in rows if r["service"]))

    @cached_property
    def stretch(self) -> Stretch | None:
        """The rise of errors that the question is about: in its window, else the one at another time."""
        got = self.of("count_errors")
        if got is None:
            return None
        data, cite, _ = got
        rows = [r for r in self.rows("count_errors", "counts")[0] if r.get("onset")]
        if rows:
            ends = [at(r["end"]) for r in rows]
            end = None if None in ends else max(e for e in ends if e)
            onset = min(datetime.fromisoformat(r["onset"]) for r in rows)
            names = tuple(dict.fromkeys(r["service"] for r in rows if r["service"]))
            return Stretch(names, onset, end, sum(r["n"] for r in rows), False, cite)
        other = data.get("elsewhere")
        if not other:
            return None
        names = tuple(filter(None, (other["service"],)))
        return Stretch(names, datetime.fromisoformat(other["onset"]), at(other["end"]), other["n"], True, cite)

    @cached_property
    def errors(self) -> int | None:
        """Error lines of the asked services in the window; None where no log line of any level tells of it."""
        got = self.of("count_errors")
        if got is None:
            return None
        n = sum(int(r["n"]) for r in self.rows("count_errors", "counts")[0])
        return n if n or got[0].get("lines") else None

    @cached_property
    def until(self) -> datetime | None:
        """Where the log data ends, if that is well before the window's end."""
        got = self.of("count_errors")
        until = at(got[0].get("until")) if got and got[0].get("still") else None
        last = until - SECOND if until else None  # half-open: what was last written lies before it
        return last if last and self.window.end - last > FRESH else None

    @cached_property
    def alerts(self) -> tuple[list[Json], str]:
        """The alerts that the question is about: those of the asked services and those that began with them."""
        got = self.of("list_alerts")
        if got is None:
            return [], ""
        rows = [a for a in got[0]["alerts"] if not self.asked or a["lead"] or a["service"] in self.asked]
        return rows, got[1]

    @cached_property
    def alert_aside(self) -> Json:
        """The alert that began at another time than was asked for; None where there is none."""
        got = self.of("list_alerts")
        return got[0].get("elsewhere") if got else None

    @cached_property
    def blind(self) -> bool:
        """Whether no source could tell of alerts in the window."""
        got = self.of("list_alerts")
        return got is None or bool(got[0].get("blind"))

    @cached_property
    def ranking(self) -> tuple[Json, str] | None:
        got = self.of("suspects")
        return (got[0], got[1]) if got else None

    @cached_property
    def best(self) -> Json | None:
        """The one change that is named as the cause; None where there is none, or a tie."""
        if self.ranking is None:
            return None
        data = self.ranking[0]
        good = data["suspects"]
        return good[0] if good and good[0]["clear"] and data["tied"] <= 1 and not self.operational else None

    @property
    def operational(self) -> bool:
        """Whether the cause is settled, and is no change."""
        found = self.ranking[0]["cause"] if self.ranking else None
        return found is not None and found["verdict"] == "operational"
