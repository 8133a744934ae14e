"""`make bench`: what hermes-ops costs beside a hand-written loop, as ratios measured in one run.

The peers, the mock model server and the driver lie in ../shared/bench beside a full checkout; ours are two more peer
files (bench/peers). Everything is copied to out/bench and run there, all peers on this same Python and SDK. Without
that folder only the start-up figures are measured. Needs Node.js for the mock server.

    python bench/run.py [--quick] [--stages warm,long,sessions] [--only model|startup|behaviour|load|report]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "bench"
WORK = ROOT / "out" / "bench"
PEERS = ("floor_openai", "floor_openai_lean", "floor_openai_lean_stream", "hermes_ops", "hermes_ops_stored")
LIMIT = """

def hermes_ops():
    import common
    common.LIMIT = 3
    import peers.hermes_ops as ours
    return "Agent(steps=3)", ours.ask
"""


def prepare() -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(SHARED, WORK, copy_function=shutil.copyfile)
    for peer in (ROOT / "bench" / "peers").glob("*.py"):
        shutil.copyfile(peer, WORK / "peers" / peer.name)
    with (WORK / "limits.py").open("a") as f:
        f.write(LIMIT)
    (WORK / "venvs").mkdir()
    for name in {*PEERS, "floor_openai_aiohttp"}:
        (WORK / "venvs" / name).symlink_to(sys.prefix)


def model(stages: str, quick: bool) -> dict[str, float]:
    size = ["--rounds", "2", "--seq", "10", "--sessions", "50"] if quick else ["--rounds", "9", "--sessions", "300"]
    command = [sys.executable, str(WORK / "bench.py"), "--peers", ",".join(PEERS), "--stages", stages, *size]
    subprocess.run(
        [*command, "--conc", "1:10,20:60"], cwd=WORK, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return ratios(json.loads((WORK / "out" / "results.json").read_text())["results"])


def ratios(results: dict[str, dict[str, list[dict[str, float]]]]) -> dict[str, float]:
    def ratio(peer: str, key: str) -> float:
        pairs = zip(results[peer]["seq"], results["floor_openai"]["seq"], strict=False)
        return statistics.median(a[key] / b[key] for a, b in pairs)

    def middle(peer: str, stage: str, key: str) -> float:
        return statistics.median(row[key] for row in results[peer][stage])

    found = {
        "cpu_memory_x_floor": ratio("hermes_ops", "cpu"),
        "cpu_stored_x_floor": ratio("hermes_ops_stored", "cpu"),
        "requests": middle("hermes_ops", "seq", "requests"),
        "wall_at_50ms": middle("hermes_ops", "lat", "wall") * 1000,
        "bytes_over_floor_per_request": (middle("hermes_ops", "seq", "bytes") - middle("floor_openai", "seq", "bytes"))
        / 8,
    }
    if results["hermes_ops"].get("long"):
        rows = results["hermes_ops"]["long"]
        found["growth_over_20_questions"] = statistics.median(r["last"] / r["first"] for r in rows)
    if "sessions_kb" in results["hermes_ops"]:
        found["kb_per_idle_session"] = results["hermes_ops"]["sessions_kb"]  # type: ignore[assignment]
    return found


def startup(runs: int) -> dict[str, float]:
    """Median wall seconds of whole processes, in turn."""
    binary = str(Path(sys.executable).with_name("hermes-ops"))
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HERMES_OPS_DATA_DIR": home}
        env |= {"HERMES_OPS_API_KEY": "", "OPENAI_API_KEY": ""}
        folder = str(Path(home, "incident"))
        subprocess.run([binary, "demo", "--keep", folder], env=env, capture_output=True, check=True)
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "python -c 'import openai'": [sys.executable, "-c", "import openai"],
            "hermes-ops --version": [binary, "--version"],
            "hermes-ops ask --offline": [binary, "ask", "--offline", "--new", "--folder", folder, "how many errors?"],
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(runs + 1):
            for name, command in commands.items():
                began = time.perf_counter()
                subprocess.run(command, env=env, capture_output=True, check=True)
                took[name].append(time.perf_counter() - began)
    return {f"seconds: {name}": statistics.median(times[1:]) for name, times in took.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--stages", default="warm,long,sessions")
    options.add_argument("--only", choices=("model", "startup", "behaviour", "load", "report"))
    chosen = options.parse_args()
    found: dict[str, float] = {}
    if chosen.only in (None, "startup"):
        found |= startup(3 if chosen.quick else 7)
    if chosen.only in (None, "load"):
        size = ["--questions", "100"] if chosen.quick else []
        subprocess.run([sys.executable, str(ROOT / "bench" / "load.py"), *size], check=True)
    if chosen.only in (None, "report"):
        size = ["--lines", "200000", "--alerts", "2000"] if chosen.quick else []
        subprocess.run([sys.executable, "-m", "bench.report.load", *size], cwd=ROOT, check=True)
    if chosen.only in ("load", "report"):
        return
    if not SHARED.exists():
        print("../shared/bench is not beside this checkout: only the start-up was measured", file=sys.stderr)
    elif chosen.only != "startup":
        prepare()
        if chosen.only in (None, "model"):
            found |= model(chosen.stages, chosen.quick)
        if chosen.only in (None, "behaviour"):
            env = {**os.environ, "PYTHONPATH": str(ROOT)}
            subprocess.run([sys.executable, str(WORK / "behaviour.py"), "hermes_ops"], cwd=WORK, check=True, env=env)
    for name, value in found.items():
        print(f"{name:40} {value:10.3f}")


if __name__ == "__main__":
    main()
