"""Settings of web hooks that tell of alerts and changes: who may, how their bodies are read, what follows from them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from hermes_ops.sections import Seconds, Secret, Section, Zone

AlertHookKind = Literal["alertmanager", "grafana", "nightingale", "generic"]
ChangeHookKind = Literal["github", "gitlab", "generic"]
Paths = str | tuple[str, ...]
Words = tuple[str, ...]


class Hook(Section):
    """`secret`: what the sender proves it knows; without one everything is refused. `user`: whose password it is, with
    basic authentication; "" takes any name. `zone`: of times that state no offset."""

    secret: Secret | None = None
    user: str = ""
    zone: Zone = "UTC"


class AlertMap(Section):
    """Where a generic alert's values stand: a path `a.b.0.c`, the first of several that holds something, or
    `=words`. "" looks for usual names. `list`: where the alerts stand if there are several."""

    list: str = ""
    name: Paths = ""
    severity: Paths = ""
    service: Paths = ""
    state: Paths = ""
    start: Paths = ""
    end: Paths = ""
    id: Paths = ""
    summary: Paths = ""
    link: Paths = ""
    labels: Paths = ""
    firing: Words = ()
    resolved: Words = ()


class ChangeMap(Section):
    """The same for a generic change. `kind`: a path or `=deploy`; what it says must be a kind of change."""

    list: str = ""
    id: Paths = ""
    kind: Paths = "=deploy"
    service: Paths = ""
    at: Paths = ""
    title: Paths = ""
    author: Paths = ""
    version: Paths = ""
    sha: Paths = ""
    environment: Paths = ""
    body: Paths = ""
    link: Paths = ""
    only: dict[str, Words] = Field(default_factory=dict)


class AlertHook(Hook):
    """`[hooks.alerts.NAME]`, for `POST /hooks/alerts/NAME`. `kind` "": the name, where it is one, else generic;
    `severities`: the sender's words → ours; `silent_hours`: an open alert not told of for longer may be over."""

    kind: AlertHookKind | Literal[""] = ""
    service_labels: Words = ("service", "app", "job")
    severity_labels: Words = ("severity",)
    severities: dict[str, str] = Field(default_factory=dict)
    silent_hours: Annotated[Seconds, Field(le=24 * 30)] = 24.0
    map: AlertMap = AlertMap()


class ChangeHook(Hook):
    """`[hooks.changes.NAME]`, for `POST /hooks/changes/NAME`. `branches` (): pushes to the default branch only; "*":
    to all."""

    kind: ChangeHookKind | Literal[""] = ""
    branches: Words = ()
    map: ChangeMap = ChangeMap()


class LookRule(Section):
    """Which alerts are looked at by themselves, and where the answer goes. `severities`, `labels`: all of these must
    fit; empty fits all."""

    chat: str
    severities: Words = ()
    labels: dict[str, str] = Field(default_factory=dict)


class LookSettings(Section):
    """`rules` in order, the first that fits counts; `hourly`: answers an hour in one chat; `cool_down`: minutes before
    the same group is looked at again; `settle`: seconds that a group may grow before it is looked at; `storm`: groups
    within `storm_seconds` beyond which there is one summary; `at_once`: questions of this kind that run together."""

    on: bool = False
    rules: tuple[LookRule, ...] = ()
    hourly: Annotated[int, Field(gt=0)] = 6
    cool_down: Annotated[float, Field(ge=0)] = 60.0
    settle: Annotated[float, Field(ge=0)] = 10.0
    storm: Annotated[int, Field(gt=0)] = 5
    storm_seconds: Annotated[float, Field(gt=0)] = 120.0
    at_once: Annotated[int, Field(gt=0)] = 1


def _named(tables: dict[str, Any]) -> dict[str, Any]:
    for name in tables:
        if not re.fullmatch(r"[\w-]{1,40}", name):
            raise ValueError(f"has a hook named {name!r}: use letters, digits, - and _")
    return tables


class HookSettings(Section):
    """`keep_days`, `most`: how long and how many records are kept; `body_kb`: of one delivery."""

    keep_days: Annotated[int, Field(gt=0)] = 90
    most: Annotated[int, Field(gt=0)] = 200_000
    body_kb: Annotated[int, Field(gt=0)] = 1024
    alerts: Annotated[dict[str, AlertHook], AfterValidator(_named)] = Field(default_factory=dict)
    changes: Annotated[dict[str, ChangeHook], AfterValidator(_named)] = Field(default_factory=dict)
    look: LookSettings = LookSettings()

    @model_validator(mode="after")
    def _routed(self) -> HookSettings:
        if self.look.on and not self.look.rules:
            raise ValueError("look.on needs a rule: [[hooks.look.rules]] with its chat")
        return self
