"""The settings of sources of logs, and what they make: Loki, VictoriaLogs, and files where programs write them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from hermes_ops.sourcing.connection import Live, Placed
from subagents.logfiles.source import LogFiles, Where
from subagents.loki.logql import Labels
from subagents.loki.source import Loki
from subagents.sources import Sources
from subagents.victorialogs.logsql import Fields
from subagents.victorialogs.source import VictoriaLogs
from subagents.web import Caller

LEVELS = ("fatal", "error", "warn", "info", "debug", "unknown")
Levels = dict[str, tuple[str, ...]]


def _known(levels: Levels) -> Levels:
    if strange := sorted(set(levels) - set(LEVELS)):
        raise ValueError(f"names the level {strange[0]!r}; there are {', '.join(LEVELS)}")
    return levels


class Server(Live):
    """`levels`: how a level is written there, exactly (`error = ["error", "ERR"]`); empty: the usual words in any case.
    `service`, `level`, `code`: which label or field is the service, the level, the status code."""

    levels: Annotated[Levels, AfterValidator(_known)] = Field(default_factory=dict)
    service: str = "service"
    level: str = "level"
    code: str = ""


class LokiSettings(Server):
    """Loki. `selector`: what every query adds, `{job="shop"}`; `pipeline`: stages that make labels, `| json`; `tenant`:
    sent as X-Scope-OrgID."""

    kind: Literal["loki"]
    service: str = "service_name"
    level: str = "detected_level"
    selector: str = ""
    pipeline: str = ""
    tenant: str = ""

    def _headers(self) -> dict[str, str]:
        return {**super()._headers(), **({"X-Scope-OrgID": self.tenant} if self.tenant else {})}


class VictoriaLogsSettings(Server):
    """VictoriaLogs. `filter`: LogsQL that every query adds; `tenant`: `ACCOUNT:PROJECT`."""

    kind: Literal["victorialogs"]
    filter: str = ""
    tenant: Annotated[str, Field(pattern=r"^(?:\d+:\d+)?$")] = ""

    def _headers(self) -> dict[str, str]:
        account, _, project = self.tenant.partition(":")
        own = {"AccountID": account, "ProjectID": project} if self.tenant else {}
        return {**super()._headers(), **own}


class FileSettings(Placed):
    """Files that programs write. `paths`: patterns of names, `**` for any depth; `exclude`: what of them to leave out;
    `service`: whose files they are, where the lines don't say so; `zone`: of times that state no offset."""

    kind: Literal["files"]
    paths: Annotated[tuple[str, ...], Field(min_length=1)]
    exclude: tuple[str, ...] = ()
    service: str = ""


LogSettings = Annotated[LokiSettings | VictoriaLogsSettings | FileSettings, Field(discriminator="kind")]


def loki(name: str, given: LokiSettings, caller: Caller) -> Sources:
    labels = Labels(given.selector, given.service, given.level, given.code, given.pipeline, given.levels)
    return Sources(logs=(Loki(name, caller, labels, given.zone, given.link),))


def victorialogs(name: str, given: VictoriaLogsSettings, caller: Caller) -> Sources:
    fields = Fields(given.filter, given.service, given.level, given.code, given.levels)
    return Sources(logs=(VictoriaLogs(name, caller, fields, given.zone, given.link),))


def files(name: str, given: FileSettings, caller: None) -> Sources:
    where = Where(given.paths, given.exclude, given.service, given.zone)
    return Sources(logs=(LogFiles(name, where, given.link),))
