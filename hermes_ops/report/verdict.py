"""The headline: bad, watch, incomplete or quiet, by the rules below and no others (docs/REPORT.md lists them).

Every rule that fires is kept with what it saw; the worst one gives the rating. What wasn't
seen is never called quiet. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from hermes_ops.report.model import Alerts, Availability, Errors, Incident, Lang, Rating, Rule, Verdict
from hermes_ops.report.settings import ReportSettings
from hermes_ops.report.view.figures import share, spoken
from hermes_ops.report.words import joined, say
from subagents.severity import severe

ORDER = ("bad", "watch", "incomplete", "quiet")


def verdict(
    alerts: Alerts,
    errors: Errors,
    availability: tuple[Availability, ...],
    incidents: tuple[Incident, ...],
    rules: ReportSettings,
    lang: Lang,
) -> Verdict:
    fired = [
        *_incidents(incidents, lang),
        *_open(alerts, lang),
        *_objectives(availability, rules, lang),
        *_deserved(alerts, incidents, lang),
        *_errors(errors, rules, lang),
        *_unseen(alerts, errors, availability, lang),
    ]
    if not fired:
        return Verdict("quiet", (Rule("quiet", "quiet", say("rule_quiet", lang)),))
    fired.sort(key=lambda r: ORDER.index(r.rating))
    return Verdict(fired[0].rating, tuple(fired))


def _woke(incident: Incident) -> bool:
    return bool(incident.alerts) and severe(incident.severity)


def _incidents(incidents: tuple[Incident, ...], lang: Lang) -> Iterator[Rule]:
    if incidents:
        names = joined((s for i in incidents for s in i.services), lang)
        rating: Rating = "bad" if any(map(_woke, incidents)) else "watch"
        yield Rule("incident", rating, say("rule_incident", lang, n=len(incidents), services=names))


def _open(alerts: Alerts, lang: Lang) -> Iterator[Rule]:
    still = [r for r in alerts.rows if r.open]
    worst = [r for r in still if severe(r.severity)]
    if worst:
        yield Rule("critical_open", "bad", say("rule_critical_open", lang, names=joined((r.name for r in worst), lang)))
    elif still:
        names = joined((r.name for r in still), lang)
        n = alerts.still_open.value
        yield Rule("open", "watch", say("rule_open", lang, n=n, names=names))


def _objectives(rows: tuple[Availability, ...], rules: ReportSettings, lang: Lang) -> Iterator[Rule]:
    """Missing what the team promised is bad; missing the general objective is to be watched."""
    missed = [a for a in rows if a.percent.value is not None and a.objective and a.percent.value < a.objective]
    promised = [a for a in missed if a.service in rules.objectives]
    for rating, some in (("bad", promised), ("watch", [a for a in missed if a not in promised])):
        if some:
            names = joined((f"{a.service} {share(a.percent.value or 0.0)}" for a in some), lang, 3)
            yield Rule("objective", "bad" if rating == "bad" else "watch", say("rule_objective", lang, names=names))


def _deserved(alerts: Alerts, incidents: tuple[Incident, ...], lang: Lang) -> Iterator[Rule]:
    covered = {name for i in incidents for name in i.alerts}
    rows = [r for r in alerts.rows if r.page and f"{r.name}/{r.service}" not in covered]
    if rows:
        yield Rule("page", "watch", say("rule_page", lang, n=len(rows), names=joined((r.name for r in rows), lang)))


def _errors(errors: Errors, rules: ReportSettings, lang: Lang) -> Iterator[Rule]:
    n, before = errors.total.value, errors.before.value
    if errors.sampled or n is None or before is None:
        pass  # the lines of a sample tell of no growth
    elif n >= rules.errors_worth and n >= rules.growth * max(1, before):
        told_n, told_before = spoken(errors.total, lang), spoken(errors.before, lang)
        yield Rule("errors", "watch", say("rule_errors", lang, n=told_n, before=told_before))
    for p in errors.patterns:
        if p.new and p.n >= rules.errors_worth:
            yield Rule("pattern", "watch", say("rule_pattern", lang, service=p.service, n=f"{p.n:,}"))


def _unseen(alerts: Alerts, errors: Errors, availability: tuple[Availability, ...], lang: Lang) -> Iterator[Rule]:
    """What nobody saw at all, and of what a part is missing: those of which the same is known stand together."""
    blind = [say(k, lang) for k, a in (("alerts", alerts.fired), ("errors", errors.total)) if a.value is None]
    if availability and all(a.percent.value is None for a in availability):
        blind.append(say("availability", lang))
    if blind:
        yield Rule("blind", "incomplete", say("rule_blind", lang, kinds=joined(blind, lang)))
    told = [("alerts", alerts.fired), ("errors", errors.total), *(("availability", a.total) for a in availability)]
    lacking = [(kind, a.why) for kind, a in told if a.sure == "least"]
    for why in dict.fromkeys(why for _, why in lacking):
        kinds = joined((say(kind, lang) for kind, w in lacking if w == why), lang)
        yield Rule("part", "incomplete", say("rule_part", lang, kinds=kinds, why=why))
