"""Merged requests, as a change each: GitHub's pulls (REST, `gh pr list --json`), GitLab's merge requests, Gitea's and
Gitee's pulls. One that wasn't merged changed nothing.

Sources: GitHub `pulls` (`merged_at`, `merge_commit_sha`), gh's `mergedAt`, `mergeCommit.oid`; GitLab's
`/merge_requests` (`merged_at`, `merge_commit_sha`, `squash_commit_sha`, `merged_by`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats import words
from subagents.folder.formats.commits import commit
from subagents.folder.records import Doc, Row


def matches(item: Mapping[str, Any]) -> bool:
    numbered = keys.found(item, ("number", "iid")) is not None and keys.found(item, ("title",)) is not None
    return numbered and keys.found(item, ("mergedat",)) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    at = times.parse(keys.pick(item, ("mergedat",)))
    if at is None:
        return []
    made = keys.pick(item, ("mergecommit",))
    sha = keys.text(made, "oid", "sha") if isinstance(made, Mapping) else ""
    sha = sha or keys.text(item, "mergecommitsha", "squashcommitsha", "sha")
    author = next((who for k in ("mergedby", "author", "user") if (who := words.named(item, k))), "")
    number = f"{'!' if keys.found(item, ('iid',)) else '#'}{keys.text(item, 'iid', 'number')}"
    body = keys.text(item, "body", "description")
    row = commit(sha, at, f"{keys.text(item, 'title')} ({number})", body, author, [], [], "")
    return [{**row, "id": sha or number}]


MERGE = Doc("merged request", "change", matches, read)
