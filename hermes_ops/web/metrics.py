"""`/metrics` for Prometheus: what the meter counted, and how the parts of the service are just now."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hermes_ops.meter import Sample
from hermes_ops.service import Service
from hermes_ops.version import VERSION

TEXT = "text/plain; version=0.0.4; charset=utf-8"


def routes(service: Service) -> Sequence[Route]:
    started = time.time()

    async def metrics(request: Request) -> Response:
        return Response(service.app.meter.text(_now(service, started)), media_type=TEXT)

    return [Route("/metrics", metrics)]


def _now(service: Service, started: float) -> Iterator[Sample]:
    yield "build_info", {"version": VERSION}, 1
    yield "start_time_seconds", {}, started
    inbox = service.host.inbox.figures
    yield "inbox_running", {}, inbox["running"]
    yield "inbox_waiting", {}, max(inbox["waiting"], 0)
    yield "outbox_waiting", {}, service.host.deliveries.waiting
    yield "schedules", {}, float(service.clockwork.figures["schedules"])
    for name, channel in service.channels().items():
        yield "channel_up", {"channel": name}, channel.ok
    for place, source in service.pulse.health.items():
        yield "source_up", {"source": place}, source.ok
    for counted, name in ((service.ear.received, "hooks_received_total"), (service.ear.refused, "hooks_refused_total")):
        for (domain, hook), n in sorted(counted.items()):
            yield name, {"domain": domain, "hook": hook}, n
    if service.look is not None:
        for what in ("looked", "storm", "rested", "capped"):
            yield "first_looks_total", {"what": what}, service.look.counted[what]
