"""The guide for a new domain: its code, as it stands there, becomes a package, is checked, and answers a question."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import subagents
from hermes_ops import app as application
from hermes_ops.app import open_app
from hermes_ops.settings import Settings
from orchestrator.contracts import Answer, Incoming

GUIDE = Path(__file__).parents[1] / "docs/NEW_DOMAIN.md"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`subagents.queues`, written from the guide, as the application's fourth domain."""
    blocks = re.findall(r"```(?:python|markdown)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    home = tmp_path / "rooms/queues"
    home.mkdir(parents=True)
    for name, text in zip(("tools.py", "agent.py", "__init__.py", "prompt.md"), blocks, strict=True):
        (home / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(subagents, "__path__", [*subagents.__path__, str(tmp_path / "rooms")])
    from subagents.queues import make  # type: ignore[import-not-found]

    monkeypatch.setattr(application, "DOMAINS", (*application.DOMAINS, make))
    yield
    for name in [n for n in sys.modules if n.startswith("subagents.queues")]:
        del sys.modules[name]


async def ask(tmp_path: Path, question: str) -> Answer:
    folder = tmp_path / "export"
    folder.mkdir()
    rows = [(f"2026-11-29T14:{m:02d}:00Z", 20 + 100 * m if m < 45 else 40) for m in range(60)]
    lines = ["timestamp,service,metric,value,queue"]
    lines += [f"{at},billing,queue_messages_ready,{value},invoices" for at, value in rows]
    lines += [f"{at},billing,cpu_usage,0.3," for at, _ in rows]
    (folder / "metrics.csv").write_text("\n".join(lines), encoding="utf-8")
    settings = Settings(data_dir=tmp_path / "data")
    async with open_app(settings, folder, offline=True) as app:
        return await app.answer(Incoming("m1", question, NOW, "UTC", anchored=True))


@pytest.mark.usefixtures("built")
async def test_the_guides_domain_answers_with_checked_figures(tmp_path: Path) -> None:
    answer = await ask(tmp_path, "how big was the queue backlog yesterday between 14:00 and 15:00?")
    assert "queues" in [r.subagent for r in answer.route]
    assert "invoices: at most 4420 waited, 40 at the end [Q1]" in answer.text
    assert answer.unverified == ()
    assert answer.evidence[0].result.query


@pytest.mark.usefixtures("built")
async def test_without_data_it_says_so(tmp_path: Path) -> None:
    answer = await ask(tmp_path, "昨天 9 点到 10 点队列积压了多少？")
    assert "queues" in [r.subagent for r in answer.route]
    assert "没有队列数据 [Q1]" in answer.text
