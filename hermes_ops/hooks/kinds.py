"""The one table of what is understood: from a hook's kind to the function that reads its bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from hermes_ops.hooks import alertmanager, generic, github, gitlab, grafana, nightingale
from hermes_ops.hooks.heard import Alert, Change, Delivery
from hermes_ops.hooks.settings import AlertHook, ChangeHook

AlertReader = Callable[[Delivery, AlertHook, datetime], list[Alert]]
ChangeReader = Callable[[Delivery, ChangeHook, datetime], list[Change]]

ALERTS: Mapping[str, AlertReader] = {
    "alertmanager": alertmanager.read,
    "grafana": grafana.read,
    "nightingale": nightingale.read,
    "generic": generic.read_alerts,
}
CHANGES: Mapping[str, ChangeReader] = {
    "github": github.read,
    "gitlab": gitlab.read,
    "generic": generic.read_changes,
}


def kind(name: str, given: str, known: Mapping[str, object]) -> str:
    """Of a hook that is called `name`."""
    return given or (name if name in known else "generic")
