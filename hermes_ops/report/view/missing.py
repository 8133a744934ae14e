"""What a report does not know, in words: what stands beside the verdict, beside a section, and in place of a list.

Knows no form: each view shows it where it matters.
"""

from __future__ import annotations

from hermes_ops.report.model import Amount, Gap, Report
from hermes_ops.report.view import figures
from hermes_ops.report.view.words import bracket, say


def unseen(report: Report) -> list[str]:
    """What the verdict doesn't rest on: kinds of data that nobody saw, or only for a part of the time."""
    return [r.text for r in report.verdict.rules if r.rating == "incomplete"]


def headline(report: Report, most: int = 2) -> list[str]:
    """What stands beside the rating: the worst rules, and always what was not seen."""
    rules = [r.text for r in report.verdict.rules if r.rating in ("bad", "watch")]
    return [*rules[:most], *unseen(report)]


def blind(report: Report) -> bool:
    """Something is missing that could tell of a thing for a person."""
    telling = {"alerts", "availability", "errors", "incidents"}
    return bool(unseen(report)) or any(g.where in telling for g in report.gaps)


def calm(report: Report) -> str:
    """What stands where nothing needs a person: that is known only where nothing that would tell is missing."""
    return say("attention_blind" if blind(report) else "attention_none", report.lang)


def nothing(a: Amount, none: str, lang: str) -> str:
    """What stands in place of a list: that there are none (by the key `none`), or for which time, or that it isn't
    known."""
    return say(none, lang) if figures.zero(a) else figures.lacking(a, lang) or say("unknown", lang)


def source(name: str, lang: str) -> str:
    """Whose gap it is: names that a person gave as they are, ours in the report's language."""
    first, _, rest = name.partition(" ")
    known = {"folder": "folder", "cause": "cause_analysis", "reports": "reports", "logs": "logs", "metrics": "metrics"}
    if (first == "folder" and rest) or name in known:
        return say(known[first], lang)
    return name


def sources(names: str, lang: str) -> str:
    return say("and", lang).join(dict.fromkeys(source(n, lang) for n in names.split(", ")))


def gaps(report: Report, place: str) -> list[str]:
    lang = report.lang
    return [f"{sources(g.source, lang)}{say('colon', lang)}{g.what}" for g in report.gaps if g.where == place]


def gap_lines(report: Report) -> list[str]:
    """The same thing of several sources or parts is one line; what touches the verdict comes first."""
    lang, merged = report.lang, dict[tuple[str, str], list[Gap]]()
    for g in sorted(report.gaps, key=lambda g: g.where in ("comparison", "changes")):
        merged.setdefault((sources(g.source, lang), g.what), []).append(g)
    return [
        f"{who}{say('colon', lang)}{what}"
        + bracket(say("and", lang).join(dict.fromkeys(say(g.where, lang) for g in found)), lang)
        for (who, what), found in merged.items()
    ]
