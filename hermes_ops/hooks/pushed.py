"""What a push brings, whoever tells of it: the commits of a branch, or a tag. Knows no product."""

from __future__ import annotations

import re
from datetime import datetime
from fnmatch import fnmatchcase

from hermes_ops.hooks.heard import Beside, Change, moment, table, text
from hermes_ops.hooks.settings import ChangeHook
from orchestrator.contracts import Json

FILES = 200  # names that are kept of one commit
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{7,40})")


def tag(repository: str, ref: str, sha: str, author: str, at: datetime | None) -> Change:
    """A tag is a release, which its release's own event says better. `at`: when it was pushed, where that
    is said; its commit may be much older."""
    version = ref.removeprefix("refs/tags/")
    return Change(
        id=f"{repository} release {version}",
        kind="release",
        service="",
        at=at,
        title=f"tag {version}",
        repository=repository,
        author=author,
        version=version,
        sha=sha,
    )


def commits(repository: str, ref: str, main: str, given: Json, hook: ChangeHook) -> list[Change]:
    """Of the default branch, or of those the settings name. Raises Beside for other branches and an empty push."""
    branch, wanted = ref.removeprefix("refs/heads/"), hook.branches or ((main,) if main else ("main", "master"))
    if not any(fnmatchcase(branch, pattern) for pattern in wanted):
        raise Beside(f"the branch {branch} is none of {', '.join(wanted)}")
    held = [table(c) for c in given] if isinstance(given, list) else []
    found = [_commit(repository, c) for c in held if text(c.get("id"))]
    if not found:
        raise Beside("it brings no commits")
    return found


def _commit(repository: str, commit: dict[str, Json]) -> Change:
    subject, _, rest = text(commit.get("message")).partition("\n")
    who = table(commit.get("author"))
    lists = (commit.get(name) for name in ("added", "modified", "removed"))
    names = dict.fromkeys(text(f) for files in lists if isinstance(files, list) for f in files)
    reverted = _REVERTS.search(rest)
    return Change(
        id=text(commit.get("id")),
        kind="commit",
        service="",
        at=moment(commit.get("timestamp")),
        title=subject,
        repository=repository,
        author=text(who.get("username")) or text(who.get("name")),
        files=tuple(names)[:FILES],
        reverts=reverted[1] if reverted else "",
        body=rest.strip(),
        link=text(commit.get("url")),
    )
