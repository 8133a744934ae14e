"""Imports the vendor's packages: each takes the current event loop for good as it is imported; it gets one of ours."""

from __future__ import annotations

import asyncio
import importlib
import warnings
from typing import Any

import pytest


def load(*names: str) -> list[Any]:
    """The modules; the test module that asks is skipped where the package is missing."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip(names[0].partition(".")[0], reason="needs the extra feishu, or the development tools")
            return [importlib.import_module(name) for name in names]
    finally:
        asyncio.set_event_loop(None)
        loop.close()
