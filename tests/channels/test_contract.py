"""The contract of channels, run on the terminal."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops.channels.base import Address, Speaking
from hermes_ops.channels.console import Asker, ConsoleChannel
from hermes_ops.channels.terminal import Terminal
from hermes_ops.testing.channels import CHECKS, Check
from orchestrator.contracts import Incoming

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class OnTerminal:
    """All places are the one terminal; nobody else can go on with it, and it doesn't fail."""

    def __init__(self, capsys: pytest.CaptureFixture[str], place: Path) -> None:
        asker = Asker(lambda text: Incoming("m", text, NOW), lambda text: text, place)
        self.channel: Speaking = ConsoleChannel(Terminal(), asker, _no_command)
        self._capsys, self._numbers, self._said = capsys, itertools.count(1), ""

    async def place(self) -> Address:
        return Address(message=f"m{next(self._numbers)}")

    async def seen(self, to: Address) -> list[str]:
        captured = self._capsys.readouterr()
        self._said += captured.out + captured.err
        return [self._said]

    async def again(self) -> Speaking:
        return self.channel

    def fail(self) -> bool:
        return False

    def vanish(self, to: Address) -> bool:
        return False

    def pinged(self) -> bool:
        return False


async def _no_command(name: str, rest: str) -> bool:
    return True


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
async def test_the_terminal(check: Check, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    await check(OnTerminal(capsys, tmp_path))
