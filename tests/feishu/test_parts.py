"""What messages say, whom we answer, what fits on a card: the pure parts."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hermes_ops.channels.commands import read_command
from hermes_ops.channels.feishu import cards, fit
from hermes_ops.channels.feishu.content import read
from hermes_ops.channels.feishu.errors import Refusal, sort_of
from hermes_ops.channels.feishu.events import judge, parse
from hermes_ops.channels.feishu.markdown import count_tables, safe
from hermes_ops.channels.feishu.posting import uuid
from hermes_ops.quoted import alert_in
from hermes_ops.settings import FeishuSettings
from orchestrator.contracts import Answer, Evidence, ToolResult

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ME = "ou_me"


LINK = {"tag": "a", "href": "http://x/y", "text": "面板"}


def event(text: str = "hi", kind: str = "text", content: Any = None, **more: Any) -> Any:
    message = {
        "message_id": "om_1",
        "chat_id": "oc_1",
        "chat_type": "group",
        "message_type": kind,
        "create_time": str(int(NOW.timestamp() * 1000)),
        "content": json.dumps({"text": text} if content is None else content),
        **more,
    }
    return {"sender": {"sender_id": {"open_id": "ou_a"}, "sender_type": "user", "tenant_key": "t"}, "message": message}


def mention(key: str, id: str, name: str) -> Any:
    return {"key": key, "id": {"open_id": id}, "name": name}


def test_mentions_are_named_and_our_own_is_left_out() -> None:
    mentions = [mention("@_user_1", ME, "hermes"), mention("@_user_10", "ou_b", "李雷")]
    m = parse(event("@_user_1 问 @_user_10 支付", mentions=mentions), ME)
    assert m is not None
    assert m.text == "问 @李雷 支付"


DEPTHS = (100, 300, 800, 950, 990, 1_000, 5_000)


@pytest.mark.parametrize("kind", ["text", "post", "image", "file", "interactive", "audio", "merge_forward", ""])
def test_no_content_breaks_anything(kind: str) -> None:
    kinds = [f'{{"{key}":' for key in ("text", "content", "title", "elements", "file_key", "post", "zh_cn")]
    for raw in ("", "null", "[]", "1", '"x"', "{", "NaN", '{"content":[[1,[{"tag":[]}]],2]}', '{"text":"\\ud800"}'):
        assert isinstance(read(kind, raw).text, str)
    for depth in DEPTHS:
        assert isinstance(read(kind, "[" * depth + "]" * depth).text, str)
        for head in kinds:
            assert isinstance(read(kind, head + "[" * depth + "]" * depth + "}").text, str)
            assert isinstance(read(kind, head * depth + "1" + "}" * depth).text, str)


@pytest.mark.parametrize("keyed", [False, True])
def test_posts_in_both_shapes(keyed: bool) -> None:
    flat = {
        "title": "支付告警",
        "content": [
            [{"tag": "at", "user_id": "@_user_1"}, {"tag": "text", "text": "看下 "}, LINK],
            [{"tag": "img", "image_key": "img_1"}],
            [{"tag": "code_block", "language": "go", "text": "panic: x"}],
        ],
    }  # fmt: skip
    content = {"zh_cn": flat} if keyed else flat
    m = parse(event(kind="post", content=content, mentions=[mention("@_user_1", ME, "hermes")]), ME)
    assert m is not None
    assert m.text.startswith("支付告警\n")
    assert "看下 面板 (http://x/y)" in m.text
    assert "panic: x" in m.text
    assert [f.key for f in m.content.files] == ["img_1"]
    assert judge(m, ME, FeishuSettings(chats=("*",)), NOW)[0] == "answer"


@pytest.mark.parametrize(
    ("changed", "own", "verdict"),
    [
        ({}, ME, "ignore"),
        ({"mentions": [mention("@_user_1", ME, "h")]}, ME, "answer"),
        ({"mentions": [mention("@_user_1", ME, "h")]}, "", "unsure"),
        ({}, "", "ignore"),
        ({"mentions": [mention("@_user_1", "ou_b", "hermes")]}, ME, "ignore"),
        ({"chat_type": "p2p"}, "", "answer"),
        ({"chat_type": "p2p", "create_time": "1000"}, ME, "stale"),
        ({"chat_type": "p2p", "message_type": "vote"}, ME, "unsupported"),
        ({"chat_type": "p2p", "content": "no json"}, ME, "unsupported"),
        ({"chat_type": "p2p", "text": "  "}, ME, "empty"),
    ],
)
def test_who_is_answered(changed: Any, own: str, verdict: str) -> None:
    m = parse(event(**changed), own)
    assert m is not None
    assert judge(m, own, FeishuSettings(users=("ou_a",)), NOW)[0] == verdict


@pytest.mark.parametrize("mentions", [[], [{"key": "@_all", "id": {}, "name": "所有人"}], [{}]])
def test_everybody_is_nobody_unless_set(mentions: Any) -> None:
    m = parse(event("@_all 支付挂了", mentions=mentions), ME)
    assert m is not None
    assert judge(m, ME, FeishuSettings(users=("*",)), NOW)[0] == "ignore"
    assert judge(m, ME, FeishuSettings(users=("*",), mention_all=True), NOW)[0] == "answer"
    assert judge(m, "", FeishuSettings(users=("*",), mention_all=True), NOW)[0] == "ignore"
    assert m.text == "支付挂了"


def test_lists_are_closed_when_empty_and_old_messages_are_told_so() -> None:
    m = parse(event(mentions=[mention("@_user_1", ME, "h")]), ME)
    assert m is not None
    for given, verdict in (
        ({}, "refuse"),
        ({"owner": "ou_a"}, "answer"),
        ({"users": ("ou_b",), "chats": ("oc_2",)}, "refuse"),
        ({"chats": ("oc_1",)}, "answer"),
    ):
        assert judge(m, ME, FeishuSettings(**given), NOW)[0] == verdict  # type: ignore[arg-type]
    assert judge(m, ME, FeishuSettings(users=("*",)), NOW + timedelta(hours=2))[0] == "stale"
    assert parse({"message": {}}, ME) is None


# ── alerts in cards of robots ─────────────────────────────────────────────────────────────────

LATENCY = """**Value:** B=3.2
**Labels:**
 - alertname = HighLatency
 - service = payment
 - severity = critical
**Started at:** 2026-11-29 17:17:00 +0000 UTC"""
GRAFANA = {  # 2.0, as raw card
    "schema": "2.0",
    "header": {"title": {"tag": "plain_text", "content": "[FIRING:1] High latency"}},
    "body": {"elements": [{"tag": "markdown", "content": LATENCY}]},
}  # fmt: skip
NIGHTINGALE = {  # a post
    "title": "S2 Triggered",
    "content": [
        [{"tag": "text", "text": "规则标题: 支付接口错误率高"}],
        [{"tag": "text", "text": "监控指标: service=payment, ident=pay-01"}],
        [{"tag": "text", "text": "触发时间: 2026-11-29 17:17:30"}],
    ],
}
RELAY = {  # what a plain read gives
    "title": "告警",
    "elements": [
        [{"tag": "text", "text": "告警名称："}, {"tag": "text", "text": "MySQLDown"}],
        [{"tag": "text", "text": "开始时间：2026-11-29 03:00:00"}],
        [{"tag": "text", "text": "instance: db-1"}],
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "card", "name", "service", "start"),
    [
        ("interactive", GRAFANA, "HighLatency", "payment", "2026-11-29T17:17:00+00:00"),
        ("post", NIGHTINGALE, "支付接口错误率高", "payment", "2026-11-29T09:17:30+00:00"),
        ("interactive", RELAY, "MySQLDown", "db-1", "2026-11-28T19:00:00+00:00"),
    ],
)
def test_an_alert_is_drawn_out_of_a_robots_card(kind: str, card: Any, name: str, service: str, start: str) -> None:
    found = alert_in(read(kind, json.dumps(card)).text, NOW, "Asia/Shanghai")
    assert found is not None
    assert found.name == name
    assert service in [s for values in found.services for s in values]
    assert found.start == datetime.fromisoformat(start)


# ── Markdown and limits ───────────────────────────────────────────────────────────────────────

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


def test_markdown_can_neither_link_nor_mention_nor_break_the_card() -> None:
    said = safe("a < b ![x](https://evil/p.png) [bank](http://evil) <at id=all></at> `x < y`\n> quoted\n```\nraw <b>")
    assert "evil" not in said
    assert "<at" not in said
    assert "a &lt; b x bank" in said
    assert "`x < y`" in said
    assert "\n> quoted" in said
    assert said.count("```") == 2


def test_tables_beyond_the_limit_stand_in_fences_and_those_in_fences_do_not_count() -> None:
    text = "\n\n".join([TABLE] * 6) + f"\n```\n{TABLE}\n```"
    assert count_tables(text) == 6
    assert count_tables(safe(text)) == 3
    assert safe(text).count("| 1 | 2 |") == 7


def answer(text: str, exhibits: int = 0, size: int = 0) -> Answer:
    result = ToolResult("ok", "行" * size, query="q" * 100)
    return Answer(
        "r1", "ok", text, evidence=tuple(Evidence(f"A{n}", "alerts", "t", {}, result) for n in range(exhibits))
    )


@pytest.mark.parametrize(
    "a",
    [
        answer("一" * 12_000),
        answer("\n\n".join([TABLE] * 9)),
        answer("verdict\n" + "\n".join(f"line {n}" for n in range(3000)), 40, 5000),
        answer("短", 300, 100),
        answer(""),
        answer("```\nnever closed " + "x" * 500),
    ],
)
def test_whatever_the_answer_is_the_card_fits_and_nothing_of_the_text_is_lost(a: Answer) -> None:
    made, _ = cards.fitting(a, "om_1.0", "zh", 3.0)
    assert fit.troubles(made.card) == []
    assert fit.size(made.card) < 30 * 1024
    shown = json.dumps(made.card, ensure_ascii=False) + made.rest
    assert shown.count("一") >= a.text.count("一")
    for n in (0, 2999):
        assert f"line {n}" not in a.text or f"line {n}" in shown


def test_the_question_what_was_wrong_fits_on_a_full_card() -> None:
    made, _ = cards.fitting(answer("一" * 5_000, 12, 1200), "om_1.0", "zh", 3.0)
    asking = cards.asking_why(made.card, "om_1.0", "zh")
    assert fit.size(asking) < 30 * 1024
    assert "form" in [e["tag"] for e in asking["body"]["elements"]]
    assert '"good"' not in json.dumps(asking)


def test_on_a_phone_the_verdict_is_first_and_little_stands_above_the_fold() -> None:
    text = "结账变慢是 tax 3.2.5 引起的。\n" + "\n".join("很长的一行说明" * 12 for _ in range(9))
    body = cards.fitting(answer(text), "k", "zh", 3.0)[0].card["body"]["elements"]
    assert body[0]["content"].startswith("**结账变慢是 tax 3.2.5 引起的。**")
    assert len(body[0]["content"].splitlines()) <= cards.FOLD_LINES
    assert len(body[0]["content"]) <= cards.FOLD_CHARACTERS + 40


# ── refusals, keys, commands ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("code", "status", "msg", "sort"),
    [
        (99991400, 429, "", "passing"),
        (230020, 400, "", "passing"),
        (99991663, 400, "", "token"),
        (99991672, 400, "", "setup"),
        (99991403, 400, "", "setup"),
        (230011, 400, "", "gone"),
        (230071, 400, "", "change"),
        (230099, 400, "ErrCode: 11310; ErrMsg: cardid is invalid", "passing"),
        (230099, 400, "ErrCode: 11310; ErrMsg: card table number over limit", "change"),
        (230001, 400, "", "never"),
        (123, 502, "", "passing"),
        (None, 404, "", "passing"),
    ],
)
def test_what_to_do_about_a_refusal(code: int | None, status: int, msg: str, sort: str) -> None:
    assert sort_of(code, status, msg) == sort


def test_refusals_name_code_and_log_id_and_keys_are_short_and_stable() -> None:
    said = str(Refusal("setup", 99991672, "no scope", "20261130"))
    assert "99991672" in said
    assert "20261130" in said
    assert uuid("om_x.0.finish") == uuid("om_x.0.finish") != uuid("om_x.1.finish")
    assert len(uuid("x" * 500)) <= 50


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/help", "help"), ("/STOP", "stop"), ("停止", "stop"), ("别查了。", "stop"), ("怎么查的？", "trace"),
        ("/memory", "memory"), ("/forget 环境", "forget"), ("stop the deploy of payment?", None),
        ("/api/pay 为什么慢", None), ("停止服务会怎样", None),
    ],
)  # fmt: skip
def test_commands(text: str, name: str | None) -> None:
    found = read_command(text)
    assert (found.name if found else None) == name
