"""Text as Markdown that a card takes: no pictures, links or tags of its own, so many tables, fences that end.

What comes from sources and models is untrusted: it can neither mention people nor put a target behind words. That holds
by how it is written, not by recognising what is bad: of code only such forms are written as every reader of Markdown
takes for code (a fence from the line's start; a span within one line, of single backticks), and outside of it no
backtick, no `<`, no `](`, no `]:` and no `~~~` is left; they are entities, which are shown and mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.cleaning import clean

TABLES = 3  # of a card; the documentation says five, live reports three
FENCE = re.compile(r"^\s*+(`{3,}+|~{3,}+)([^`]*+)$")
# Possessive where they repeat: a model's line is read once, however it is made.
LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\((?:<[^<>\n]*+>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+\"[^\"\n]*\")?\)")
RULE = re.compile(r"^\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*$")
RULED = frozenset("|:-+*>.) \t0123456789")  # all that stands in a line which any reader could take for a table's rule
TICKS = re.compile(r"`++")
LIVE = re.compile(r"\\?[<>`]|(?<!\\)\\++$|&|\](?=[(:])|~{3,}+")  # tags, code, links; and a `\` before our code
ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
TAG = re.compile(r"<(?=/?(?:at|person)\b)", re.IGNORECASE)


def printable(text: str) -> str:
    """Without what steers a terminal or hides from a reader, and as UTF-8 can have it."""
    return clean(text).encode("utf-8", "replace").decode()


def safe(text: str, tables: int = TABLES) -> str:
    """A whole element's text. `tables`: how many it may still hold; those beyond stand in fences."""
    text = printable(text)
    ruled = any("-" in line and RULED.issuperset(line) for line in text.splitlines())
    out: list[str] = []
    for name, lines in _blocks(text):
        if name is not None:
            out.append(fenced("\n".join(lines), name))
            continue
        for table, part in _tables(lines):
            if table and tables <= 0:
                out.append(fenced("\n".join(part)))
                continue
            tables -= table
            out += [_line(line, ruled) for line in part]
    return "\n".join(out).strip()


def inline(text: str) -> str:
    """One line of it, to stand within a line of ours."""
    return _line(" ".join(printable(text).split()), ruled=True)


def coded(text: str) -> str:
    """As it is, as code: in one line, or in a fence where it has several. Not within a line of ours."""
    shown = printable(text).strip()
    if "\n" in shown:
        return fenced(shown)
    return "`" + _quiet(shown.replace("`", "'")) + "`" if shown else ""


def fenced(text: str, name: str = "") -> str:
    """As it is, in a fence that it can't end. `name`: of its language."""
    head = "```" + re.sub(r"[^\w+#.-]", "", name)
    return "\n".join([head, _quiet(printable(text).replace("```", "'''").strip("\n")), "```"])


def count_tables(text: str) -> int:
    return sum(table for name, lines in _blocks(text) if name is None for table, _ in _tables(lines))


def plain(text: str) -> str:
    """Without Markdown's marks, for a line that shows none."""
    return re.sub(r"[*_`#>]+", "", LINK.sub(r"\1", printable(text))).strip()


def _blocks(text: str) -> Iterator[tuple[str | None, list[str]]]:
    """What is within fences, with the language each names, and what is between them, with None; a fence that isn't
    closed is."""
    name: str | None = None
    mark, lines = "", list[str]()
    for line in text.splitlines():
        found = FENCE.match(line)
        if found is None or (name is not None and not (found[1].startswith(mark) and not found[2].strip())):
            lines.append(line)
            continue
        yield name, lines
        name, mark, lines = (found[2].strip(), found[1], []) if name is None else (None, "", [])
    if lines or name is not None:
        yield name, lines


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


def _line(line: str, ruled: bool) -> str:
    """`ruled`: it may stand in a table, where a `|` ends even code: code with one is shown as words there."""
    out, at, ticks = list[str](), 0, list(TICKS.finditer(line))
    ends = {len(t[0]): t.start() for t in ticks}  # of each length the last
    n = 0
    while n < len(ticks):
        opener, n = ticks[n], n + 1
        if ends[len(opener[0])] <= opener.start():
            continue
        end = next(k for k in range(n, len(ticks)) if len(ticks[k][0]) == len(opener[0]))
        code = line[opener.end() : ticks[end].start()]
        out += [_words(line[at : opener.start()], not at), _shown(code, ruled)]
        at, n = ticks[end].end(), end + 1
    return "".join([*out, _words(line[at:], not at)])


def _shown(code: str, ruled: bool) -> str:
    if ruled and "|" in code:
        return re.sub(r"[^\w\s]", lambda m: _entities(m[0]), code)
    return "`" + _quiet(code.replace("`", "'")) + "`"


def _words(text: str, first: bool) -> str:
    """Outside of code: links become words, and nothing is a tag. `first`: the line begins with it."""
    words = LINK.sub(r"\1", text)
    quote = "> " if first and words.startswith("> ") else ""
    return quote + LIVE.sub(lambda m: _entities(m[0].lstrip("\\") or m[0]), words[len(quote) :])


def _entities(marks: str) -> str:
    return "".join(ENTITIES.get(c, f"&#{ord(c)};") for c in marks)


def _quiet(code: str) -> str:
    """A platform may look for its tags before it reads Markdown: those that mention aren't written in code either."""
    return TAG.sub("＜", code)
