"""Finished reports for tests of what shows them: a bad day, hostile names, a quiet or blind day, a week, a shift."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hermes_ops.report.model import (
    AlertHour,
    AlertRow,
    Alerts,
    Amount,
    Attention,
    Availability,
    CauseSaid,
    ChangeRow,
    Changes,
    Compared,
    DayLine,
    ErrorHour,
    Errors,
    Gap,
    Handover,
    Incident,
    Lang,
    OnCall,
    PatternRow,
    Proof,
    Prose,
    Report,
    Rule,
    ServiceErrors,
    Silence,
    Verdict,
    unknown,
)
from orchestrator.contracts import Window

START = datetime(2026, 11, 28, 16, tzinfo=UTC)  # midnight in Shanghai
DAY = Window(START, START + timedelta(days=1), "Asia/Shanghai", "昨天")
HOUR = timedelta(hours=1)
LONG = "AlertWhoseNameGoesOn" * 15  # 300 characters
HOSTILE = (
    "支付|网关",
    "<script>alert(1)</script>",
    "🔥checkout🔥",
    "a&b\"c'd",
    "**bold**_[x](http://y)`",
    "\u202eetalp",
)
NONE = Amount(0)


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def row(name: str, service: str, severity: str, hours: float, minutes: float | None, fired: int = 1) -> AlertRow:
    end = None if minutes is None else at(hours) + timedelta(minutes=minutes)
    firing = ((end or DAY.end) - at(hours)).total_seconds()
    return AlertRow(name, service, severity, fired, at(hours), end, firing, open=end is None)


ROWS = (
    replace(row("CheckoutHighErrorRate", "checkout", "critical", 22.08, 44.5), page=True, recurring=False),
    replace(row("PaymentHighErrorRate", "payment", "critical", 22.08, 44.5), page=True, recurring=False),
    replace(row("PaymentPoolExhausted", "payment", "warning", 22.07, 44), page=True, recurring=False),
    replace(row("CatalogSlow", "catalog", "warning", 11.02, 35), page=False, recurring=True),
    replace(row("InstanceDown", "inventory", "warning", 17.22, 12.5, 3), page=False, recurring=True, flapping=True),
    replace(row("DiskFilling", "inventory", "warning", 20.5, None), page=True, recurring=None),
)


def alerts(rows: tuple[AlertRow, ...] = ROWS) -> Alerts:
    by_service: dict[str, int] = {}
    by_severity: dict[str, int] = {}
    for r in rows:
        by_service[r.service] = by_service.get(r.service, 0) + r.fired
        by_severity[r.severity] = by_severity.get(r.severity, 0) + r.fired
    fired = Amount(sum(r.fired for r in rows))
    hours = tuple(AlertHour(at(h), {"critical": 2, "warning": 1} if h == 22 else {"warning": h % 2}) for h in range(24))
    return Alerts(
        fired,
        inhibited=Amount(1),
        silenced=NONE,
        carried=NONE,
        still_open=Amount(1),
        distinct=Amount(len(rows)),
        new=Amount(3),
        recurring=Amount(2),
        flapping=Amount(1),
        deserved=Amount(4),
        resolve_median=Amount(2640.0),
        resolve_p90=Amount(2670.0),
        by_severity=by_severity,
        by_service=by_service,
        hours=hours,
        rows=rows,
        longest=rows[0] if rows else None,
    )


def errors() -> Errors:
    spread = tuple(260 if h == 22 else h % 5 for h in range(24))
    hours = tuple(ErrorHour(at(h), n, None if h < 3 else 2) for h, n in enumerate(spread))
    found = (
        ServiceErrors("checkout", Amount(272), Amount(9), spread),
        ServiceErrors("payment", Amount(264, "approx", "只数了一部分"), Amount(0), spread),
        ServiceErrors("catalog", Amount(29), unknown("当时没有日志"), spread),
    )
    patterns = (
        PatternRow(
            "charge failed: timeout after <*> ms", "checkout", "error", 260, 0, True, at(22), "charge failed: …"
        ),
        PatternRow("upstream returned <*>", "checkout", "error", 12, 9, False, at(1), "upstream returned 502"),
    )
    like = Window(DAY.start - timedelta(days=7), DAY.end - timedelta(days=7), DAY.zone)
    return Errors(Amount(565, "approx"), Amount(9), found, hours, patterns, like)


def changes() -> Changes:
    rows = (
        ChangeRow("CHG-2041", "ticket", "catalog", at(11), "Reindex the catalog search", until=at(11.6)),
        ChangeRow("4929ab0", "deploy", "catalog", at(21.67), "catalog: cache rendered prices (#481)", "wei", "5.1.0"),
        ChangeRow("19bd9f4", "deploy", "payment", at(22.036), "payment: right-size the DB pool (#487)", "omar", "2.4.1",
                  near="payment@2026-11-29T14:03Z", lead=50.0, blamed=True),
    )  # fmt: skip
    return Changes(Amount(3), {"deploy": 2, "ticket": 1}, rows)


def incident() -> Incident:
    cause = CauseSaid(
        "change", "payment: right-size the DB pool (#487)", "19bd9f4", "payment", "2.4.1", "omar", at(22.036), 0.93
    )
    return Incident(
        "payment@2026-11-29T14:03Z",
        at(22.07),
        at(22.83),
        "critical",
        ("payment", "checkout"),
        ("PaymentPoolExhausted/payment", "CheckoutHighErrorRate/checkout", "PaymentHighErrorRate/payment"),
        cause,
        at(22.05),
        "payment",
        ("checkout",),
        (Proof("部署 50 秒后 payment 的错误率从 0 升到 32%", "requests by status payment"),),
        ("CHG-2041", "4929ab0"),
    )


def bad_day(lang: Lang = "zh") -> Report:
    rules = (Rule("incident", "bad", "1 起事故，涉及 payment、checkout"), Rule("budget", "bad", "checkout 预算已超支"))
    day_before = Window(DAY.start - timedelta(days=1), DAY.start, DAY.zone)
    week = Window(DAY.start - timedelta(days=7), DAY.end - timedelta(days=7), DAY.zone)
    return Report(
        "day",
        "shop",
        DAY,
        lang,
        DAY.end + 9 * HOUR,
        Verdict("bad", rules),
        alerts(),
        errors(),
        changes(),
        availability=(
            Availability("checkout", Amount(98.0734), Amount(14118), Amount(272), 99.9, Amount(-1826.6), DAY),
            Availability("payment", Amount(99.95, "approx"), Amount(13900), Amount(7), 99.9, Amount(50.0), DAY),
            Availability("inventory", unknown("没有请求计数"), unknown(""), unknown(""), 99.5, unknown(""), None),
        ),
        incidents=(incident(),),
        comparison=(
            Compared("day_before", day_before, Amount(2), Amount(31), {"checkout": 99.97}, like=False),
            Compared("week_before", week, Amount(1), Amount(9), {"checkout": 99.98}),
        ),
        attention=(
            Attention("open_alert", "DiskFilling (inventory) 从 12:30 起一直未恢复", "inventory"),
            Attention("budget", "checkout 的错误预算已超支", "checkout"),
        ),
        on_call=(OnCall("王伟", "ou_1", DAY.start, DAY.end),),
        gaps=(Gap("loki", "只返回了前 5,000 行", "errors"),),
        prose=Prose(("昨天有 1 起事故：payment 2.4.1 上线 50 秒后结算失败。", "checkout 可用性 98.0734%。")),
    )


def hostile() -> Report:
    """Names that break tables, markup and terminals; 400 services."""
    names = (*HOSTILE, *(f"service-{n:03}" for n in range(394)))
    rows = tuple(row(LONG if i == 1 else f"告警|{n}", n, "critical", i % 24, 5) for i, n in enumerate(names))
    found = tuple(ServiceErrors(n, Amount(400 - i), Amount(i)) for i, n in enumerate(names))
    slos = tuple(Availability(n, Amount(99.0), Amount(100), Amount(1), 99.9, Amount(-900.0), DAY) for n in names)
    patterns = (PatternRow("<b>|`x`|</b> \x1b[31m", HOSTILE[1], "error", 9, 0, True, None, "]]>\u202e|"),)
    whole = bad_day()
    cause = replace(whole.incidents[0].cause, title="| <img src=x> **x** 🔥", service=HOSTILE[1], author="a|b<c>")
    evil = replace(whole.incidents[0], services=HOSTILE, alerts=(f"{LONG}/{HOSTILE[0]}",), cause=cause)
    hours = tuple(AlertHour(at(h), {"critical": h, "严重|<x>": 1}) for h in range(24))
    return replace(
        whole,
        team="队|<伍>",
        alerts=replace(alerts(rows), hours=hours),
        errors=replace(whole.errors, rows=found, patterns=patterns),
        availability=slos,
        incidents=(evil,),
        changes=Changes(Amount(1), {"deploy": 1}, (replace(changes().rows[1], title="<a>|`b`|", author="x|y"),)),
        attention=tuple(Attention("open_alert", f"{n} 未恢复", n) for n in names),
    )


def quiet_day(lang: Lang = "zh") -> Report:
    """Nothing happened, and everything was looked at."""
    calm = replace(
        alerts(()),
        inhibited=NONE, still_open=NONE, new=NONE, recurring=NONE, flapping=NONE, deserved=NONE,
        resolve_median=unknown("没有恢复的告警"), resolve_p90=unknown("没有恢复的告警"),
        hours=tuple(AlertHour(at(h), {}) for h in range(24)),
    )  # fmt: skip
    none = Errors(NONE, NONE, hours=tuple(ErrorHour(at(h), 0, 0) for h in range(24)), like=errors().like)
    rules = (Rule("nothing", "quiet", "没有告警，没有错误"),)
    return Report(
        "day", "shop", DAY, lang, DAY.end + 9 * HOUR, Verdict("quiet", rules), calm, none, Changes(NONE),
        prose=Prose(("昨天平静：没有告警。",)),
    )  # fmt: skip


def blind_day() -> Report:
    """All sources were down: nothing is known."""
    why = "未能访问"
    no = unknown(why)
    blank = Alerts(no, no, no, no, no, no, no, no, no, no, no, no)
    gaps = tuple(Gap(s, why, w) for s, w in (("prometheus", "alerts"), ("loki", "errors"), ("git", "changes")))  # type: ignore[arg-type]
    none = Errors(no, no, why_not="无可比日", hours=tuple(ErrorHour(at(h), None) for h in range(24)))
    rules = (Rule("blind", "incomplete", "3 个数据源不可用"),)
    compared = (Compared("day_before", None, no, no, why_not="无可比日"),)
    return Report(
        "day", "shop", DAY, "zh", DAY.end + 9 * HOUR, Verdict("incomplete", rules), blank, none, Changes(no),
        comparison=compared, gaps=gaps, prose=Prose(("昨天的数据取不到。",)),
    )  # fmt: skip


def week() -> Report:
    days = tuple(
        DayLine(
            Window(START + timedelta(days=d - 6), START + timedelta(days=d - 5), DAY.zone),
            None if d == 2 else ("bad" if d == 6 else "quiet"),
            unknown("没有日报") if d == 2 else Amount(d),
            unknown("没有日报") if d == 2 else Amount(d * 10),
            unknown("没有日报") if d == 2 else Amount(int(d == 6)),
            missing=d == 2,
        )
        for d in range(7)
    )
    span = Window(days[0].window.start, DAY.end, DAY.zone, "上周")
    gaps = (Gap("reports", "11-25 的日报没有存下来", "comparison"),)
    return replace(bad_day(), kind="week", window=span, days=days, gaps=gaps)


def shift() -> Report:
    """A hand-over, 21:00 to 09:00."""
    span = Window(at(21), at(33), DAY.zone, "昨晚21:00到今早9:00")
    silences = (
        Silence("InstanceDown", "inventory", "王伟: 换盘", at(40)),
        Silence("CatalogSlow", "catalog", "ops", None),
    )
    flying = (replace(changes().rows[0], at=at(32), until=at(36)),)
    handed = Handover((ROWS[-1],), silences, flying, ("payment 2.4.2 回滚后是否稳定",))
    return replace(bad_day(), kind="shift", window=span, handover=handed, made_at=at(33))
