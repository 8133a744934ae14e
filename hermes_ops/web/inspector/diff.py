"""Two runs side by side: where they part first, what differs there, and all steps; and picking the second one."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_ops.report.view.markup import Node, el
from hermes_ops.trace.compare import Comparison, Row, compare, values
from hermes_ops.trace.finding import Found
from hermes_ops.trace.graph import plain, took
from hermes_ops.trace.story import Story
from hermes_ops.web.inspector.shell import ROOT, long, pill

LONG = 1_200  # characters of a value that are shown before it is folded
CELL = 240


def body(a: Story, b: Story, everything: bool) -> list[Node]:
    """`everything`: the steps that are the same too."""
    told = compare(a, b)
    return [
        el("div", _side(a, "left"), el("span", "↔", aria_hidden="true", cls="versus"), _side(b, "right"), cls="sides"),
        _verdict(told),
        _section("Answers", el("div", _answer(a), _answer(b), cls="sides value")),
        _first(told, a, b),
        _section("What code worked out, and what came of it", _table(told, told.head)),
        _steps(told, everything),
        _section("What it took", _table(told, told.took)),
    ]


def pick(a: Story, others: Sequence[Found]) -> list[Node]:
    """What a run may be compared with: the same question again, and replays of it, first."""
    run = a.run["run"]
    items = [
        el("li", el("a", el("span", plain(i.question.text, 100), cls="qq"),
                    el("span", f"{i.id} · {i.kind} · {i.started:%m-%d %H:%M} UTC", cls="id"),
                    href=f"{ROOT}/diff?run={run}&run={i.id}"), pill(i.status))
        for i, _ in others if i.id != run
    ]  # fmt: skip
    typed = el(
        "form",
        el("input", type="hidden", name="run", value=run),
        el("label", el("span", "Or the id of another run"), el("input", name="run", type="text", autocomplete="off")),
        el("button", "Compare", cls="main"),
        method="get",
        action=f"{ROOT}/diff",
        cls="filters",
    )
    hint = el("p", "A new prompt or model is tried with ", el("code", f"hermes-ops trace replay {run}"),
              "; its run shows up here.", cls="soft")  # fmt: skip
    known = el("ol", *items, cls="choices") if items else el("p", "No other run is alike.", cls="soft")
    return [el("div", _side(a, "left"), cls="sides"), el("h2", "With which run?"), known, typed, hint]


def empty() -> list[Node]:
    return [
        el("p", "Pick two runs in ", el("a", "the list", href=ROOT), ", or give their ids:"),
        el(
            "form",
            *(el("label", el("span", name), el("input", name="run", type="text")) for name in ("One run", "The other")),
            el("button", "Compare", cls="main"),
            method="get",
            action=f"{ROOT}/diff",
            cls="filters",
        ),
    ]


def _side(story: Story, cls: str) -> Node:
    run = story.run
    status = str(run["answer"] or run["status"])
    replay = el("span", f"replay of {run['replay']['of']}", cls="soft") if run["replay"] else None
    link = el("a", str(run["run"]), href=f"{ROOT}/{run['run']}")
    facts = f"{run['begun'][:16].replace('T', ' ')} UTC · {took(run['seconds'] * 1000)} · {run['model'] or 'no model'}"
    return el("div", el("p", link, " ", pill(status), " ", replay), el("p", facts, cls="soft"), cls=f"side {cls}")


def _verdict(told: Comparison) -> Node:
    different = sum(bool(row.why) for row in told.steps)
    if told.same:
        return el("p", "Both runs decided the same at every step.", cls="verdict good")
    if told.first is None:
        return el("p", "Every step is the same; what code worked out or what came of it differs.", cls="verdict warn")
    step = told.steps[told.first]
    where = f"{told.first + 1} of {len(told.steps)}"
    words = f"They part first at step {where}: {plain(step.left or step.right, 120)} ({', '.join(step.why)})."
    return el("p", el("a", words, href="#first"), f" {different} of {len(told.steps)} steps differ.", cls="verdict bad")


def _first(told: Comparison, a: Story, b: Story) -> Node:
    if told.first is None:
        return None
    found = values(a, b, told.steps[told.first])
    blocks = [
        el("div", el("h3", name), el("div", _value(left), _value(right), cls="sides"), cls="value")
        for name, left, right in found
    ]
    return _section("Where they part first", *(blocks or [el("p", "Only one of them has this step.")]))


def _answer(story: Story) -> Node:
    return long(str(story.run["text"] or "(no checked answer)"))


def _value(text: str) -> Node:
    if not text:
        return el("p", "(nothing)", cls="soft")
    if len(text) <= LONG:
        return el("pre", text, tabindex="0")
    return el("details", el("summary", f"{plain(text, 120)} ({len(text):,} characters)"), el("pre", text, tabindex="0"))


def _steps(told: Comparison, everything: bool) -> Node:
    shown = [row for n, row in enumerate(told.steps) if everything or row.why or n == told.first]
    same = len(told.steps) - sum(bool(row.why) for row in told.steps)
    address = f"{ROOT}/diff?run={told.left}&run={told.right}"
    other = el("a", "Hide those that are the same", href=address) if everything else None
    if not everything and same:
        other = el("a", f"Show also the {same} that are the same", href=f"{address}&all=1")
    table = _table(told, shown) if shown else el("p", "No step differs.", cls="soft")
    return _section("Steps", el("p", other) if other is not None else None, table)


def _table(told: Comparison, rows: Sequence[Row]) -> Node:
    first = told.steps[told.first] if told.first is not None else None
    heads = el("tr", *(el("th", h, scope="col") for h in ("", "left", "right", "differs in")))
    lines = [_line(told, row, row is first) for row in rows]
    table = el("table", el("thead", heads), el("tbody", *lines), cls="diff")
    return el("div", table, cls="sheet", tabindex="0", role="group", aria_label="left and right")


def _line(told: Comparison, row: Row, first: bool) -> Node:
    def side(run: str, text: str, step: int) -> Node:
        said = plain(text, CELL) if text else "–"
        return el("a", said, href=f"{ROOT}/{run}#step-{step}") if step else el("bdi", said)

    where = "both" if row.left and row.right else "left" if row.left else "right"
    cls = " ".join(filter(None, (where if row.why else "", "first" if first else "")))
    mark = el("span", "first ", cls="pill bad") if first else None
    return el(
        "tr",
        el("th", row.what, scope="row"),
        el("td", side(told.left, row.left, row.a)),
        el("td", side(told.right, row.right, row.b)),
        el("td", mark, ", ".join(row.why), cls="why"),
        cls=cls or None,
        id="first" if first else None,
    )


def _section(title: str, *inside: Node) -> Node:
    return el("section", el("h2", title), *inside)
