"""A sandbox and a REST client of its app for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.raw import Api


@pytest.fixture
async def box() -> AsyncIterator[Sandbox]:
    async with Sandbox() as box:
        yield box


@pytest.fixture
async def api(box: Sandbox) -> AsyncIterator[Api]:
    async with Api(box) as api:
        yield api
