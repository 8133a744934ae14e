"""What all pages of the inspector have around them: head, navigation, styles, script, and headers of safety."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from xml.etree.ElementTree import Element

from starlette.responses import HTMLResponse, Response

from hermes_ops.report.view.markup import Node, el, page
from hermes_ops.trace.html import hashed, theme

ROOT = "/traces"
PLACES = {
    "runs": (ROOT, "Runs"),
    "stats": (f"{ROOT}/stats", "Statistics"),
    "costs": (f"{ROOT}/costs", "Cost"),
    "wrong": (f"{ROOT}/complaints", "Thumbs down"),
    "compare": (f"{ROOT}/diff", "Compare"),
}
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
FRAMES = "frame-ancestors 'none'"


@cache
def css() -> str:
    return theme() + files(__package__).joinpath("inspector.css").read_text("utf-8")


@cache
def js() -> str:
    return files(__package__).joinpath("inspector.js").read_text("utf-8")


@cache
def policy() -> str:
    return f"{hashed(css(), js())}; connect-src 'self'; form-action 'self'; {FRAMES}"


def show(
    title: str,
    *body: Node,
    here: str = "",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    cls: str | None = None,
) -> Response:
    """A whole page. `here`: its place in the navigation, "" without one, for whoever isn't signed in."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{title} · hermes-ops"),
        el("style", css()),
        el("script", js()),
    )
    main = el("main", el("h1", title), *body, id="main", tabindex="-1", cls=cls)
    skip = el("a", "To the content", href="#main", cls="skip")
    text = page(el("html", head, el("body", skip, _top(here), main), lang="en"))
    return HTMLResponse(text, status, {**HEADERS, "Content-Security-Policy": policy(), **(headers or {})})


def _top(here: str) -> Node:
    name = el("a", el("span", "hermes-ops", cls="mark"), el("span", "inspector", cls="soft"), href=ROOT, cls="brand")
    theme_button = el("button", "◐", type="button", id="theme", title="Light or dark (t)", aria_label="Light or dark")
    if not here:
        return el("header", name, el("span", cls="gap"), theme_button)
    links = [
        el("a", words, href=address, aria_current="page" if key == here else None)
        for key, (address, words) in PLACES.items()
    ]
    leave = el("form", el("button", "Sign out"), method="post", action=f"{ROOT}/sign-out")
    return el("header", name, el("nav", *links, aria_label="Inspector"), el("span", cls="gap"), theme_button, leave)


def pill(status: str) -> Node:
    return el("span", status, cls=f"pill {TONES.get(status, '')}".strip())


def long(text: str, most: int = 8_000) -> Element:
    """A text as it is, in a box; of a very long one the beginning, since the run's own page has all of it."""
    more = f"\n… {len(text) - most:,} more characters: open the run." if len(text) > most else ""
    return el("div", text[:most] + more, cls="prose", tabindex="0")


def thumb(mark: str) -> Element:
    """Drawn, since not every machine has a letter for it. `mark`: good or bad."""
    drawn = el("path", d=THUMB, transform=None if mark == "good" else "rotate(180 12 12)")
    return el("svg", drawn, viewBox="0 0 24 24", width="15", height="15", role="img",
              aria_label=f"thumbs {'up' if mark == 'good' else 'down'}", cls=f"thumb {mark}")  # fmt: skip


THUMB = "M3 11h4v9H3z M8.5 11l4-8c1.5 0 2.5 1.2 2.3 2.7L14.2 9H19a2 2 0 0 1 2 2.3l-1.1 7A2 2 0 0 1 17.9 20H8.5z"
TONES = {
    "ok": "good", "done": "good", "failed": "bad", "interrupted": "bad", "error": "bad", "partial": "warn",
    "no_evidence": "warn", "needs_input": "warn", "cancelled": "warn", "running": "live",
}  # fmt: skip
