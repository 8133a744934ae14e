"""What `git log --format=…` prints with one line a commit: a sha, a time, perhaps an author and refs, and the subject,
in any order, parted by any of the usual marks, or by blanks where only the subject stands behind sha and time.

A log may hold hexadecimal ids too. What git prints goes from the newest to the oldest, no sha comes twice, no field is
a level; ids of traces and spans have 16 or 32 digits, shas 40 (or 64), short ones 7 to 12.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from subagents.folder import files, levels, times
from subagents.folder.formats.commits import commit, tags
from subagents.folder.records import Row

_MARKS = ("\x1f", "\x00", "\t", "|", " | ", " - ", ";", ",")
_SHA = re.compile(r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}")
_LONG = 40  # digits of a whole sha
_STAMP = re.compile(f"{times.ISO}|{times.CTIME}|{times.RFC2822}|" + r"\d{10}")
_PLAIN = re.compile(rf"(\S+) ({_STAMP.pattern}) (\S.*)|({_STAMP.pattern}) (\S+) (\S.*)")
_REFS = re.compile(r" ?\((?:HEAD|tag: |\S+/\S+).*\)|(?:HEAD -> |tag: )\S.*")
_MAIL = re.compile(r"<?[^\s<>@]+@[^\s<>@]+>?$")
_LEAST = 0.9  # of the lines


class Told(NamedTuple):
    sha: str
    at: float
    author: str
    subject: str
    refs: str


class Layout(NamedTuple):
    """`mark` "": parted by blanks; `fields` in a line; which of them the sha and the time are, and the subject."""

    mark: str
    fields: int
    sha: int
    time: int
    subject: int


def shape(lines: list[str]) -> str | None:
    """A layout as JSON, or None where this is no such log."""
    for form in _layouts(lines):
        told = [row for line in lines if (row := _told(line, form)) is not None]
        if len(told) >= _LEAST * len(lines) and _printed_by_git(told, form):
            return json.dumps(form)
    return None


def _layouts(lines: list[str]) -> Iterator[Layout]:
    for mark in _MARKS:
        parts = [line.split(mark) for line in lines[:50]]
        count = min(map(len, parts))
        if count < 3:
            continue
        sha = next((n for n in range(-1, count - 1) if all(_SHA.fullmatch(p[n].strip()) for p in parts)), None)
        time = next((n for n in range(-1, count - 1) if all(_stamp(p[n]) for p in parts)), None)
        if sha is not None and time is not None:
            sha, time = sha % count, time % count
            yield Layout(mark, count, sha, time, _subject(parts, count, {sha, time}))
    yield Layout("", 3, 0, 1, 2)


def _subject(parts: list[list[str]], count: int, taken: set[int]) -> int:
    """The field that takes what a mark inside of it parts: the longest."""
    rest = [n for n in range(count) if n not in taken and not all(_REFS.fullmatch(p[n]) for p in parts if p[n])]
    return max(rest, key=lambda n: sum(len(p[n]) for p in parts) + (n == rest[-1]), default=count - 1)


def _stamp(text: str) -> bool:
    return bool(_STAMP.fullmatch(text.strip())) and times.parse(text.strip()) is not None


def _told(line: str, form: Layout) -> Told | None:
    parts = _parts(line, form)
    if parts is None or not _SHA.fullmatch(parts[form.sha]) or not _stamp(parts[form.time]):
        return None
    at = times.parse(parts[form.time])
    rest = [p for n, p in enumerate(parts) if n not in (form.sha, form.time, form.subject)]
    refs = next((p for p in rest if _REFS.fullmatch(p)), "")
    author = next((p for p in rest if p and p != refs and not _MAIL.match(p) and not _SHA.fullmatch(p)), "")
    assert at is not None
    return Told(parts[form.sha], at, author, parts[form.subject], refs)


def _parts(line: str, form: Layout) -> list[str] | None:
    if not form.mark:
        found = _PLAIN.fullmatch(line)
        return found and ([found[1], found[2], found[3]] if found[1] else [found[5], found[4], found[6]])
    parts = line.split(form.mark)
    more = len(parts) - form.fields
    if more < 0:
        return None
    end = form.subject + more + 1
    joined = [*parts[: form.subject], form.mark.join(parts[form.subject : end]), *parts[end:]]
    return [part.strip() for part in joined]


def _printed_by_git(told: list[Told], form: Layout) -> bool:
    whole = all(len(row.sha) >= _LONG for row in told)
    if len({row.sha for row in told}) < len(told) or told[0].at < told[-1].at:
        return False
    if any(levels.level(row.author) != "unknown" for row in told if row.author.isupper()):
        return False
    return whole or len(told) > 1


def read(path: str, packed: str, layout: str) -> Iterator[Row]:
    form = Layout(*json.loads(layout))
    for _, raw in files.lines(path, packed):
        row = _told(raw.decode("utf-8", "replace").rstrip("\r\n"), form)
        if row is not None:
            found = tags({"refs": row.refs})
            yield commit(row.sha, row.at, row.subject, "", row.author, found, [], "")
