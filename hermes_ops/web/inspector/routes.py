"""The addresses under `/traces`: what is read for each page. What it looks like is the other files' business.

Telling a run takes processor time; that is done in a thread, so that chat is answered meanwhile.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from hermes_ops.service import Service
from hermes_ops.settings import Settings
from hermes_ops.trace import digesting, finding, story, tree
from hermes_ops.trace.finding import Found
from hermes_ops.trace.stats import stats
from hermes_ops.trace.story import Story
from hermes_ops.web.inspector import complaints, diff, listing, numbers, run, signing
from hermes_ops.web.inspector.asked import Filter, Span
from hermes_ops.web.inspector.complaints import Complaint
from hermes_ops.web.inspector.door import Door
from hermes_ops.web.inspector.numbers import Numbers
from hermes_ops.web.inspector.shell import HEADERS, ROOT, show
from hermes_ops.zones import machine_zone
from memory import Feedback, Memory, Wanted
from orchestrator.errors import ConfigError

AGENTS = ("alerts", "logs", "changes")
ALIKE = 20  # runs that are offered for a comparison
DEAREST = 20


def routes(service: Service) -> Sequence[Route]:
    return inspector(service.app.memory, service.app.settings)


def inspector(memory: Memory, settings: Settings) -> Sequence[Route]:
    secret = settings.serve.trace_token
    door, pages = Door(secret.get_secret_value() if secret else ""), Pages(memory, settings)
    shown = {
        "": pages.runs, "/stats": pages.stats, "/costs": pages.costs, "/complaints": pages.complaints,
        "/diff": pages.diff, "/{run}": pages.run, "/{run}/file": pages.file, "/{run}/case": pages.case,
    }  # fmt: skip
    made = [Route(f"{ROOT}{path}", signing.behind(door, page), methods=["GET"]) for path, page in shown.items()]
    return [*signing.routes(door), *made]


class Pages:
    """Every page raises ConfigError for what there isn't, StoreError where the database fails."""

    def __init__(self, memory: Memory, settings: Settings) -> None:
        self._memory, self._budget = memory, settings.limits.history_tokens
        self._zone = settings.zone or machine_zone()

    async def runs(self, request: Request) -> Response:
        asked = Filter.of(request.query_params)
        found = await finding.find(self._memory, asked.wanted(self._zone), listing.PAGE + 1)
        marks = await self._memory.posts.rated([info.id for info, _ in found])
        if request.query_params.get("part") == "rows":
            return _part(
                request, ElementTree.tostring(listing.rows(found, marks, self._zone), "unicode", method="html")
            )
        return show("Runs", *listing.body(asked, found, marks, AGENTS, self._zone), here="runs")

    async def run(self, request: Request) -> Response:
        found, told = await self._one(request.path_params["run"])
        thoughts = await self._memory.posts.ratings(found[0].id)
        return await asyncio.to_thread(run.replay, found[0], told, thoughts)

    async def file(self, request: Request) -> Response:
        _, told = await self._one(request.path_params["run"])
        return await asyncio.to_thread(run.file, told)

    async def case(self, request: Request) -> Response:
        (info, _), told = await self._one(request.path_params["run"])
        return run.case(info, told)

    async def diff(self, request: Request) -> Response:
        query = request.query_params
        names = [n.strip() for n in query.getlist("run") if n.strip()]
        if len(names) > 2:
            raise ConfigError(f"{len(names)} runs were picked; two can be compared.")
        if not names:
            return show("Compare two runs", *diff.empty(), here="compare")
        (info, _), first = await self._one(names[0])
        if len(names) == 1:
            alike = Wanted(text=info.question.text[:200], kind="")
            others = await finding.find(self._memory, alike, ALIKE)
            return show("Compare a run", *diff.pick(first, others), here="compare")
        _, second = await self._one(names[1])
        told = await asyncio.to_thread(diff.body, first, second, bool(query.get("all")))
        return show("Two runs side by side", *told, here="compare")

    async def stats(self, request: Request) -> Response:
        span = Span.of(request.query_params)
        return show("Statistics", *numbers.statistics(await self._numbers(span), span), here="stats")

    async def costs(self, request: Request) -> Response:
        span = Span.of(request.query_params)
        told = await self._numbers(span)
        wanted = Wanted(user=span.user, since=span.since(datetime.now(UTC)))
        dear = await self._memory.traces.dearest(wanted, DEAREST)
        infos = await self._memory.runs.many([one.run for one in dear])
        rows = [(one, infos[one.run]) for one in dear if one.run in infos]
        return show("Cost", *numbers.costs(told, rows, span), here="costs")

    async def complaints(self, request: Request) -> Response:
        said = request.query_params.get("skip", "0")
        skip = int(said) if re.fullmatch("[0-9]{1,6}", said) else 0
        found = await self._memory.posts.complaints(complaints.PAGE + 1, skip)
        items = [Complaint(one, await self._told(one)) for one in found[: complaints.PAGE]]
        more = len(found) > complaints.PAGE
        return show("Thumbs down", *complaints.body(items, more, skip, self._zone), here="wrong")

    # ── reading ───────────────────────────────────────────────────────────────────────────────

    async def _one(self, name: str) -> tuple[Found, Story]:
        info, events = await finding.one(self._memory, name[:100])
        return (info, events), await asyncio.to_thread(
            lambda: story.tell(info, events, tree.build(events), self._budget)
        )

    async def _told(self, one: Feedback) -> Story | None:
        if await self._memory.runs.get(one.run) is None:
            return None
        return (await self._one(one.run))[1]

    async def _numbers(self, span: Span) -> Numbers:
        while await digesting.catch_up(self._memory) == digesting.MOST:
            continue
        wanted = span.counted(datetime.now(UTC))
        agent, user, day, model = [await stats(self._memory, wanted, by) for by in ("agent", "user", "day", "model")]
        return Numbers(agent, user, day, model)


def _part(request: Request, text: str) -> Response:
    """The rows alone, where they aren't those that the page has."""
    now = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    headers = {**HEADERS, "Content-Security-Policy": "default-src 'none'", "X-Rows": now}
    if request.query_params.get("seen") == now:
        return Response(status_code=204, headers=headers)
    return HTMLResponse(text.encode("utf-8", "replace"), headers=headers)
