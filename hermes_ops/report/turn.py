"""A report that was put into a chat, as a turn of its conversation: a reply goes on from its window and its figures.

How a follow-up is recognised is for `hermes_ops.recall`; this only keeps what it reads. A reply that names a figure by
its number ("那 272 个是什么？") goes on from that figure: its service, and what it counts.
"""

from __future__ import annotations

import re
from datetime import datetime

from hermes_ops.report.figures import ID, figures
from hermes_ops.report.model import Lang, Report
from hermes_ops.report.view import digest, markdown
from memory import Turns
from orchestrator.contracts import Figure, Json, Scope, to_json

FIGURES = 40  # that are kept of one report, the most telling first
LONGEST = 3_000  # characters of its text
_NUMBER = re.compile(r"(?<![\w.:/-])\d{1,3}(?:,\d{3})+(?![\w:/-])|(?<![\w.:/-])\d+(?:\.\d+)?(?![:/-]|[A-Za-z_\d])")
COUNTED: dict[str, tuple[str, str, str]] = {  # figure → what it counts, and by which words people mean it
    "errors": ("错误日志", "error logs", r"错误|报错|日志|errors?|logs?"),
    "alerts fired": ("告警", "alerts", r"告警|报警|alerts?"),
    "changes": ("变更", "changes", r"变更|发布|改动|changes?|deploys?"),
    "failed requests": ("失败的请求", "failed requests", r"失败|请求|fail\w*|requests?"),
    "availability": ("可用性", "availability", r"可用性|availab\w+"),
}


def about(report: Report, said: str = "") -> Json:
    """What `recall` keeps of a turn: window, scope, the question, and the evidence in short. `said`: the words of a
    reply, which may name a figure."""
    told = [_short(f) for f in figures(report)[:FIGURES]]
    meant = named(report, said)
    services = tuple(v for f in meant[:1] if (v := str(f.labels.get("service", ""))))
    asked = [_question(f, report.lang) for f in meant[:1]]
    return {
        "window": to_json(report.window),
        "scope": to_json(Scope(services=services or report.services)),
        "asked": [*asked, digest.title(report)],
        "evidence": [{"id": ID, "tool": "daily_report", "figures": told}],
    }


def named(report: Report, said: str) -> list[Figure]:
    """Figures that a text names by their number, if they count the same thing; of several services none is meant."""
    numbers = {float(n.replace(",", "")) for n in _NUMBER.findall(said)}
    found = [f for f in figures(report) if f.name in COUNTED and float(f.value) in numbers]
    worded = [f for f in found if re.search(COUNTED[f.name][2], said, re.IGNORECASE)]
    found = worded or found
    if len({f.name for f in found}) > 1:
        return []
    plain = [f for f in found if set(f.labels) <= {"service"}]
    found = plain or found
    services = {f.labels["service"] for f in found if f.labels.get("service")}
    if len(services) > 1:
        return [Figure(found[0].name, found[0].value, found[0].unit)]
    return [f for f in found if f.labels.get("service")] or found


def _question(f: Figure, lang: Lang) -> str:
    zh, en, _ = COUNTED[f.name]
    service = str(f.labels.get("service", ""))
    return f"{service} {zh} {f.value:g}".strip() if lang == "zh" else f"{f.value:g} {en} {service}".strip()


def _short(f: Figure) -> str:
    whose = " ".join(str(v) for v in f.labels.values())
    return f"{f.name}{f' of {whose}' if whose else ''} {f.value:g}{f.unit}"


async def remember(turns: Turns, session: str, report: Report, at: datetime, run: str, said: str = "") -> None:
    """Before the run of a reply, whose words are `said`; once for a run. Raises StoreError."""
    text = markdown.render(report)[:LONGEST]
    await turns.add(session, run, digest.title(report), text, "ok", at, about=about(report, said))
