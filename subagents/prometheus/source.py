"""One Prometheus as the sources it is: alerts that fired, metrics with availability, and who calls whom."""

from __future__ import annotations

from dataclasses import dataclass

from subagents.prometheus.alerts import PrometheusAlerts
from subagents.prometheus.api import Api
from subagents.prometheus.availability import Availability, Sli
from subagents.prometheus.graph import MESHES, Mesh, PrometheusGraph
from subagents.prometheus.labels import Labels
from subagents.prometheus.metrics import PrometheusMetrics
from subagents.prometheus.presence import Presence
from subagents.prometheus.watched import PrometheusWatched
from subagents.sources import Sources
from subagents.web import Caller

CONSOLE = "/graph?g0.expr={query}&g0.tab=0&g0.range_input={seconds}s&g0.end_input={end}"  # Prometheus's own


@dataclass(frozen=True, slots=True)
class Options:
    """`matchers`: added to every selector; `step`: seconds between the points that alerts are looked for in, at least;
    `series`: at most so many are read at once; `link`: the console's template, "" for Prometheus's own pages."""

    labels: Labels = Labels()
    sli: Sli = Sli()
    meshes: tuple[Mesh, ...] = MESHES
    matchers: str = ""
    step: float = 15.0
    series: int = 500
    link: str = ""
    zone: str = "UTC"
    runbooks: tuple[str, ...] = ()


def prometheus(name: str, caller: Caller, o: Options = Options()) -> Sources:
    api, link = Api(caller), o.link or caller.site.address(CONSOLE)
    presence = Presence(api, ("up", o.sli.metric, "ALERTS"))
    availability = Availability(api, o.labels, presence, o.sli, o.matchers, link)
    return Sources(
        alerts=(PrometheusAlerts(name, api, o.labels, presence, o.matchers, o.step, link, o.zone, o.runbooks),),
        metrics=(PrometheusMetrics(name, api, o.labels, presence, availability, o.matchers, o.series, link, o.zone),),
        spans=(PrometheusGraph(name, api, presence, o.meshes, o.matchers),),
        watched=(PrometheusWatched(name, api, o.labels, presence, o.zone),),
    )
