"""The like day that errors are set against, in words: which it is, or why there is nothing of one."""

from __future__ import annotations

from hermes_ops.report.model import Report
from hermes_ops.report.view import figures
from hermes_ops.report.view.words import bracket, say


def known(report: Report) -> bool:
    """Whether something is known of the day that the errors are set against."""
    e = report.errors
    return e.like is not None and (e.before.value is not None or any(h.before is not None for h in e.hours))


def drawn(report: Report) -> str:
    """How many lines the hours of a chart hold together: of a sample not as many as are counted."""
    if not report.errors.sampled:
        return figures.count(report.errors.total)
    return say("a_sample", report.lang, n=f"{sum(h.n or 0 for h in report.errors.hours):,}")


def title(report: Report) -> str:
    e, lang = report.errors, report.lang
    if e.like is not None and known(report):
        return say("errors_trend", lang, day=figures.day(e.like, lang))
    return say("error_lines", lang) + bracket(absent(report), lang)


def day(report: Report) -> str:
    """The like day of the errors, or why there is nothing of one."""
    e, lang = report.errors, report.lang
    if e.like is None:
        return absent(report)
    return figures.day(e.like, lang) + ("" if known(report) else bracket(absent(report), lang))


def absent(report: Report) -> str:
    """Why the errors can't be set against a like day."""
    e = report.errors
    return e.why_not or e.before.why or say("no_like", report.lang)
