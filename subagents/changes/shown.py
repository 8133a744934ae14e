"""What the changes tools found, as results: short text, figures, data for code. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from orchestrator import when
from orchestrator.contracts import Figure, ToolResult, Window
from subagents.asking import Merged
from subagents.cause.model import Analysis
from subagents.changes.judged import cause_json, content, knows, ties, why
from subagents.changes.ranking import CLEAR, Ranked, Symptom, as_json, bundled, by_whom, key, name, suspects
from subagents.changes.undone import undoing
from subagents.saying import Clock, lasting, offset, short
from subagents.sources import Change

ROWS, SHORT = 40, 12  # what a model reads; what a person does
_CONFIG = re.compile(
    r"\.(?:toml|ya?ml|ini|conf|cfg|properties|env)$|(?:^|/)(?:config|settings|values)[^/]*(?:/|$)", re.I
)
AGAINST = {
    "after_onset": "after the onset",
    "other_environment": "another environment",
    "not_done": "did not take effect",
    "docs_only": "documents or tests only",
    "ended_before": "was over long before the onset",
    "other_service": "a service that is not involved",
    "unlinked": "its link to what fails isn't known",
    "unknown_service": "says no service",
    "too_far": "too far away in time or dependency",
    "cannot": "nothing of it can bring these failures",
}


def changes(
    found: Merged[Change], span: Window, looked: Window, first: Sequence[str], asked: Sequence[str]
) -> ToolResult:
    """`looked`: the window with the look-back; `first`: the services in scope and what they depend on."""
    clock = Clock(span)
    rows = sorted(found.rows, key=lambda c: c.at)
    whole = sorted(bundled(rows), key=lambda pair: (bool(first) and pair[0].service not in first, pair[0].at))
    text = [f"{len(whole)} changes · {when.say(looked)}" + (f" · first {', '.join(first)}" if first else "")]
    newest = sorted(whole, key=lambda pair: pair[0].at, reverse=True)
    kept = [
        pair for pair in whole if pair in sorted(newest, key=lambda p: bool(first) and p[0].service not in first)[:ROWS]
    ]
    text += [line(c, clock) + _carried(commits) for c, commits in kept]
    if not whole:
        of = f" of {', '.join(asked)}" if asked else ""
        text = [f"no changes{of} in {when.say(looked)}"]
    kinds = Counter(c.kind for c in rows)
    figures = [Figure("changes", len(whole)), Figure("changes", len(rows), "", {"counted": "each commit alone"})]
    figures += [Figure("changes", n, "", {"kind": kind}) for kind, n in kinds.items()]
    inside = [c for c, _ in whole if c.at in span]
    related = [c for c, _ in whole if c.service in first]
    figures += [Figure("changes in the window", len(inside)), Figure("related changes", len(related))]
    beyond = max(0, (len(related) or len(whole)) - SHORT)
    figures += [Figure("other changes", len(whole) - len(related)), Figure("changes left out", beyond)]
    back = [{**_json(u.change, True, True), **u.of} for u in undoing(rows, first)]
    figures.append(Figure("rollbacks", len(back)))
    data = {
        "undone": back[:SHORT],
        "changes": [_json(c, c.at in span, c.service in first or not first, carried) for c, carried in kept],
        "total": len(whole),
        "inside": len(inside),
        "related": len(related),
        "not_listed": beyond,
    }
    return found.result("\n".join(text), looked, data, figures, min(len(whole), ROWS), len(whole))


def _json(c: Change, inside: bool, related: bool, carried: Sequence[Change] = ()) -> dict[str, object]:
    """`config`: it changes a file of settings."""
    about = {"id": c.id, "kind": c.kind, "service": c.service, "version": c.version, "sha": sha(c)}
    about |= {"what": name(c), "title": c.title[:200], "at": c.at.isoformat(), **by_whom(c, carried)}
    config = c.kind == "config" or any(_CONFIG.search(f) for x in (c, *carried) for f in x.files)
    about |= {"environment": c.environment, "outcome": c.outcome}
    return {**about, "inside": inside, "related": related, "config": config}


def sha(c: Change) -> str:
    return c.sha or (c.id if c.kind == "commit" else "")


def line(c: Change, clock: Clock, full: bool = False) -> str:
    """13:40 deploy catalog 5.1.0 4929ab03a9c6 by wei: catalog: cache rendered prices (#481)"""
    parts = [clock.at(c.at) if c.until is None else clock.span(c.at, c.until), c.kind, c.service, c.version]
    parts.append(sha(c) if full else sha(c)[:12])
    if not sha(c):
        parts.append(f"#{c.id}" if c.id.isdigit() else c.id[:40])
    parts += [f"in {c.environment}" if c.environment else "", f"by {c.author}" if c.author else ""]
    parts += [f"({c.outcome}: it changed nothing)" if c.outcome else ""]
    return " ".join(p for p in parts if p) + f": {short(c.title, 100)}"


def _carried(commits: Sequence[Change]) -> str:
    if not commits:
        return ""
    files = list(dict.fromkeys(f for c in commits for f in c.files))
    more = f", {len(files) - 4} more file{'s' * (len(files) > 5)}" if len(files) > 4 else ""
    shown = f" ({', '.join(files[:4])}{more})" if files else ""
    return f" · carries {', '.join(c.id[:12] for c in commits[:5])}{shown}"


def ranked(
    found: Merged[Change], rows: Sequence[Ranked], symptom: Symptom, looked: Window, cause: Analysis
) -> ToolResult:
    clock, good, best = Clock(replace(looked, start=symptom.onset)), suspects(rows), ties(rows, cause)
    how = "content, closeness in time and dependency" if knows(cause) else "closeness in time, dependency and kind"
    onset = f"{clock.at(symptom.onset)} {offset(symptom.onset, looked.zone)}"
    text = [
        f"suspects for the onset {onset} of {', '.join(symptom.services) or 'any service'}, by {how} · "
        f"searched {when.say(looked)}: {len(rows)} changes"
    ]
    if cause.cause.verdict == "operational":
        text.append(f"not a change: {cause.cause.title} ({cause.cause.kind})")
        text += [f"- {reason.text}" for reason in cause.cause.reasons[:4]]
    elif not good:
        text.append("no change explains this: none near before the onset touches these services or what they depend on")
    elif good[0].score < CLEAR:
        text.append("no change clearly explains this: the first is the nearest, and weak")
    if best > 1:
        text.append(f"a tie: the first {best} are equally near")
    for i, r in enumerate(good[:5], 1):
        text.append("; ".join((f"{i}. {_suspect(r, symptom, clock, i == 1)}", *why(r, cause))))
    rest = [r for r in rows if r.score == 0 or r not in good]
    rest.sort(key=lambda r: abs(r.change.at - symptom.onset))
    text += [f"not: {line(r.change, clock)} — {AGAINST[r.against]}" for r in rest[:12] if r.against]
    figures = [Figure("changes", len(rows)), Figure("suspects", len(good)), Figure("tied", best)]
    figures += [_lead(r, symptom) for r in (*good[:5], *rest[:12])]
    data = {
        "onset_asked": symptom.onset.isoformat(),
        "services_asked": list(symptom.services),
        "suspects": [{**as_json(r, symptom.onset), **content(r, cause)} for r in good[:5]],
        "tied": best,
        "cause": cause_json(cause),
        "rejected": [as_json(r, symptom.onset) for r in rest[:12]],
        "total": len(rows),
        "searched": [looked.start.isoformat(), looked.end.isoformat()],
    }
    return found.result("\n".join(text), looked, data, figures, len(good[:5]) + len(rest[:12]), len(rows))


def _suspect(r: Ranked, symptom: Symptom, clock: Clock, full: bool) -> str:
    where = f"on {r.near}, which fails"
    if r.calls:
        where = f"{r.near}, which fails, depends on it ({r.calls} calls away)"
    said = f"{line(r.change, clock, full)}{_carried(r.commits)} — {_timing(r, symptom)}; {where}"
    return f"{said}; taken back {clock.at(r.back.at)} by {line(r.back, clock)}" if r.back else said


def _timing(r: Ranked, symptom: Symptom) -> str:
    lead = (symptom.onset - r.change.at).total_seconds()
    return f"{lasting(lead)} before the onset" if lead > 0 else "with the onset"


def _lead(r: Ranked, symptom: Symptom) -> Figure:
    lead = round((symptom.onset - r.change.at).total_seconds())
    return Figure("lead before the onset" if lead >= 0 else "after the onset", abs(lead), "s", {"change": r.key})


def change(found: Merged[Change], c: Change, diff: str, span: Window) -> ToolResult:
    """One change with its body, files and diff."""
    clock = Clock(span)
    text = [line(c, clock, full=True)]
    text += [f"reverts {c.reverts[:12]}"] if c.reverts else []
    text += [short(c.body, 600)] if c.body and c.body.strip() != c.title.strip() else []
    text += [f"files: {', '.join(c.files[:20])}"] if c.files else []
    text.append(f"diff:\n{diff}" if diff else "no diff is stored for it")
    figures = [Figure("files", len(c.files), "", {"change": key(c)})]
    data = {"id": c.id, "sha": sha(c), "service": c.service, "diff": bool(diff), "files": list(c.files[:20])}
    return found.result("\n".join(text), span, data, figures, 1, 1)
