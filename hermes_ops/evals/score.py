"""Whether an answer is what a case wants: deterministic checks, each with what was wrong. Asks no model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hermes_ops.evals.case import Case, Span, Wanted, WantedCause
from orchestrator.contracts import Answer, Figure, Window

SHORT = 7  # characters that tell a sha
ALIKE = 0.7  # of all services that either names, those that both do
PRESENT = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """The change that an answer blames. `changes`: for each one named alike, its ids; none: no change."""

    changes: tuple[tuple[str, ...], ...]


def checks(case: Case, answer: Answer) -> tuple[Check, ...]:
    """All that the case wants; `answered` always."""
    return tuple(_checks(case, answer))


def _checks(case: Case, answer: Answer) -> Iterator[Check]:
    wanted = case.status or ("ok", "partial", "no_evidence", "needs_input")
    yield Check("answered", answer.status in wanted, f"status {answer.status}, wanted {' or '.join(wanted)}")
    if case.route is not None:
        asked = sorted(asked_of(answer))
        yield Check("route", asked == sorted(set(case.route)), f"asked {_list(asked)}, wanted {_list(case.route)}")
    for fact in case.facts:
        yield Check("facts", _says(answer.text, fact), f"does not say {fact!r}")
    for lie in case.forbidden:
        yield Check("forbidden", not _says(answer.text, lie), f"says {lie!r}")
    for figure in case.figures:
        yield Check("figures", holds(answer, figure), f"no figure {figure.name} {figure.value:g} {figure.labels or ''}")
    if case.window is not None:
        yield Check(
            "window", _windowed(case, answer.window), f"window {_span(answer.window)}, wanted {_span(case.window)}"
        )
    if case.services is not None:
        got = answer.scope.services
        yield Check("services", set(got) == set(case.services), f"about {_list(got)}, wanted {_list(case.services)}")
    if case.verified:
        yield Check("verified", not answer.unverified, f"not borne out: {_list(answer.unverified)}")
    if case.whole:
        yield Check("whole", not answer.skipped, f"not read: {_list(str(s) for s in answer.skipped)}")
    if case.cause is not None:
        yield from _cause(answer, case.cause)


def asked_of(answer: Answer) -> set[str]:
    return {a.subagent for a in answer.route}


def _windowed(case: Case, got: Window | None) -> bool:
    """The wanted window; of "usual" and "present" also the one that is looked at where no time was named."""
    want = case.window
    if isinstance(want, Span):
        return got is not None and (got.start, got.end) == (want.start, want.end)
    if got is None or "no time was named" in got.why:
        return True
    return want == "present" and case.now is not None and abs(case.now - got.end) < PRESENT


def _says(text: str, fact: str) -> bool:
    """A literal, case aside, or a pattern between slashes."""
    if len(fact) > 2 and fact[0] == fact[-1] == "/":
        return re.search(fact[1:-1], text, re.IGNORECASE) is not None
    return fact.casefold() in text.casefold()


# ── figures ───────────────────────────────────────────────────────────────────────────────────


def holds(answer: Answer, wanted: Wanted) -> bool:
    """Among the figures of the evidence; one without labels may also just stand in the answer."""
    figures = (f for e in answer.evidence for f in e.result.figures)
    if any(_is(f, wanted) for f in figures):
        return True
    number = re.escape(f"{wanted.value:g}")
    return not wanted.labels and bool(re.search(rf"(?<![\d.,]){number}(?![\d]|[.,]\d)", answer.text))


def _is(figure: Figure, wanted: Wanted) -> bool:
    near = abs(figure.value - wanted.value) <= wanted.tolerance
    return near and figure.name == wanted.name and _labelled(figure.labels, wanted.labels)


def _labelled(have: Mapping[str, str], want: Mapping[str, str]) -> bool:
    """All that is wanted; a figure of a part (an hour, a code) is none of the whole."""
    return have.keys() == want.keys() and all(_same(have[k], v) for k, v in want.items())


def _same(a: str, b: str) -> bool:
    if a == b:
        return True
    try:
        return datetime.fromisoformat(a) == datetime.fromisoformat(b)
    except ValueError:
        return False


# ── the cause ─────────────────────────────────────────────────────────────────────────────────


def named(answer: Answer) -> Named:
    """From the answer's own cause; where it has none, from the ranking of changes that it rests on."""
    if isinstance(answer.cause, Mapping):
        change = str(answer.cause.get("change") or "")
        return Named(((change,),) if answer.cause.get("verdict") == "change" and change else ())
    ranked = [e.result.data for e in answer.evidence if isinstance(e.result.data, Mapping)]
    found = [data for data in ranked if "suspects" in data and "tied" in data]
    if not found:
        return Named(())
    best = found[-1]["suspects"][: max(1, found[-1]["tied"])]
    return Named(tuple(tuple(str(row[k]) for k in ("sha", "id") if row.get(k)) for row in best))


def _cause(answer: Answer, wanted: WantedCause) -> Iterator[Check]:
    """`cause`: right; `precise`: right or not decided, only where one was named; `no_decoy`: no decoy was named."""
    blamed = named(answer).changes
    said = _list(ids[0] for ids in blamed) if blamed else "no change"
    right = len(blamed) == 1 and _among(blamed[0], wanted.ids) if wanted.ids else not blamed
    yield Check("cause", right, f"blames {said}, wanted {wanted.ids[0] if wanted.ids else 'no change'}")
    if len(blamed) == 1:
        yield Check("precise", right, f"blames {said} alone")
    yield Check("no_decoy", not (len(blamed) == 1 and _among(blamed[0], wanted.decoys)), f"blames the decoy {said}")
    told = answer.cause if isinstance(answer.cause, Mapping) else {}
    if wanted.first_failing:
        first = str(told.get("first_failing", ""))
        yield Check("first", first == wanted.first_failing, f"began at {first or '?'}, wanted {wanted.first_failing}")
    if wanted.blast_radius:
        reached = {str(name) for name in told.get("blast_radius", ())}
        both = len(reached & {*wanted.blast_radius}) / len(reached | {*wanted.blast_radius})
        yield Check("radius", both >= ALIKE, f"reached {_list(sorted(reached))}, wanted {_list(wanted.blast_radius)}")


def _among(ids: Iterable[str], wanted: Iterable[str]) -> bool:
    return any(a == b or (len(a) >= SHORT and b.startswith(a)) for a in ids for b in wanted)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "nobody"


def _span(span: object) -> str:
    start, end = getattr(span, "start", None), getattr(span, "end", None)
    return f"{start.isoformat()} to {end.isoformat()}" if start and end else str(span or "none").lower()
