"""How changes hang together: what a deploy carries, what one touches, what took it back, what is paper. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from subagents.sources import Change

_PAPER = re.compile(
    r"(?:^|/)(?:docs?|tests?|testdata|__tests__|spec|e2e|\.github|\.circleci|\.vscode|\.idea)/|\.(?:md|rst|adoc)$"
    r"|(?:^|/)(?:LICENSE|CODEOWNERS|\.gitignore|\.editorconfig|\.gitlab-ci\.yml|Jenkinsfile|\.pre-commit-config\.yaml)$"
    r"|(?:^|/)\.?(?:eslint|prettier|golangci|rubocop|flake8|pylint|stylelint)[\w.-]*$"
    r"|(?:^|/)test_[^/]+$|_test\.\w+$|\.(?:test|spec|stories)\.\w+$",
    re.IGNORECASE,
)
_PAPER_TITLE = re.compile(r"^(?:docs?|tests?|文档|测试)(?:\([^)]*\))?!?[:：]", re.IGNORECASE)
SAYS_ITS_KIND = ("commit", "deploy", "release")
_REVERT = re.compile(r"\b(?:revert|roll(?:ed)?[ -]?back|undo)|回滚|撤回|回退|还原", re.IGNORECASE)


def carries(change: Change, commit: Change) -> bool:
    return any(same_sha(sha, commit.id) for sha in (change.sha, *change.commits))


def same_sha(a: str, b: str) -> bool:
    """Two shas, one of which may be short."""
    return min(len(a), len(b)) >= 7 and (a.startswith(b) or b.startswith(a))


def touches(change: Change, commits: Sequence[Change], services: Sequence[str]) -> set[str]:
    """The services a change is about: as it says, else those that its files' paths name."""
    if change.service:
        return {change.service}
    files = [f for c in (change, *commits) for f in c.files]
    parts = {part.lower() for f in files for part in f.split("/")[:-1]}
    return {s for s in services if s.lower() in parts}


def named_by(change: Change, services: Sequence[str]) -> set[str]:
    """The services that its files are called after: `iam/doc_vault.tf`."""
    parts = {p.lower().replace("_", "-") for f in change.files for p in f.rsplit(".", 1)[0].split("/")}
    return {s for s in services if s.lower().replace("_", "-") in parts}


def same_environment(a: str, b: str) -> bool:
    """prod, prod-sh and production are one another's; staging is not."""
    x, y = (re.split(r"[-_.]", e.lower())[0] for e in (a, b))
    return x.startswith(y) or y.startswith(x)


def on_paper(change: Change, commits: Sequence[Change]) -> bool:
    """Documents, tests, and what only builders and editors read: nothing that runs was changed."""
    whole = commits or (change,)
    files = [f for c in (change, *commits) for f in c.files]
    if files:
        return all(_PAPER.search(f) for f in files)
    return all(c.kind in SAYS_ITS_KIND and _PAPER_TITLE.search(c.title) for c in whole)


def taken_back(change: Change, commits: Sequence[Change], others: Sequence[Change], onset: datetime) -> Change | None:
    """The later change that takes this one back, a deploy before a mere commit."""
    mine = {x for c in (change, *commits) for x in (c.id, c.sha) if x}
    titles = {c.title for c in (change, *commits) if len(c.title) > 8}
    found = []
    for other in others:
        if other.at <= max(change.at, onset) or other.id in mine:
            continue
        named = any(same_sha(other.reverts, x) or other.reverts == x for x in mine) if other.reverts else False
        text = f"{other.title} {other.body}"
        same = other.service == change.service and bool(change.service)
        if named or (_REVERT.search(text) and (same or any(t in text for t in titles))):
            found.append(other)
    return min(found, key=lambda c: (c.kind == "commit", c.at), default=None)
