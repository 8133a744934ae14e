"""The cards, as JSON 2.0: one while work goes on, one for the answer. Pure functions; what fits is `fit`'s to say.

On a phone at night the first line is the verdict, a few lines follow it, the rest is in panels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from hermes_ops.channels.feishu import fit
from hermes_ops.channels.feishu.markdown import coded, count_tables, fenced, inline, plain, safe
from hermes_ops.channels.panelwords import status, worded
from hermes_ops.channels.words import say
from orchestrator import scope as scopes
from orchestrator import when
from orchestrator.contracts import Answer, Evidence, Json
from subagents.saying import NAMES

FOLD_LINES, FOLD_CHARACTERS = 6, 300
SUMMARY = 120  # characters that a lock screen shows
PROGRESS = "progress"
TONES = {"": "blue", "bad": "red", "good": "green"}
BLAMES = ("cause", "figures", "scope", "other")
TEXT_BYTES = 18_000  # of an answer in one card
_ADDRESS = re.compile(r"https?://[\w.:/?#&=%~@!$,;'+*-]{1,1500}")  # nothing in it ends a link of Markdown
LEVELS = (1200, 300, 0)  # bytes of a result in the evidence panel, from rich to poor; then no panels at all


@dataclass(frozen=True, slots=True)
class Final:
    """`rest`: what of the text didn't fit, for messages after it."""

    card: Json
    rest: str = ""


def progress(text: str, key: str, lang: str) -> Json:
    """The card that is shown while work goes on; its one text is rewritten by `PROGRESS`."""
    body = [
        {"tag": "markdown", "element_id": PROGRESS, "content": safe(text)},
        _row([_button(say("stop", lang), "stop", key, "danger")]),
    ]
    return _card(body, say("summary_busy", lang), streaming=True)


def final(a: Answer, key: str, lang: str, seconds: float, level: int) -> Final:
    """The answer's card. `level`: 0 whole, higher ones leave out more."""
    text, rest = fit.cut(a.text.strip() or say(_empty(a), lang, reason=""), TEXT_BYTES)
    above, below = _fold(text)
    tables = count_tables(above)
    body: list[Json] = [_markdown(safe(above))]
    if a.unverified:
        body.append(_markdown(safe(say("unverified", lang, what=", ".join(a.unverified)[:500]))))
    if about := _about(a, seconds):
        body.append(
            {
                "tag": "div",
                "text": {"tag": "plain_text", "content": about, "text_size": "notation", "text_color": "grey"},
            }
        )
    body += _buttons(key, lang)
    if below:
        body.append(_panel(say("more", lang), [_markdown(safe(below, 3 - tables))]))
    if level < len(LEVELS):
        body += _panels(a, lang, LEVELS[level])
    return Final(_card(body, verdict(a, lang)), rest)


def fitting(a: Answer, key: str, lang: str, seconds: float, level: int = 0) -> tuple[Final, int]:
    """The richest card from `level` on that is within the limits, and its level."""
    while True:
        made = final(a, key, lang, seconds, level)
        if level >= len(LEVELS) or not fit.troubles(made.card):
            return made, level
        level += 1


def simple(text: str, title: str = "", tone: str = "") -> Json:
    """A document as a card: nothing but its words."""
    head = {"title": {"tag": "plain_text", "content": title}, "template": TONES[tone]} if title else None
    return _card([_markdown(safe(text))], plain(title or text.partition("\n")[0])[:SUMMARY], head=head)


def verdict(a: Answer, lang: str) -> str:
    """The first line, without marks."""
    first = next((line for line in a.text.splitlines() if line.strip()), "") or say(_empty(a), lang, reason="")
    line = plain(first)
    return line if len(line) <= SUMMARY else line[: SUMMARY - 1] + "…"


def _empty(a: Answer) -> str:
    return "cancelled" if a.status == "cancelled" else "failed"


def _fold(text: str) -> tuple[str, str]:
    """What stands above the fold, its first line bold, and the rest. A fence or table isn't torn."""
    lines = text.splitlines()
    first = lines[0].strip()
    bold = f"**{first}**" if first and not any(c in first for c in "*#`|") and len(first) <= 2 * SUMMARY else lines[0]
    taken, used = 1, len(first)
    while taken < len(lines) and taken < FOLD_LINES:
        line = lines[taken]
        used += len(line)
        if used > FOLD_CHARACTERS or line.lstrip().startswith(("|", "```")):
            break
        taken += 1
    return "\n".join([bold, *lines[1:taken]]).rstrip(), "\n".join(lines[taken:]).strip()


def _about(a: Answer, seconds: float) -> str:
    """ "prod · checkout · 22:00–23:00 +08:00 · 6.1 s"."""
    parts = [
        scopes.say(a.scope) if a.scope.services or a.scope.environment else "",
        when.say(a.window) if a.window else "",
    ]
    return " · ".join([*filter(None, parts), f"{seconds:.1f} s"])


def _buttons(key: str, lang: str) -> list[Json]:
    first = _row([_button("👍", "good", key), _button("👎", "bad", key)])
    return [first, _row([_button(say("retry", lang), "retry", key), _button(say("trace", lang), "trace", key)])]


def asking_why(card: Json, key: str, lang: str) -> Json:
    """The answer's card with the question what was wrong, in the place of 👍 👎."""
    elements = [e for e in card["body"]["elements"] if e["tag"] != "form"]
    place = next((n for n, e in enumerate(elements) if '"good"' in json.dumps(e)), len(elements))
    asking = [*elements[:place], _form(key, lang), *elements[place + 1 :]]
    return {**card, "body": {**card["body"], "elements": asking}}


def _form(key: str, lang: str) -> Json:
    options = [{"text": _text(say(b, lang)), "value": b} for b in BLAMES]
    submit = _button(say("send", lang), "blame", key, "primary")
    return {
        "tag": "form",
        "name": "blame",
        "elements": [
            _markdown(f"**{say('which', lang)}**"),
            {"tag": "select_static", "name": "about", "placeholder": _text(say("which", lang)), "options": options},
            {"tag": "input", "name": "text", "placeholder": _text(say("say_more", lang)), "max_length": 500},
            {**submit, "name": "send", "form_action_type": "submit"},
        ],
    }


def _panels(a: Answer, lang: str, most: int) -> list[Json]:
    panels = []
    if a.evidence:
        shown = "\n".join(_exhibit(e, most, lang) for e in a.evidence)
        panels.append(_panel(say("evidence", lang, n=len(a.evidence)), [_markdown(shown)]))
    if a.route:
        lines = [
            f"- **{inline(_name(r.subagent, lang))}** · {inline(r.task)} · {inline(worded(r.reason, lang))} · "
            f"{status(r.status, lang)} · {r.ms / 1000:.1f} s"
            for r in a.route
        ]
        used = a.usage
        spent = f"{used.model_calls} × {inline(a.model)} · {used.prompt_tokens:,} + {used.completion_tokens:,} tokens"
        lines.append(spent if used.model_calls else inline(a.fallback or worded(a.model, lang)))
        lines.append(worded(f"run {a.run_id}", lang))
        panels.append(_panel(say("route", lang), [_markdown("\n".join(filter(None, lines)))]))
    return panels


def _name(agent: str, lang: str) -> str:
    return NAMES.get(agent, agent) if lang == "zh" else agent


def _exhibit(e: Evidence, most: int, lang: str) -> str:
    """Id, tool, status and window; the exact query; the result as far as there is room."""
    r = e.result
    span = f" · {when.say(r.window)}" if r.window else ""
    head = f"**[{e.id}]** {inline(f'{_name(e.agent, lang)} · {e.tool}')} · {status(r.status, lang)}{span}"
    query, rest = fit.cut(r.query, 300)
    if _ADDRESS.fullmatch(r.link):
        head += f" · [↗ {urlsplit(r.link).hostname}]({r.link})"  # the console, at that query and window
    lines = [head, coded(query + " …" * bool(rest))]
    if most and r.text:
        text = worded(r.text, lang)
        shown, left = fit.cut(text.replace(span, "") if span else text, most)
        lines.append(fenced(shown + ("\n…" if left else "")))
    return "\n".join(filter(None, lines))


# ── parts ─────────────────────────────────────────────────────────────────────────────────────


def _card(body: Sequence[Json], summary: str, streaming: bool = False, head: Json | None = None) -> Json:
    config = {"update_multi": True, "streaming_mode": streaming, "summary": {"content": summary}, "width_mode": "fill"}
    card: Json = {"schema": "2.0", "config": config, "body": {"direction": "vertical", "elements": list(body)}}
    return {**card, "header": head} if head else card


def _markdown(text: str) -> Json:
    return {"tag": "markdown", "content": text or " "}


def _text(words: str) -> Json:
    return {"tag": "plain_text", "content": words}


def _panel(title: str, elements: list[Json], expanded: bool = False) -> Json:
    icon = {"tag": "standard_icon", "token": "down-small-ccm_outlined"}
    head = {"title": {"tag": "markdown", "content": title}, "icon": icon, "icon_position": "right"}
    border = {"color": "grey", "corner_radius": "5px"}
    return {"tag": "collapsible_panel", "expanded": expanded, "header": head, "border": border, "elements": elements}


def _row(buttons: list[Json]) -> Json:
    columns = [{"tag": "column", "width": "auto", "elements": [b]} for b in buttons]
    return {"tag": "column_set", "flex_mode": "none", "columns": columns}


def _button(words: str, act: str, key: str, kind: str = "default") -> Json:
    value = {"act": act, "key": key}
    return {
        "tag": "button",
        "text": _text(words),
        "type": kind,
        "size": "small",
        "behaviors": [{"type": "callback", "value": value}],
    }
