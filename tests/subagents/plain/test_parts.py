"""Which pod, region, version it was, how many users, how often one path failed: out of fields, else said not to be."""

from __future__ import annotations

from typing import get_args

import pytest

from hermes_ops.testing.sources import MemoryLogs
from orchestrator.agent import Turn
from orchestrator.evidence import check
from subagents import logs
from subagents.logs.fielded import KINDS
from subagents.logs.tools import Field
from subagents.plain import parts
from subagents.plain.answers import plainly
from subagents.sources import Level, LogLine, Sources
from tests.subagents.rig import at, context, findings, window


def line(n: int, level: Level, message: str = "boom", **fields: str) -> LogLine:
    return LogLine(
        at(f"13:{n % 60:02}"), "cart", level, message, "a.log:1", {k.replace("__", "."): v for k, v in fields.items()}
    )


def failing(count: int = 9, message: str = "boom", **fields: str) -> list[LogLine]:
    return [line(n, "error", message, **fields) for n in range(count)]


async def answered(question: str, lines: list[LogLine], lang: str = "en") -> list[str]:
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=sorted(lines, key=lambda x: x.at)),)))  # type: ignore[arg-type,return-value]
    ctx = context(window(), ["cart"], question, lang)  # type: ignore[arg-type]
    found = await findings(agent, ctx)
    said = list(plainly(Turn(agent, [], ctx), [found]).lines)
    checked = check("\n".join(said), found.evidence, ctx.window, question)
    assert checked.unverified == (), checked.marked
    return said


@pytest.mark.parametrize(
    ("question", "fields", "start"),
    [
        (
            "which pod",
            {"k8s__pod": "cart-7f-zz71m"},
            "Mostly cart-7f-zz71m: failing lines by k8s.pod: cart-7f-zz71m (9)",
        ),
        ("which pods are hit?", {"kubernetes__pod__name": "cart-7f-a"}, "Mostly cart-7f-a: "),
        ("影响哪些实例", {"instance": "10.0.0.7:80"}, "主要是 10.0.0.7:80：按 instance 分"),
        ("哪台机器报错", {"hostname": "web-3"}, "主要是 web-3"),
        ("which region?", {"ctx__region": "eu"}, "Mostly eu: "),
        ("是哪个机房", {"idc": "sh2"}, "主要是 sh2"),
        ("哪个版本有问题", {"app_version": "5.1.0"}, "主要是 5.1.0"),
        ("which broker", {"broker_id": "2"}, "Mostly broker 2: "),
        ("which tenant", {"tenantId": "t9"}, "Mostly t9: "),
    ],
)
async def test_the_value_that_failing_lines_name(question: str, fields: dict[str, str], start: str) -> None:
    [said] = await answered(question, failing(**fields), "zh" if not question.isascii() else "en")
    assert said.startswith(start)


async def test_a_pair_in_the_text_is_a_field_too_and_none_stands_out_of_many() -> None:
    lines = failing(4, "append failed broker=1") + failing(4, "append failed broker=2") + failing(1)
    [said] = await answered("which broker fails?", lines)
    assert said.startswith("Not one broker alone: failing lines by broker: 1 (4), 2 (4) (8 of 9 lines name one)")


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("which region", "No field of the failing lines and no label of a metric tells the region"),
        ("哪个 pod", "错误日志和指标里都没有Pod字段"),
    ],
)
async def test_that_no_field_of_that_kind_exists_is_said_in_a_sentence(question: str, start: str) -> None:
    [said] = await answered(question, failing(color="red"), "zh" if not question.isascii() else "en")
    assert said.startswith(start)


@pytest.mark.parametrize(
    "question",
    ["which version was deployed?", "which pod has the highest cpu", "which service broke first", "why?",
     "which version of cart is live?",
     "哪个版本上线了", "哪个实例内存最高", "which alert lasted longest?"],
)  # fmt: skip
def test_other_questions_ask_for_no_part(question: str) -> None:
    assert parts.asked(question) is None


@pytest.mark.parametrize(
    ("question", "lines", "start"),
    [
        ("how many players were affected?", [line(n, "error", player__id=f"p{n % 7}") for n in range(20)],
         "7 different player.id"),
        ("影响多少用户", [line(n, "error", f"下单失败 uid={n % 5} 耗时=3") for n in range(20)],
         "出错的日志里有 5 个不同的 uid"),
        ("how many users", [*failing(20), line(1, "error", user="u1")],
         "Can't be counted: only 1 of 21 failing lines name"),
        ("how many users are affected", failing(3), "Not measured: the data counts no users"),
    ],
)  # fmt: skip
async def test_users_are_counted_where_a_field_holds_them(question: str, lines: list[LogLine], start: str) -> None:
    said = await answered(question, lines, "zh" if not question.isascii() else "en")
    assert said[0].startswith(start)


def requests(path: str, good: int, bad: int) -> list[LogLine]:
    rows = [("200", "info")] * good + [("503", "error")] * bad
    return [line(n, level, f'"GET {path}?q=1 HTTP/1.1" {code} 31', code=code) for n, (code, level) in enumerate(rows)]  # type: ignore[arg-type]


async def test_a_path_narrows_the_requests() -> None:
    lines = [*requests("/api/v1/pay", 30, 10), *requests("/api/v1/payments", 50, 1), *requests("/", 5, 5)]
    said = await answered("error rate of /api/v1/pay between 13:00 and 14:00", lines)
    assert said[0].startswith("Error rate of `/api/v1/pay` on cart: 25% (10 of 40 requests failed)")
    assert said[1].startswith("Codes: 503 (10)")


async def test_a_path_beside_another_question_doesnt_take_its_place() -> None:
    said = await answered("when did /api/v1/pay start to fail?", requests("/api/v1/pay", 9, 40))
    assert "Error rate" not in said[0]


async def test_a_path_that_nobody_requested_couldnt_be_narrowed_to() -> None:
    said = await answered("/api/v9/nix 的错误率", requests("/api/v1/pay", 9, 1), "zh")
    assert said[0].endswith("没有到 `/api/v9/nix` 的请求，没法只看这个路径 [L2]。")


@pytest.mark.parametrize(
    ("question", "path"),
    [("errors of /api/v1/pay?", "/api/v1/pay"), ("看下/login接口的错误率", "/login"), ("11/30 的错误", ""),
     ("p95/p99", ""), ("see https://x.io/a/b", "")],
)  # fmt: skip
def test_which_path_a_question_names(question: str, path: str) -> None:
    assert parts.route(question) == path


def test_the_tool_takes_every_kind() -> None:
    assert set(get_args(Field)) == set(KINDS)
