"""An answer for people and for programs. The field names of `--json` are a promise and are made in one place."""

from __future__ import annotations

import re
import sys
from typing import Any

from hermes_ops.timewords import reasons
from hermes_ops.trace.printing import print_json
from orchestrator.cleaning import CHINESE, clean
from orchestrator.contracts import Answer, Evidence, Json, Window, to_json
from orchestrator.scope import say as say_scope
from orchestrator.when import say

USAGE = ("model_calls", "prompt_tokens", "completion_tokens")


def answer_json(answer: Answer) -> dict[str, Json]:
    """The object that `--json` prints (docs/CLI.md)."""
    usage = to_json(answer.usage)
    return {
        "answer": answer.text,
        "status": answer.status,
        "window": to_json(answer.window) if answer.window else None,
        "scope": {"environment": answer.scope.environment, "services": list(answer.scope.services)},
        "cause": answer.cause,
        "evidence": [_evidence(e) for e in answer.evidence],
        "unverified": list(answer.unverified),
        "route": [to_json(asked) for asked in answer.route],
        "skipped": list(answer.skipped),
        "usage": {name: usage[name] for name in USAGE} | ({} if usage["cost"] is None else {"cost": usage["cost"]}),
        "model": answer.model,
        "offline": answer.offline,
        "fallback": answer.fallback,
        "run_id": answer.run_id,
    }


def _evidence(evidence: Evidence) -> dict[str, Json]:
    result = to_json(evidence.result)
    kept = {k: v for k, v in result.items() if k not in ("data", "labels", "ends")}
    return {"id": evidence.id, "agent": evidence.agent, "tool": evidence.tool, "args": evidence.args, **kept}


def show(answer: Answer, as_json: bool) -> None:
    """The answer on stdout: one JSON object, Markdown drawn on a terminal, or the plain text."""
    if as_json:
        print_json(answer_json(answer))
        return
    text = clean("\n\n".join(filter(None, (heading(answer), answer.text)))).encode("utf-8", "replace").decode()
    if sys.stdout.isatty():
        _draw(text)
    else:
        print(text, flush=True)


def heading(answer: Answer) -> str:
    """What the answer is about: scope, and the window in the asker's zone; "" where nothing was looked up."""
    if answer.window is None or not (answer.route or answer.evidence):
        return ""
    scope = say_scope(answer.scope)
    return " · ".join(filter(None, (scope, say(answer.window))))


def _draw(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    lines = re.sub(r"(?<=\S)\n(?=\S)", "  \n", text)  # a line of an answer is a line, not part of a paragraph
    Console().print(Markdown(lines, hyperlinks=False))


def remarks(answer: Answer) -> list[str]:
    """What a person should know beside the answer; for stderr."""
    said: list[str] = []
    if answer.window and answer.window.why and answer.route:
        said.append(_time(answer.window, answer.text))
    if answer.fallback:
        said.append(f"No language model was used: {answer.fallback}")
    if answer.unverified:
        said.append(f"Not borne out by the evidence: {', '.join(answer.unverified)}")
    if answer.skipped:
        said.append(f"Not read: {_skipped(answer.skipped)}")
    said += [f"[{e.id}] {e.result.link}" for e in answer.evidence if e.result.link.startswith(("http://", "https://"))]
    return [*said, f"Run {answer.run_id}, {answer.status}."]


def _time(window: Window, text: str) -> str:
    """How the time was read, in the answer's language."""
    if CHINESE.search(text.partition("\n")[0]):
        words = f"“{window.said}”" if window.said else "没有说明"
        return f"时间：{words}，按 {say(window, lang='zh')} 查询：{reasons(window.why, 'zh')}。"
    return f"Time: {window.said or 'none was named'}, read as {say(window)}: {window.why}."


def _skipped(skipped: tuple[Any, ...]) -> str:
    named = [f"{s.get('path')} ({s.get('why')})" if isinstance(s, dict) else str(s) for s in skipped[:3]]
    return ", ".join(named) + (f" and {len(skipped) - 3} more" if len(skipped) > 3 else "")
