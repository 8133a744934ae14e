"""What a file that no format knows may be about, told by its own keys, its head row and its name: so that "nothing was
found" says what wasn't looked into. It decides no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from subagents.folder import files
from subagents.folder.formats.csv_logs import cells, delimiter
from subagents.gaps import UNREAD

_LOOKED = 8 << 10  # bytes
_SHOWN = 3  # files that are named
_KEY = re.compile(r"[\"']([\w .@-]{1,40})[\"']\s*:|^\s*(?:- )?([\w.-]{1,40}):(?=\s|$)", re.MULTILINE)
_TABLES = frozenset((".xlsx", ".xls", ".ods", ".parquet", ".sqlite", ".db", ".docx", ".pdf"))
_DOMAINS = (
    ("alerts", re.compile(r"alert|alarm|incident|severity|firing|pager|告警|报警|故障", re.IGNORECASE)),
    ("changes", re.compile(r"deploy|releas|rollout|rollback|version|commit|change|ticket|变更|发布|上线|版本|工单",
                           re.IGNORECASE)),
    ("metrics", re.compile(r"metric|series|datapoint|gauge|指标|监控", re.IGNORECASE)),
    ("logs", re.compile(r"(?<![a-z])logs?(?![a-z])|日志", re.IGNORECASE)),
)  # fmt: skip


class Missed(NamedTuple):
    """A file that wasn't read. `about`: the domains that it looks like; `structured`: it holds records, or may."""

    name: str
    about: tuple[str, ...]
    structured: bool


def look(path: str, packed: str) -> tuple[list[str], bool]:
    """(domains, structured) of a file that isn't empty. Raises files.Unreadable."""
    text = files.head(path, packed, _LOOKED).decode("utf-8", "replace")
    words, structured = _words(text)
    name = Path(path).name
    words.append(name)
    about = [domain for domain, word in _DOMAINS if any(word.search(said) for said in words)]
    return about, structured or Path(name).suffix.lower() in _TABLES


def _words(text: str) -> tuple[list[str], bool]:
    """Keys of JSON or YAML, or the cells of a table's head row."""
    lines = [line for line in text.splitlines() if line.strip()]
    keys = [a or b for a, b in _KEY.findall(text)]
    if len(keys) > 1 and (text.lstrip()[:1] in ("{", "[") or len(keys) * 2 >= len(lines)):
        return keys, True
    head = cells(lines[0], delimiter(lines[0])) if lines else []
    mark = delimiter(lines[0]) if lines else ","
    even = len(head) > 2 and len(lines) > 1 and all(line.count(mark) >= len(head) - 1 for line in lines[1:5])
    return (head, True) if even else ([], False)


def unsearched(missed: Sequence[Missed], domain: str, empty: bool) -> tuple[str, ...]:
    """As a gap: the files that look like a domain's; where it found nothing, also those that look like none."""
    names = [m.name for m in missed if domain in m.about or (empty and m.structured and not m.about)]
    return (said(names),) if names else ()


def said(names: Iterable[str]) -> str:
    named = list(names)
    more = " …" if len(named) > _SHOWN else ""
    return f"{len(named)}{UNREAD}{', '.join(named[:_SHOWN])}{more}"
