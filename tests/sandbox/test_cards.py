"""Which cards are taken and which are refused, with the card service's own code inside 230099."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_ops.sandbox import Sandbox
from hermes_ops.sandbox.cards.check import check, elements, size
from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.cards.rules import Lookup, Rules
from hermes_ops.sandbox.cards.simple import simplified
from tests.sandbox.raw import PNG, Answer, Api

TABLE = {
    "tag": "table",
    "columns": [{"name": "a", "data_type": "text"}, {"name": "n", "data_type": "number"}],
    "rows": [{"a": "x", "n": 1}],
}
CHART = {
    "tag": "chart",
    "chart_spec": {"type": "line", "data": {"values": [{"x": 1, "y": 2}]}, "xField": "x", "yField": "y"},
}
WORD = {"tag": "plain_text", "content": "1"}
MD_TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
BUTTON = {
    "tag": "button",
    "text": {"tag": "plain_text", "content": "停止"},
    "type": "danger",
    "behaviors": [{"type": "callback", "value": {"act": "stop"}}],
}


def md(text: str, **more: Any) -> dict[str, Any]:
    return {"tag": "markdown", "content": text, **more}


def card(*body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"schema": "2.0", "body": {"elements": list(body)}, **more}


def panel(*inside: dict[str, Any]) -> dict[str, Any]:
    return {"tag": "collapsible_panel", "header": {"title": md("依据")}, "elements": list(inside)}


def columns(*inside: dict[str, Any]) -> dict[str, Any]:
    return {
        "tag": "column_set",
        "columns": [{"tag": "column", "width": "weighted", "weight": 1, "elements": [*inside]}],
    }


def nested(depth: int) -> dict[str, Any]:
    inner = md("deep")
    for _ in range(depth):
        inner = panel(inner)
    return inner


def form(*inside: dict[str, Any]) -> dict[str, Any]:
    return {"tag": "form", "name": "f", "elements": list(inside)}


async def send(box: Sandbox, api: Api, content: Any) -> Answer:
    return await api.send(box.group, "interactive", content)


GOOD = {
    "everything together": card(
        md("**结论** `a < b` <font color='red'>x</font> [go](https://e.org)\n```\n<script>\n```", element_id="v"),
        {"tag": "hr"},
        TABLE,
        CHART,
        columns(BUTTON, BUTTON),
        panel(md(MD_TABLE), {"tag": "div", "text": {"tag": "lark_md", "content": "a"}}),
        header={
            "title": {"tag": "plain_text", "content": "T"},
            "template": "red",
            "text_tag_list": [{"tag": "text_tag", "text": {"tag": "plain_text", "content": "P1"}, "color": "red"}] * 3,
        },
        config={"update_multi": True, "streaming_mode": True, "summary": {"content": "s"}, "width_mode": "fill"},
    ),
    "a form": card(
        form(
            {"tag": "input", "name": "q", "placeholder": {"tag": "plain_text", "content": "?"}},
            {"tag": "select_static", "name": "s", "options": [{"text": WORD, "value": "1"}]},
            {**BUTTON, "name": "ok", "form_action_type": "submit"},
        )
    ),
    "five containers deep": card(nested(5)),
    "two hundred elements": card(*[{"tag": "hr"}] * 200),
    "three tables of both kinds": card(TABLE, md(MD_TABLE + "\n" + MD_TABLE)),
    "tables in code do not count": card(md(f"```\n{(MD_TABLE + chr(10)) * 9}```\n")),
    "a cell of every kind": card({
        "tag": "table",
        "columns": [{"name": k, "data_type": k} for k in ("text", "markdown", "number", "options", "persons", "date")],
        "rows": [{"text": "", "markdown": "**b**", "number": 1.5, "options": [{"text": "P1", "color": "red"}],
                  "persons": ["ou_x"], "date": 1699341315000}, {"text": None}],
    }),
    "a card of version 1": {"elements": [{"tag": "div", "text": {"tag": "plain_text", "content": "old"}}]},
}  # fmt: skip
BAD = {
    "not an object": ([], 200621, "not a JSON object"),
    "elements at the top": ({"schema": "2.0", "elements": []}, 200621, "property: elements, path: ROOT"),
    "no body": ({"schema": "2.0"}, 200621, "missing property, property: body"),
    "unknown property": (card(md("x", font="big")), 200621, "path: ROOT -> body -> elements -> [0](tag: markdown)"),
    "unknown property of a text": (
        card({"tag": "div", "text": {"tag": "plain_text", "content": "x", "text_weight": "bold"}}),
        200621,
        "property: text_weight, path: ROOT -> body -> elements -> [0](tag: div) -> text",
    ),
    "a header with a tag": (card(md("x"), header={"tag": "h", "title": WORD}), 200621, "property: tag"),
    "an icon on an input": (card({"tag": "input", "icon": {"tag": "standard_icon"}}), 200621, "property: icon"),
    "wrong type": (card({"tag": "markdown", "content": 5}), 200621, "expected string for content, but: 5"),
    "unknown tag": (card({"tag": "video"}), 200621, "not support tag: video"),
    "action of version 1": (card({"tag": "action", "actions": []}), 200861, "no longer support this capability"),
    "note of version 1": (card(panel({"tag": "note", "elements": []})), 200861, ""),
    "unknown template": (card(md("x"), header={"title": {"tag": "plain_text"}, "template": "pink"}), 200621, "pink"),
    "four header tags": (
        card(md("x"), header={"title": {"tag": "plain_text"},
                              "text_tag_list": [{"tag": "text_tag", "text": {"tag": "plain_text"}}] * 4}),
        200621, "at most 3",
    ),
    "201 elements": (card(*[{"tag": "hr"}] * 201), 11310, "element exceeds the limit"),
    "201 elements counting texts": (card(*[BUTTON] * 101), 11310, "element exceeds the limit"),
    "six containers deep": (card(nested(6)), 200621, "nest deeper than 5"),
    "four tables of both kinds": (card(TABLE, TABLE, md(MD_TABLE + "\n" + MD_TABLE)), 11310, "table number over limit"),
    "a table in a panel": (card(panel(TABLE)), 200621, "only supported at the root"),
    "a form in a panel": (card(panel(form(md("x")))), 200621, "only supported at the root"),
    "51 columns": (card({**TABLE, "columns": [{"name": f"{n}"} for n in range(51)], "rows": []}), 200621, "50 columns"),
    "eleven rows a page": (card({**TABLE, "page_size": 11}), 200621, "page_size"),
    "rows that are no objects": (card({**TABLE, "rows": ["x"]}), 200914, ""),
    "a cell of another kind": (card({**TABLE, "rows": [{"n": "many"}]}), 200915, "column n"),
    "a cell without column": (card({**TABLE, "rows": [{"zzz": "x"}]}), 200915, "column zzz"),
    "an unknown chart": (card({"tag": "chart", "chart_spec": {"type": "sankey"}}), 200550, "chart_spec -> type"),
    "a chart as text": (card({"tag": "chart", "chart_spec": "{}"}), 200550, "chart_spec"),
    "six charts": (card(*[CHART] * 6), 11310, "chart number over limit"),
    "an unknown picture": (card({"tag": "img", "img_key": "img_v3_nothing"}), 200570, "invalid image keys"),
    "a picture by address": (card(md("![x](https://e.org/a.png)")), 200570, "https://e.org/a.png"),
    "an unknown person": (card({"tag": "person", "user_id": "ou_nobody"}), 100290, "ou_nobody"),
    "a mention of nobody": (card(md("<at id=ou_nobody></at>")), 100290, "ou_nobody"),
    "HTML in markdown": (card(md("<script>alert(1)</script>")), 200621, "unexpected tag <script"),
    "the same id twice": (card(md("a", element_id="x"), md("b", element_id="x")), 200621, "duplicate element_id"),
    "an id that begins with a digit": (card(md("a", element_id="1x")), 200621, "invalid element_id"),
    "an id of 21 characters": (card(md("a", element_id="x" * 21)), 200621, "invalid element_id"),
    "submit outside of a form": (card({**BUTTON, "form_action_type": "submit"}), 200621, "formActionType only in form"),
    "an input without a name": (card(form({"tag": "input"})), 200530, "name is required"),
    "a link to nowhere": (
        card({**BUTTON, "behaviors": [{"type": "open_url", "default_url": "javascript:x"}]}), 200621, "default_url",
    ),
    "not for everybody": (card(md("x"), config={"update_multi": False}), 300302, "update_multi"),
}  # fmt: skip


NOBODY = Lookup(image=lambda key: False, person=lambda who: who == "ou_x")


@pytest.mark.parametrize("name", GOOD)
def test_a_good_card_is_taken(name: str) -> None:
    check(GOOD[name], Rules(), NOBODY)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_card_is_refused_with_its_reason(name: str) -> None:
    content, code, why = BAD[name]
    with pytest.raises(CardFault) as refused:
        check(content, Rules(), NOBODY)
    assert refused.value.code == code
    assert why in str(refused.value)


async def test_a_refusal_is_worded_as_the_platform_words_it(box: Sandbox, api: Api) -> None:
    assert (await send(box, api, GOOD["everything together"])).code == 0
    refused = await send(box, api, BAD["unknown property"][0])
    assert (refused.status, refused.code) == (400, 230099)
    assert refused.msg == (
        "Failed to create card content, ext=ErrCode: 200621; ErrMsg: parse card json err; ErrorValue: unknown "
        "property, property: font, path: ROOT -> body -> elements -> [0](tag: markdown); "
    )


@pytest.mark.parametrize("letter", ["x", "字"])
async def test_thirty_kilobytes_are_counted_in_bytes(box: Sandbox, api: Api, letter: str) -> None:
    room = (30 << 10) - size(card(md("")))
    fits, more = room // len(letter.encode()), (30 << 10) // len(letter.encode())
    await send(box, api, card(md("x")))  # json.dumps of the client puts spaces in: leave some room for them
    assert (await send(box, api, card(md(letter * (fits - 20))))).code == 0
    assert (await send(box, api, card(md(letter * more)))).code == 230025


async def test_a_picture_and_a_person_that_exist_are_taken_and_those_of_others_are_not(box: Sandbox, api: Api) -> None:
    mine = box.media.image(box.app, PNG).key
    theirs = box.media.image(box.people["alice"], PNG).key
    alice = box.app.open_id_of(box.people["alice"])
    good = card({"tag": "img", "img_key": mine}, md(f"![x]({mine}) <at id={alice}></at> <at id=all></at>"))
    assert (await send(box, api, good)).code == 0
    assert "200570" in (await send(box, api, card({"tag": "img", "img_key": theirs}))).msg
    box.group.everyone = False
    assert "100290" in (await send(box, api, card(md("<at id=all></at>")))).msg


async def test_the_documented_number_of_tables_can_be_set(box: Sandbox, api: Api) -> None:
    box.rules.tables = 5
    assert (await send(box, api, card(*[TABLE] * 5))).code == 0
    assert "11310" in (await send(box, api, card(*[TABLE] * 6))).msg
    assert "11310" in (await send(box, api, card(md((MD_TABLE + "\n") * 5)))).msg, "at most four in one markdown"


def test_what_counts_as_an_element() -> None:
    assert sum(1 for _ in elements(card(BUTTON, TABLE, CHART, panel(md("x"))))) == 2 + 1 + 1 + 3


async def test_a_template_is_not_visible(box: Sandbox, api: Api) -> None:
    answer = await send(box, api, {"type": "template", "data": {"template_id": "AAq"}})
    assert (answer.code, "11310" in answer.msg) == (230099, True)


NAMES = ("tag", "content", "elements", "columns", "rows", "header", "body", "text", "hr", "table", "markdown", "x")
WORDS = st.sampled_from(NAMES)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(WORDS, JSON, max_size=5), JSON, st.sampled_from(["2.0", "1.0"]))
def test_any_json_is_a_card_or_refused_and_can_be_read_back(top: dict[str, Any], inside: Any, schema: str) -> None:
    new = {"schema": schema, "body": {"elements": [inside]}}
    anything = top | (new if schema == "2.0" else {"elements": [inside]})
    with contextlib.suppress(CardFault):
        check(anything, Rules(), NOBODY)
    simplified(anything)
    assert size(anything) > 0
