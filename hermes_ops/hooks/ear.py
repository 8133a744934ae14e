"""One delivery of a web hook, from its bytes to what is kept: proven, read, masked, stored, and told to who looks at
alerts. Every refusal is a status and a sentence that says why.
"""

from __future__ import annotations

import codecs
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from email.message import Message
from typing import Any, Literal, TypeVar
from urllib.parse import parse_qsl

from hermes_ops.hooks import kinds, proof
from hermes_ops.hooks.heard import Alert, Beside, Change, Delivery, Unreadable
from hermes_ops.hooks.settings import HookSettings
from memory import Record, Records
from memory.records import Became
from orchestrator.contracts import Json, to_json
from orchestrator.errors import StoreError

Domain = Literal["alerts", "changes"]
Answer = tuple[int, dict[str, Any]]
T = TypeVar("T", Alert, Change)
CHARSETS = ("utf-8", "utf-16", "utf-32", "gb", "big5", "iso8859", "cp125", "euc", "shift_jis", "koi8", "ascii")
MOST = 2000  # alerts or changes of one delivery

log = logging.getLogger("hermes_ops.hooks")


@dataclass(frozen=True, slots=True)
class Arrived:
    """Alerts of one delivery as they were kept, each with what became of it."""

    hook: str
    alerts: tuple[Alert, ...]
    became: tuple[Became, ...]


Watch = Callable[[Arrived], Awaitable[None]]


class Ear:
    """`mask`: of every text that is kept; `service`: from a repository's full name to the service in the catalogue, ""
    where there is none; `watch`: hears of alerts once they are stored."""

    def __init__(
        self, settings: HookSettings, records: Records, mask: Callable[[str], str],
        service: Callable[[str], str], watch: Watch | None = None,
    ) -> None:  # fmt: skip
        self._settings, self._records = settings, records
        self._mask, self._service, self._watch = mask, service, watch
        self.received: Counter[tuple[Domain, str]] = Counter()  # for figures
        self.refused: Counter[tuple[Domain, str]] = Counter()

    async def begin(self) -> None:
        """From now on, if not before, each hook is heard. Raises StoreError."""
        for name in self._settings.alerts:
            await self._records.listen("alert", name)
        for name in self._settings.changes:
            await self._records.listen("change", name)

    async def take(self, domain: Domain, name: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        """`body` None: it was too large to be read."""
        known = self._settings.alerts if domain == "alerts" else self._settings.changes
        told: dict[str, Any]
        if name not in known:
            return 404, {"error": f"There is no hook {name!r} here: it needs a table [hooks.{domain}.{name}]."}
        if body is None:
            most = self._settings.body_kb
            status, told = 413, {"error": f"The body is larger than hooks.body_kb allows: {most:,} KB."}
        else:
            status, told = await self._heard(domain, name, {k.lower(): v for k, v in headers.items()}, body)
        counted = self.received if status < 300 else self.refused
        counted[domain, name] += 1
        if status >= 300:
            log.warning("hooks: %s/%s refused with %d: %s", domain, name, status, told["error"])
        return status, told

    async def _heard(self, domain: Domain, name: str, headers: Mapping[str, str], body: bytes) -> Answer:
        try:
            if domain == "alerts":
                return await self._alerts(name, headers, body)
            return await self._changes(name, headers, body)
        except Refused as e:
            return e.status, {"error": str(e)}
        except Unreadable as e:
            return 422, {"error": str(e)}
        except Beside as e:
            return 200, {"kept": 0, "ignored": str(e)}
        except StoreError as e:
            return 503, {"error": f"It can't be kept just now, send it again later: {e}"}

    async def _alerts(self, name: str, headers: Mapping[str, str], body: bytes) -> Answer:
        hook = self._settings.alerts[name]
        kind = kinds.kind(name, hook.kind, kinds.ALERTS)
        _prove(proof.wrong(f"hooks.alerts.{name}", kind, hook, headers, body))
        now = self._records.clock()
        found = _bounded(kinds.ALERTS[kind](_delivery(headers, body), hook, now))
        alerts = [self._masked(replace(a, severity=hook.severities.get(a.severity, a.severity))) for a in found]
        became = await self._records.put([_alert_record(name, a, now, hook.silent_hours) for a in alerts])
        if self._watch is not None:
            await self._watch(Arrived(name, tuple(alerts), tuple(became)))
        return 200, _told(became)

    async def _changes(self, name: str, headers: Mapping[str, str], body: bytes) -> Answer:
        hook = self._settings.changes[name]
        kind = kinds.kind(name, hook.kind, kinds.CHANGES)
        _prove(proof.wrong(f"hooks.changes.{name}", kind, hook, headers, body))
        now = self._records.clock()
        found = _bounded(kinds.CHANGES[kind](_delivery(headers, body), hook, now))
        changes = [self._masked(replace(c, service=c.service or self._of(c.repository))) for c in found]
        return 200, _told(await self._records.put([_change_record(name, c, now) for c in changes]))

    def _of(self, repository: str) -> str:
        return self._service(repository) or repository.rpartition("/")[2]

    def _masked(self, heard: T) -> T:
        """Every text of it; a mark of our own and an id hold nothing to hide."""
        changed = {k: self._hidden(v) for k, v in asdict(heard).items() if k not in ("fingerprint", "id", "sha")}
        kept: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in changed.items()}
        return replace(heard, **kept)

    def _hidden(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._mask(value)
        if isinstance(value, dict):
            return {self._mask(k): self._hidden(v) for k, v in value.items()}
        return [self._hidden(v) for v in value] if isinstance(value, list | tuple) else value


class Refused(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def _prove(wrong: tuple[int, str] | None) -> None:
    if wrong is not None:
        raise Refused(*wrong)


def _bounded(found: list[T]) -> list[T]:
    if len(found) > MOST:
        raise Refused(413, f"It holds {len(found):,} entries, and {MOST:,} are taken at once.")
    return found


def _delivery(headers: Mapping[str, str], body: bytes) -> Delivery:
    """JSON, whatever its type is said to be (`curl -d` calls it a form), or a form that holds it in `payload` or as its
    fields."""
    said = Message()
    said["content-type"] = headers.get("content-type", "")
    text = body.decode(_charset(said.get_content_charset("utf-8")), "replace")
    event = headers.get("x-github-event", "")
    form = said.get_content_type() == "application/x-www-form-urlencoded"
    if form and text.lstrip()[:1] not in ("{", "["):
        fields: dict[str, Json] = dict(parse_qsl(text, keep_blank_values=True))
        if "payload" not in fields:
            return Delivery(fields, event)
        text = str(fields["payload"])
    try:
        return Delivery(json.loads(text), event)
    except (ValueError, RecursionError):
        raise Refused(400, "The body is no JSON.") from None


def _charset(said: str) -> str:
    """One that texts are written in, else UTF-8: Python knows others by name that raise, or take minutes for a body."""
    try:
        name = codecs.lookup(said).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if name.startswith(CHARSETS) else "utf-8"


def _told(became: Sequence[Became]) -> dict[str, Any]:
    return {"kept": sum(1 for b in became if b != "unmatched"), **Counter(became)}


def _alert_record(hook: str, a: Alert, now: datetime, silent: float) -> Record:
    body = {k: v for k, v in to_json(a).items() if k not in ("start", "end", "service", "firing", "fingerprint") and v}
    body["silent"] = silent
    end = max(a.end, a.start) if a.end and a.start else a.end
    return Record("alert", hook, a.fingerprint, a.start, end, a.service, body, now)


def _change_record(hook: str, c: Change, now: datetime) -> Record:
    body = {k: v for k, v in to_json(c).items() if k not in ("id", "at", "until", "service", "rank") and v}
    return Record("change", hook, c.id, c.at, c.until, c.service, body, c.at or now, c.rank)
