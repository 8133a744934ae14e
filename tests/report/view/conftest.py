"""The sandbox that takes the cards."""

from __future__ import annotations

from tests.sandbox.conftest import api, box

__all__ = ["api", "box"]
