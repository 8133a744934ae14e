"""A report as Markdown: a phone screen of it, or all of it. Names from outside are escaped: none becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hermes_ops.report.model import Incident, Report
from hermes_ops.report.view import digest, figures, missing
from hermes_ops.report.view.digest import DOT
from hermes_ops.report.view.words import bracket, say

FEW = 3  # lines of a section in the short form
NEEDS, GAPS = 5, 4  # of what needs a person, of what is missing
_MARKUP = re.compile(r"[\\`*~|\[\]]|(?<![^\W_])_|_(?![^\W_])")


def escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", figures.visible(text)).replace("<", "&lt;")


def render(report: Report, full: bool = False, title: bool = True) -> str:
    """`full`: every line that the report holds; else the most important few of each section. `title`: begin with it."""
    most = 10_000 if full else FEW
    blocks = [
        f"# {escaped(digest.title(report))}" if title else "",
        _head(report),
        *_gaps(report, most if full else GAPS),
        *_attention(report, most if full else NEEDS),
        *_sections(report, most, full),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _head(report: Report) -> str:
    lang = report.lang
    rating = say(report.verdict.rating, lang)
    rules = missing.headline(report)
    verdict = f"**{rating}**{DOT}{escaped(DOT.join(rules))}" if rules else f"**{rating}**"
    about = escaped(DOT.join(digest.about(report)))
    return f"{verdict}\n\n{escaped(digest.prose(report))}\n\n{about}"


def _gaps(report: Report, most: int) -> Iterator[str]:
    """Beside the verdict: what it doesn't rest on."""
    if report.gaps:
        yield _block(say("gaps", report.lang), missing.gap_lines(report), most, report.lang)


def _attention(report: Report, most: int) -> Iterator[str]:
    lang = report.lang
    if report.attention:
        yield _block(say("attention", lang), [a.text for a in report.attention], most, lang)
    else:
        yield f"**{missing.calm(report)}**"


def _block(head: str, lines: Sequence[str], most: int, lang: str) -> str:
    shown = [f"- {escaped(' '.join(line.split()))}" for line in lines[:most]]
    if len(lines) > most:
        shown.append(f"- {say('more', lang, n=len(lines) - most)}")
    return "\n".join([f"**{escaped(head)}**", *shown])


def _sections(report: Report, most: int, full: bool) -> Iterator[str]:
    lang = report.lang
    colon = say("colon", lang)
    if report.handover is not None:
        parts = digest.handover(report.handover, report)
        yield from (_block(say(key, lang), lines, most, lang) for key, lines in parts if lines)
        none: dict[str, list[str]] = {}
        for key in (key for key, lines in parts if not lines):
            none.setdefault(digest.none(key, report), []).append(say(key, lang))
        yield from (f"**{say('and', lang).join(heads)}{colon}{said}**" for said, heads in none.items())
    if report.days:
        yield _block(say("by_day", lang), digest.days(report), 7, lang)
    if report.incidents:
        lines = [line for i in report.incidents for line in _incident(report, i, full)]
        yield _block(say("incidents", lang), lines, most * (8 if full else 2), lang)
    yield _block(f"{say('alerts', lang)}{colon}{_alerts(report)}", _alert_lines(report, most, full), most, lang)
    if report.availability:
        part = next((a.total.why for a in report.availability if a.total.sure == "least"), "")
        head = say("availability", lang) + (bracket(part, lang) if part else "")
        yield _block(head, _availability(report), most, lang)
    errors = f"{say('errors', lang)}{colon}{figures.count(report.errors.total)}{_before(report)}"
    yield _block(errors, _error_lines(report, full), most * (2 if full else 1), lang)
    changes = f"{say('changes', lang)}{colon}{figures.noted(report.changes.total, lang)}"
    near = [c for c in report.changes.rows if full or c.near]
    near = near if full else sorted(near, key=lambda c: not c.blamed)
    yield _block(changes, [digest.change(c, report) for c in near], most, lang)
    if any(c.window for c in report.comparison) or (full and report.comparison):
        yield _block(say("comparison", lang), digest.comparisons(report), most, lang)
    elif report.comparison:
        lacks = dict.fromkeys(digest.unlike(c, lang) for c in report.comparison)
        yield f"**{say('comparison', lang)}{colon}{escaped(say('semicolon', lang).join(lacks))}**"
    if full:
        yield escaped(digest.authored(report))


def _alerts(report: Report) -> str:
    a, lang = report.alerts, report.lang
    parts = [figures.noted(a.fired, lang), digest.counted(list(a.by_severity.items()), lang)]
    told = (("new", a.new), ("flapping", a.flapping), ("still_open", a.still_open), ("inhibited", a.inhibited),
            ("silenced", a.silenced))  # fmt: skip
    parts += [f"{say(key, lang)} {figures.count(n)}" for key, n in told if n.value]
    if a.resolve_median.value is not None:
        parts.append(f"{say('resolve_median', lang)} {figures.lasted(a.resolve_median, lang)}")
    return DOT.join(filter(None, parts))


def _alert_lines(report: Report, most: int, full: bool) -> list[str]:
    """In short, those that deserve a person, are open or flap; an incident's own stand with it."""
    covered = {name for i in report.incidents for name in i.alerts}
    rows = [
        r for r in report.alerts.rows
        if full or ((r.page or r.open or r.flapping) and f"{r.name}/{r.service}" not in covered)
    ]  # fmt: skip
    return [digest.alert(r, report) + (f"{DOT}{r.why}" if full and r.why else "") for r in rows]


def _availability(report: Report) -> list[str]:
    lang = report.lang
    lines = []
    for a in digest.ranked(report.availability):
        parts = [f"{figures.clean(a.service, 40)} {figures.percent(a.percent)}", digest.standing(a, lang)]
        if a.budget_left.value is not None:
            parts.append(f"{say('budget_left', lang)} {figures.budget(a.budget_left)}")
        lines.append(DOT.join(parts))
    return lines


def _before(report: Report) -> str:
    """What the number lacks, and the like day's."""
    e, lang = report.errors, report.lang
    like = e.why_not or say("no_like", lang)
    if e.before.value is not None:
        moved = figures.change(e.total, e.before)
        like = f"{say('like_day', lang)} {figures.count(e.before)}{f', {moved}' if moved else ''}"
    return bracket(say("semicolon", lang).join(filter(None, (figures.lacking(e.total, lang), like))), lang)


def _error_lines(report: Report, full: bool) -> list[str]:
    lang, none = report.lang, say("no_service", report.lang)
    rows = [f"{figures.clean(r.service, 40) or none} {figures.count(r.n)}" for r in report.errors.rows]
    if not full:
        named = [DOT.join(rows[:5]) + (f"{DOT}{say('more', lang, n=len(rows) - 5)}" if len(rows) > 5 else "")]
        fresh = [p for p in report.errors.patterns if p.new]
        top = [f"{say('new_pattern', lang)} {p.service or none} ×{p.n:,}: {figures.clean(p.sample, 80)}" for p in fresh]
        return [*(named if rows else []), *top]
    patterns = [
        f"{say('new_pattern', lang) + ' ' if p.new else ''}{p.service or none} ×{p.n:,}"
        f"{'' if p.before is None else f' ({p.before:,})'}: {figures.clean(p.template, 200)}"
        for p in report.errors.patterns
    ]
    return [*rows, *patterns]


def _incident(report: Report, i: Incident, full: bool) -> Iterator[str]:
    lang, colon = report.lang, say("colon", report.lang)
    yield digest.incident(i, report)
    yield digest.cause(i.cause, report)
    if full:
        yield from (p.text for p in i.proof)
        if i.cleared:
            yield f"{say('cleared', lang)}{colon}{DOT.join(i.cleared)}"
        yield f"{', '.join(i.alerts)}"
        yield i.key
