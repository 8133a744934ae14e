"""Counting errors in a folder of logs beside `grep -c` and `wc -l` on the same files, in one run; and memory by size.

    python bench/scan.py [--mb 200] [--errors 0.02] [--formats json,logfmt,...] [--dir DIR]

For each format a file of that many MB is made (2 % error lines), then measured cold: open, count by service and hour;
the same question again; `grep -c` of the format's error literal into a pipe (`>/dev/null` alone would let grep stop at
the first hit); `wc -l`. Peak memory is that of the largest single process. Drain3 is timed beside our miner where it is
installed.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.contracts import Window
from subagents.folder.folder import open_folder
from subagents.sources import LogQuery

START = datetime(2026, 11, 28, tzinfo=UTC)
DISTINCT = 200.0
PIECE = 1 << 20
SERVICES = ("checkout", "payment", "catalog", "frontend")
CHILD = """
import asyncio, json, resource, sys, time
sys.path.insert(0, sys.argv[1])
from bench.scan import count
began, cpu = time.perf_counter(), time.process_time()
total = asyncio.run(count(sys.argv[2], sys.argv[3]))
kids = resource.getrusage(resource.RUSAGE_CHILDREN)
own = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"wall": time.perf_counter() - began, "errors": total,
    "cpu": own.ru_utime + own.ru_stime + kids.ru_utime + kids.ru_stime, "peak": max(own.ru_maxrss, kids.ru_maxrss)}))
"""

Row = tuple[str, str, bool, str]  # time, service, error?, message


def rows(rate: float, step: float) -> Iterator[Row]:
    chance, at = random.Random(1), START
    while True:
        at += timedelta(seconds=step)
        bad = chance.random() < rate
        n = chance.randrange(10**6)
        text = f"order {n} failed: pool exhausted after {n % 3000} ms" if bad else f"order {n} accepted in {n % 90} ms"
        yield f"{at:%Y-%m-%dT%H:%M:%S}.{n % 1000:03d}Z", chance.choice(SERVICES), bad, text


FORMATS: dict[str, tuple[str, Callable[[Row], str]]] = {
    "json": (
        '"level": "error"',
        lambda r: json.dumps({"ts": r[0], "level": "error" if r[2] else "info", "service": r[1], "msg": r[3]}),
    ),
    "logfmt": (
        "level=error",
        lambda r: f'ts={r[0]} level={"error" if r[2] else "info"} service={r[1]} msg="{r[3]}"',
    ),
    "java": (" ERROR ", lambda r: f"{r[0]} [main] {'ERROR' if r[2] else 'INFO '} com.shop.{r[1]}.Worker - {r[3]}"),
    "access": (
        '" 502 ',
        lambda r: (
            f"10.0.0.{len(r[3]) % 250} - - [{datetime.fromisoformat(r[0]):%d/%b/%Y:%H:%M:%S} +0000] "
            f'"GET /{r[1]}/{len(r[3])} HTTP/1.1" {502 if r[2] else 200} {len(r[3]) * 7} "-" "curl/8"'
        ),
    ),
}


def make(path: Path, form: str, mb: float, rate: float) -> None:
    """A day of lines; from `DISTINCT` megabytes on that day again and again, since making lines takes longer than
    counting them."""
    write, own = FORMATS[form][1], min(mb, DISTINCT)
    with path.open("w") as f:
        block = 20_000
        source = rows(rate, 86_400 / max(1.0, own * 1e6 / 110))
        while f.tell() < own * 1e6:
            f.write("\n".join(write(next(source)) for _ in range(block)) + "\n")
    size = path.stat().st_size
    with path.open("rb") as day, path.open("ab") as f:
        while f.tell() < mb * 1e6:
            day.seek(0)
            for _ in range(0, size, PIECE):
                f.write(day.read(min(PIECE, size - day.tell())))


async def count(folder: str, cache: str) -> int:
    opened = open_folder(Path(folder), Path(cache))
    window = Window(START, START + timedelta(days=40))
    found = await opened.sources().logs[0].count(LogQuery(window, levels=("fatal", "error")), ("service", "hour"))
    opened.close()
    return sum(c.n for c in found.rows)


def ours(folder: Path, cache: Path) -> dict[str, float]:
    command = [sys.executable, "-c", CHILD, str(ROOT), str(folder), str(cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def timed(*command: str) -> tuple[float, float, str]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, cpu, done.stdout.split()[0]


def measure(base: Path, form: str, mb: float, rate: float) -> None:
    folder = base / f"{form}-{mb:g}"
    folder.mkdir()
    file = folder / "app.log"
    make(file, form, mb, rate)
    grep_wall, grep_cpu, hits = timed("grep", "-c", "-F", FORMATS[form][0], str(file))
    grep_wall, grep_cpu, hits = timed("grep", "-c", "-F", FORMATS[form][0], str(file))  # the page cache is warm now
    wc_wall, _, lines = timed("wc", "-l", str(file))
    cold, again = ours(folder, base / "cache"), ours(folder, base / "cache")
    right = "right" if int(cold["errors"]) == int(hits) else f"WRONG: {int(cold['errors'])} for {hits}"
    print(
        f"{form:7} {mb:6g} MB {int(lines):>10,} lines {int(hits):>8,} errors ({right}) | grep -c {grep_wall:6.2f} s "
        f"wc -l {wc_wall:5.2f} s | ours {cold['wall']:6.2f} s = {cold['wall'] / grep_wall:5.1f} x grep "
        f"(CPU {cold['cpu']:.1f} s = {cold['cpu'] / max(grep_cpu, 1e-3):.1f} x), peak {cold['peak'] / 1024:.0f} MB, "
        f"again {again['wall']:.2f} s",
        flush=True,
    )
    file.unlink()


def mining(base: Path, lines: int) -> None:
    try:
        from drain3 import TemplateMiner
    except ImportError:
        print("mining: Drain3 is not installed, so there is nothing to compare with", file=sys.stderr)
        return
    from subagents.folder.mining import Miner

    texts = [r[3] for r, _ in zip(rows(0.1, 1), range(lines), strict=False)]
    theirs = TemplateMiner()
    began = time.process_time()
    for text in texts:
        theirs.add_log_message(text)
    drain = time.process_time() - began
    miner, began = Miner(), time.process_time()
    for text in texts:
        miner.add(text)
    print(f"mining {lines:,} lines: ours {time.process_time() - began:.2f} s CPU, Drain3 {drain:.2f} s CPU")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mb", default="20,200", help="sizes, comma-separated")
    options.add_argument("--errors", type=float, default=0.02)
    options.add_argument("--formats", default=",".join(FORMATS))
    options.add_argument("--dir", type=Path)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.dir) as name:
        for form in chosen.formats.split(","):
            for mb in map(float, chosen.mb.split(",")):
                measure(Path(name), form, mb, chosen.errors)
        mining(Path(name), 50_000)


if __name__ == "__main__":
    main()
