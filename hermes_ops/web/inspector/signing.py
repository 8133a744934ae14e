"""Signing in and out: the form, the cookie, and what keeps everybody else out. Other pages stand behind `behind`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from hermes_ops.report.view.markup import Node, el
from hermes_ops.web.bodies import body
from hermes_ops.web.inspector.door import COOKIE, SECONDS, Door, same_origin
from hermes_ops.web.inspector.shell import HEADERS, ROOT, show
from orchestrator.errors import ConfigError, StoreError

Page = Callable[[Request], Awaitable[Response]]
LARGEST = 8_192  # bytes of a form
SHUT = (
    "The inspector is off: no token is set. Set one of at least 16 characters, in the environment or as a reference in "
    "the settings file, and start again:"
)
HOW = 'HERMES_OPS_SERVE__TRACE_TOKEN="$(openssl rand -hex 24)"\n\n[serve]\ntrace_token = { env = "TRACE_TOKEN" }'


def routes(door: Door) -> Sequence[Route]:
    async def enter(request: Request) -> Response:
        if refused := _refused(door, request):
            return refused
        read = await body(request, LARGEST) or b""
        address = request.client.host if request.client else ""
        # nothing is awaited from here on: of many who send at once each sees what the one before it did
        if seconds := door.wait(address):
            said = f"Too many wrong tokens. Try again in {seconds} s."
            return _form("", said, 429, {"Retry-After": str(seconds)})
        given = _fields(read)
        to = _local(given.get("to", ""))
        if not door.opens(given.get("token", "").strip()):
            door.wrong(address)
            return _form(to, "That isn't the token.", 401)
        answer = RedirectResponse(to, 303, HEADERS)
        answer.set_cookie(COOKIE, door.cookie(), SECONDS, None, ROOT, None, _secure(request), True, "strict")
        return answer

    async def leave(request: Request) -> Response:
        if refused := _refused(door, request):
            return refused
        door.leave(request.cookies.get(COOKIE, ""))
        answer = RedirectResponse(ROOT, 303, HEADERS)
        answer.delete_cookie(COOKIE, ROOT, None, _secure(request), True, "strict")
        return answer

    return [Route(f"{ROOT}/sign-in", enter, methods=["POST"]), Route(f"{ROOT}/sign-out", leave, methods=["POST"])]


def behind(door: Door, page: Page) -> Page:
    """The page for whoever is signed in; its errors as pages too."""

    async def guarded(request: Request) -> Response:
        if door.shut:
            return _off()
        if not door.knows(request.cookies.get(COOKIE, "")):
            return _ask(request)
        try:
            return await page(request)
        except ConfigError as e:
            return show("That can't be shown", el("p", str(e), cls="notice"), here="-", status=404)
        except StoreError as e:
            return show("The database failed", el("p", str(e), cls="notice bad"), here="-", status=503)

    return guarded


def _fields(read: bytes) -> dict[str, str]:
    """Of a form of ours; nothing of one that can't be."""
    try:
        return {k: v[0] for k, v in parse_qs(read.decode("utf-8", "replace"), max_num_fields=8).items()}
    except ValueError:
        return {}


def _refused(door: Door, request: Request) -> Response | None:
    if door.shut:
        return _off()
    if not same_origin(request.headers):
        said = "This form came from elsewhere. Open the inspector and send it from there."
        return show("Refused", el("p", said, cls="notice bad"), status=403)
    return None


def _off() -> Response:
    return show("The inspector is off", el("p", SHUT), el("pre", HOW, tabindex="0"), status=404)


def _ask(request: Request) -> Response:
    """A link from a chat comes without the cookie, which is for our own pages: once more from here it comes with it."""
    to = _local(request.url.path + (f"?{request.url.query}" if request.url.query else ""))
    if request.headers.get("sec-fetch-site") == "cross-site" and request.method == "GET":
        again = el("p", el("a", "Go on to the inspector", href=to))
        return show("One moment", again, headers={"Refresh": f"0; url={to}"})
    if request.headers.get("x-requested-with"):
        return Response(status_code=401, headers=HEADERS)
    return _form(to, "", 401)


def _form(to: str, fault: str, status: int, headers: dict[str, str] | None = None) -> Response:
    told: Node = el("p", fault, cls="notice bad", role="alert") if fault else None
    token = el(
        "input",
        type="password",
        name="token",
        id="token",
        required=True,
        autocomplete="current-password",
        autofocus=True,
    )
    form = el(
        "form",
        el("input", type="hidden", name="to", value=to),
        el("label", el("span", "Token"), token),
        told,
        el("button", "Sign in", cls="main"),
        method="post",
        action=f"{ROOT}/sign-in",
        cls="door",
    )
    hint = el("p", "The token is the setting ", el("code", "serve.trace_token"), " of this service.", cls="soft")
    return show("Sign in", form, hint, status=status, headers=headers, cls="lone")


def _local(to: str) -> str:
    """Only our own pages are gone to afterwards."""
    ours = to == ROOT or to.startswith((f"{ROOT}/", f"{ROOT}?"))
    return to if ours and "\\" not in to and to.isascii() and to.isprintable() and ".." not in to else ROOT


def _secure(request: Request) -> bool:
    return request.url.scheme == "https"
