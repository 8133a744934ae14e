"""The one table of live sources: from a kind's settings to what the sub-agents ask. A new kind is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hermes_ops.sourcing import changes, logs
from hermes_ops.sourcing.changes import GitSettings
from hermes_ops.sourcing.connection import Placed
from hermes_ops.sourcing.logs import FileSettings, LokiSettings, VictoriaLogsSettings
from hermes_ops.sourcing.settings import (
    AlertmanagerSettings,
    ChangeStoreSettings,
    PrometheusSettings,
    StoreSettings,
)
from subagents.alertmanager.source import Alertmanager
from subagents.prometheus.availability import Sli
from subagents.prometheus.graph import MESHES, Mesh
from subagents.prometheus.labels import Labels
from subagents.prometheus.source import Options, prometheus
from subagents.sources import Sources
from subagents.store.alerts import StoredAlerts
from subagents.store.changes import StoredChanges
from subagents.store.kept import Records
from subagents.web import Caller

Maker = Callable[[str, Any, Any], Sources]  # name, settings, the caller of what is reached over HTTP or the store


def _alertmanager(name: str, given: AlertmanagerSettings, caller: Caller) -> Sources:
    labels = Labels(given.service_labels, given.severity_labels)
    return Sources(alerts=(Alertmanager(name, caller, labels, given.filter, given.zone, given.link, given.runbooks),))


def _prometheus(name: str, given: PrometheusSettings, caller: Caller) -> Sources:
    options = Options(
        labels=Labels(given.service_labels, given.severity_labels),
        sli=Sli(**given.sli.model_dump()),
        meshes=(*([Mesh(**given.graph.model_dump())] if given.graph.metric else ()), *MESHES),
        matchers=given.matchers.strip("{}, "),
        step=given.step,
        series=given.series,
        link=given.link,
        zone=given.zone,
        runbooks=given.runbooks,
    )
    return prometheus(name, caller, options)


def _stored_alerts(name: str, given: StoreSettings, records: Records) -> Sources:
    return Sources(alerts=(StoredAlerts(name, records, given.hooks, given.zone, given.runbooks),))


def _stored_changes(name: str, given: ChangeStoreSettings, records: Records) -> Sources:
    return Sources(changes=(StoredChanges(name, records, given.hooks, given.zone),))


MAKERS: Mapping[type[Placed], Maker] = {
    AlertmanagerSettings: _alertmanager,
    PrometheusSettings: _prometheus,
    LokiSettings: logs.loki,
    VictoriaLogsSettings: logs.victorialogs,
    FileSettings: logs.files,
    StoreSettings: _stored_alerts,
    ChangeStoreSettings: _stored_changes,
    GitSettings: changes.git,
}
