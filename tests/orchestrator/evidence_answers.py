"""Makes answers about random evidence: right ones, and the same with one figure made wrong. Shares nothing with the
checker: numbers are put into words here by their own rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from orchestrator.contracts import Evidence, Figure, ToolResult, Window
from tests.orchestrator.evidence_words import CN, counts, megabytes, millis, percent

NAMES = """checkout payment catalog search cart shipping user-profile auth-gateway ledger inventory mailer recommender
pricing order-api web-front risk-engine""".split()  # noqa: SIM905
ALERTS = "HighErrorRate PodRestarting DiskAlmostFull SlowResponses QueueBacklog CertExpiring TargetDown".split()  # noqa: SIM905
SHIFT = timedelta(hours=8)


@dataclass(frozen=True)
class Shown:
    """One figure as it stands in an answer: `say(value)` words it, `others` are the true values under other labels."""

    value: float
    say: Callable[[float], str]
    unit: str = ""
    others: tuple[float, ...] = ()

    def __str__(self) -> str:
        return self.say(self.value)


@dataclass
class World:
    rng: random.Random
    services: list[str]
    errors: dict[str, int]
    requests: dict[str, int]
    codes: dict[str, int]
    hours: dict[datetime, int]
    p99: dict[str, int]
    p95: dict[str, int]
    memory: dict[str, int]
    available: dict[str, float]
    fired: dict[str, int]
    yesterday: dict[str, int]
    begin: datetime
    end: datetime
    deploy: datetime
    version: str
    sha: str
    ticket: str
    window: Window
    evidence: tuple[Evidence, ...]


def world(seed: int) -> World:
    rng = random.Random(seed)
    services = rng.sample(NAMES, 4)
    day = datetime(2026, rng.randint(1, 12), rng.randint(1, 28), tzinfo=UTC)
    start = day + timedelta(hours=rng.randint(1, 16))
    begin = start + timedelta(hours=1, minutes=rng.randint(1, 59), seconds=rng.randint(0, 59))
    end = begin + timedelta(minutes=rng.randint(11, 170), seconds=rng.randint(0, 59))
    w = World(
        rng=rng,
        services=services,
        errors=dict(zip(services, rng.sample(range(40, rng.choice((900, 9_000, 90_000))), 4), strict=True)),
        requests=dict(zip(services, rng.sample(range(100_000, 900_000), 4), strict=True)),
        codes={},
        hours=dict(zip([start + timedelta(hours=i) for i in range(6)], rng.sample(range(10, 700), 6), strict=True)),
        p99=dict(zip(services, rng.sample(range(120, 4800), 4), strict=True)),
        p95=dict(zip(services, rng.sample(range(50, 900), 4), strict=True)),
        memory=dict(zip(services, rng.sample(range(200, 8000), 4), strict=True)),
        available={s: round(100 - rng.uniform(0.02, 9), 3) for s in services},
        fired=dict(zip(rng.sample(ALERTS, 3), rng.sample(range(2, 40), 3), strict=True)),
        yesterday=dict(zip(services, rng.sample(range(11, 900), 4), strict=True)),
        begin=begin,
        end=end,
        deploy=begin - timedelta(minutes=rng.randint(1, 30), seconds=rng.randint(0, 59)),
        version=f"{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 20)}",
        sha="".join(rng.choices("0123456789abcdef", k=12)) + "a1",
        ticket=f"CHG-{rng.randint(100, 9999)}",
        window=Window(start, start + timedelta(hours=6), rng.choice(("UTC", "Asia/Shanghai")), "昨天", ""),
        evidence=(),
    )
    first = w.errors[services[0]]
    part = rng.randint(first // 3 + 1, first - 5)
    w.codes = {"502": part, "503": first - part}
    w.evidence = _evidence(w)
    return w


def _evidence(w: World) -> tuple[Evidence, ...]:
    s0 = w.services[0]
    by_service = [Figure("errors", n, "", {"service": s}) for s, n in w.errors.items()]
    by_code = [Figure("errors", n, "", {"service": s0, "code": c}) for c, n in w.codes.items()]
    by_hour = [Figure("errors_by_hour", n, "", {"hour": h.isoformat()}) for h, n in w.hours.items()]
    slow = [Figure("latency_p99", n, "ms", {"service": s}) for s, n in w.p99.items()]
    slow += [Figure("latency_p95", n, "ms", {"service": s}) for s, n in w.p95.items()]
    memory = [Figure("memory", n, "MB", {"service": s}) for s, n in w.memory.items()]
    traffic = [Figure("requests", n, "", {"service": s}) for s, n in w.requests.items()]
    diff = "- max: 50\n+ max: 10"
    return (
        _one("L1", "logs", (Figure("errors", sum(w.errors.values())), *by_service, *by_code, *traffic), total=3412),
        _one("L2", "logs", by_hour),
        _one("L3", "logs", [Figure("errors", n, "", {"service": s}) for s, n in w.yesterday.items()]),
        _one("A1", "alerts", [Figure("alerts", n, "", {"alertname": a}) for a, n in w.fired.items()],
             f"HighErrorRate {w.begin.isoformat()} – {w.end.isoformat()}"),
        _one("A2", "alerts", [Figure("availability", v, "%", {"service": s}) for s, v in w.available.items()]),
        _one("A3", "alerts", (*slow, *memory)),
        _one("C1", "changes", (), f"{w.deploy.isoformat()} deploy {s0} {w.version} sha {w.sha} {w.ticket}\n{diff}"),
    )  # fmt: skip


def _one(id: str, agent: str, figures: Iterable[Figure], text: str = "", total: int | None = None) -> Evidence:
    held = tuple(figures)
    lines = "\n".join(f"{f.name} {dict(f.labels)} {f.value}{f.unit}" for f in held)
    return Evidence(id, agent, "count", {}, ToolResult("ok", f"{text}\n{lines}", figures=held, total=total))


Part = str | Shown
Template = Callable[[World], list[Part]]


def _other(values: Mapping[Any, float], key: object) -> tuple[float, ...]:
    return tuple(v for k, v in values.items() if k != key)


def _count(w: World, zh: bool, table: dict[str, int], key: str) -> Shown:
    return Shown(table[key], counts(w.rng, zh), "", _other(table, key))


def clock(w: World, at: datetime, seconds: bool = False) -> str:
    local = at + SHIFT if w.window.zone != "UTC" else at
    return f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"


def minutes(w: World) -> float:
    def floor(at: datetime) -> datetime:
        return at.replace(second=0)

    return (floor(w.end) - floor(w.begin)).total_seconds() / 60


def _zh(w: World) -> list[list[Part]]:
    a, b, c, _ = w.services
    r, n = w.rng, partial(_count, w, True)
    alert = r.choice(list(w.fired))
    hour = r.choice(list(w.hours))
    share = Shown(100 * w.codes["502"] / w.errors[a], percent(r, True), "%")
    rise = max(w.errors[b], w.yesterday[b]) / min(w.errors[b], w.yesterday[b])
    return [
        [f"{clock(w, w.begin)} 之后，{a} 报错 ", n(w.errors, a), " 次 [L1]。"],
        [f"{a} 有 ", n(w.errors, a), f" 个错误，{b} 有 ", n(w.errors, b), " 个错误 [L1]。"],
        ["共 ", n({"": sum(w.errors.values())}, ""), " 次报错，其中 ", f"{b} 占 ", n(w.errors, b), " 次【L1】。"],
        [f"{a} 和 {b} 的错误数分别为 ", n(w.errors, a), " 和 ", n(w.errors, b), " [L1]。"],
        [f"{a} 的 502 有 ", n(w.codes, "502"), " 次，503 有 ", n(w.codes, "503"), " 次 [L1]。"],
        [f"{a} 报错 ", n(w.errors, a), " 次，其中 502 有 ", n(w.codes, "502"), " 次，占 ", share, " [L1]。"],
        [f"{clock(w, hour)} 这一小时有 ", Shown(w.hours[hour], counts(r, True), "", _other(w.hours, hour)),
         " 次错误 [L2]。"],
        [f"告警 {alert} 触发了 ", n(w.fired, alert), " 次 [A1]。"],
        [f"{b} 的可用性为 ", Shown(w.available[b], percent(r, True), "%", _other(w.available, b)), " (A2)。"],
        [f"{c} 的 p99 延迟为 ", Shown(w.p99[c], millis(r, True), "ms", _other(w.p99, c)), "，p95 为 ",
         Shown(w.p95[c], millis(r, True), "ms", _other(w.p95, c)), " [A3]。"],
        [f"{b} 内存用到 ", Shown(w.memory[b], megabytes(r, True), "MB", _other(w.memory, b)), " [A3]。"],
        [f"\n1. {clock(w, w.begin)} 开始，{clock(w, w.end)} 恢复，持续 ",
         Shown(minutes(w), lambda v: f"{v:.0f} 分钟", "min"), " [A1]。"],
        [f"由于 {a} {w.version}（{w.sha[:7]}，{w.ticket}）在 {clock(w, w.deploy, True)} 上线，",
         f"{a} 报错 ", n(w.errors, a), " 次 [C1, L1]。"],
        [f"今天 {b} 报错 ", n(w.errors, b), " 次 [L1]，昨天 ", n(w.yesterday, b), " 次 [L3]，相差 ",
         Shown(rise, lambda v: f"{v:.1f} 倍", "x"), "。"],
        [f"{a} 连接池由 ", "50 改到 10 [C1]，变更单 ", f"{w.ticket}；{a} 收到 ", n(w.requests, a), " 个请求 [L1]。"],
        ["\n| 服务 | 错误数 | 请求数 |\n|---|---|---|\n", f"| {a} | ", n(w.errors, a), " | ", n(w.requests, a), " |\n",
         f"| {b} | ", n(w.errors, b), " | ", n(w.requests, b), " |\n\n以上见 [L1]。"],
        [f"\n- {b} v{w.version}：错误 ", n(w.errors, b), " 次，HTTP 503 未见增多 [L1]\n"],
        [f"{c} 错误 ", n(w.errors, c), " 次（请求 ", n(w.requests, c), " 次，错误率 ",
         Shown(100 * w.errors[c] / w.requests[c], lambda v: f"{v:.2f}%", "%"), "）[L1]。"],
    ]  # fmt: skip


def _en(w: World) -> list[list[Part]]:
    a, b, c, _ = w.services
    r, n = w.rng, partial(_count, w, False)
    alert = r.choice(list(w.fired))
    hour = r.choice(list(w.hours))
    share = Shown(100 * w.codes["502"] / w.errors[a], percent(r, False), "%")
    ratio = max(w.errors[b], w.yesterday[b]) / min(w.errors[b], w.yesterday[b])
    return [
        [f"After {clock(w, w.begin)}, {a} had ", n(w.errors, a), " errors [L1]. "],
        [n(w.errors, a), f" errors in {a} and ", n(w.errors, b), f" in {b} [L1]. "],
        [f"{a} logged ", n(w.errors, a), f" errors, {b} ", n(w.errors, b), " and ", f"{c} ", n(w.errors, c), " [L1]. "],
        [f"{a} and {b} saw ", n(w.errors, a), " and ", n(w.errors, b), " errors respectively [L1]. "],
        ["Of the ", n(w.errors, a), f" errors in {a}, ", n(w.codes, "502"), " were 502s (", share, ") [L1]. "],
        [f"Between {clock(w, hour)} and {clock(w, hour + timedelta(hours=1))} there were ",
         Shown(w.hours[hour], counts(r, False), "", _other(w.hours, hour)), " errors [L2]. "],
        [f"{alert} fired ", n(w.fired, alert), " times [A1]. "],
        [f"The availability of {b} was ", Shown(w.available[b], percent(r, False), "%", _other(w.available, b)),
         " (A2). "],
        [f"p99 latency of {c} reached ", Shown(w.p99[c], millis(r, False), "ms", _other(w.p99, c)), " [A3]. "],
        [f"{b} used ", Shown(w.memory[b], megabytes(r, False), "MB", _other(w.memory, b)), " of memory [A3]. "],
        [f"It began at {clock(w, w.begin)} and ended at {clock(w, w.end)}, so it lasted ",
         Shown(minutes(w), lambda v: f"{v:.0f} minutes", "min"), " [A1]. "],
        [f"The errors were caused by {a} {w.version} (commit {w.sha[:8]}, #487), ",
         f"deployed at {clock(w, w.deploy)} [C1]; {a} had ", n(w.errors, a), " errors [L1]. "],
        [f"{b} had ", n(w.errors, b), " errors today [L1] against ", n(w.yesterday, b), " yesterday [L3], a factor of ",
         Shown(ratio, lambda v: f"{v:.1f}x", "x"), ". "],
        ["\n\n| service | errors | p99 (ms) |\n|---|---|---|\n", f"| {a} | ", n(w.errors, a), " | ",
         Shown(w.p99[a], lambda v: f"{v:.0f}", "", _other(w.p99, a)), " |\n", f"| {b} | ", n(w.errors, b), " | ",
         Shown(w.p99[b], lambda v: f"{v:.0f}", "", _other(w.p99, b)), " |\n\nSee [L1, A3]. "],
        [f"\n- {b} ({w.version}): ", n(w.errors, b), " errors, top 3 patterns unchanged [L1]\n"],
        [f"\n2. {w.window.start:%Y-%m-%d}: the pool went from 50 to 10 [C1], ",
         f"and {a} served ", n(w.requests, a), " requests [L1].\n"],
        ["About ", Shown(sum(w.errors.values()), _two_digits, ""), " errors in total [L1]. "],
    ]  # fmt: skip


def _two_digits(v: float) -> str:
    return f"{float(f'{v:.2g}'):,.0f}"


def answer(w: World, zh: bool) -> list[Part]:
    """Two to four right statements, as parts."""
    made = _zh(w) if zh else _en(w)
    return [part for sentence in w.rng.sample(made, w.rng.randint(2, 4)) for part in sentence]


def text(parts: list[Part]) -> str:
    return "".join(map(str, parts))


def mutate(rng: random.Random, parts: list[Part]) -> tuple[str, str]:
    """The text with one figure made wrong, and how: digit | scale | unit | swap."""
    places = [i for i, p in enumerate(parts) if isinstance(p, Shown)]
    i = rng.choice(places)
    shown = parts[i]
    assert isinstance(shown, Shown)
    kinds = ["digit", "scale"] + ["unit"] * (shown.unit in ("ms", "MB", "min")) + ["swap"] * bool(shown.others)
    for _ in range(50):
        kind = rng.choice(kinds)
        wrong = _wrong(rng, shown, kind)
        if wrong != str(shown):
            return text([*parts[:i], wrong, *parts[i + 1 :]]), kind
    raise AssertionError("no mutation changes this figure")


_SWAPPED = {"ms": ("s", "min"), "毫秒": ("秒", "分钟"), "milliseconds": ("seconds",), " s": (" ms", " min"),
            "MB": ("GB", "KB"), "GB": ("MB", "TB"), "分钟": ("小时", "秒"), "minutes": ("hours",)}  # fmt: skip


def _wrong(rng: random.Random, shown: Shown, kind: str) -> str:
    if kind == "swap":
        return shown.say(rng.choice(shown.others))
    if kind == "scale":
        return shown.say(shown.value * rng.choice((10, 0.1, 100)))
    said = str(shown)
    if kind == "unit":
        old, new = next((k, v) for k, v in _SWAPPED.items() if said.endswith(k))
        return said.removesuffix(old) + rng.choice(new)
    places = [i for i, c in enumerate(said) if c in "0123456789０１２３４５６７８９" + CN[1:]]
    i = rng.choice(places)
    row = next(r for r in ("0123456789", "０１２３４５６７８９", CN[1:]) if said[i] in r)
    return said[:i] + rng.choice([c for c in row if c != said[i]]) + said[i + 1 :]
