"""Why each incident happened: the root-cause analysis of `subagents.cause`, worded for a report.

What an operator confirmed stands instead of any suspect. Nothing is analysed here a second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hermes_ops.report.alerting import Fired
from hermes_ops.report.desk import Desk
from hermes_ops.report.grouping import Seed
from hermes_ops.report.model import CauseSaid, Incident, Lang, Proof
from hermes_ops.report.reasons import worded
from hermes_ops.report.recorded import Recorded
from hermes_ops.report.words import say
from memory.reports import Confirmed
from orchestrator.contracts import Scope, Window
from subagents.cause.analyse import analyse
from subagents.cause.model import Analysis, Reason, Suspect
from subagents.changes.chinese import operational
from subagents.severity import rank
from subagents.sources import Change, Sources
from subagents.topology import Topology

BEFORE = timedelta(hours=1)  # an onset: where the change that brought it most often lies
AHEAD = timedelta(minutes=20)  # before the first alert, for the onset
LONGEST = timedelta(hours=1)  # of an incident that is looked at
SAME = timedelta(minutes=30)  # between what a key says and an incident's start
NEAREST = 0.2  # from which probability on "no change explains this" would say too much
PROOF = 5
CLEARED = 6
REPEATED = frozenset(("metric", "errors", "pattern"))  # of these several lines may be about different things


async def explained(
    desk: Desk,
    seeds: Sequence[Seed],
    had: Fired,
    graph: Topology,
    changes: Sequence[Change],
    confirmed: Mapping[str, Confirmed],
    most: int,
) -> tuple[Incident, ...]:
    """In order of time; the worst `most` of them with their cause."""
    known = Recorded((*had.earlier, *had.rows, *had.records))
    sources = replace(desk.sources, alerts=(known,)) if had.found is not None else desk.sources
    ranked = sorted(seeds, key=lambda s: (rank(s.severity or "warning"), -len(s.alerts), s.start))
    chosen = {s.key for s in ranked[:most]}
    if len(ranked) > most:
        desk.gap("cause", say("not_judged", desk.lang, n=len(ranked) - most), "incidents")
    found = []
    for seed in seeds:
        judged = seed.key in chosen
        found.append(await _explained(desk, sources, seed, graph, changes) if judged else _bare(desk, seed))
    return amended(found, confirmed)


def _bare(desk: Desk, seed: Seed) -> Incident:
    last = desk.last("alerts")
    return Incident(
        seed.key, seed.start, seed.end, seed.severity, seed.services, seed.alerts, CauseSaid("undecided"),
        open_known=seed.open_known, seen_until=last if last < desk.window.end else None,
    )  # fmt: skip


async def _explained(desk: Desk, sources: Sources, seed: Seed, graph: Topology, changes: Sequence[Change]) -> Incident:
    end = min(seed.end or desk.window.end, seed.start + LONGEST, desk.window.end)
    window = Window(seed.start - AHEAD, max(end, seed.start + AHEAD), desk.window.zone)
    found = await analyse(sources, window, Scope(services=seed.services), topology=graph)
    cause = found.cause
    for gap in found.gaps:
        desk.gap("cause", gap, "incidents")
    return replace(
        _bare(desk, seed),
        cause=_said(desk, found, changes, seed.start),
        onset=cause.onset,
        first_failing=cause.first_failing,
        reached=cause.blast_radius,
        services=tuple(dict.fromkeys((*seed.services, *filter(None, [cause.first_failing]), *cause.blast_radius))),
        proof=_proof(desk, found, seed.start, changes),
        cleared=_cleared(desk, found),
    )


def _proof(desk: Desk, found: Analysis, start: datetime, changes: Sequence[Change]) -> tuple[Proof, ...]:
    """The strongest of each kind of evidence first, no two about the same thing."""
    cause = found.cause
    lines: dict[tuple[str, ...], Proof] = {}
    for r in sorted(cause.reasons, key=lambda r: -r.weight):
        text = worded(r, cause.onset or start, desk.window, desk.lang) if r.weight > 0 else ""
        if r.signal == "errors" and desk.sampled:
            text = say("of_sample", desk.lang, what=text)
        about = r.text.split()[:2] if r.signal in REPEATED else []
        if text:
            lines.setdefault(
                (r.signal, *about), Proof(desk.mask(by_name(text, r, changes)), r.query, found.links.get(r.query, ""))
            )
    return tuple(lines.values())[:PROOF]


def by_name(text: str, reason: Reason, changes: Sequence[Change]) -> str:
    """With a change's service and version, or its title, in place of its number."""
    if reason.signal != "taken back":
        return text
    known = next((c for c in changes if reason.text.endswith(f" by {c.id[:12]}")), None)
    name = f"{known.service} {known.version}" if known and known.version else known.title if known else ""
    return text.replace(known.id[:12], name) if known and name else text


def _said(desk: Desk, found: Analysis, changes: Sequence[Change], start: datetime) -> CauseSaid:
    c = found.cause
    if c.verdict == "operational":
        what = desk.mask(_operational(c.kind, c.title, desk.lang))
        return CauseSaid("operational", what, service=c.service, confidence=c.confidence)
    if c.verdict != "change":
        nearest = next((s for s in found.ranked if s.verdict != "unknown" and s.probability >= NEAREST), None)
        if nearest:
            return CauseSaid("undecided", desk.mask(_name(nearest, desk.lang)))
        return CauseSaid("unknown" if _looked(desk, c.onset or start) else "undecided")
    suspect = next((s for s in found.ranked if s.id == c.change), None)
    names = {c.change, *(suspect.ids if suspect else ())}
    known = [x for x in changes if names & {x.id, x.sha, *x.commits}]
    best = next((x for x in known if x.kind != "commit"), known[0] if known else None)
    return CauseSaid(
        "change",
        desk.mask(c.title),
        c.change,
        c.service,
        best.version if best else "",
        desk.mask(best.author) if best else "",
        best.at if best else (suspect.at if suspect else None),
        c.confidence,
    )


def _looked(desk: Desk, onset: datetime) -> bool:
    """Changes of the time before it are known: only then does none of them explain it."""
    if desk.reaches["changes"].unbroken(Window(onset - BEFORE, onset, desk.window.zone)):
        return True
    desk.gap(say("changes", desk.lang), say("no_changes_then", desk.lang), "incidents")
    return False


def _cleared(desk: Desk, found: Analysis) -> tuple[str, ...]:
    """Changes that were weighed and not blamed, by the names people know them by."""
    others = [s for s in found.ranked if s.verdict == "change" and s.id != found.cause.change]
    return tuple(_name(s, desk.lang) for s in others[:CLEARED])


def _operational(kind: str, title: str, lang: Lang) -> str:
    return operational(kind, title, lang == "zh").replace("`", "")


def _name(s: Suspect, lang: Lang) -> str:
    if s.verdict == "operational":
        return _operational(s.kind, s.title, lang)
    return s.title if not s.service or s.title.startswith(f"{s.service}:") else f"{s.service}: {s.title}"


def amended(incidents: Sequence[Incident], confirmed: Mapping[str, Confirmed]) -> tuple[Incident, ...]:
    """With the causes that operators confirmed, now or since the report was made."""
    return tuple(_confirmed(i, confirmed) for i in incidents)


def _confirmed(incident: Incident, confirmed: Mapping[str, Confirmed]) -> Incident:
    word = confirmed.get(incident.key) or next((c for key, c in confirmed.items() if _means(key, incident)), None)
    if word is None:
        return incident
    said = replace(incident.cause, kind="confirmed", title=word.text, by=word.by, at=word.at, confidence=None)
    return replace(incident, cause=said)


def _means(key: str, incident: Incident) -> bool:
    """A key that names another of its services, or a moment near its start: as a run tells it."""
    service, _, at = key.rpartition("@")
    try:
        moment = datetime.strptime(at, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    except ValueError:
        return False
    return service in incident.services and abs(moment - (incident.onset or incident.start)) <= SAME
