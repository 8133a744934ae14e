"""`/memory` and `/forget`: the same words and deeds whatever the channel."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.channels import notes
from hermes_ops.recall.keeper import Keeper
from hermes_ops.recall.kinds import NAMES, NOTE, named
from memory import open_memory
from orchestrator.contracts import Incoming

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


async def test_notes_are_shown_and_let_go_of_by_key_by_kind_in_words_and_all_at_once(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path / 'm.db'}")
    keeper = Keeper(memory)
    try:
        assert "Nothing is kept" in await notes.forget(keeper, "t", "u", "all", "en")
        for kind, value in (("environment", "prod"), ("language", "zh"), ("role", "SRE")):
            await keeper.keep(Incoming("m", "", NOW, tenant="t", user="u"), "r1", kind, value, f"my {kind} is {value}")
        shown = await notes.kept(keeper, "t", "u", "zh", "Asia/Shanghai")
        assert "默认环境：prod" in shown
        assert "my role is SRE" in shown
        assert "没有记住" in await notes.kept(keeper, "t", "somebody else", "zh", "UTC")
        assert "默认环境" in await notes.forget(keeper, "t", "u", "", "zh")
        missing = await notes.forget(keeper, "t", "u", "favourite colour", "en")
        assert "favourite colour" in missing
        assert "language" in missing
        assert await notes.forget(keeper, "t", "u", "role", "en") == "Forgotten: role"
        assert await notes.forget(keeper, "t", "u", "默认环境", "zh") == "已忘掉：默认环境"
        assert [n.key for n in await keeper.of("t", "u")] == ["language"]
        await notes.forget(keeper, "t", "u", "全部", "zh")
        assert await keeper.of("t", "u") == []
    finally:
        await memory.close()


async def test_they_are_dated_by_the_persons_clock(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path / 'm.db'}")
    late = datetime(2026, 11, 30, 23, 29, tzinfo=UTC)
    keeper = Keeper(memory, lambda: late)
    try:
        await keeper.keep(Incoming("m", "", late, tenant="t", user="u"), "r1", "role", "SRE", "I am an SRE")
        assert "on 2026-11-30" in await notes.kept(keeper, "t", "u", "en", "UTC")
        assert "on 2026-12-01" in await notes.kept(keeper, "t", "u", "en", "Asia/Shanghai")
        await keeper.keep(Incoming("m", "", late, tenant="t", user="u"), "r1", "zone", "Asia/Tokyo", "I am in Tokyo")
        assert "on 2026-11-30" not in await notes.kept(keeper, "t", "u", "en", "UTC")
    finally:
        await memory.close()


def test_what_a_kind_is_called_leads_back_to_it() -> None:
    assert {key: [named(word) for word in words] for key, words in NAMES.items() if key != NOTE} == {
        key: [[key], [key]] for key in NAMES if key != NOTE
    }
