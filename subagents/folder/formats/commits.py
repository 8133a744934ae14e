"""Commits as JSON objects: our own export, GitHub's and GitLab's REST bodies, with or without files and diffs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats.deploys import deployed
from subagents.folder.records import Doc, Row

DIFF_CAP = 200_000
_SHA = re.compile(r"^[0-9a-f]{7,64}$")
_TIME = ("committed", "committeddate", "committedat", "committerdate", "timestamp", "date", "authored",
         "authoreddate", "createdat", "time")  # fmt: skip
_TITLE = ("message", "subject", "title")
_TAG = re.compile(r"tags?[:/] ?([^,\s]+)")


def _sha(item: Mapping[str, Any]) -> str:
    value = keys.text(item, "sha", "commit", "commitsha", "hash", "id", "oid")
    return value if _SHA.match(value) else ""


def matches(item: Mapping[str, Any]) -> bool:
    inner = item.get("commit")
    if isinstance(inner, Mapping) and "message" in inner and "sha" in item:
        return True
    if not _sha(item) or keys.found(item, _TITLE) is None or keys.found(item, ("spanid", "traceid")) or deployed(item):
        return False
    return keys.found(item, ("author", "authorname", "committed", "files", "fileschanged", "parents")) is not None


def read(item: Mapping[str, Any], around: Mapping[str, Any]) -> list[Row]:
    inner = item.get("commit")
    if isinstance(inner, Mapping):
        who = inner.get("committer") or inner.get("author") or {}
        author = (inner.get("author") or {}).get("name", "")
        return _row(item, str(inner["message"]), str(author), times.parse(who.get("date")))
    author = keys.pick(item, ("author", "authorname", "committer", "committername"))
    if isinstance(author, Mapping):
        author = author.get("login") or author.get("name")
    title = keys.text(item, *_TITLE)
    body = keys.text(item, "body")
    message = f"{title}\n\n{body}" if body and body not in title else title
    return _row(item, message, str(author or ""), times.parse(keys.pick(item, _TIME)))


def _row(item: Mapping[str, Any], message: str, author: str, at: float | None) -> list[Row]:
    if at is None:
        return []
    title, _, body = message.partition("\n")
    files, diff = _files(item)
    return [commit(_sha(item), at, title.strip(), body.strip(), author, tags(item), files, diff)]


def commit(
    sha: str, at: float, title: str, body: str, author: str, tagged: list[str], files: list[str], diff: str
) -> Row:
    """A commit's row, as all readers of commits make it."""
    return {
        "kind": "change", "change": "commit", "id": sha, "at": at, "title": title, "body": body, "author": author,
        "tags": tagged, "files": files, "diff": diff[:DIFF_CAP], "service": "", "sha": sha,
    }  # fmt: skip


def tags(item: Mapping[str, Any]) -> list[str]:
    refs = item.get("refs")
    if isinstance(refs, str):
        return _TAG.findall(refs)
    found = [str(r) for r in refs if isinstance(r, str)] if isinstance(refs, list) else []
    return [t for r in found for t in (_TAG.findall(r) or ([r] if "->" not in r and "/" not in r else []))]


def _files(item: Mapping[str, Any]) -> tuple[list[str], str]:
    """Paths, and the diff: one text, or the files' patches put together."""
    listed = keys.pick(item, ("files", "fileschanged", "paths"))
    paths, patches = [], []
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, str):
            paths.append(entry)
        elif isinstance(entry, Mapping):
            path = keys.text(entry, "path", "filename", "newpath", "name")
            paths.append(path)
            if entry.get("patch") or entry.get("diff"):
                patches.append(f"--- {path}\n{entry.get('patch') or entry.get('diff')}")
    diff = item.get("diff") or item.get("patch")
    return [p for p in paths if p], diff if isinstance(diff, str) else "\n".join(patches)


COMMIT = Doc("commit", "change", matches, read)
