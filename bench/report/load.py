"""A day of many log lines and alerts to a finished report: time and peak memory, beside plainly reading the same files.

    python -m bench.report.load [--lines 10000000] [--alerts 50000] [--services 40] [--dir DIR] [--keep]

The files are made first (not measured): logs as JSON lines, one file a service, and the alerts as one list of
Alertmanager's. "Plain reading" reads every byte of them, line by line, in one process. The report is made twice: with
nothing known of the folder, and again as a second report of the day is. Processor time includes starting the program.
Peak memory: of the program, and of its largest worker process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hermes_ops.report.build import Known, Order, build
from hermes_ops.report.day import local_day
from subagents.folder.folder import open_folder

START = datetime(2026, 11, 29, tzinfo=UTC)
SAID = ("order {n} placed", "cache hit for {n}", "charged {n} in {m} ms", "retrying {n}", "timeout after {m} ms on {n}")


def make(folder: Path, lines: int, alerts: int, services: int) -> None:
    """One in fifty lines is an error, three times as many at 14:00; alerts come evenly."""
    draw = random.Random(1)
    folder.mkdir(parents=True)
    each = lines // services
    for s in range(services):
        with (folder / f"service-{s:02}.log").open("w") as out:
            for i in range(each):
                at = START + timedelta(seconds=86_399 * i / each)
                bad = draw.random() < (0.06 if at.hour == 14 else 0.02)
                text = SAID[-1 if bad else draw.randrange(4)].format(n=draw.randrange(10**7), m=draw.randrange(3000))
                row = {
                    "time": at.isoformat(),
                    "level": "error" if bad else "info",
                    "service": f"service-{s:02}",
                    "msg": text,
                }
                out.write(json.dumps(row) + "\n")
    (folder / "alerts.json").write_text(json.dumps([_alert(i, alerts, services) for i in range(alerts)]))


def _alert(i: int, alerts: int, services: int) -> dict[str, object]:
    at = START + timedelta(seconds=86_000 * i / alerts)
    labels = {
        "alertname": f"Alert{i % 200}", "service": f"service-{i % services:02}",
        "severity": "critical" if i % 50 == 0 else "warning",
    }  # fmt: skip
    return {
        "labels": labels, "annotations": {}, "status": {"state": "resolved", "inhibitedBy": [], "silencedBy": []},
        "startsAt": at.isoformat(), "endsAt": (at + timedelta(seconds=90)).isoformat(),
    }  # fmt: skip


def plain(folder: Path) -> dict[str, float]:
    began, n = time.perf_counter(), 0
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            n += sum(1 for _ in file)
    return {"seconds": round(time.perf_counter() - began, 2), "cpu": cpu(), "lines": n}


def cpu() -> float:
    """Processor seconds of this process and of those that it has ended."""
    times = os.times()
    return round(times.user + times.system + times.children_user + times.children_system, 1)


async def report(folder: Path, index: Path) -> dict[str, float]:
    began = time.perf_counter()
    opened = open_folder(folder, index)
    try:
        made = await build(
            Order("day", local_day(START.date(), "UTC"), "en"), opened.sources(), Known(), datetime.now(UTC)
        )
    finally:
        opened.close()
    assert made.alerts.fired.value is not None
    assert made.errors.total.value is not None
    mb = {who: resource.getrusage(of).ru_maxrss / 1024 for who, of in
          (("program", resource.RUSAGE_SELF), ("worker", resource.RUSAGE_CHILDREN))}  # fmt: skip
    return {
        "seconds": round(time.perf_counter() - began, 2), "cpu": cpu(), "alerts": made.alerts.fired.value,
        "errors": made.errors.total.value, **{f"peak_mb_{who}": round(n) for who, n in mb.items()},
    }  # fmt: skip


def measured(what: str, folder: Path, index: Path) -> dict[str, float]:
    """In a process of its own, so that its memory is its own."""
    command = [sys.executable, "-m", "bench.report.load", "--only", what, "--dir", str(folder), "--index", str(index)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--alerts", type=int, default=50_000)
    parser.add_argument("--services", type=int, default=40)
    parser.add_argument("--dir", type=Path)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--only", choices=("plain", "report"))
    given = parser.parse_args()
    if given.only:
        print(json.dumps(plain(given.dir) if given.only == "plain" else asyncio.run(report(given.dir, given.index))))
        return
    base = given.dir or Path(tempfile.mkdtemp(prefix="report-bench-"))
    folder, index = base / "files", base / "index"
    try:
        if not folder.exists():
            make(folder, given.lines, given.alerts, given.services)
        mb = sum(p.stat().st_size for p in folder.iterdir()) / 1e6
        found = {"mb": round(mb), "plain": measured("plain", folder, index),
                 "report": measured("report", folder, index), "again": measured("report", folder, index)}  # fmt: skip
        print(json.dumps(found, indent=2))
    finally:
        if not given.keep:
            shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
