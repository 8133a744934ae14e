"""Every REST call: faults, token, scope, body, the interface itself, and a line in the journal. Source: protocol, 5.

Starlette ends here: an interface gets a `Call` and returns JSON or bytes, or raises a Refusal.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from hermes_ops.sandbox import multipart
from hermes_ops.sandbox.api import cardkit, delayed, directory, messages, reactions, resources
from hermes_ops.sandbox.api.call import Bytes, Call, Route, checked
from hermes_ops.sandbox.errors import Json, Refusal
from hermes_ops.sandbox.faults import AFTER, BEFORE
from hermes_ops.sandbox.ids import log_id
from hermes_ops.sandbox.model import App
from hermes_ops.sandbox.platform import Platform
from hermes_ops.sandbox.wire import hand_of

PREFIX = "/open-apis"
TOKENS = {  # of a self-built app one token serves as both
    "/auth/v3/tenant_access_token/internal": ("tenant_access_token",),
    "/auth/v3/app_access_token/internal": ("app_access_token", "tenant_access_token"),
}
ROUTES: tuple[Route, ...] = (
    *messages.ROUTES,
    *reactions.ROUTES,
    *resources.ROUTES,
    *directory.ROUTES,
    *sorted(cardkit.ROUTES, key=lambda r: ":card_id" in r.address),
    *delayed.ROUTES,
)
LARGEST = 120 << 20


class UnknownCall(Exception):
    """No interface has this method and address."""


class Rest:
    """The one endpoint under /open-apis."""

    def __init__(self, platform: Platform) -> None:
        self.p = platform

    async def __call__(self, request: Request) -> Response:
        began, raw = time.monotonic(), await request.body()
        path, log = request.url.path.removeprefix(PREFIX).rstrip("/"), log_id()  # older documents end some with a slash
        note: dict[str, Any] = {"method": request.method, "path": path, "query": dict(request.query_params)}
        note["body"] = shown(request.headers.get("content-type", ""), raw)
        response = await self._faulty(BEFORE, request, path, log, note)
        if response is None:
            response = self._answer(request, path, raw, log, note)
            response = await self._faulty(AFTER, request, path, log, note) or response
        note |= {"status": response.status_code, "log_id": log, "took": round(time.monotonic() - began, 4)}
        self.p.journal.add("rest", **note)
        response.raw_headers.append((b"X-Tt-Logid", log.encode()))  # in this spelling: the SDK looks it up so
        return response

    async def _faulty(self, when: str, request: Request, path: str, log: str, note: Json) -> Response | None:
        """What the switched-on faults make of this call; None: nothing, or only a delay."""
        response: Response | None = None
        for fault in self.p.faults.meet(when, request.method, path):
            note.setdefault("faults", []).append(f"{fault.do} {when}")
            if fault.do == "slow":
                await asyncio.sleep(fault.seconds)
            elif fault.do == "reset":
                hand_of(request.scope).cut()
                response = Response(status_code=499)
            elif fault.do == "page":
                response = HTMLResponse(fault.body, fault.status)
            elif fault.refusal is not None:
                note["code"] = fault.refusal.code
                response = refused(fault.refusal, log)
        return response

    def _answer(self, request: Request, path: str, raw: bytes, log: str, note: Json) -> Response:
        try:
            if path in TOKENS and request.method == "POST":
                answer: Json = self._token(path, raw)
            else:
                route, ids = self._route(request.method, path)
                result = self._call(route, ids, request, raw, note)
                if isinstance(result, Bytes):
                    note["code"] = 0
                    return file(result)
                answer = {"code": 0, "msg": "ok" if route.flat else "success"}
                answer |= result if route.flat else {"data": result}
        except Refusal as e:
            note |= {"code": e.code, "msg": e.msg}
            return refused(e, log)
        except UnknownCall:
            self.p.journal.odd(
                "a call that the platform, or this sandbox, doesn't know", method=request.method, path=path
            )
            return Response("404 page not found", 404, media_type="text/plain")
        note |= {"code": 0, "answer": answer.get("data")}
        return JSONResponse(answer)

    def _token(self, path: str, raw: bytes) -> Json:
        body = checked(_json(raw), {"app_id": ("string", True), "app_secret": ("string", True)})
        token, left = self.p.tokens.issue(body["app_id"], body["app_secret"])
        return {"code": 0, "msg": "ok", **dict.fromkeys(TOKENS[path], token), "expire": left}

    def _route(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        for route in ROUTES:
            ids = route.match(method, path)
            if ids is not None:
                return route, ids
        raise UnknownCall(path)

    def _call(self, route: Route, ids: Mapping[str, str], request: Request, raw: bytes, note: Json) -> Json | Bytes:
        app = self.p.tokens.app_of(request.headers.get("authorization", ""))
        note["app"] = app.app_id
        self.p.limits.count(app.app_id)
        allowed(app, route)
        kind = request.headers.get("content-type", "")
        parts = multipart.parse(kind, raw) if kind.startswith("multipart/") else {}
        if parts is None:
            raise Refusal(234001, "Invalid request param: the form can't be read.")
        body = checked(_json(raw) if route.fields else {}, route.fields)
        if unknown := sorted(set(body) - set(route.fields)):
            self.p.journal.odd(f"fields that the interface doesn't know: {unknown}", path=route.address)
        query = request.query_params
        repeated = {name: query.getlist(name) for name in query}
        return route.handle(self.p, Call(app, ids, dict(query), body, parts, repeated))


def allowed(app: App, route: Route) -> None:
    """Raises 99991672, naming the scopes of which one is needed."""
    if route.scopes and not app.scopes & set(route.scopes):
        names = ", ".join(route.scopes)
        violations = [{"type": "action_scope_required", "subject": name} for name in route.scopes]
        why = f"Access denied. One of the following scopes is required: [{names}]."
        raise Refusal(99991672, why, error={"permission_violations": violations})


def refused(e: Refusal, log: str) -> Response:
    """The answer of a refusal."""
    body = {"code": e.code, "msg": e.msg, "error": {"log_id": log, **e.error}}
    return JSONResponse(body, e.status, e.headers)


def file(answer: Bytes) -> Response:
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(answer.name)}"}
    return Response(answer.data, media_type=answer.mime, headers=headers)


def shown(kind: str, raw: bytes) -> Any:
    """A body as the journal keeps it."""
    if not raw:
        return None
    if kind.startswith("multipart/"):
        parts = multipart.parse(kind, raw) or {}
        return {name: f"<{len(part.data)} bytes, name {part.filename}>" for name, part in parts.items()}
    try:
        return json.loads(raw)
    except ValueError:
        return f"<{len(raw)} bytes that are no JSON>"


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        raise Refusal(9499, "Invalid parameter type in json: the body is no JSON.") from None
