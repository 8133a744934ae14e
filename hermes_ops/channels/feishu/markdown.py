"""Text as Markdown that a card takes: no pictures, links or tags of its own, so many tables, fences that end.

What comes from sources and models is untrusted: it can neither mention people nor link anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.cleaning import clean

TABLES = 3  # of a card; the documentation says five, live reports three
FENCE = re.compile(r"^\s*(```|~~~)")
# Possessive where they repeat: a model's line is read once, however it is made.
LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\((?:<[^<>\n]*+>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+\"[^\"\n]*\")?\)")
RULE = re.compile(r"^\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*$")
CODE = re.compile(r"((?<!`)`++[^`\n]++`++)")


def printable(text: str) -> str:
    """Without what steers a terminal or hides from a reader, and as UTF-8 can have it."""
    return clean(text).encode("utf-8", "replace").decode()


def safe(text: str, tables: int = TABLES) -> str:
    """`tables`: how many it may still hold; those beyond stand in fences."""
    out: list[str] = []
    for fenced, lines in _blocks(printable(text)):
        if fenced:
            out += lines
            continue
        for table, part in _tables(lines):
            if table and tables <= 0:
                out += ["```", *part, "```"]
                continue
            tables -= table
            out += [_inline(line) for line in part]
    return "\n".join(out).strip()


def count_tables(text: str) -> int:
    return sum(table for fenced, lines in _blocks(text) if not fenced for table, _ in _tables(lines))


def fenced(text: str) -> str:
    """As it is, in a fence that it can't end."""
    return "```\n" + printable(text).replace("```", "'''").strip("\n") + "\n```"


def plain(text: str) -> str:
    """Without Markdown's marks, for a line that shows none."""
    return re.sub(r"[*_`#>]+", "", LINK.sub(r"\1", printable(text))).strip()


def _blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Fences and what is between them; a fence that isn't closed is."""
    open_, mark, lines = False, "", list[str]()
    for line in text.splitlines():
        found = FENCE.match(line)
        if open_:
            lines.append(line)
            if found and found.group(1) == mark:
                yield True, lines
                open_, lines = False, []
        elif found:
            yield False, lines
            open_, mark, lines = True, found.group(1), [line]
        else:
            lines.append(line)
    yield open_, [*lines, mark] if open_ else lines


def _tables(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    part: list[str] = []
    n = 0
    while n < len(lines):
        if "|" in lines[n] and n + 1 < len(lines) and "|" in lines[n + 1] and RULE.match(lines[n + 1]):
            yield False, part
            end = n + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield True, lines[n:end]
            part, n = [], end
        else:
            part.append(lines[n])
            n += 1
    yield False, part


def _inline(line: str) -> str:
    """Outside of code: links become words, and nothing is a tag."""
    parts = CODE.split(line)
    for n in range(0, len(parts), 2):
        words = LINK.sub(r"\1", parts[n])
        quote = "> " if n == 0 and words.startswith("> ") else ""
        words = words[len(quote) :].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        parts[n] = quote + words
    return "".join(parts)
