"""The tools for what monitoring itself looks at, as it is now: alert rules, and scrape targets that don't answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from orchestrator.contracts import Figure, Json, ToolResult, Window
from orchestrator.ports import Context
from orchestrator.tool import tool
from subagents.asking import ask_all, services_of
from subagents.saying import short
from subagents.watched import Rule, Target, WatchSource

ROWS = 30
MOMENT = timedelta(minutes=1)


class WatchTools:
    def __init__(self, watched: Sequence[WatchSource]) -> None:
        self.watched = watched

    @tool(permission="alerts.read", timeout=30)
    async def alert_rules(self, ctx: Context, names: tuple[str, ...] = ()) -> ToolResult:
        """Alert rules as they are set up now: name, state, severity, condition, and those that can't be evaluated. For
        "is there a rule for X". Not for what fired (list_alerts).

        Args:
            names: Words that a rule's name, condition or service must hold one of; empty: all.
        """
        found = await ask_all(self.watched, "alert rules", lambda s: s.rules())
        words = [name.lower() for name in names]
        rows = [r for r in found.rows if not words or any(w in _words(r) for w in words)]
        rows.sort(key=lambda r: (not r.trouble, r.state != "firing", r.state != "pending", r.name))
        text = [f"{len(rows)} of {len(found.rows)} alert rules" + (f" hold {', '.join(names)}" if names else "")]
        text += [_rule(r) for r in rows[:ROWS]]
        data: Json = {"rules": [_rule_json(r) for r in rows[:ROWS]], "n": len(rows), "all": len(found.rows)}
        data["names"] = list(names)
        failing = sum(1 for r in rows if r.trouble)
        figures = [
            Figure("rules", len(rows)),
            Figure("rules in all", len(found.rows)),
            Figure("failing rules", failing),
        ]
        return found.result("\n".join(text), _now(ctx), data, figures, min(len(rows), ROWS), len(rows))

    @tool(permission="alerts.read", timeout=30)
    async def scrape_targets(self, ctx: Context, services: tuple[str, ...] = ()) -> ToolResult:
        """What is scraped now: how many targets answer, and which don't, with why. For "which targets are down".

        Args:
            services: Empty: those in question.
        """
        asked = services_of(ctx, services)
        found = await ask_all(self.watched, "scrape targets", lambda s: s.targets())
        rows = [t for t in found.rows if not asked or t.service in asked or t.job in asked]
        down = [t for t in rows if not t.up]
        text = [f"{len(rows) - len(down)} of {len(rows)} scrape targets answer"]
        text += [f"down: {t.address} {t.service or t.job}: {short(t.trouble)}" for t in down[:ROWS]]
        data: Json = {"down": [_target_json(t) for t in down[:ROWS]], "n": len(rows), "failed": len(down)}
        data["asked"] = list(asked)
        figures = [Figure("targets", len(rows)), Figure("targets down", len(down))]
        figures.append(Figure("targets that answer", len(rows) - len(down)))
        return found.result("\n".join(text), _now(ctx), data, figures, len(down[:ROWS]), len(rows))


def _now(ctx: Context) -> Window:
    return Window(ctx.now - MOMENT, ctx.now, ctx.window.zone if ctx.window else ctx.question.zone)


def _words(r: Rule) -> str:
    return " ".join((r.name, r.query, r.service)).lower()


def _rule(r: Rule) -> str:
    wait = f" for {r.wait:g} s" if r.wait else ""
    said = f"{r.name} {r.service} {r.severity or '?'} {r.state}: {short(r.query)}{wait}"
    return f"{said} (can't be evaluated: {short(r.trouble)})" if r.trouble else said


def _rule_json(r: Rule) -> Json:
    about = {"name": r.name, "service": r.service, "severity": r.severity, "state": r.state}
    return {**about, "query": short(r.query), "wait": r.wait, "trouble": short(r.trouble)}


def _target_json(t: Target) -> Json:
    return {"address": t.address, "service": t.service or t.job, "trouble": short(t.trouble)}
