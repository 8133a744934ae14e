"""What the alerts agent says without a model of what monitoring looks at: rules and targets. Asked for by name only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.agent import Turn
from orchestrator.contracts import Json
from subagents.saying import taken

TARGETS = re.compile(
    r"\b(?:scraped?|prometheus) targets?\b|\b(?:all|any|which|what|how many) targets\b"
    r"|\btargets? (?:(?:is|are) )?(?:down|up)\b"
    r"|\bexporters?\b|抓取|采集(?:目标|端)",
    re.IGNORECASE,
)
RULES = re.compile(
    r"\b(?:alert(?:ing)?|prometheus) rules?\b|\brules? (?:for|about|on)\b|(?:告警|报警|监控)(?:的)?规则|有.{0,40}规则",
    re.I,
)
NAMED = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,}")
USUAL = re.compile(  # what such a question is made of, and no name
    r"what|which|when|where|alert(?:s|ing)?|rules?|there|exists?|have|about|with|this|that|prometheus|does|show|list|many"
    r"|fires?|firing|configured|defined|monitoring",
    re.IGNORECASE,
)
MOST = 8


def calls(turn: Turn) -> list[tuple[str, dict[str, Json]]]:
    """The calls of a question about what is watched; [] where it is about something else."""
    text, there = turn.ctx.question.text, turn.agent.by_name
    if "scrape_targets" in there and TARGETS.search(text):
        return [("scrape_targets", {})]
    if "alert_rules" in there and RULES.search(text):
        names = [w for w in NAMED.findall(text) if not USUAL.fullmatch(w)]
        return [("alert_rules", {"names": names[:4]})]
    return []


def told(turn: Turn) -> list[str]:
    return [*_targets(turn), *_rules(turn)]


def _targets(turn: Turn) -> Sequence[str]:
    got, zh = taken(turn, "scrape_targets"), turn.ctx.lang == "zh"
    if got is None:
        return []
    data, cite = got.result.data, f"[{got.id}]"
    n, failed = data["n"], data["failed"]
    if not n:
        return [f"没有抓取目标 {cite}。" if zh else f"There are no scrape targets {cite}."]
    if not failed:
        return [f"{n} 个抓取目标全部有应答 {cite}。" if zh else f"All {n} scrape targets answer {cite}."]
    head = (
        f"{n} 个抓取目标中有 {failed} 个没有应答 {cite}：" if zh else f"{failed} of {n} scrape targets are down {cite}:"
    )
    rows = [f"- {t['service']} `{t['address']}`: `{t['trouble']}`" for t in data["down"][:MOST]]
    return [head, *rows]


def _rules(turn: Turn) -> Sequence[str]:
    got, zh = taken(turn, "alert_rules"), turn.ctx.lang == "zh"
    if got is None:
        return []
    data, cite = got.result.data, f"[{got.id}]"
    names = ("、" if zh else ", ").join(data["names"])
    if not data["n"]:
        if zh:
            return [f"没有{f'名称或条件含 {names} 的' if names else ''}告警规则（共查 {data['all']} 条） {cite}。"]
        return [f"There is no alert rule{f' that holds {names}' if names else ''}, among {data['all']} {cite}."]
    head = f"有 {data['n']} 条告警规则 {cite}：" if zh else f"{data['n']} alert rule{'s' * (data['n'] > 1)} {cite}:"
    return [head, *(_one(r, zh) for r in data["rules"][:MOST])]


def _one(r: Json, zh: bool) -> str:
    about = ", ".join(filter(None, (r["service"], r["severity"], r["state"])))
    wait = (f"，持续 {r['wait']:g} 秒" if zh else f" for {r['wait']:g} s") if r["wait"] else ""
    wrong = (
        (f"，无法求值：`{r['trouble']}`" if zh else f", can't be evaluated: `{r['trouble']}`") if r["trouble"] else ""
    )
    return f"- {r['name']} ({about}): `{r['query']}`{wait}{wrong}"
