"""A real git repository inside a folder, read with the `git` command: never written to, no hooks, no helpers, no
network. What the repository itself configures to run is switched off.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from subagents.folder.records import Row
from subagents.git.command import GitError, invocation
from subagents.git.log import Log

COMMITS_MAX = 5000
SECONDS = 20
_SHA = re.compile(r"^[0-9a-f]{7,64}$")


def commits(repository: Path) -> tuple[list[Row], str]:
    """The newest commits of all branches, oldest last; and why there are none, in words."""
    log = Log()
    text, why = _git(repository, *log.arguments([f"-n{COMMITS_MAX}"], ["--all"]))
    return [{**row, "repository": str(repository)} for row in log.rows(text)], why


def diff(repository: str, sha: str) -> str:
    """The patch of one commit; "" where git can't tell it."""
    if not _SHA.match(sha):
        return ""
    return _git(Path(repository), *patch(sha))[0]


def patch(sha: str) -> list[str]:
    """The arguments that print one commit's patch, a merge's against its first parent."""
    return ["show", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", "--format=", sha, "--"]


def _git(repository: Path, *args: str) -> tuple[str, str]:
    try:
        line, environment = invocation(repository, *args)
        done = subprocess.run(line, capture_output=True, timeout=SECONDS, env=environment, check=False)
    except GitError as e:
        return "", f"it is a git repository, but {e}"
    except (OSError, subprocess.TimeoutExpired) as e:
        return "", f"git couldn't read this repository: {e}"
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        return "", f"git couldn't read this repository: {said}"
    return done.stdout.decode("utf-8", "replace"), ""
