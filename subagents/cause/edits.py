"""A diff, read: what was removed and added where. Knows the form of diffs, nothing of what they do."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FILE = re.compile(r"^(?:\+\+\+ b/|--- a/|diff --git a/\S+ b/)(\S+)")
_HUNK = re.compile(r"^@@ (?!-\d)([\w./-]+\.\w+)\b|^@@ (?!-\d)([\w./-]+/[\w./-]+)\b")
_COMMENT = re.compile(r"^\s*(?://|#(?!\w+\()|\*|/\*|--\s|<!--|;|\"\"\"|''')")
_TRAILING = re.compile(r"\s(?://|#)\s.*$")
PLAIN_TEXT = re.compile(
    r"\.(?:css|scss|less|svg|png|jpe?g|gif|ico|woff2?|md|rst|adoc|txt|po|pot|html?|tmpl|hbs|ejs)$|(?:^|/)(?:i18n|locales?"
    r"|translations?|templates?|static|assets)/|(?:^|/)(?:theme|palette|colors?|styles?)\.\w+$",
    re.IGNORECASE,
)
SETTINGS = re.compile(
    r"\.(?:ya?ml|json|toml|ini|conf|cfg|properties|env|tf|tfvars|hcl|xml)$|(?:^|/)\.env", re.IGNORECASE
)
MANIFEST = re.compile(
    r"(?:^|/)(?:go\.(?:mod|sum)|package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|requirements[\w-]*\.txt|pyproject\.toml"
    r"|poetry\.lock|pom\.xml|build\.gradle(?:\.kts)?|Cargo\.(?:toml|lock)|Gemfile(?:\.lock)?|Dockerfile)$"
)


LINE = 400  # characters of a line that are read: what is longer is data, and patterns take ever longer over it


@dataclass(frozen=True, slots=True)
class Edit:
    """One hunk. Lines without their sign; comments are kept apart in `prose`."""

    file: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    kept: tuple[str, ...]
    prose: tuple[str, ...]


def edits(diff: str, files: tuple[str, ...] = ()) -> list[Edit]:
    """The hunks of a diff, of each line what stands first; one that names no file belongs to the change's first."""
    found: list[Edit] = []
    file = files[0] if files else ""
    hunk = _empty()
    for line in (x[: LINE + 1] for x in diff.splitlines()):
        if header := _FILE.match(line):
            _close(found, file, hunk)
            file, hunk = header.group(1), _empty()
            continue
        if line.startswith(("--- ", "+++ ")):
            continue
        if line.startswith("@@"):
            _close(found, file, hunk)
            hunk = _empty()
            match = _HUNK.match(line)
            file = (match.group(1) or match.group(2)) if match else file
            hunk["#"].append(line.strip("@ "))
            continue
        _sort(line, hunk)
    _close(found, file, hunk)
    return found


def _empty() -> dict[str, list[str]]:
    return {"-": [], "+": [], " ": [], "#": []}


def _sort(line: str, hunk: dict[str, list[str]]) -> None:
    sign, text = line[:1] or " ", line[1:]
    if sign not in "+- ":
        sign, text = " ", line
    if _COMMENT.match(text):
        hunk["#"].append(text.strip())
        return
    if text.strip():
        comment = _TRAILING.search(text)
        hunk[sign].append(text[: comment.start()] if comment else text)
        if comment:
            hunk["#"].append(comment.group().strip())


def _close(found: list[Edit], file: str, hunk: dict[str, list[str]]) -> None:
    if hunk["-"] or hunk["+"] or hunk["#"]:
        found.append(Edit(file, tuple(hunk["-"]), tuple(hunk["+"]), tuple(hunk[" "]), tuple(hunk["#"])))


def is_plain_text(edit: Edit) -> bool:
    """Style, pictures, documents or wording: nothing that can fail at run time."""
    if PLAIN_TEXT.search(edit.file) and not MANIFEST.search(edit.file):
        return True
    lines = (*edit.removed, *edit.added)
    return bool(lines) and bool(edit.removed) and bool(edit.added) and all(_wording(x) for x in lines) and _alike(edit)


_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_PHRASE = re.compile(r"[A-Za-z]{2} [A-Za-z]{2}")


def _wording(line: str) -> bool:
    """An assignment of a phrase for people, which is no statement for a machine."""
    strings = _STRING.findall(line)
    return (
        bool(strings)
        and all(_PHRASE.search(s) or s.strip("\"'") == "" for s in strings)
        and not re.search(r"\b(?:select|insert|update|delete|from|where)\b", line, re.IGNORECASE)
    )


def _alike(edit: Edit) -> bool:
    """Equal but for what stands between quotes."""
    bare = [[_STRING.sub('""', x).strip() for x in lines] for lines in (edit.removed, edit.added)]
    return bare[0] == bare[1]
