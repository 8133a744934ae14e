"""Gaps in the asker's language: whatever sentence the code can tell of what is missing has a Chinese wording."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import subagents
from subagents.gaps import worded

ROOT = Path(subagents.__file__).parent
SOURCES = ("alertmanager", "folder", "git", "logfiles", "loki", "prometheus", "store", "toolkit", "victorialogs", "web")
ELSEWHERE = {  # said to a model, or tested where it is put together
    "toolkit/functions.py", "toolkit/statement.py", "web/failures.py",
}  # fmt: skip
NO_GAPS = {  # what is called with a sentence that no answer says: doctor and start-up, names, queries, text of the data
    "ConfigError", "ValueError", "ToolResult", "Window", "EOFError", "OSError", "LogFormat", "Doc", "query",
    "startswith", "removeprefix", "compile", "unusable",
}  # fmt: skip
NO_SENTENCES = (
    "alerts open at the end of", "alerts 7, silenced and inhibited ones as well", "; its clock is 7 s 7 ours",
    "git log", "Traceback (most recent call last):", "(the exporter left this long message out",
    "; print it with `journalctl", "with something that is no JSON line", " and more, which were not read",
    "it can't be evaluated", "the other files of the folder", "today, as no date in the folder has one",
    "7 file(s) have dates without a year; it was taken from 7", "no 7 in this folder",
    # how some of them begin
    "it can't be opened", "the archive breaks off", "it is zstd-compressed", "only the first",
)  # fmt: skip
KEPT = ("gaps", "notes")
SENTENCE = re.compile(r"[a-z]{2,}[,:]? [a-z']+ [a-z']{2,}")
CJK = re.compile(r"[\u3400-\u9fff]")
ENGLISH = re.compile(r"\b[a-z']{2,} [a-z']{2,} [a-z']{2,}\b")


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "7" for v in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _name(node: ast.AST) -> str:
    """Of `files.Unreadable`, `self._query` or `gaps[0]`: the last name."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.AST, within: str = "") -> Iterator[tuple[str, str]]:
    """(what is called with it, text) of each string that is no docstring and no list of words."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        yield within, _text(node)
        return
    if isinstance(node, ast.Call):
        within = _name(node.func)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        within = ""
    words = isinstance(node, ast.Attribute) and node.attr == "split"  # a list of words, not a sentence
    words = words or isinstance(node, ast.Compare)  # what is looked for in a sentence
    if not words and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from _strings(child, within)


def _of_sources() -> Iterator[tuple[str, str]]:
    """Every sentence of the rooms of sources, but for those that no answer says."""
    for path in sorted(p for room in SOURCES for p in (ROOT / room).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        for call, text in () if name in ELSEWHERE else _strings(ast.parse(path.read_text())):
            listed = "\n" in text or CJK.search(text)  # words of a vocabulary
            exempt = call in NO_GAPS or text.startswith(NO_SENTENCES)
            if SENTENCE.search(text) and not listed and not exempt:
                yield name, text


def _put(node: ast.AST) -> list[ast.expr]:
    """What a statement or call puts among gaps or notes."""
    if isinstance(node, ast.keyword) and node.arg in KEPT:
        return [node.value]
    if isinstance(node, ast.Assign) and any(_name(target) in KEPT for target in node.targets):
        return [node.value]
    if isinstance(node, ast.AugAssign | ast.AnnAssign) and _name(node.target) in KEPT:
        return [node.value] if node.value else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _name(node.func.value) in KEPT:
        return node.args
    return []


def _as_gaps(path: Path) -> Iterator[tuple[str, str]]:
    """Strings, and constants of the module, that are put among gaps or notes."""
    source = path.read_text()
    tree = ast.parse(source if any(re.search(rf"\b{kept}\b", source) for kept in KEPT) else "")
    constants = {_name(n.targets[0]): n.value for n in tree.body if isinstance(n, ast.Assign)}
    for part in (part for node in ast.walk(tree) for part in _put(node)):
        named = [constants[n.id] for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in constants]
        for text in (text for value in (part, *named) for _, text in _strings(value)):
            if SENTENCE.search(text):
                yield str(path.relative_to(ROOT)), text


def _lacking(said: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """What stays English by itself and after the name of what it is of."""
    wordings = {
        (where, text): [worded(text, "zh"), worded(f"app.log: {text}", "zh")] for where, text in said
    }  # fmt: skip
    return sorted(
        key for key, ways in wordings.items() if not any(CJK.search(way) and not ENGLISH.search(way) for way in ways)
    )


def test_every_sentence_of_a_source_has_a_chinese_wording() -> None:
    said = set(_of_sources())
    assert len(said) > 80
    assert _lacking(said) == []


def test_every_gap_that_is_told_anywhere_has_a_chinese_wording() -> None:
    said = {found for path in ROOT.rglob("*.py") for found in _as_gaps(path)}
    assert len(said) > 40
    assert _lacking({(where, text) for where, text in said if not text.startswith(NO_SENTENCES)}) == []


def test_a_reason_within_a_gap_is_in_chinese_too() -> None:
    for gap, chinese in (
        ("2 file(s) could be read in part only (the archive breaks off: zstd ended with 1)",
         "有 2 个文件只读了一部分（压缩文件不完整，断开处之后未读）"),
        ("not read: shop: git gave no answer within 15 s", "未能读取：shop：git 在 15 秒内没有结果"),
        ("not reached: code: shop: git gave no answer within 2 s; web: there is no git command here to read it with",
         "未能访问：code：shop：git 在 2 秒内没有结果；web：本机没有 git 命令"),
        ("not reached: code: shop: fatal: bad object; web: there is no git command here to read it with",
         "未能访问：code: shop: fatal: bad object; web: there is no git command here to read it with"),
        ("no logs in this folder; 2 file(s) weren't recognised and not searched: a, b",
         "目录里没有查到日志；有 2 个文件没有识别，未查：a, b"),
        ("a/app.log: it is zstd-compressed: install the Python package zstandard or the zstd command",
         "a/app.log：zstd 压缩：请安装 Python 包 zstandard 或 zstd 命令"),
    ):  # fmt: skip
        assert worded(gap, "zh") == chinese
        assert worded(gap, "en") == gap


def test_numbers_and_names_stay_and_english_is_left_alone() -> None:
    assert worded("no source of metrics is configured, so nothing was searched", "zh") == (
        "没有配置 metrics 的数据源，因此没有查询"
    )
    assert worded("the first 4,000 of 9,120 characters", "zh") == "只读了 9,120 个字符中的前 4,000 个"
    assert worded("the logs don't reach back over the baseline", "en") == "the logs don't reach back over the baseline"
    assert worded("something new", "zh") == "something new"
