"""The evidence check: rates over generated answers, and its rules one by one."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.contracts import Evidence, Figure, ToolResult, Window
from orchestrator.evidence import check
from tests.orchestrator import evidence_answers as made

HOURS = {datetime(2026, 11, 29, h, tzinfo=UTC): n for h, n in ((13, 3), (14, 203), (15, 120), (16, 31), (17, 9))}
WINDOW = Window(datetime(2026, 11, 29, 14, tzinfo=UTC), datetime(2026, 11, 29, 18, tzinfo=UTC), "Asia/Shanghai")
CHECKOUT = {"service": "checkout"}


def _one(id: str, *figures: Figure, text: str = "", **more: object) -> Evidence:
    return Evidence(id, "logs", "count", {}, ToolResult(more.pop("status", "ok"), text, figures=figures, **more))  # type: ignore[arg-type]


EVIDENCE = (
    _one(
        "L1",
        Figure("errors", 730),
        Figure("errors", 412, "", CHECKOUT),
        Figure("errors", 318, "", {"service": "payment"}),
        Figure("errors before", 137, "", CHECKOUT),
        *(Figure("errors", n, "", {**CHECKOUT, "hour": at.isoformat()}) for at, n in HOURS.items()),
        text="2026-11-29T14:02:13Z ERROR timeout after 3000ms, pool exhausted",
        total=3412,
        shown=50,
    ),
    _one("L2", text="nothing found", status="no_data"),
    _one(
        "A1",
        Figure("alerts", 3),
        Figure("lasts", 2700, "s", {"alertname": "HighErrorRate"}),
        text="HighErrorRate 2026-11-29T14:02:00Z to 2026-11-29T14:47:00Z",
    ),
    _one(
        "A2",
        Figure("availability", 99.213, "%", CHECKOUT),
        Figure("latency_p99", 1834, "ms", CHECKOUT),
        Figure("latency_p95", 640, "ms", CHECKOUT),
        Figure("error_rate", 0.034, "ratio", CHECKOUT),
        Figure("memory", 1536 * 1024**2, "B", CHECKOUT),
    ),
    _one("C1", text="2026-11-29T13:59:00Z deploy payment 2.4.1 9f3c2ab\n- pool.max: 50\n+ pool.max: 10"),
)


@pytest.mark.parametrize("seeds", [range(0, 250), pytest.param(range(1000, 3000), marks=pytest.mark.slow)])
def test_rates_over_generated_answers(seeds: range) -> None:
    flagged, missed = [], []
    for seed in seeds:
        w = made.world(seed)
        parts = made.answer(w, zh=seed % 2 == 0)
        right = check(made.text(parts), w.evidence, w.window)
        if right.unverified or right.unknown or right.uncited:
            flagged.append((made.text(parts), right.unverified))
        wrong, how = made.mutate(w.rng, parts)
        if not set(check(wrong, w.evidence, w.window).unverified) - set(right.unverified):
            missed.append((how, wrong))
    assert len(flagged) <= 0.02 * len(seeds), flagged[:5]
    assert len(missed) <= 0.05 * len(seeds), missed[:5]


@pytest.mark.parametrize(
    "text",
    """checkout 在 22:02（+08:00）开始报错，共 412 次 [L1]。
    checkout 报错从 137 次升到 412 次，是之前的 3 倍，多了 275 次，上升 201 % [L1]。
    50 of 3,412 rows are shown [L1].
    checkout 的可用性 99.21 %，p99 为 1.8 秒，约为 p95 640 ms 的 2.9 倍 [A2]。
    错误率百分之三点四 [A2]。
    HighErrorRate 从 14:02 到 14:47，持续了 45 分钟 [A1]。
    payment 2.4.1（9f3c2ab）13:59 上线，3 分钟后 HighErrorRate 在 14:02 触发 [C1, A1]。
    pool.max 从 50 改为 10 [C1]。
    超时 3000 ms [L1]。
    没有相关日志，0 次 [L2]。
    checkout 占全部错误的 56.4 % [L1]。
    高峰在 14 点，２０３ 次；15:00–16:00 降到 120 次 [L1]。
    1) 两个服务受影响：checkout、payment [L1]
    内存 1.5 GB [A2]
    checkout had over 400 errors, payment about 320 (L1).
    checkout 报错四百一十二次，近 420 次 [L1]。
    窗口为 2026-11-29 22:00 到 2026-11-30 02:00（+08:00），共 4 小时，见【L1】。
    建议：1. 回滚 payment 2.4.1；2. 把 pool.max 调回 50 [C1]。
    看 `pool.max: 10` 和 “timeout after 3000ms” [L1][C1]，top 3 模式不变，p95 正常，#487 已关闭
    errors rose from 137 to 412 in checkout, i.e. 3x [L1].""".splitlines(),
)
def test_what_the_evidence_bears_out_passes(text: str) -> None:
    checked = check(text.strip(), EVIDENCE, WINDOW)
    assert checked.unverified == ()
    assert checked.marked == text.strip()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("checkout 报错 318 次 [L1]。", "318 次"),  # payment's
        ("payment 有 412 个错误 [L1]。", "412 个"),
        ("checkout 报错 730 次 [L1]。", "730 次"),  # the total
        ("checkout 报错 421 次 [L1]。", "421 次"),
        ("checkout 报错四百二十一次 [L1]。", "四百二十一次"),
        ("p99 为 640 ms [A2]。", "640 ms"),
        ("p99 为 1.8 ms [A2]。", "1.8 ms"),
        ("持续 54 分钟 [A1]。", "54 分钟"),
        ("checkout 错误占 65.4 % [L1]。", "65.4 %"),
        ("checkout 报错从 137 次升到 412 次，是之前的 5 倍 [L1]。", "5 倍"),
        ("14 点有 120 次 [L1]。", "120 次"),
        ("15:00–16:00 有 203 次 [L1]", "203 次"),
        ("pool.max 从 50 改为 20 [C1]。", "20"),
        ("超时 5000 ms [L1]", "5000 ms"),
        ("about 600 errors [L1]", "600"),
        ("三成错误 [L1]", "三成"),
        ("availability dropped by 5.2 % [A2]", "5.2 %"),
        ("5 services affected [L1]", "5"),
        ("412 次报错 [A1]", "412 次"),  # stands in L1, which isn't cited
        ("14:05 开始报错 [A1]。", "14:05"),
        ("11 月 27 日 14:02 [A1]", "11 月 27 日"),
        ("| 服务 | 错误 | p99 (ms) |\n|---|---|---|\n| checkout | 412 | 640 |\n[L1, A2]", "640"),
    ],
)
def test_what_it_does_not_is_marked(text: str, wrong: str) -> None:
    checked = check(text, EVIDENCE, WINDOW)
    assert [f.split(":")[0] if ":" not in wrong else f[:5] for f in checked.unverified] == [wrong]
    assert f"{wrong} ⚠" in checked.marked
    assert checked.marked.replace(" ⚠未核实", "").replace(" ⚠unverified", "") == text


def test_numbers_of_the_question_are_no_claims() -> None:
    text = "过去 7 天里没有超过 500 次的小时 [L1]。"
    assert check(text, EVIDENCE, WINDOW).unverified
    assert check(text, EVIDENCE, WINDOW, "过去 7 天有没有哪个小时超过 500 次？").unverified == ()


def test_citations() -> None:
    checked = check("报错 [L1]，告警【A1】(A2)，还有 [L9] 和 (P99)。", EVIDENCE, WINDOW)
    assert (checked.cited, checked.unknown, checked.uncited) == (("L1", "A1", "A2"), ("L9",), False)
    assert check("checkout 报错 412 次。", EVIDENCE, WINDOW).uncited
    assert not check("你好，我能帮你看告警。", (), None).uncited
    assert check("checkout 报错 412 次。", (), None).uncited


CAUSES = """因为 payment 2.4.1 上线，checkout 开始报错。|由于连接池过小，请求失败。
payment 2.4.1 导致 checkout 报错。|报错由 payment 的发布引起。|新版本引发了超时。|连接池配置造成了排队。
根因是 payment 2.4.1。|根因：payment 2.4.1。|## 根因：payment 2.4.1|故障源于 payment 2.4.1。|可归因于 payment 的发布。
元凶是 payment 2.4.1。|这是 payment 发布所致。|主要原因是连接池耗尽。|问题出在 payment。
因 payment 发布，checkout 报错。|payment 拖垮了 checkout。|故障起因是 payment 的发布。
是 payment 2.4.1 引起的，不是 catalog。|罪魁祸首是 payment。|报错来自于 payment 的发布。|原因在于连接池。
这致使 checkout 超时。|告警由 payment 的发布触发。|因为 payment 没有重试，所以请求失败。|无法连接数据库导致报错。
之所以变慢，是 payment 的锅。|The errors happened because payment 2.4.1 was deployed.
The outage was caused by payment 2.4.1.|Errors rose due to the deploy.|The root cause is payment 2.4.1.
The deploy led to timeouts.|It resulted in failures at checkout.|This was triggered by the deploy.
The failures stem from payment 2.4.1.|payment 2.4.1 is responsible for the errors.|payment 2.4.1 is to blame.
The errors are attributable to payment.|payment 2.4.1 caused the errors.|A bad deploy is causing the errors.
The culprit is payment.|The errors trace back to payment 2.4.1.|The failures originated from payment.
The reason for the errors is the deploy.|The deploy explains the errors.|The slowdown is a result of the deploy.
payment is behind the errors.|The deploy brought down checkout.|The pool was not closed because payment leaked.
Owing to the deploy, checkout failed.|The deploy triggered the errors.|Unknown hosts caused the failures.
The rise was driven by retries.|The deploy broke checkout.|Thanks to the deploy, checkout failed."""


@pytest.mark.parametrize("sentence", CAUSES.replace("\n", "|").split("|"))
def test_a_cause_without_citation_is_marked(sentence: str) -> None:
    other = "报错见 [L1]。\n\n" if sentence[-1] == "。" else "Errors are in [L1].\n\n"
    checked = check(other + sentence, EVIDENCE, WINDOW)
    assert len(checked.unverified) == 1
    assert checked.marked.rstrip().endswith(("⚠未核实", "⚠unverified"))
    assert check(f"{sentence.rstrip('.。')} [C1].", EVIDENCE, WINDOW).unverified == ()
    assert check(f"- {sentence} [C1]", EVIDENCE, WINDOW).unverified == ()


UNKNOWN = """没有变更能解释这次报错。|无法确定原因。|根因未知。|还没有找到根因。|没有证据表明是发布导致的。
不是 catalog 的发布引起的。|是什么导致的？|## 根因分析|不确定是否由发布引起。|原因不明。|What caused it?
I can't say what caused the errors.|No change explains this.|The cause is unknown.
There is no evidence that the deploy caused it.|It was not caused by the deploy.|It is unclear what caused it.
We could not determine the root cause.|Root cause:|It can't be told whether the deploy caused this."""


@pytest.mark.parametrize("sentence", UNKNOWN.replace("\n", "|").split("|"))
def test_saying_that_no_cause_is_known_needs_no_citation(sentence: str) -> None:
    assert check(sentence, EVIDENCE, WINDOW).unverified == ()


@given(
    st.text(
        alphabet=st.sampled_from(
            "0123456789.,%:-|[]()【】L1A2第一二三十百千万亿成倍点 次ms s\n`“”约多#=checkout错误因为?。"
        )
    )
)
def test_never_raises_and_only_adds_marks(text: str) -> None:
    marked = check(text, EVIDENCE, WINDOW, text[:20]).marked
    assert marked.replace(" ⚠未核实", "").replace(" ⚠unverified", "") == text


@given(st.text())
def test_any_text_is_fine(text: str) -> None:
    check(text, EVIDENCE, None, text)


@pytest.mark.parametrize(
    "line", ["checkout 报错 412 次，p99 1.8 秒 [L1]。\n", "12.3 % ", "14:02 ", "[A1", "|", "一二三万", "123 "]
)
def test_time_grows_with_the_length_only(line: str) -> None:
    def seconds(size: int) -> float:
        text = (line * (size // len(line) + 1))[:size]
        began = time.process_time()
        check(text, EVIDENCE, WINDOW)
        return time.process_time() - began

    assert min(seconds(16_000) for _ in range(3)) < 12 * max(seconds(4_000), 0.02)


@pytest.mark.parametrize("text", ["开始时间：14:00 [L1]。", "开始：11:32:40 [L1]", "began:14:00 [L1]"])
def test_a_clock_time_right_after_a_colon_is_a_clock_time(text: str) -> None:
    evidence = Evidence("L1", "logs", "count", {}, ToolResult("ok", "from 11:32:40, again at 14:00"))
    assert check(text, [evidence], None).unverified == ()
    assert check(text.replace("1", "2", 1), [evidence], None).unverified


@pytest.mark.parametrize("text", ["有 12 个文件没有时间 [L1]。", "12 file(s) have no times [L1]."])
def test_a_number_of_a_gap_is_borne_out_by_the_result_that_tells_it(text: str) -> None:
    evidence = _one("L1", Figure("errors", 3), gaps=("12 file(s) have no times since 2026-11-29 14:05",))
    assert check(text, [evidence], None).unverified == ()
    assert check(text.replace("12", "13"), [evidence], None).unverified
    assert check(text.replace("12", "29"), [evidence], None).unverified, "a date in it is no count"


@pytest.mark.parametrize(
    "text",
    [
        "全部错误：（未标明服务） 244、push 170 [L1]。",
        "errors: (no service) 244, push 170 [L1].",
        "push 170、（未标明服务） 244 [L1]。",
    ],
)
def test_a_number_of_what_states_no_service_is_told_from_its_neighbours(text: str) -> None:
    evidence = _one("L1", *(Figure("errors", n, "", {"service": name}) for name, n in (("", 244), ("push", 170))))
    assert check(text, [evidence], None).unverified == ()
    assert check(text.replace("170", "244"), [evidence], None).unverified
