"""The settings of live sources: one table each, `[sources.DOMAIN.NAME]`, whose `kind` says which keys it has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from hermes_ops.sections import Section, Url, Zone
from hermes_ops.sourcing.changes import GitSettings
from hermes_ops.sourcing.connection import Live, Placed
from hermes_ops.sourcing.logs import LogSettings

NOTHING = (
    "There is nothing to look things up in: name a directory of exported files with --folder DIR, "
    "or set up a source (docs/SOURCES.md)."
)
T = TypeVar("T")
Domain = Literal["alerts", "logs", "changes"]


class AlertmanagerSettings(Live):
    """Alertmanager, API v2. `service_labels`: which label of an alert is the service, the first that is there;
    `severity_labels`: the same for its severity; `filter`: matchers that every question adds; `runbooks`: addresses
    below which an alert's `runbook_url` is shown."""

    kind: Literal["alertmanager"]
    service_labels: tuple[str, ...] = ("service", "app", "job")
    severity_labels: tuple[str, ...] = ("severity",)
    filter: tuple[str, ...] = ()
    runbooks: tuple[Url, ...] = ()


class Sli(Section):
    """What availability is. Either `metric` (a counter of requests) and `bad` (matchers of those that failed), or
    `total_query` and `bad_query`: PromQL that counts by service, `$window` is its length. `objective`: percent."""

    metric: str = "http_requests_total"
    bad: str = 'code=~"5.."'
    total_query: str = ""
    bad_query: str = ""
    objective: Annotated[float, Field(gt=0, lt=100)] | None = None

    @model_validator(mode="after")
    def _both(self) -> Sli:
        if bool(self.total_query) != bool(self.bad_query):
            raise ValueError("needs total_query and bad_query together")
        return self


class Graph(Section):
    """A counter of calls whose labels name both ends, beside Istio's, Linkerd's and those made from traces."""

    metric: str = ""
    caller: str = "client"
    callee: str = "server"


class PrometheusSettings(Live):
    """Prometheus, or what speaks its query API: VictoriaMetrics, Thanos, Mimir. `service_labels`, `severity_labels`: as
    of Alertmanager; `matchers`: those that every query adds; `step`: seconds between the points that alerts are looked
    for in, at least; `series`: at most so many are read at once; `runbooks`: as of Alertmanager."""

    kind: Literal["prometheus", "victoriametrics"]
    service_labels: tuple[str, ...] = ("service", "app", "job")
    severity_labels: tuple[str, ...] = ("severity",)
    matchers: str = ""
    step: Annotated[float, Field(gt=0)] = 15.0
    series: Annotated[int, Field(gt=0)] = 500
    runbooks: tuple[Url, ...] = ()
    sli: Sli = Sli()
    graph: Graph = Graph()


class StoreSettings(Placed):
    """What was received by web hook (docs/HOOKS.md). `hooks` (): by all of them; `runbooks`: as of Alertmanager."""

    kind: Literal["store"]
    hooks: tuple[str, ...] = ()
    runbooks: tuple[Url, ...] = ()


class ChangeStoreSettings(Placed):
    """The same for changes."""

    kind: Literal["store"]
    hooks: tuple[str, ...] = ()


AlertSettings = Annotated[AlertmanagerSettings | PrometheusSettings | StoreSettings, Field(discriminator="kind")]
ChangeSettings = Annotated[GitSettings | ChangeStoreSettings, Field(discriminator="kind")]


def _named(tables: dict[str, T]) -> dict[str, T]:
    for name in tables:
        if not re.fullmatch(r"[\w-]{1,40}", name):
            raise ValueError(f"has a source named {name!r}: use letters, digits, - and _")
    return tables


class SourceSettings(Section):
    """`folder`: a directory of exported files, beside the live sources or alone; `folder_zone`: of times in it that
    state no offset, "" lets its files and who asks tell."""

    folder: Path | None = None
    folder_zone: Zone = ""
    alerts: Annotated[dict[str, AlertSettings], AfterValidator(_named)] = Field(default_factory=dict)
    logs: Annotated[dict[str, LogSettings], AfterValidator(_named)] = Field(default_factory=dict)
    changes: Annotated[dict[str, ChangeSettings], AfterValidator(_named)] = Field(default_factory=dict)

    def live(self) -> Iterator[tuple[Domain, str, Placed]]:
        """(domain, name, settings) of each live source."""
        yield from (("alerts", name, one) for name, one in self.alerts.items())
        yield from (("logs", name, one) for name, one in self.logs.items())
        yield from (("changes", name, one) for name, one in self.changes.items())

    @property
    def environments(self) -> tuple[str, ...]:
        """Those that live sources are bound to."""
        return tuple(dict.fromkeys(one.environment for _, _, one in self.live() if one.environment))

    @property
    def stored(self) -> bool:
        """Whether one of them is what was received by web hook."""
        return any(isinstance(one, StoreSettings | ChangeStoreSettings) for _, _, one in self.live())

    @property
    def any(self) -> bool:
        return self.folder is not None or next(self.live(), None) is not None
