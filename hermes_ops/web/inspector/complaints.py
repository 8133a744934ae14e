"""What people thought bad, the newest first, each with its run beside it: question, answer, who was asked and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from hermes_ops.report.view.markup import Node, el
from hermes_ops.trace.graph import plain
from hermes_ops.trace.story import Story
from hermes_ops.web.inspector.shell import ROOT, long, pill, thumb
from memory import Feedback
from orchestrator.contracts import Json

PAGE = 10
LONG = 1_500  # characters of an answer before it is folded


@dataclass(frozen=True, slots=True)
class Complaint:
    """`story`: None where the run is gone."""

    said: Feedback
    story: Story | None


def body(found: Sequence[Complaint], more: bool, skip: int, zone: str) -> list[Node]:
    if not found:
        text = "Nobody has pressed thumbs down under an answer" + (" before those." if skip else " yet.")
        return [el("p", text, cls="empty")]
    links = [
        el("a", "« Newest", href=f"{ROOT}/complaints", cls="button quiet") if skip else None,
        el("a", "Older »", href=f"{ROOT}/complaints?skip={skip + PAGE}", cls="button quiet") if more else None,
    ]
    return [*(_item(one, zone) for one in found), el("nav", *links, aria_label="Pages", cls="paging")]


def _item(one: Complaint, zone: str) -> Node:
    said = one.said
    at = f"{said.at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"
    words = (
        el("blockquote", el("bdi", plain(said.text, 1_000))) if said.text else el("p", "No words with it.", cls="soft")
    )
    left = el(
        "div",
        el("p", thumb("bad"), " ", el("strong", el("bdi", plain(said.user, 40)))),
        el("p", el("span", said.about or "no reason given", cls="pill bad"), " ", el("span", at, cls="soft")),
        words,
        cls="who",
    )
    right = _run(one.story) if one.story else el("p", f"The run {said.run} is kept no more.", cls="soft")
    return el("article", left, el("div", right, cls="what"), cls="complaint", aria_label=f"Complaint about {said.run}")


def _run(story: Story) -> Node:
    run = story.run
    here = f"{ROOT}/{run['run']}"
    answer = str(run["text"] or "(the run came to no checked answer)")
    shown: Node = long(answer)
    if len(answer) > LONG:
        shown = el("details", el("summary", plain(answer, 300)), shown)
    unverified = [el("li", plain(u, 200)) for u in run["unverified"]]
    return el(
        "div",
        el("h2", el("a", plain(run["question"], 200) or "(no words)", href=here)),
        el("p", pill(str(run["answer"] or run["status"])), " ", el("span", str(run["run"]), cls="id")),
        shown,
        el("div", el("h3", "Not borne out by the evidence"), el("ul", *unverified)) if unverified else None,
        el("h3", "Who was asked, who wasn't, and why"),
        el("table", el("tbody", *_route(story, here)), cls="route"),
        el("p", el("a", "Open the run", href=here, cls="button"), " ", _decision(story, here)),
    )


def _route(story: Story, here: str) -> Iterator[Node]:
    """Each agent once: asked with the first reason that was given, or not with the last."""
    decisions = [b for b in story.steps if b.kind == "route"]
    asked: dict[str, tuple[int, Json]] = {}
    left: dict[str, tuple[int, Json]] = {}
    for beat in decisions:
        for row in beat.detail["chosen"]:
            asked.setdefault(str(row["agent"]), (beat.n, row.get("reason") or "no reason was given"))
        for row in beat.detail["not_asked"]:
            left[str(row["agent"])] = (beat.n, row["why"])
    for name, (n, why) in asked.items():
        yield _row(name, "asked", "good", n, str(why), here)
    for name, (n, why) in left.items():
        if name not in asked:
            yield _row(name, "not asked", "warn", n, str(why), here)


def _row(name: str, how: str, tone: str, step: int, why: str, here: str) -> Node:
    link = el("a", plain(name, 40), href=f"{here}#step-{step}")
    return el(
        "tr", el("th", link, scope="row"), el("td", el("span", how, cls=f"pill {tone}")), el("td", plain(why, 300))
    )


def _decision(story: Story, here: str) -> Node:
    """The model's call that decided whom to ask: its prompt stands there."""
    step = next((b.by for b in story.steps if b.kind == "route" and b.by), 0)
    return el("a", "The decision and its prompt", href=f"{here}#step-{step}", cls="button quiet") if step else None
