"""Statistics and cost as pages: key numbers, charts over days, tables by agent, model and person. It counts nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from hermes_ops.report.view.markup import Node, el
from hermes_ops.report.view.svg import short
from hermes_ops.trace.graph import plain, took
from hermes_ops.trace.stats import Stats
from hermes_ops.web.inspector import charts
from hermes_ops.web.inspector.asked import SPANS, Span
from hermes_ops.web.inspector.charts import Series
from hermes_ops.web.inspector.shell import ROOT, pill
from memory import RunInfo, Spent
from memory.digests import By, Tally
from orchestrator.contracts import Usage

LEAST, MOST = 7, 120  # days in a chart; older ones are in the table
ROWS = 15


@dataclass(frozen=True, slots=True)
class Numbers:
    """All four groupings of the same runs."""

    agent: Stats
    user: Stats
    day: Stats
    model: Stats

    @property
    def whole(self) -> Usage:
        return sum((t.usage for t in self.day.groups), Usage())


def statistics(told: Numbers, span: Span) -> list[Node]:
    days = _days(told.day.groups)
    if not days:
        return [_span(span, "stats"), el("p", "No run fits.", cls="empty")]
    names, groups = list(days), list(days.values())
    runs = [
        Series("ok", "t2", [t.count - t.failed if t else 0 for t in groups]),
        Series("something failed", "t3", [t.failed if t else 0 for t in groups]),
    ]
    times = [Series("p50", "t1", [t.p50 if t else None for t in groups]),
             Series("p95", "t4", [t.p95 if t else None for t in groups])]  # fmt: skip
    hits = [Series("of prompt tokens", "t2", [_hits(t.usage) if t else None for t in groups])]
    pictures = [
        charts.columns(names, runs, "c-runs", "Runs a day", _count),
        charts.lines(names, times, "c-time", "Time to the answer", took),
        charts.columns(names, _tokens(groups), "c-tokens", "Tokens a day", _count),
        charts.lines(names, hits, "c-hits", "Prompt cache hits", _percent),
    ]
    return [
        _span(span, "stats"), _tiles(told), el("div", *pictures, cls="charts"),
        _table("Sub-agents and the supervisor", "agent", told.agent), _table("Models", "model", told.model),
        _table("Persons", "user", told.user), _table("Days", "day", told.day, folded=True),
    ]  # fmt: skip


def costs(told: Numbers, dear: Sequence[tuple[Spent, RunInfo]], span: Span) -> list[Node]:
    """`dear`: the dearest runs, by their cost, or tokens where no price is known."""
    days = _days(told.day.groups)
    if not days:
        return [_span(span, "costs"), el("p", "No run fits.", cls="empty")]
    priced = told.whole.cost is not None
    values = [(t.usage.cost or 0.0) if t else 0 for t in days.values()]
    names = list(days)
    chart = charts.columns(names, [Series("cost", "t1", values)], "c-cost", "Cost a day", _money) if priced else None
    tokens = charts.columns(names, _tokens(list(days.values())), "c-tokens", "Tokens a day", _count)
    unpriced = el("p", "No price is known for these models: set ", el("code", "[prices.MODEL]"),
                  " and cost is counted from then on. Until then tokens stand for it.", cls="notice")  # fmt: skip
    groups: Sequence[tuple[str, By, Stats]] = (
        ("By agent", "agent", told.agent), ("By model", "model", told.model),
        ("By day", "day", told.day), ("By person", "user", told.user),
    )  # fmt: skip
    return [
        _span(span, "costs"), None if priced else unpriced, _spent_tiles(told),
        el("div", chart, tokens, cls="charts"),
        el("div", *(_shares(title, by, stats, priced) for title, by, stats in groups), cls="pair"),
        _dearest(dear, priced),
    ]  # fmt: skip


# ── head ──────────────────────────────────────────────────────────────────────────────────────


def _span(span: Span, place: str) -> Node:
    links = []
    for days, words in SPANS.items():
        query = urlencode({k: v for k, v in {"days": days, "user": span.user}.items() if v})
        current = "page" if days == span.days else None
        links.append(el("a", words, href=f"{ROOT}/{place}?{query}", aria_current=current))
    person = el(
        "form",
        el("input", type="hidden", name="days", value=span.days),
        el("label", el("span", "Asked by"), el("input", type="text", name="user", value=span.user)),
        el("button", "Show"),
        method="get",
        action=f"{ROOT}/{place}",
    )
    return el("div", el("nav", *links, aria_label="Time", cls="tabs"), person, cls="span")


def _tiles(told: Numbers) -> Node:
    own = told.day.groups
    runs, failed = told.day.runs, sum(t.failed for t in own)
    empty, used = sum(t.empty for t in own), told.whole
    slow = max(own, key=lambda t: t.p95)
    rows = [
        ("Runs", f"{runs:,}", f"on {_many(len(own), 'day')}"),
        ("Something failed", _share(failed, runs), _many(failed, "run")),
        ("No evidence found", _share(empty, runs), _many(empty, "run")),
        ("Slowest day's p95", took(slow.p95), slow.key),
        ("Tokens", short(used.prompt_tokens + used.completion_tokens), f"{used.model_calls:,} model calls"),
        ("Prompt cache hits", _percent(_hits(used)), f"{short(used.cached_tokens)} tokens"),
        ("Cost", _money(used.cost), _each(used, runs)),
    ]
    return _tile_row(rows)


def _spent_tiles(told: Numbers) -> Node:
    used, runs = told.whole, told.day.runs
    days = max(1, len(told.day.groups))
    per_run = (used.prompt_tokens + used.completion_tokens) / max(1, runs)
    rows = [
        ("Cost", _money(used.cost), _many(runs, "run")),
        ("A run", _money(None if used.cost is None else used.cost / max(1, runs)), f"{short(round(per_run))} tokens"),
        ("A day", _money(None if used.cost is None else used.cost / days), f"{_many(days, 'day')} with runs"),
        ("Input tokens", short(used.prompt_tokens), f"{_percent(_hits(used))} from the cache"),
        ("Output tokens", short(used.completion_tokens), f"{used.model_calls:,} model calls"),
    ]
    return _tile_row(rows)


def _tile_row(rows: Sequence[tuple[str, str, str]]) -> Node:
    made = (
        el("div", el("dt", name), el("dd", el("strong", value), el("span", note, cls="soft")))
        for name, value, note in rows
    )
    return el("dl", *made, cls="tiles")


def _each(used: Usage, runs: int) -> str:
    return "no price is set" if used.cost is None else f"{_money(used.cost / max(1, runs))} a run"


# ── tables ────────────────────────────────────────────────────────────────────────────────────

COLUMNS: Mapping[str, Callable[[Tally, int], str]] = {
    "count": lambda t, runs: f"{t.count:,}",
    "of runs": lambda t, runs: _share(t.count, runs),
    "failed": lambda t, runs: _share(t.failed, t.count),
    "no data": lambda t, runs: _share(t.empty, t.count),
    "tools": lambda t, runs: f"{t.tools:,}",
    "tool errors": lambda t, runs: _share(t.errors, t.tools),
    "model calls": lambda t, runs: f"{t.usage.model_calls:,}",
    "input": lambda t, runs: short(t.usage.prompt_tokens),
    "cache hits": lambda t, runs: _percent(_hits(t.usage)),
    "output": lambda t, runs: short(t.usage.completion_tokens),
    "cost": lambda t, runs: _money(t.usage.cost),
    "p50": lambda t, runs: took(t.p50),
    "p95": lambda t, runs: took(t.p95),
}


def _table(title: str, by: By, told: Stats, folded: bool = False) -> Node:
    most = max((t.count for t in told.groups), default=1)
    groups = list(reversed(told.groups)) if by == "day" else told.groups
    head = el("tr", *(el("th", h, scope="col", cls="n" if n else None) for n, h in enumerate((by, *COLUMNS))))
    lines = [
        el("tr", el("th", _key(by, t.key), charts.bar(t.count / most), scope="row"),
           *(el("td", get(t, told.runs), cls="n") for get in COLUMNS.values()))
        for t in (groups if folded else groups[:ROWS])
    ]  # fmt: skip
    more = el("p", f"and {len(groups) - ROWS:,} more", cls="soft") if len(groups) > ROWS and not folded else None
    sheet = el("div", el("table", el("thead", head), el("tbody", *lines), cls="stats"), more, cls="sheet", tabindex="0",
               role="group", aria_label=title)  # fmt: skip
    if folded:
        return el("details", el("summary", el("h2", title)), sheet)
    return el("section", el("h2", title), sheet)


def _shares(title: str, by: By, told: Stats, priced: bool) -> Node:
    def amount(t: Tally) -> float:
        return (t.usage.cost or 0.0) if priced else float(t.usage.prompt_tokens + t.usage.completion_tokens)

    whole = sum(map(amount, told.groups)) or 1.0
    ranked = sorted(told.groups, key=amount, reverse=True)[:ROWS]
    say = _money if priced else _count
    most = max(map(amount, ranked), default=0) or 1.0
    lines = [
        el("tr", el("th", _key(by, t.key), charts.bar(amount(t) / most), scope="row"),
           el("td", say(amount(t)), cls="n"), el("td", _share(amount(t), whole), cls="n"))
        for t in ranked
    ]  # fmt: skip
    heads = el(
        "tr",
        *(
            el("th", h, scope="col", cls=c)
            for h, c in ((by, None), ("cost" if priced else "tokens", "n"), ("share", "n"))
        ),
    )
    return el("section", el("h2", title), el("table", el("thead", heads), el("tbody", *lines), cls="stats"))


def _dearest(dear: Sequence[tuple[Spent, RunInfo]], priced: bool) -> Node:
    lines = [
        el("tr", el("th", el("a", plain(info.question.text, 120) or info.id, href=f"{ROOT}/{one.run}"), scope="row"),
           el("td", pill(info.status)), el("td", el("bdi", plain(info.question.user, 24))),
           el("td", f"{one.calls:,}", cls="n"), el("td", f"{one.tokens:,}", cls="n"),
           el("td", _money(one.cost), cls="n"))
        for one, info in dear
    ]  # fmt: skip
    if not lines:
        return None
    heads = (("question", ""), ("status", ""), ("by", ""), ("model calls", "n"), ("tokens", "n"), ("cost", "n"))
    head = el("tr", *(el("th", h, scope="col", cls=c or None) for h, c in heads))
    title = "Runs that cost most" if priced else "Runs that took most tokens"
    table = el("table", el("thead", head), el("tbody", *lines), cls="stats")
    return el("section", el("h2", title), el("div", table, cls="sheet", tabindex="0", role="group", aria_label=title))


def _key(by: By, key: str) -> Node:
    """A group's name, which leads to its runs."""
    said = plain(key, 40) or ("no model" if by == "model" else "–")
    query = {"user": {"user": key}, "agent": {"agent": key}, "day": {"since": key, "until": key}}.get(by)
    if not query or not key or key == "supervisor":
        return el("bdi", said)
    return el("a", el("bdi", said), href=f"{ROOT}?{urlencode(query)}")


# ── numbers ───────────────────────────────────────────────────────────────────────────────────


def _days(groups: Sequence[Tally]) -> dict[str, Tally | None]:
    """Every day from the first that has runs to the last, a week of them at least; None where nobody asked."""
    known = {t.key: t for t in groups}
    if not known:
        return {}
    last = date.fromisoformat(max(known))
    many = max(LEAST, min(MOST, (last - date.fromisoformat(min(known))).days + 1))
    every = ((last - timedelta(days=many - 1 - n)).isoformat() for n in range(many))
    return {day: known.get(day) for day in every}


def _tokens(groups: Sequence[Tally | None]) -> list[Series]:
    used = [t.usage if t else Usage() for t in groups]
    return [
        Series("input, cached", "t2", [u.cached_tokens for u in used]),
        Series("input", "t1", [u.prompt_tokens - u.cached_tokens for u in used]),
        Series("output", "t4", [u.completion_tokens for u in used]),
    ]


def _hits(used: Usage) -> float | None:
    return used.cached_tokens / used.prompt_tokens if used.prompt_tokens else None


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _money(cost: float | None) -> str:
    if cost is None:
        return "–"
    return f"{cost:,.2f}" if cost >= 1 or cost == 0 else f"{cost:.4f}"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _count(n: float) -> str:
    return short(round(n, 1))
