"""CPU of the kernel alone: the benchmark's question with a model that answers at once, without HTTP.

python bench/kernel.py [--profile]      needs ../shared/bench for the question and its tools
"""

from __future__ import annotations

import asyncio
import cProfile
import importlib.util
import os
import pstats
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT.parent / "shared" / "bench"), str(ROOT)]
os.environ.setdefault("BENCH_BASE_URL", "http://127.0.0.1:1/v1")

import common

from orchestrator.contracts import Reply, ToolCall
from orchestrator.gateway.history import assistant_message

spec = importlib.util.spec_from_file_location("peer", ROOT / "bench" / "peers" / "hermes_ops.py")
assert spec
assert spec.loader
peer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peer)

ARGS = {
    "list_alerts": {"service": "checkout", "since_minutes": 60},
    "get_alert": {"alert_id": "ALR-1042"},
    "search_logs": {"service": "checkout", "query": "error", "limit": 3},
    "count_errors": {"service": "checkout", "since_minutes": 60},
    "list_changes": {"service": "checkout", "since_minutes": 120},
    "get_deploy": {"deploy_id": "DEP-77"},
}
FINAL = (
    "Checkout is slow since 14:02 because deploy DEP-77 at 13:58 cut the database pool from 50 to 5; logs show 412 "
    "pool-exhausted errors and alert ALR-1042 is firing. Roll back DEP-77."
)


class Instant:
    name = "instant"

    async def complete(self, messages: Sequence[Any], tools: Sequence[Any], **_: Any) -> Reply:
        names = [t["function"]["name"] for t in tools]
        if messages[-1]["role"] == "tool":
            return Reply(FINAL if "ask_logs" in names else "412 errors in 60 minutes, mostly pool exhausted.")
        given = {"task": "Find out.", "reason": "It may tell."}
        return Reply("", tuple(ToolCall(f"c{i}", n, ARGS.get(n, given)) for i, n in enumerate(names)))

    remember = staticmethod(assistant_message)

    async def aclose(self) -> None: ...


async def main() -> None:
    peer.model = Instant()
    for _ in range(30):
        assert "DEP-77" in await peer.ask(common.QUESTION)
    profile = cProfile.Profile() if "--profile" in sys.argv else None
    if profile:
        profile.enable()
    began, questions = time.process_time(), 200
    for _ in range(questions):
        await peer.ask(common.QUESTION)
    took = time.process_time() - began
    if profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumtime").print_stats(75)
    print(f"kernel CPU: {took / questions * 1000:.2f} ms a question")


if __name__ == "__main__":
    asyncio.run(main())
