"""How slow it was: the latency that metrics or spans measured, since when, before anything else. Pure.

Errors are no measure of slowness: where no metric and no span measured it, that is said first.
"""

from __future__ import annotations

import re
from datetime import datetime

from orchestrator.contracts import Json
from subagents.alerts import metered, quantiles
from subagents.plain import state
from subagents.plain.seen import Seen
from subagents.plain.words import Verdict, opened, stop
from subagents.saying import at

MOST = 3
SLOW = re.compile(r"慢|延迟|耗时|\b(?:slow\w*|latency)\b", re.IGNORECASE)
_STILL = re.compile(r"还|仍|\bstill\b", re.IGNORECASE)
_LIMIT = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|毫秒|milliseconds?|s\b|秒|seconds?)", re.IGNORECASE)
_MILLI = 1000.0
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def slow(seen: Seen) -> list[str]:
    """Yes or no where that is asked, then the figures; beside a cause the figures alone."""
    lines = figures(seen)
    if seen.ranking is not None:
        return [*lines, *state.shown(seen)] if lines else []
    verdict = _verdict(seen) if asks(seen.text) else None
    if not lines:
        return [_unmeasured(seen), *state.shown(seen)] if _looked(seen) else []
    return opened(verdict, lines, seen.zh) if verdict else lines


def asks(text: str) -> bool:
    """Whether it is asked if something was slow, rather than how slow, or why."""
    return bool(
        re.search(r"[吗嘛]|慢不慢|有没有|是否|^(?:is|are|was|were|did|do|does|has|have)\b", text, re.IGNORECASE)
    )


def figures(seen: Seen) -> list[str]:
    """What was measured: percentiles where they are asked for, what moved, else what it was; then the slowest call."""
    said = _percentiles(seen)
    return [*(said or _series(seen)), *_spans(seen)]


def rows(seen: Seen) -> tuple[list[Json], str]:
    """Latencies of the asked services that left their level for the worse, the strongest first; else of the others that
    did; else how it was."""
    found = next(((d, c) for d, c, _ in seen.all_of("metric") if d.get("slow")), None)
    if found is None:
        return [], ""
    every, cite = found[0]["slow"], found[1]
    mine = [r for r in every if not seen.asked or r["service"] in seen.asked]
    wanted = _of_percentile(seen.text, mine)
    moved = sorted((r for r in wanted or mine if rose(r)), key=lambda r: -r["factor"])
    others = sorted((r for r in every if rose(r) and r not in mine), key=lambda r: -r["factor"]) if moved else []
    return (moved + others or wanted or mine or [r for r in every if rose(r)]), cite


def rose(row: Json) -> bool:
    """Whether it went up; a number that looks like somebody's telephone is masked, and tells nothing."""
    known = all(isinstance(row[key], int | float) for key in ("before", "during"))
    return known and row["onset"] is not None and not row["harmless"] and row["during"] > row["before"]


def _of_percentile(text: str, found: list[Json]) -> list[Json]:
    """Series that state the asked percentile themselves: `latency_p99_ms`, `…{quantile=0.99}`."""
    q = quantiles.asked(text).get("quantile")
    if q is None:
        return []
    digits = str(q).removeprefix("0.").ljust(2, "0")
    return [r for r in found if re.search(rf"p{digits}(?!\d)|quantile={q}(?!\d)", r["name"], re.IGNORECASE)]


def _percentiles(seen: Seen) -> list[str]:
    got = next(((d, c) for d, c, _ in seen.all_of("metric") if d.get("percentiles")), None)
    return quantiles.told(got[0], got[1], seen.zh) if got else []


def _series(seen: Seen) -> list[str]:
    found, cite = rows(seen)
    return [stop(_one(seen, r), cite, seen.zh) for r in found[:MOST]]


def _one(seen: Seen, r: Json) -> str:
    if r["onset"] is not None:
        return metered.one(r, seen.clock, seen.zh)
    peak = seen.clock.at(datetime.fromisoformat(r["peak"]))
    before, unit, zh = r["before"], r["unit"], seen.zh
    name = f"{r['service']} `{r['name']}`".strip()
    if zh:
        was = "" if before is None else f"（之前 {before}{unit}）"
        return f"{name} 没有升高：{seen.span} 一般 {r['during']}{unit}{was}，最高 {r['extreme']}{unit}（{peak}）"
    was = "" if before is None else f" (before: {before}{unit})"
    return (
        f"{name} didn't rise: usually {r['during']}{unit} in {seen.span}{was}, at most {r['extreme']}{unit} at {peak}"
    )


def _spans(seen: Seen) -> list[str]:
    got = seen.of("slow_spans")
    if got is None or not got[0]["spans"]:
        return []
    top, zh = max(got[0]["spans"], key=lambda s: s["ms"]), seen.zh
    failed = ("，失败" if zh else ", failed") if top["error"] else ""
    what = f"{top['service']} {top['name']} {top['ms']} ms{failed}"
    return [stop(f"最慢的调用：{what}" if zh else f"Slowest span: {what}", got[1], zh)]


def _verdict(seen: Seen) -> Verdict:
    found, _ = rows(seen)
    limit = _limit(seen.text)
    if limit is not None:
        return _over(seen, found, limit)
    if not found:
        return "unknown"
    if not any(map(rose, found)):
        return "no"
    going = [r for r in found if rose(r) and r["end"] is None]
    return "no" if _STILL.search(seen.text) and not going else "yes"


def _over(seen: Seen, found: list[Json], limit: float) -> Verdict:
    """Whether the asked percentile, or else the largest that was measured, went over a limit in seconds."""
    got = next((d for d, _, _ in seen.all_of("metric") if d.get("percentiles")), None)
    measured, value = (got["percentiles"], "value") if got else (found, "extreme")
    values = [(r[value], r["unit"]) for r in measured]
    known = [v / _PER_SECOND[unit] for v, unit in values if unit in _PER_SECOND and isinstance(v, int | float)]
    return ("yes" if max(known) > limit else "no") if known else "unknown"


def _limit(text: str) -> float | None:
    found = _LIMIT.search(text)
    if not found:
        return None
    small = found[2].casefold() in ("ms", "毫秒") or found[2].casefold().startswith("milli")
    return float(found[1]) / (_MILLI if small else 1.0)


def _looked(seen: Seen) -> bool:
    return seen.of("metric") is not None or seen.of("count_errors") is not None


def _unmeasured(seen: Seen) -> str:
    got = seen.of("metric") or seen.of("slow_spans") or seen.of("count_errors")
    of, zh = ("、" if seen.zh else ", ").join(seen.asked), seen.zh
    none = (
        f"{seen.span} 内没有{f' {of} ' if of else ''}延迟指标，也没有调用链的耗时，只能看错误和告警"
        if zh
        else f"no metric or span tells the latency{f' of {of}' if of else ''} in {seen.span}, only errors and alerts"
    )
    return opened("unknown", [stop(none, got[1] if got else "", zh)], zh)[0]


def began(seen: Seen) -> tuple[Json, str] | None:
    """The latency whose rise began first; None where none rose."""
    found, cite = rows(seen)
    up = sorted((r for r in found if rose(r)), key=lambda r: str(r["onset"]))
    return (up[0], cite) if up and at(up[0]["onset"]) else None
