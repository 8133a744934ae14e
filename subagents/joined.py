"""The answer that rules put together from the findings of all sub-agents: what was asked, then details, then gaps.

It knows conventions of the tools' data (`onset`, `elsewhere`, `incidents`), not what any domain is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from orchestrator.agent import Agent, Turn
from orchestrator.consult import told
from orchestrator.contracts import Findings, Json
from subagents.gaps import unread
from subagents.plain.answers import Plain, plainly
from subagents.plain.seen import FRESH
from subagents.saying import NAMES

NO_MODEL_ZH = "（未使用语言模型：以上由规则从数据得出。）"
NO_MODEL_EN = "(No language model was used: rules made this from the data.)"


def compose(turn: Turn, agents: Sequence[Agent]) -> str:
    """A plain question's answer leads. A summary's first paragraph is its head; the head of what concludes leads,
    unless it is about another time than was asked for."""
    found = [f for t in turn.taken for f in told(t.result.data)]
    last = {a.name for a in agents if a.after}
    found.sort(key=lambda f: f.agent not in last)
    good = [f for f in found if f.status != "failed" and f.summary.strip()]
    plain = plainly(turn, good, any(f.unreachable or f.status == "failed" or unread(f.gaps) for f in found))
    heads, details = _paragraphs(good, turn, plain, last)
    heads = [*_read_as(turn), *heads[:1], *_ended(turn), *heads[1:]]
    parts = ["\n".join(heads)] if heads else []
    parts += [_missing(f, agents, turn.ctx.lang) for f in found if f.unreachable or f.status == "failed"]
    parts += [t.result.text for t in turn.taken if t.result.status in ("error", "denied") and not told(t.result.data)]
    parts += [text.strip() for text in details if text.strip()]
    gaps = _gaps(found, agents, turn.ctx.lang, "\n".join(parts))
    return "\n\n".join([*parts, *gaps, NO_MODEL_ZH if turn.ctx.lang == "zh" else NO_MODEL_EN])


def _paragraphs(good: Sequence[Findings], turn: Turn, plain: Plain, last: set[str]) -> tuple[list[str], list[str]]:
    """What a person reads first, line by line, and what stands below."""
    if plain.alone and not plain.aside:
        why = [f.summary.strip().partition("\n\n") for f in good if plain.why and f.agent in last]
        lead, below = [p[0] for p in why], [p[2] for p in why]
        return [*lead, *plain.lines, *(_several(good, turn) if plain.several else ())], below
    split = [f.summary.strip().partition("\n\n") for f in good]
    heads, details = [p[0] for p in split], [p[2] for p in split]
    asides = [i for i, f in enumerate(good) if any(d.get("elsewhere") for _, d in _told_by(f))]
    first = ""
    if asides and all(f.onset is None or i in asides for i, f in enumerate(good)):
        for i in asides:  # by the convention of `elsewhere`, the first line of a head tells it
            line, _, heads[i] = heads[i].partition("\n")
            first, details[i] = (first, f"{line}\n{details[i]}") if first else (line, details[i])
    if plain.alone:
        return list(filter(None, [*plain.lines, first])), []
    rest = [*heads[:1], *_signs(good, turn), *_several(good, turn), *heads[1:]]
    late = plain.lines or not any(f.agent in last for f in good)  # nobody concluded from what lies at another time
    lines = [*plain.lines, *rest, first] if late else [first, *rest]
    return list(filter(None, lines)), details


def _read_as(turn: Turn) -> list[str]:
    """That a service was taken for another, by one letter: it must not pass unseen."""
    found = re.findall(r"no service '([^']+)': read as (\S+?)(?:;|$)", turn.ctx.scope.why)
    if turn.ctx.lang == "zh":
        return [f"没有名为 `{word}` 的服务，按 {name} 回答。" for word, name in found]
    return [f"No service is called `{word}`; this is about {name}." for word, name in found]


def _ended(turn: Turn) -> list[str]:
    """That the data ended well before the question was asked, where it is about the time up to now."""
    asked, last, span = turn.ctx.question.at, turn.ctx.now, turn.ctx.window
    if span is None or asked - last <= FRESH or abs(span.end - last) > FRESH:  # data missing in a window is a gap
        return []
    end = _clock(span.end, turn)
    if turn.ctx.lang == "zh":
        return [f"数据到 {end} 为止，此后到提问时没有数据，情况不知道。"]
    return [f"The data end at {end}, well before this was asked: what came after isn't known."]


def _gaps(found: Sequence[Findings], agents: Sequence[Agent], lang: str, text: str) -> list[str]:
    """What is missing; each with the evidence that says so, where `text` doesn't cite that of all."""
    say = {a.name: a.wording or (lambda gap, _: gap) for a in agents}
    gaps = dict[str, list[str]]()
    for of, gap in [(f, gap) for f in found for gap in f.gaps]:
        gaps.setdefault(say[of.agent](gap, lang), [e.id for e in of.evidence if gap in e.result.gaps])
    open_ = any(ids and not any(f"[{i}]" in text for i in ids) for ids in gaps.values())
    rows = [f"{gap} [{ids[0]}]" if open_ and ids else gap for gap, ids in gaps.items()]
    zh = lang == "zh"
    return [("数据缺口：" if zh else "Gaps: ") + ("；" if zh else "; ").join(rows)] if rows else []


def _told_by(found: Findings) -> list[tuple[str, Json]]:
    """What its tools left for code, by evidence id."""
    return [(e.id, e.result.data) for e in found.evidence if isinstance(e.result.data, dict)]


def _signs(found: Sequence[Findings], turn: Turn) -> list[str]:
    """Who saw the trouble first, where two saw it begin at different times."""
    told_at = [(d["onset"], f, i) for f in found for i, d in _told_by(f) if d.get("onset")]
    rows = sorted({f.agent: (f.onset, f.agent, i) for at, f, i in told_at[::-1] if _at(at) == f.onset}.values())
    zh = turn.ctx.lang == "zh"
    said = [f"{NAMES.get(who, who) if zh else who} {_clock(at, turn)} [{i}]" for at, who, i in rows if at]
    if len({at for at, _, _ in rows}) < 2:
        return []
    return [f"最早的信号：{'，其次'.join(said)}。" if zh else f"Earliest sign: {', then '.join(said)}."]


def _several(found: Sequence[Findings], turn: Turn) -> list[str]:
    """That there seem to be several incidents in one window, by onset and services."""
    told_of = [(d.get("incidents") or [], i) for f in found for i, d in _told_by(f)]
    rows, i = max(told_of, key=lambda row: len(row[0]), default=([], ""))
    said = "; ".join(f"{_clock(_at(r['onset']), turn)} {', '.join(r['services'][:4])}" for r in rows)
    n, zh = len(rows), turn.ctx.lang == "zh"
    return [f"似乎有 {n} 起问题（{said}）[{i}]。" if zh else f"There seem to be {n} incidents: {said} [{i}]."] * (n > 1)


_at = datetime.fromisoformat


def _clock(at: datetime, turn: Turn) -> str:
    """In the asker's zone; with the date where it isn't that of the window's first day."""
    zone = ZoneInfo(turn.ctx.window.zone if turn.ctx.window else turn.ctx.question.zone)
    local, first = at.astimezone(zone), (turn.ctx.window.start if turn.ctx.window else at).astimezone(zone)
    return f"{local:%m-%d} " * (local.date() != first.date()) + f"{local:%H:%M:%S}".removesuffix(":00")


def _missing(found: Findings, agents: Sequence[Agent], lang: str) -> str:
    """Each trouble once, whichever of its tools met it."""
    agent = next(a for a in agents if a.name == found.agent)
    split = [(row, *row.split(": ", 1)) for row in found.unreachable]
    rows = [rest[1] if len(rest) == 2 and rest[0] in agent.by_name else row for row, *rest in split]
    said = dict.fromkeys(agent.wording(row, lang) if agent.wording else row for row in rows)
    if lang == "zh":
        return f"无法完整查询 {found.agent}：{'；'.join(said) or found.stopped or found.status}"
    return f"{found.agent} could not be fully asked: {'; '.join(said) or found.stopped or found.status}"
