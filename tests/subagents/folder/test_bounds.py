"""Memory and time stay bounded however large a file is; worker processes leave the event loop alone."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from subagents.folder import recognise, scan, scan_counts
from subagents.folder.records import Hints
from subagents.sources import LogQuery
from tests.subagents.folder.helpers import ALL, folder_of

_PEAK = """
import re, sys
from subagents.folder import recognise, scan, scan_counts
from subagents.folder.records import Hints
path, packed = sys.argv[1:]
told = recognise.recognise(path, packed)
part, form = scan.Part(path, packed, 0, 0, None), recognise.log_format(told.name)
out = scan_counts.count(part, form, Hints("", None, told.shape), scan.Ask(None, None, (), ("error",), ()), ("level",))
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1), out["groups"][0][1])
"""


def line(i: int, level: str = "INFO", message: str = "order placed") -> str:
    at = f"2026-11-29T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}Z"
    return json.dumps({"timestamp": at, "level": level, "service": "pay", "message": message}) + "\n"


def block() -> bytes:
    return "".join(line(i, "ERROR" if i % 50 == 0 else "INFO") for i in range(10_000)).encode()


def peak(path: Path, packed: str) -> tuple[int, int]:
    done = subprocess.run([sys.executable, "-c", _PEAK, str(path), packed], capture_output=True, text=True, check=True)
    memory, errors = done.stdout.split()
    return int(memory), int(errors)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads a process's peak memory from Linux")
@pytest.mark.parametrize("packed", ["", "gz"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, packed: str) -> None:
    one, long = block(), line(1, "ERROR", "x" * 40_000_000).encode()
    found = []
    for times, extra in ((4, b""), (60, long)):
        path = tmp_path / str(times)
        data = one * times + extra
        path.write_bytes(gzip.compress(data, 1) if packed else data)
        memory, errors = peak(path, packed)
        assert errors == 200 * times + bool(extra)
        found.append(memory)
    assert found[1] <= 1.2 * found[0], found


def test_a_scan_over_its_deadline_stops_and_says_how_far_it_came(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(block() * 3)
    told = recognise.recognise(str(path), "")
    ask = scan.Ask(None, None, (), (), (), deadline=time.monotonic() - 1)
    form = recognise.log_format(told.name)
    out = scan_counts.count(scan.Part(str(path), "", 0, 0, None), form, Hints("", None, told.shape), ask, ("level",))
    assert out["late"] == 0
    assert out["groups"] == []


@pytest.mark.parametrize("jump", [-3_600.0, 3_600.0, 1e9])
async def test_a_clock_that_is_set_while_a_file_is_read_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """How long a question may read is running time; also where grep reads for it."""
    folder = folder_of(tmp_path, {"x": "".join(line(i, "ERROR") for i in range(2_000))})
    [logs] = folder.sources().logs
    late: list[float | None] = []
    wall = time.time()
    monkeypatch.setattr(time, "time", lambda: wall + jump)
    for query in (LogQuery(ALL), LogQuery(ALL, (), ("error",))):
        found = await logs.count(query, ("level",))
        assert (found.total, found.complete, found.gaps) == (2_000, True, ())
        assert (await logs.patterns(query, None)).complete
    told = recognise.recognise(str(tmp_path / "x"), "")
    for native in (False, True):
        part = scan.Part(str(tmp_path / "x"), "", 0, 0, None, native)
        form, hints = recognise.log_format(told.name), Hints("", None, told.shape)
        for deadline in (time.monotonic() + 60, time.monotonic() - 1):
            ask = scan.Ask(None, None, (), ("error",), (), deadline)
            late.append(scan_counts.count(part, form, hints, ask, ("level",))["late"])
    assert [at is None for at in late] == [True, False, True, False]
    folder.close()


@pytest.mark.slow
async def test_the_loop_goes_on_while_workers_scan(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"x": block() * 4})
    logs = folder.sources().logs[0]
    longest, last = 0.0, time.perf_counter()

    async def beat() -> None:
        nonlocal longest, last
        while True:
            await asyncio.sleep(0.005)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    pulse = asyncio.create_task(beat())
    answer = await logs.search(LogQuery(ALL, text=("nowhere",)), limit=5)
    pulse.cancel()
    folder.close()
    assert answer.total == 0
    assert longest < 0.5
