"""A real git repository inside a folder: its commits, and the patch of one."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from subagents.folder.gitcommand import MOST, GitError, output
from subagents.folder.githistory import Log, patch
from subagents.folder.records import Row

COMMITS_MAX = 5000
SECONDS = 20
_SHA = re.compile(r"^[0-9a-f]{7,64}$")


def commits(repository: Path) -> tuple[list[Row], str]:
    """The newest commits of all branches, oldest last; and what is missing of them, in words. Blocks, and may be called
    where an event loop runs."""
    log = Log()
    try:
        with ThreadPoolExecutor(1) as thread:
            asked = output(repository, log.arguments([f"-n{COMMITS_MAX}"], ["--all"]), SECONDS)
            text, whole = thread.submit(asyncio.run, asked).result()
    except GitError as e:
        return [], f"git couldn't read this repository: {e}"
    rows = [{**row, "repository": str(repository)} for row in log.rows(text.decode("utf-8", "replace"))]
    return (rows, "") if whole else (rows[:-1], f"only the first {MOST >> 20} MB of its history are read")


async def diff(repository: str, sha: str, most: int) -> tuple[str, bool]:
    """The patch of one commit, at most so many bytes of it, and whether that is all; "" where git can't tell it."""
    if not _SHA.match(sha):
        return "", True
    try:
        text, whole = await output(Path(repository), patch(sha), SECONDS, most)
    except GitError:
        return "", True
    return text.decode("utf-8", "replace"), whole
