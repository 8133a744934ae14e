"""What comes from outside is shown, and means nothing: read as CommonMark does, no tag and no link is in it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from hermes_ops.channels.feishu import cards
from hermes_ops.channels.feishu.markdown import coded, fenced, inline, safe
from hermes_ops.channels.feishu.posting import harmless
from orchestrator.contracts import Answer, Asked, Evidence, Json, ToolResult

READERS = (MarkdownIt("commonmark"), MarkdownIt("commonmark").enable("table"))
MENTION = "<at id=all></at>"
CONSOLE = "https://logs.example.com/explore?q=1"
PIECES = (
    *(MENTION, "<person id=ou_1>", "<b>", "</", "<!--", "-->", "<http://e.example>", "&lt;at>", "\\<"),
    *("`", "``", "```", "````", "~~~", "```x```", "\\`", "\\", "\\\\"),
    *("[x](http://e)", "[![x](a)](b)", "[a [b] c](u)", "[x]( u )", "[x](u 't')", "![x](<u>)", "[", "](", ")", "]"),
    *("[x]: http://e\n", "[x]", "[x][x]", "]:", "\n", "\n", "\n\n", "    ", "\t", "- ", "> ", "1. ", "# ", "==="),
    *("|", "| a | b |\n|---|---|\n", "|-|-|\n", "a|b\n-|-\n", "---\n", "a", " ", "!", "'", "日志", "\u00a0", "\x0b"),
)
LIVE = ("html_inline", "html_block", "link_open", "image")
made = st.one_of(st.lists(st.sampled_from(PIECES), max_size=24).map("".join), st.text(max_size=80))


def tokens(text: str) -> Iterator[Token]:
    for reader in READERS:
        for block in reader.parse(text):
            yield block
            yield from block.children or ()


def alive(text: str) -> list[Any]:
    found = [t.attrs.get("href") or t.content for t in tokens(text) if t.type in LIVE]
    return [what for what in found if what != CONSOLE] + (["a mention"] if "<at" in text else [])


@pytest.mark.parametrize(
    "text",
    [
        f"``{MENTION}`",
        f"```x```\n{MENTION}",
        f"said:\n\n    ```\n{MENTION}",
        f"\\`{MENTION}\\`",
        f"a `` b {MENTION}` c",
        f"```\na\n```js\n{MENTION}\n```\n{MENTION}",
        f"> ```\n> a\n{MENTION}",
        f"- ~~~\n{MENTION}",
        f"| a | b |\n|-|-|\n| `a | {MENTION}` | `b` |",
        f"| a | b |\n|-|-|\n| `a|b` t `{MENTION}` |",
        "[![x](a)](b)",
        "[a [b] c](u)",
        "[x]( u )",
        "[x](u 't')",
        "[`x`](u)",
        "[a]\n\n[a]: http://e.example",
        "[a][b]\n\n> [b]: http://e.example",
    ],
)
def test_no_text_of_a_source_is_a_tag_or_a_link(text: str) -> None:
    assert alive(safe(text)) == []


@settings(derandomize=True)
@given(made)
def test_no_text_however_it_is_made_is_a_tag_or_a_link(text: str) -> None:
    for shown in (safe(text), safe(text, 0), f"- **a** · {inline(text)} · b", fenced(text), f"a\n{coded(text)}\nb"):
        assert alive(shown) == [], shown


def contents(node: Json) -> Iterator[str]:
    if isinstance(node, dict):
        if node.get("tag") == "markdown":
            yield node["content"]
        node = list(node.values())
    for inner in node if isinstance(node, list) else ():
        yield from contents(inner)


@settings(derandomize=True, max_examples=20)
@given(made, made)
def test_no_part_of_an_answers_card_is_a_tag_or_leads_elsewhere_than_to_a_console(text: str, query: str) -> None:
    result = ToolResult("ok", text, query=query, shown=1, total=1, link=CONSOLE)
    asked = (Asked("logs", query, "w", text, "ok", 1), Asked(text, text, "w", query, "ok", 1))
    proof = (Evidence("L1", "logs", "search", {}, result), Evidence("L2", "logs", text, {}, result))
    a = Answer("r", "ok", text, evidence=proof, route=asked, unverified=(query,), fallback=text, model=query)
    for card in (cards.final(a, "k", "en", 1.0, 0).card, cards.simple(text), cards.progress(text, "k", "zh")):
        for content in contents(card):
            assert alive(content) == [], content


def test_a_query_of_several_lines_stays_as_it_is() -> None:
    query = f"select 1 -- {MENTION}\n\n{MENTION}"
    result = ToolResult("ok", "1 row", query=query)
    card = cards.final(Answer("r", "ok", "fine", evidence=(Evidence("L1", "logs", "t", {}, result),)), "k", "en", 1, 0)
    shown = "\n".join(contents(card.card))
    assert "select 1 -- ＜at id=all>＜/at>\n\n＜at id=all>＜/at>" in shown


def words(text: str) -> str:
    """As a reader shows it."""
    return "".join(t.content for t in tokens(text) if t.type in ("text", "code_inline", "fence", "text_special"))


@pytest.mark.parametrize(
    "text",
    ["a < b && c > d", "[L1]: 12 errors", "`a` and `{x=1}`", "5 ` 6", "f(x)[0]( 1 )", "tail \\", "a ~~~ b", "a|b"],
)
def test_what_means_nothing_is_shown_as_it_was_written(text: str) -> None:
    assert words(safe(text)) == 2 * text.replace("`a`", "a").replace("`{x=1}`", "{x=1}")


def test_code_is_code_still() -> None:
    text = 'Run:\n   ```bash\n   kubectl get <pod> | grep `x`\n   ```\nthen `{a="b"} |= "<c>"`'
    kinds = [(t.type, t.content) for t in tokens(safe(text)) if t.type in ("fence", "code_inline")]
    assert kinds[:2] == [("fence", "   kubectl get <pod> | grep `x`\n"), ("code_inline", '{a="b"} |= "<c>"')]


def test_a_text_message_neither_mentions_nor_links() -> None:
    pick = random.Random(1)
    for _ in range(200):
        said = harmless("".join(pick.choices(PIECES, k=12)))
        assert "<" not in said
        assert "](" not in said
