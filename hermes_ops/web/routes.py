"""All routes of `serve`. A group is a function from the service to its routes; a new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.applications import Starlette
from starlette.routing import Route

from hermes_ops.service import Service
from hermes_ops.web import health, hooks, metrics, received
from hermes_ops.web.inspector import routes as inspector

Group = Callable[[Service], Sequence[Route]]
GROUPS: tuple[Group, ...] = (health.routes, metrics.routes, hooks.routes, received.routes, inspector.routes)


def application(service: Service, groups: Sequence[Group] = GROUPS) -> Starlette:
    return Starlette(routes=[route for group in groups for route in group(service)])
