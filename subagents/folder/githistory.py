"""What `git log` and `git for-each-ref` are asked, and their answers as rows of changes.

Messages, names and paths may hold anything but NUL: what divides commits is a word made up for each run, which no
message that was written before can contain. Times are the committer's: when a commit came to where it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence

from subagents.folder.formats.commits import commit, tags
from subagents.folder.formats.deploys import version
from subagents.folder.records import Row

FIELDS = "%H%n%ct%n%P%n%an%n%D%n%B"
MESSAGE = 20_000  # characters of one message that are kept
PATHS = 2_000  # of one commit


class Log:
    """One run of `git log`: its arguments, and the reader of what they bring."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(12)

    def arguments(self, limits: Sequence[str], refs: Sequence[str]) -> list[str]:
        """Merges show what they brought to their first parent."""
        form = f"--format={self._mark}%n{FIELDS}{self._mark}"
        return ["log", "-z", form, "--name-only", "--diff-merges=first-parent", *limits, *refs, "--"]

    def rows(self, text: str) -> Iterator[Row]:
        """As `formats.commits` makes them; `merge`: of how many parents."""
        for head, paths in zip(*[iter(text.split(self._mark)[1:])] * 2, strict=False):
            sha, at, parents, author, refs, message = (*head.lstrip("\n").split("\n", 5), "")[:6]
            title, _, body = message.strip()[:MESSAGE].partition("\n")
            named = [path for path in paths.removeprefix("\0").removeprefix("\n").split("\0") if path][:PATHS]
            row = commit(sha, float(at), title, body.strip(), author, tags({"refs": refs}), named, "")
            yield {**row, "merge": len(parents.split())}


REFS = "%(refname:strip=2)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)%00%(taggername)%00%(contents)"


class Tags:
    """The newest tags as releases."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(12)

    def arguments(self, most: int) -> list[str]:
        return ["for-each-ref", f"--count={most}", "--sort=-creatordate", f"--format={self._mark}{REFS}", "refs/tags"]

    def rows(self, text: str) -> Iterator[Row]:
        """`title`: the first line of an annotated tag's message."""
        for record in text.split(self._mark)[1:]:
            name, own, peeled, at, author, message = (*record.split("\0", 5), "")[:6]
            if not at:  # a tag of something that is no commit
                continue
            title, _, body = message.strip()[:MESSAGE].partition("\n") if peeled else ("", "", "")
            yield {
                "kind": "change", "change": "release", "id": name, "at": float(at), "title": title or f"tag {name}",
                "body": body.strip(), "author": author if peeled else "", "tags": [name], "files": [],
                "service": "", "sha": peeled or own, "version": version(name) or name,
            }  # fmt: skip


def patch(sha: str) -> list[str]:
    """The arguments that print one commit's patch, a merge's against its first parent."""
    return ["show", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", "--format=", sha, "--"]
