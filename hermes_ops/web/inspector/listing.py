"""The list of runs: filters, one row a run, whoever was asked and whoever wasn't. Pure functions of what was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from hermes_ops.report.view.markup import Node, el
from hermes_ops.trace import facts
from hermes_ops.trace.finding import Found
from hermes_ops.trace.graph import plain, took
from hermes_ops.trace.tree import who
from hermes_ops.web.inspector.asked import KINDS, STATUSES, Filter, cursor
from hermes_ops.web.inspector.shell import ROOT, pill, thumb
from memory import RunInfo
from orchestrator.contracts import Event

PAGE = 40
HEADS = ("begun", "status", "question", "asked", "took", "tokens", "cost", "by", "pick")


def body(
    asked: Filter, found: Sequence[Found], marks: Mapping[str, Set[str]], agents: Sequence[str], zone: str
) -> list[Node]:
    """`found`: one more than a page where there are more; `marks`: what people thought of some of them."""
    return [_filters(asked, agents), _compare(asked, found, marks, zone), _paging(asked, found)]


def rows(found: Sequence[Found], marks: Mapping[str, Set[str]], zone: str) -> Element:
    """What is renewed while runs go on."""
    return el("tbody", *(_row(i, e, marks.get(i.id, set()), zone) for i, e in found[:PAGE]), id="rows")


# ── filters ───────────────────────────────────────────────────────────────────────────────────


def _filters(asked: Filter, agents: Sequence[str]) -> Node:
    def field(label: str, inside: Element, cls: str = "") -> Node:
        return el("label", el("span", label), inside, cls=cls or None)

    clear = (
        el("a", "Clear", href=ROOT, cls="button quiet", id="clear")
        if asked.narrow or asked.kind != "question"
        else None
    )
    session = el("input", type="hidden", name="session", value=asked.session) if asked.session else None
    wrong = el("input", type="checkbox", name="wrong", value="1", checked=bool(asked.wrong))
    form = el(
        "form",
        field("Words of the question", _text("q", asked.q, "search"), "wide"),
        field("Asked by", _text("user", asked.user)),
        field("Sub-agent asked", _select("agent", {"": "Any", **{a: a for a in agents}}, asked.agent)),
        field("Status", _select("status", {"": "Any", **{s: s for s in STATUSES}}, asked.status)),
        field("From", _text("since", asked.since, "date")),
        field("To", _text("until", asked.until, "date")),
        field("Show", _select("kind", KINDS, asked.kind)),
        el("label", wrong, el("span", "Something failed"), cls="check"),
        session,
        el("div", el("button", "Filter", cls="main"), clear, cls="acts"),
        method="get",
        action=ROOT,
        cls="filters",
        role="search",
    )
    return el("details", el("summary", "Filters"), form, cls="narrow", open=True, id="filters")


def _text(name: str, value: str, type: str = "text") -> Element:
    return el("input", type=type, name=name, value=value, id=f"f-{name}", autocomplete="off")


def _select(name: str, choices: Mapping[str, str], chosen: str) -> Element:
    known = choices if chosen in choices else {**choices, chosen: chosen}
    options = [el("option", words, value=value, selected=value == chosen) for value, words in known.items()]
    return el("select", *options, name=name, id=f"f-{name}")


# ── rows ──────────────────────────────────────────────────────────────────────────────────────


def _compare(asked: Filter, found: Sequence[Found], marks: Mapping[str, Set[str]], zone: str) -> Node:
    """A table in a form: two runs that are picked are compared. Without rows it says so, until there are some."""
    none = "No run fits these filters." if asked.narrow else "Nobody has asked anything yet."
    head = el("tr", *(el("th", h, scope="col", cls=f"c-{h}") for h in HEADS))
    table = el("table", el("thead", head), rows(found, marks, zone), cls="runs")
    act = el("button", "Compare the two picked", id="compare", cls="main")
    hint = el("span", "Pick two runs to set them side by side.", cls="soft", id="picked", role="status")
    live = el("span", cls="soft", id="live", role="status")
    return el(
        "form",
        el("div", act, hint, el("span", cls="gap"), live, cls="acts bar"),
        el("div", table, cls="sheet"),
        el("p", none, cls="empty"),
        method="get",
        action=f"{ROOT}/diff",
        id="list",
        data_live=None if asked.after else "1",
    )


def _row(info: RunInfo, events: Sequence[Event], marks: Set[str], zone: str) -> Element:
    used, seconds = facts.usage(events), facts.seconds(info, events)
    answer = facts.answer_status(events)
    status = answer if info.status == "done" and answer else info.status
    begun = info.started.astimezone(ZoneInfo(zone))
    running = info.status == "running"
    wrong = el("span", "!", cls="bang", title="Something in it failed") if facts.went_wrong(info, events) else None
    cells: dict[str, Sequence[Node]] = {
        "begun": [el("time", f"{begun:%m-%d %H:%M:%S}", datetime=info.started.isoformat())],
        "status": [pill(status), wrong, *_thumbs(marks)],
        "question": [_question(info, events, running)],
        "asked": [el("span", *_agents(events), cls="agents")],
        "took": ["" if seconds is None else took(1000 * seconds)],
        "tokens": [f"{used.prompt_tokens + used.completion_tokens:,}" if used.model_calls else "–"],
        "cost": ["–" if used.cost is None else f"{used.cost:.4f}"],
        "by": [el("bdi", plain(info.question.user, 24), title=plain(info.question.user, 100))],
        "pick": [el("input", type="checkbox", name="run", value=info.id, aria_label=f"Pick run {info.id}")],
    }
    tds = [el("td", *said, cls=f"c-{n}{' none' if said == ['–'] else ''}", data_name=n) for n, said in cells.items()]
    return el("tr", *tds, cls="running" if running else None, data_run=info.id)


def _question(info: RunInfo, events: Sequence[Event], running: bool) -> Element:
    text = plain(info.question.text, 160) or "(no words)"
    link = el("a", el("bdi", text), href=f"{ROOT}/{info.id}")
    now = el("span", f"now: {_now(events)}", cls="now") if running else None
    return el("span", link, el("span", info.id, cls="id"), now, cls="q")


def _now(events: Sequence[Event]) -> str:
    """What a run that goes on did last."""
    if not events:
        return "begins"
    last = events[-1]
    return plain(f"{who(last.path)}: {last.body.get('tool') or last.kind}", 60)


def _agents(events: Sequence[Event]) -> Iterator[Node]:
    """Who was asked, and, struck out, who was offered and never asked."""
    asked = facts.agents(events)
    for name in asked:
        yield el("span", plain(name, 20), cls="agent")
    offered = (n for e in events if e.kind == "route" for n in e.body.get("not_chosen") or ())
    for name in dict.fromkeys(str(n) for n in offered):
        if name not in asked:
            yield el("span", plain(name, 20), cls="agent not", title=f"{plain(name, 20)} was not asked")
    if not asked:
        yield el("span", "nobody", cls="soft")


def _thumbs(marks: Set[str]) -> Iterator[Node]:
    return (thumb(mark) for mark in ("bad", "good") if mark in marks)


def _paging(asked: Filter, found: Sequence[Found]) -> Node:
    links: list[Node] = []
    if asked.after:
        links.append(el("a", "« Newest", href=f"{ROOT}?{asked.address(after='')}", cls="button quiet"))
    if len(found) > PAGE:
        last = found[PAGE - 1][0]
        address = asked.address(after=cursor(last.started, last.id))
        links.append(el("a", "Older »", href=f"{ROOT}?{address}", cls="button quiet", rel="next"))
    return el("nav", *links, aria_label="Pages", cls="paging") if links else None
