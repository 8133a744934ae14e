"""A real git repository inside a folder, read with the `git` command: never written to, no hooks, no helpers, no
network. What the repository itself configures to run is switched off.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from subagents.folder import times
from subagents.folder.formats.commits import commit, tags
from subagents.folder.records import Row

COMMITS_MAX = 5000
SECONDS = 20
_SHA = re.compile(r"^[0-9a-f]{7,64}$")
_SAFE = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "diff.external=", "protocol.allow=never",
    "core.sshCommand=false", "credential.helper=", "log.showSignature=false", "core.quotePath=false",
    "safe.directory=*", "gc.auto=0", "maintenance.auto=false",
)  # fmt: skip
_FORMAT = "%x1e%H%x1f%cI%x1f%an%x1f%D%x1f%s%x1f%b%x1f"


def commits(repository: Path) -> tuple[list[Row], str]:
    """The newest commits of all branches, oldest last; and why there are none, in words."""
    text, why = _git(repository, "log", "--all", f"-n{COMMITS_MAX}", f"--format={_FORMAT}", "--name-only", "-m",
                     "--first-parent")  # fmt: skip
    rows = []
    for record in text.split("\x1e")[1:]:
        sha, at, author, refs, title, body, paths = (*record.split("\x1f", 6), "")[:7]
        when = times.parse(at)
        if when is not None:
            listed = [p for p in paths.split("\n") if p]
            rows.append({**commit(sha, when, title, body.strip(), author, tags({"refs": refs}), listed, ""),
                         "repository": str(repository)})  # fmt: skip
    return rows, why


def diff(repository: str, sha: str) -> str:
    """The patch of one commit; "" where git can't tell it."""
    if not _SHA.match(sha):
        return ""
    return _git(Path(repository), "show", "--no-ext-diff", "--no-textconv", "--format=", sha, "--")[0]


def _git(repository: Path, *args: str) -> tuple[str, str]:
    command = shutil.which("git")
    if command is None:
        return "", "it is a git repository, but there is no git command here to read it with"
    options = [part for setting in _SAFE for part in ("-c", setting)]
    environment = {
        "PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1",
    }  # fmt: skip
    line = [command, "--no-pager", *options, "-C", str(repository), *args]
    try:
        done = subprocess.run(line, capture_output=True, timeout=SECONDS, env=environment, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return "", f"git couldn't read this repository: {e}"
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        return "", f"git couldn't read this repository: {said}"
    return done.stdout.decode("utf-8", "replace"), ""
