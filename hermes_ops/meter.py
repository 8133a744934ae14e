"""Counters and latency histograms of this process, and how Prometheus reads them (text format 0.0.4).

It counts what events and the service tell, in memory, from the process's start; nothing is stored. What a figure means
stands in docs/DEPLOY.md. Labels are names of ours, of models and of tools: never of persons or chats.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping

from orchestrator.contracts import Event

SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
PREFIX = "hermes_ops_"
Labels = tuple[tuple[str, str], ...]
Sample = tuple[str, Mapping[str, str], float]  # name, labels, value

HELP = {
    "questions_total": "Questions answered, by how they ended.",
    "question_seconds": "From a question's begin to its answer.",
    "model_calls_total": "Calls of models.",
    "model_seconds": "Of one call of a model.",
    "tokens_total": "Tokens of models, by kind: prompt, cached (of prompt), completion.",
    "tool_calls_total": "Calls of tools, by status.",
    "tool_seconds": "Of one call of a tool.",
    "fallbacks_total": "Questions that no model could answer, so that playbooks did.",
    "hooks_received_total": "Deliveries of web hooks that were taken.",
    "hooks_refused_total": "Deliveries of web hooks that were refused.",
    "first_looks_total": "Alert groups: looked (a card and a question), storm (one for many), rested, capped.",
    "inbox_running": "Questions and commands being worked on here.",
    "inbox_waiting": "Questions that wait, of all processes.",
    "outbox_waiting": "Messages that this process has to deliver.",
    "schedules": "Schedules that are set.",
    "channel_up": "Whether messages come in by a channel.",
    "source_up": "Whether a source answered when it was last asked; absent until then.",
    "build_info": "The version that runs.",
    "start_time_seconds": "When the process began, in seconds since 1970.",
}


class Meter:
    """For one event loop."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, Labels]] = Counter()
        self._spread: dict[tuple[str, Labels], list[int]] = {}
        self._sums: dict[tuple[str, Labels], float] = {}

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        self.counts[name, _key(labels)] += by

    def observe(self, name: str, seconds: float, **labels: str) -> None:
        key = (name, _key(labels))
        self._spread.setdefault(key, [0] * (len(SECONDS) + 1))[bisect_left(SECONDS, seconds)] += 1
        self._sums[key] = self._sums.get(key, 0.0) + seconds

    def listener(self, known: Mapping[str, Container[int]]) -> Callable[[Event], None]:
        """What is to be called with each event of one run; those of `known` were counted when they happened."""
        return lambda event: None if event.n in known.get(event.path, ()) else self._event(event)

    def _event(self, e: Event) -> None:
        if e.kind == "model":
            model, usage = str(e.body.get("model", "")), e.body.get("usage") or {}
            self.count("model_calls_total", model=model)
            self.observe("model_seconds", float(e.body.get("ms") or 0) / 1000, model=model)
            for kind in ("prompt", "cached", "completion"):
                self.count("tokens_total", int(usage.get(f"{kind}_tokens") or 0), model=model, kind=kind)
        elif e.kind == "tool":
            tool = str(e.body.get("tool", ""))
            self.count("tool_calls_total", tool=tool, status=str(e.body.get("status", "")))
            self.observe("tool_seconds", float(e.body.get("ms") or 0) / 1000, tool=tool)
        elif e.kind == "fallback":
            self.count("fallbacks_total")

    def text(self, more: Iterable[Sample]) -> str:
        """All of it and `more`, which is what others know just now."""
        found: dict[str, list[str]] = {}
        for (name, labels), value in sorted(self.counts.items()):
            found.setdefault(name, []).append(_line(name, labels, value))
        for name, given, sampled in more:
            found.setdefault(name, []).append(_line(name, _key(given), sampled))
        for (name, labels), spread in sorted(self._spread.items()):
            found.setdefault(name, []).extend(_buckets(name, labels, spread, self._sums[name, labels]))
        lines = []
        for name, samples in found.items():
            kind = "counter" if name.endswith("_total") else "histogram" if name in _HISTOGRAMS else "gauge"
            lines += [f"# HELP {PREFIX}{name} {HELP[name]}", f"# TYPE {PREFIX}{name} {kind}", *samples]
        return "\n".join([*lines, ""])


_HISTOGRAMS = frozenset({"question_seconds", "model_seconds", "tool_seconds"})


def _buckets(name: str, labels: Labels, spread: list[int], total: float) -> list[str]:
    lines, so_far = [], 0
    for bound, n in zip([*map(str, SECONDS), "+Inf"], spread, strict=True):
        so_far += n
        lines.append(_line(f"{name}_bucket", (*labels, ("le", bound)), so_far))
    return [*lines, _line(f"{name}_sum", labels, round(total, 6)), _line(f"{name}_count", labels, so_far)]


def _line(name: str, labels: Labels, value: float) -> str:
    inner = ",".join(f'{k}="{_escaped(v)}"' for k, v in labels)
    number = int(value) if float(value).is_integer() else value
    return f"{PREFIX}{name}{{{inner}}} {number}" if inner else f"{PREFIX}{name} {number}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _key(labels: Mapping[str, str]) -> Labels:
    return tuple(sorted(labels.items()))
