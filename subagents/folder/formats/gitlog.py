"""Text that `git log` printed (default, medium or fuller; with `--stat`, `--name-only`, `--name-status` or `-p`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from subagents.folder import files, times
from subagents.folder.formats.commits import DIFF_CAP, commit, tags
from subagents.folder.records import Row

_COMMIT = re.compile(r"^commit ([0-9a-f]{7,64})(?: \((.*)\))?$")
_FIELD = re.compile(r"^(Author|AuthorDate|Commit|CommitDate|Date|Merge|gpg):? +(.*)$")
_STAT = re.compile(r"^ ++(\S(?:.*?\S)??) ++\| ++(?:\d|Bin)")
_STATUS = re.compile(r"^(?:[ACDMRTUX]\d*\t)(?:.*\t)?(\S.*)$")
_DIFF = re.compile(r"^diff --git a/(.+?) b/(.+)$")
_MAIL = re.compile(r" <[^<>]*+>$")


def is_log(lines: list[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return bool(_COMMIT.match(first)) and any(_FIELD.match(line) for line in lines[:6])


def read(path: str, packed: str) -> Iterator[Row]:
    current: list[str] = []
    for _, raw in files.lines(path, packed):
        line = raw.decode("utf-8", "replace").rstrip("\r")
        if _COMMIT.match(line) and current:
            yield from _commit(current)
            current = []
        if len(current) < 20_000:
            current.append(line)
    yield from _commit(current)


def _commit(lines: list[str]) -> Iterator[Row]:
    match = _COMMIT.match(lines[0]) if lines else None
    if match is None:
        return
    fields: dict[str, str] = {}
    body: list[str] = []
    changed: list[str] = []
    diff: list[str] = []
    for line in lines[1:]:
        if diff or _DIFF.match(line):
            diff.append(line)
        elif not body and (field := _FIELD.match(line)):
            fields.setdefault(field.group(1), field.group(2))
        elif line.startswith("    ") or not line:
            body.append(line[4:])
        else:
            changed.append(line)
    at = times.parse(fields.get("CommitDate") or fields.get("Date") or fields.get("AuthorDate"))
    if at is None:
        return
    title, _, rest = "\n".join(body).strip().partition("\n")
    author = _MAIL.sub("", fields.get("Author", ""))
    paths = list(dict.fromkeys([*_paths(changed), *(m.group(2) for d in diff if (m := _DIFF.match(d)))]))
    text = "\n".join(diff)[:DIFF_CAP]
    yield commit(match.group(1), at, title, rest.strip(), author, tags({"refs": match.group(2) or ""}), paths, text)


def _paths(changed: list[str]) -> Iterator[str]:
    for line in changed:
        if match := _STAT.match(line) or _STATUS.match(line):
            yield match.group(1).strip()
        elif not line.startswith(" ") and "changed" not in line:
            yield line.strip()
