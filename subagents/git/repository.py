"""One repository on disk: its commits of a window, its tags, one patch; each within a time, whatever its size.

`--since` stops a walk at the first commit that is older, also where its clock was wrong; so all commits are looked at
as long as that is quick (`--since-as-filter`), and else the gap is said. It knows no service.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from orchestrator.contracts import Window
from subagents.folder.gitcommand import GitError, output
from subagents.folder.githistory import Log, Tags, patch
from subagents.folder.records import Row
from subagents.saying import moment

COMMITS = 5_000  # of one window
TAGS = 2_000
NAMED = timedelta(days=180)  # a commit that a revert names by its title is looked for so far back
SLACK = 300.0  # seconds by which a clone may lag without a word


class Repository:
    """`branches`: patterns of the branches that count, () = all; `seconds`: for one question. Raises GitError."""

    def __init__(self, path: Path, branches: tuple[str, ...], seconds: float) -> None:
        self.path, self.seconds = path, seconds
        self.name = path.resolve().name.removesuffix(".git") or str(path)
        self._refs = _refs(branches)
        self._huge = False

    async def commits(self, window: Window) -> tuple[list[Row], list[str]]:
        """Those of the window, and what may be missing, in words."""
        since, until = window.start.timestamp(), window.end.timestamp()
        rows, gaps = list[Row](), list[str]()
        try:
            rows = rows if self._huge else await self._log(f"--since-as-filter=@{since:.0f}", until, self.seconds / 2)
        except GitError as e:
            if not e.slow and "unrecognized argument" not in str(e):
                raise
            self._huge = True
        if self._huge:
            rows = await self._log(f"--since=@{since:.0f}", until, self.seconds)
            gaps.append(f"{self.name} is large: commits behind one that is dated before the window were not looked at")
        if len(rows) > COMMITS:
            gaps.append(f"{self.name}: only the newest {COMMITS:,} commits of the window were read")
        return [r for r in rows[:COMMITS] if since <= r["at"] < until], gaps

    async def titled(self, title: str, before: float) -> str:
        """The sha of the last commit of that title before a time, "" where there is none."""
        limits = [f"--since=@{before - NAMED.total_seconds():.0f}", f"--until=@{before:.0f}", "-n20", "-F"]
        log = Log()
        text, _ = await output(self.path, log.arguments([*limits, f"--grep={title}"], self._refs), self.seconds / 2)
        found = (row for row in log.rows(_text(text)) if row["title"].startswith(title))
        return next((str(row["sha"]) for row in found), "")

    async def tags(self) -> list[Row]:
        tags = Tags()
        text, _ = await output(self.path, tags.arguments(TAGS), self.seconds)
        return list(tags.rows(_text(text)))

    async def patch(self, sha: str, most: int) -> tuple[str, bool]:
        """Its beginning, and whether that is all."""
        text, whole = await output(self.path, patch(sha), self.seconds, most)
        return _text(text), whole

    async def newest(self) -> datetime | None:
        """When the last commit was made; None in an empty repository."""
        text, _ = await output(self.path, ["log", "-1", "--format=%ct", *self._refs, "--"], self.seconds)
        return datetime.fromtimestamp(int(text), UTC) if text.strip() else None

    async def lags(self, window: Window) -> str:
        """That a clone was last fetched before the window's end, in words; "" where nothing says so."""
        text, _ = await output(self.path, ["rev-parse", "--absolute-git-dir"], self.seconds)
        fetched = Path(_text(text).rstrip("\n")) / "FETCH_HEAD"
        if not fetched.is_file():
            return ""
        at = fetched.stat().st_mtime
        if at + SLACK >= min(window.end.timestamp(), time.time()):
            return ""
        said = moment(datetime.fromtimestamp(at, UTC), window.zone)
        return f"{self.name} was last fetched at {said}: what came later isn't there"

    async def _log(self, since: str, until: float, seconds: float) -> list[Row]:
        log = Log()
        limits = [since, f"--until=@{until:.0f}", f"-n{COMMITS + 1}"]
        text, whole = await output(self.path, log.arguments(limits, self._refs), seconds)
        rows = [{**row, "repository": str(self.path)} for row in log.rows(_text(text))]
        return rows if whole else rows[:-1]


def _refs(branches: tuple[str, ...]) -> list[str]:
    """All branches, also those of remotes, and where a work tree stands; else those that match."""
    if not branches:
        return ["--branches", "--remotes", "--exclude=refs/*", "--all"]  # the last two: HEAD, which may be unborn
    exact = [b if set(b) & set("*?[") else f"[{b[0]}]{b[1:]}" for b in branches]  # to git, a plain "main" is "main/*"
    return [option for b in exact for option in (f"--branches={b}", f"--remotes=*/{b}")]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
