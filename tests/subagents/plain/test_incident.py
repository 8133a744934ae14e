"""Plain questions over a generated incident, through the application: each answer's first words, and its length."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops.app import open_app
from hermes_ops.demo.generate import generate
from hermes_ops.demo.truth import Truth
from hermes_ops.demo.variant import parse
from hermes_ops.loading import load
from orchestrator.contracts import Answer, Incoming

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
SEED, VARIANT = 1, "config"
# {victim}: the service that people ask about; {origin}: where it began; {id}: the change that did it; {other}: one
# that it is not. Each answer begins with the words beside it (a pattern), and is short where "short" stands.
TABLE = (
    ("现在好了吗", "是，"),
    ("{victim} 还在报错吗", "否，"),
    ("is it fixed now?", "Yes: "),
    ("Has {victim} recovered?", "Yes: "),
    ("Is {victim} still failing?", "No: "),
    ("问题解决了没", "是，"),
    ("{victim} 报错是不是 {origin} 的问题", "是，"),
    ("was it {other}?", "No: "),
    ("是不是 {id} 引起的", "是，.*{id}"),
    ("was it {id}?", "Yes: .*{id}"),
    ("was it release 99.9.9?", "Can't tell: .*99.9.9"),
    ("did OPS-99999 cause it?", "Can't tell: "),
    ("is it an expired certificate?", "No: "),
    ("是不是证书过期导致的？", "否，"),
    ("是不是改配置引起的", "是，"),
    ("是不是发布引起的", "否，"),
    ("要不要回滚", "由人决定.*{id}"),
    ("should we roll back {victim}?", "That is a person's decision.*{id}"),
    ("谁改的配置", r"\w+：.*{id}"),
    ("最近一次发布是谁发的", r"\w+：.*部署"),
    ("谁发的版", r"\w+：.*部署"),
    ("who changed {origin}?", r"\w+: .*config"),
    ("zoe 昨天改了什么", ".*没有 zoe 的变更"),
    ("有没有人改过配置", r"\w+：.*配置变更"),
    ("哪个服务最先坏", "最先报错的是 .*{origin}"),
    ("which service failed first?", "First to fail: .*{origin}"),
    ("which alert lasted longest?", r"The longest is .*\d+ min"),
    ("哪个告警持续最久", "最长的是 .*分钟"),
    ("{victim} 什么时候开始报错的", r"\d\d:\d\d(:\d\d)? UTC 开始：{victim} 的错误"),
    ("when did {victim} recover?", r"Ended at \d\d:\d\d(:\d\d)? UTC: errors of {victim}"),
    ("{victim} 挂了多久", r"\d+(\.\d)? (分钟|小时)（"),
    ("{victim} 和 {origin} 比谁的错误多", r".*{victim} \d+、{origin} \d+"),
    ("{victim} 昨天和前天比错误多了多少", "{victim} 的错误：.*没有日志"),
    ("{victim} 错误率超过 90% 了吗", "否，.*{victim} 可用率"),
    ("is the error rate of {victim} above 0.1%?", "Yes: "),
    ("SLO 99.9% 达标吗", "否，"),
    ("多少用户受影响", "没有用户数的数据"),
    ("how many orders were placed?", "Not measured: .*orders"),
    ("给老板一句话总结", "最可能的起因是 .*{id}"),
    ("summarize it in one sentence", "The likeliest cause is .*{id}"),
    ("redis 有没有问题", "没有名为 `redis` 的服务"),
    ("billing-service 为什么报错", "没有名为“billing-service”的服务"),
    ("{victim} 打不开了", "最可能的起因是 .*{id}"),
    ("{victim} 挂了！！", "最可能的起因是 .*{id}"),
    ("users are getting errors on {victim}", "The likeliest cause is .*{id}"),
    ("昨天有问题吗", "有，"),
    ("is everything ok?", "No: "),
    ("谢谢，没事了", "我是值班助手"),
)
LONG = ("打不开", "挂了", "getting errors", "昨天有问题", "everything ok")  # a cause is told with what shows it


def asked(truth: Truth) -> dict[str, str]:
    """Each question as it is asked → the pattern that its answer must begin with."""
    other = next(name for name in truth.decoys if name.startswith(("flg-", "CHG-")))
    names = {"victim": truth.trouble.service, "origin": truth.trouble.first_failing, "id": truth.trouble.cause.ids[-1],
             "other": other}  # fmt: skip
    return {_put(q, names): _put(p, {k: re.escape(v) for k, v in names.items()}) for q, p in TABLE}


def _put(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text


async def _answers(home: Path, folder: Path, questions: list[str]) -> dict[str, Answer]:
    settings = load({"HERMES_OPS_DATA_DIR": str(home), "HERMES_OPS_ZONE": "UTC"})
    async with open_app(settings, folder, offline=True) as app:
        return {q: await app.answer(Incoming(f"m{n}", q, NOW), session=q, new=True) for n, q in enumerate(questions)}


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Truth, dict[str, Answer]]:
    home = tmp_path_factory.mktemp("plain")
    truth = generate(home / "folder", SEED, NOW, parse(VARIANT, SEED))
    return truth, asyncio.run(_answers(home / "data", home / "folder", list(asked(truth))))


def test_each_answer_begins_with_what_was_asked(answered: tuple[Truth, dict[str, Answer]]) -> None:
    truth, answers = answered
    wrong = {
        q: answers[q].text.splitlines()[0] for q, want in asked(truth).items() if not re.match(want, answers[q].text)
    }
    assert wrong == {}


def test_plain_answers_are_short_and_borne_out(answered: tuple[Truth, dict[str, Answer]]) -> None:
    _, answers = answered
    long = {q: a.text for q, a in answers.items() if len([x for x in a.text.splitlines() if x.strip()]) > 7}
    assert [q for q in long if not any(word in q for word in LONG)] == []
    assert {q: a.unverified for q, a in answers.items() if a.unverified} == {}
