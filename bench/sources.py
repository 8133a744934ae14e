"""Sources at size: an answer of many rows read in bounded memory, and a window at the end of a large file.

    python bench/sources.py [--rows 1000000] [--mb 2048] [--dir DIR]

Rows come over real HTTP on loopback from a server in a process of its own, piece by piece. Memory is the peak of the
reading process above what it had before. The file is made once; its windows are asked for cold (a new process each)
and again. Nothing is asked of anything outside of this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from aiohttp import web

from orchestrator.contracts import Window
from subagents.folder import seek
from subagents.folder.formats import text
from subagents.folder.records import Hints
from subagents.logfiles.source import LogFiles, Where
from subagents.loki.logql import Labels
from subagents.loki.source import Loki
from subagents.sources import LogQuery
from subagents.victorialogs.logsql import Fields
from subagents.victorialogs.source import VictoriaLogs
from subagents.web import Site, Web

DAY = datetime(2026, 11, 29, tzinfo=UTC)
SERIES = 1_000  # minutes of one series


def matrix(rows: int) -> Callable[[web.Request], object]:
    """Loki's answer to a count by service over time: `rows` points."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        await response.write(b'{"status":"success","data":{"resultType":"matrix","result":[')
        base = int(DAY.timestamp()) + 3600
        values = json.dumps([[base + 60 * n, "1"] for n in range(SERIES)])
        for n in range(rows // SERIES):
            await response.write(f'{"," if n else ""}{{"metric":{{"service_name":"s{n}"}},"values":{values}}}'.encode())
        await response.write(b"]}}")
        return response

    return answer


def stream(rows: int) -> Callable[[web.Request], object]:
    """VictoriaLogs' answer to a query: `rows` lines."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/stream+json"})
        await response.prepare(request)
        one = {
            "_time": "2026-11-29T00:00:01.5Z",
            "_stream": '{service="pay"}',
            "_msg": "charge 17 failed: pool exhausted",
        }
        piece = (json.dumps({**one, "service": "pay", "level": "error"}) + "\n").encode() * 1000
        for _ in range(rows // 1000):
            await response.write(piece)
        return response

    return answer


def serve(name: str, rows: int, port: Connection) -> None:
    async def main() -> None:
        answer = {"loki": matrix, "victorialogs": stream}[name](rows)
        runner = web.ServerRunner(web.Server(answer))  # type: ignore[arg-type]
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port.send(runner.addresses[0][1])
        await asyncio.sleep(3600)

    asyncio.run(main())


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def read(name: str, url: str) -> int:
    client = Web()
    caller = client.at(Site(name, url, timeout=20.0, most_bytes=1 << 30))
    query = LogQuery(Window(DAY, DAY + timedelta(days=1)))
    try:
        if name == "loki":
            return (await Loki(name, caller, Labels()).count(query, ("service", "hour"))).total or 0
        return sum([len(lines) async for lines in VictoriaLogs(name, caller, Fields()).batches(query)])
    finally:
        await client.aclose()


def reading(name: str, url: str, out: Connection) -> None:
    before, began = peak(), time.perf_counter()
    rows = asyncio.run(read(name, url))
    out.send((rows, time.perf_counter() - began, peak() - before))


def rows_of(name: str, rows: int) -> None:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(name, rows, theirs), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}"
    near, far = multiprocessing.Pipe()
    reader = multiprocessing.get_context("spawn").Process(target=reading, args=(name, url, far))
    reader.start()
    got, seconds, memory = near.recv()
    reader.join()
    server.kill()
    print(f"{name}: {got:,} rows in {seconds:.1f} s ({got / seconds:,.0f} a second), {memory:.0f} MB more memory")


def made(path: Path, mb: int) -> datetime:
    """A file of so many MB over thirty days; the time of its last line."""
    line = "{:%Y-%m-%d %H:%M:%S},000 INFO  [main] c.s.Pay - charge ok order=17 amount=12.50 EUR " + "x" * 60 + "\n"
    lines = mb * (1 << 20) // len(line.format(DAY))
    step, at = timedelta(days=30) / lines, DAY
    with path.open("w") as f:
        for first in range(0, lines, 10_000):
            f.write("".join(line.format(DAY + step * n) for n in range(first, min(lines, first + 10_000))))
            at = DAY + step * min(lines, first + 10_000)
    return at


async def tail(path: Path, end: datetime) -> None:
    window = Window(end - timedelta(minutes=10), end)
    began = time.perf_counter()
    found = seek.span(str(path), text.FORMAT, Hints(shape="0"), window.start.timestamp(), window.end.timestamp())
    print(f"  place of the last 10 minutes: {1000 * (time.perf_counter() - began):.1f} ms, {found}")
    files = LogFiles("files", Where((str(path),)))
    for turn in ("first", "again"):
        began = time.perf_counter()
        answer = await files.search(LogQuery(window), 20)
        print(f"  last 10 minutes, {turn}: {1000 * (time.perf_counter() - began):.0f} ms, {answer.total:,} lines")
    files.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--mb", type=int, default=2048)
    options.add_argument("--dir", type=Path)
    chosen = options.parse_args()
    for name in ("loki", "victorialogs"):
        rows_of(name, chosen.rows)
    with tempfile.TemporaryDirectory(dir=chosen.dir) as place:
        path = Path(place, "app.log")
        end = made(path, chosen.mb)
        print(f"file of {os.path.getsize(path) >> 20:,} MB:")
        asyncio.run(tail(path, end))


if __name__ == "__main__":
    main()
