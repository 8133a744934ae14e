"""Where the measuring data lies beside the checkout, if it does. Only tests use it; the program never does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1].parent / "shared"


def shared(path: str) -> Path:
    """The path under ../shared; the test skips where it is absent, and fails under REQUIRE_SHARED=1."""
    found = ROOT / path
    if found.exists():
        return found
    if os.environ.get("REQUIRE_SHARED") == "1":
        pytest.fail(f"../shared/{path} is missing, and REQUIRE_SHARED=1 forbids skipping")
    pytest.skip(f"needs ../shared/{path}, which lies beside a full checkout only")
