"""One run: the page that plays it, with a bar above it that leads back and on; and its files."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote
from xml.etree import ElementTree

from starlette.responses import HTMLResponse, Response

from hermes_ops.report.view.markup import Node, el
from hermes_ops.trace import forking, html
from hermes_ops.trace.graph import plain
from hermes_ops.trace.story import Story
from hermes_ops.web.inspector.shell import FRAMES, HEADERS, ROOT, thumb
from memory import Feedback, RunInfo


def replay(info: RunInfo, story: Story, thoughts: Sequence[Feedback]) -> Response:
    bar = ElementTree.tostring(_bar(info, thoughts), "unicode", method="html")
    policy = {"Content-Security-Policy": f"{html.policy()}; {FRAMES}"}
    return HTMLResponse(_encoded(html.page(story, bar)), headers={**HEADERS, **policy})


def file(story: Story) -> Response:
    """The page as a file that needs no server."""
    return _download(_encoded(html.page(story)), f"{story.run['run']}.html", "text/html; charset=utf-8")


def case(info: RunInfo, story: Story) -> Response:
    """A case for `hermes-ops eval`, as `trace fork` writes it."""
    text = forking.toml(forking.case(info, story, forking.Right()))
    return _download(_encoded(text), f"{info.id}.toml", "application/toml; charset=utf-8")


def _download(content: bytes, name: str, kind: str) -> Response:
    given = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"', "Content-Type": kind}
    return Response(content, headers={**given, "Content-Security-Policy": f"default-src 'none'; {FRAMES}"})


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _bar(info: RunInfo, thoughts: Sequence[Feedback]) -> ElementTree.Element:
    here = f"{ROOT}/{info.id}"
    running = (
        el("a", "Still running: show what came since", href=here, cls="live") if info.status == "running" else None
    )
    links: list[Node] = [
        el("a", "← Runs", href=ROOT, id="back"),
        running,
        el("a", "Compare with…", href=f"{ROOT}/diff?run={info.id}"),
        el("a", "Conversation", href=f"{ROOT}?session={quote(info.session, safe='')}") if info.session else None,
        el("a", "As a file", href=f"{here}/file"),
        el("a", "As an eval case", href=f"{here}/case") if info.folder else None,
    ]
    return el("nav", *links, *map(_thought, thoughts), cls="ahead", aria_label="Inspector")


def _thought(one: Feedback) -> Node:
    about = f": {one.about}" if one.about else ""
    said = f" “{plain(one.text, 200)}”" if one.text else ""
    return el("span", thumb(one.mark), " ", el("bdi", plain(one.user, 24)), about,
              el("bdi", said), cls=f"thought {one.mark}")  # fmt: skip
