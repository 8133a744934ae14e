"""The words of a report: a model's only where the figures bear them out, else the template's."""

import re

import pytest

from hermes_ops.report import prose, template
from hermes_ops.report.figures import facts
from hermes_ops.testing.script import Fault, Step
from hermes_ops.testing.scripted_model import ScriptedModel
from tests.report.samples import bad_day, blind_day, hostile, quiet_day, shift

GOOD = "昨天有 1 起事故，疑似由 payment 2.4.1 引起。checkout 可用性 98.07%，低于目标 99.9%。告警触发 8 次。"


async def test_a_model_words_what_the_figures_bear_out():
    model = ScriptedModel([Step(text=GOOD)])
    found = await prose.written(bad_day(), model)
    assert (found.author, found.dropped) == ("model", ())
    assert len(found.sentences) == 3


async def test_the_model_gets_figures_and_no_log_line():
    model = ScriptedModel([Step(text=GOOD)])
    await prose.written(bad_day(), model)
    sent = "".join(str(m["content"]) for m in model.requests[0][0])
    assert "98.07" in sent
    assert "timeout" not in sent  # of the patterns
    assert "charge failed" not in sent


@pytest.mark.parametrize(
    "lie",
    [
        "告警触发 9 次。",
        "checkout 可用性 99.95%。",
        "payment 报错 300 条。",
        "事故由 catalog 5.1.0 引起。",
        "错误增加了 37%。",
        "23:41 恢复。",
    ],
)
async def test_a_sentence_that_the_figures_do_not_bear_out_is_dropped(lie):
    found = await prose.written(bad_day(), ScriptedModel([Step(text=GOOD + lie)]))
    assert found.author == "model"
    assert [s.rstrip("。") for s in found.dropped] == [lie.rstrip("。")]
    assert not any(lie[:-1] in s for s in found.sentences)


async def test_where_too_little_was_seen_code_words_it_and_no_model_is_asked():
    model = ScriptedModel([Step(text="昨天平静。没有事故。")])
    found = await prose.written(blind_day(), model)
    assert (found.author, found.sentences, model.requests) == ("template", template.sentences(blind_day()), [])


async def test_too_little_left_means_the_template():
    found = await prose.written(bad_day(), ScriptedModel([Step(text="告警触发 900 次。错误 77 条。")]))
    assert found.author == "template"
    assert found.sentences == template.sentences(bad_day())
    assert found.why
    assert len(found.dropped) == 2


async def test_a_model_that_fails_means_the_template_and_says_why():
    found = await prose.written(bad_day(), ScriptedModel([Step(fault=Fault.UNAUTHORIZED)]))
    assert (found.author, bool(found.why)) == ("template", True)


async def test_offline_the_template_speaks_alone():
    found = await prose.written(quiet_day("en"), None)
    assert (found.author, found.why) == ("template", "")
    assert "was quiet" in found.sentences[0]


MADE = (bad_day(), bad_day("en"), quiet_day(), quiet_day("en"), blind_day(), shift(), hostile())


@pytest.mark.parametrize("made", MADE)
def test_the_template_says_two_to_five_sentences_that_hold(made):
    said = template.sentences(made)
    assert 2 <= len(said) <= 5
    if made.team == "shop":
        assert prose.checked(made, "\n".join(said), "template").dropped == ()


def test_unknown_is_never_told_as_none():
    text = " ".join(template.sentences(blind_day()))
    assert "未知" in text
    assert "没有告警触发" not in text


def test_the_facts_tell_unknown_apart():
    assert '"unknown"' in facts(blind_day())
    assert not re.search(r'"fired":\s*0', facts(blind_day()))
