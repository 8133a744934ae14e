"""How fast the models may be asked: here not at all limited. What limits them across processes stands outside."""

from __future__ import annotations


class NoLimit:
    async def acquire(self, model: str, tokens: int) -> None:
        """Never waits."""

    def cool(self, seconds: float) -> None:
        """Nothing to slow down: the call that met the 429 waits by itself."""
