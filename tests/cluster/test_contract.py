"""The contract of both runtimes: nothing lost, nothing twice, in order, though processes die at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.story import Size, check, play
from tests.memory.conftest import url

__all__ = ["url"]

LOCAL = Size(10, 50, kills=2, every=1.0)
CLUSTER = Size(10, 80, kills=3, every=1.0, replicas=3)
NIGHTLY = Size(200, 1000, kills=25, every=4.0, milliseconds=600)
NIGHTLY_CLUSTER = Size(200, 1000, kills=25, every=4.0, replicas=3, milliseconds=600)


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_the_local_runtime_keeps_the_contract(url: str, tmp_path: Path, nightly: bool) -> None:
    size = NIGHTLY if nightly else LOCAL
    check(await play("local", url, tmp_path, size))


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_the_cluster_keeps_the_contract(postgres_url: str, tmp_path: Path, nightly: bool) -> None:
    size = NIGHTLY_CLUSTER if nightly else CLUSTER
    check(await play("cluster", postgres_url, tmp_path, size))
