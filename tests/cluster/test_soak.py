"""Twenty thousand questions through one process: its memory stays as it is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "load.py"
MEGABYTES = 15.0  # SQLite's own cache and the allocator's slack, however many questions


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_memory_stays_flat(nightly: bool) -> None:
    questions = 20_000 if nightly else 300
    command = [sys.executable, str(BENCH), "--soak", str(questions)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rss = [float(found) for found in re.findall(r"RSS +([\d.]+) MB", done.stdout)]
    print(done.stdout)
    assert len(rss) == 10
    assert rss[-1] - rss[1] < MEGABYTES
