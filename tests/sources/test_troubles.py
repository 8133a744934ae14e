"""Each sentence that says why a source couldn't be asked has its Chinese, and keeps what it names."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime

import pytest

from hermes_ops.testing.sources import MemoryAlerts
from orchestrator.contracts import Window
from subagents.asking import ask_all
from subagents.gaps import worded
from subagents.sources import AlertQuery, Answered, Episode, SourceError
from subagents.web import Site, failures
from subagents.web.breaker import FRESH, Breaker

SITE = Site("prod", "http://prom.example:9090")
ALL = [
    *(
        failures.refused(SITE, status, b'{"error": "said so"}', "/api", "7")
        for status in (301, 400, 401, 403, 404, 407, 429, 500, 503)
    ),
    *(failures.refused(SITE, status, b"", "/api", "") for status in (401, 404, 429, 500)),
    failures.elsewhere(SITE, "http://other.example/x"),
    failures.broken(SITE, TimeoutError(), 3.0),
    failures.broken(SITE, ConnectionResetError(104, "Connection reset by peer"), 3.0),
    failures.broken(SITE, ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong"), 3.0),
    *(failures.no_json(SITE, text, "api/v1/query") for text in ("<html>", "{", "hello", "")),
    failures.too_big(SITE, "api/v1/query", 64 << 20),
]


@pytest.mark.parametrize("error", ALL, ids=str)
def test_what_stopped_a_source_is_said_in_chinese(error: SourceError) -> None:
    said = worded(str(error), "zh")
    assert said.startswith("prod：")
    assert not any(word in said for word in ("Check", "answer", "refuse", "this source", "  "))
    assert not said.endswith(("：", "。。"))
    assert worded(f"not reached: {error}", "zh") == f"未能访问：{said}"
    assert worded(str(error), "en") == str(error)


@pytest.mark.parametrize("error", ALL, ids=str)
async def test_as_a_gap_it_stands_among_others_without_its_full_stop(error: SourceError) -> None:
    class Down(MemoryAlerts):
        async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
            raise error

    day = AlertQuery(Window(datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)))
    found = await ask_all((MemoryAlerts("up"), Down("prod")), "alerts", lambda s: s.episodes(day))
    assert not found.complete
    [gap] = found.gaps
    assert gap == f"not reached: {str(error).removesuffix('.')}"
    assert worded(gap, "zh") == f"未能访问：{worded(str(error), 'zh')}"


def test_what_a_server_said_and_what_is_unknown_stay_as_they_are() -> None:
    assert worded("prod: it refuses us (401): bad token. Check this source's token, user and rights.", "zh") == (
        "prod：拒绝访问（401）：bad token。请检查该数据源的 token、user 和权限"
    )
    assert worded("prod: something nobody foresaw", "zh") == "prod: something nobody foresaw"


def test_an_old_finding_says_its_age_and_a_fresh_one_does_not() -> None:
    now = [100.0]
    breaker = Breaker("prod", lambda: now[0])
    breaker.failed(failures.broken(SITE, TimeoutError(), 3.0))
    with pytest.raises(SourceError, match=r"^prod: no answer within 3 s\.$"):
        breaker.check()
    now[0] += FRESH + 4
    with pytest.raises(SourceError, match=r"no answer within 3 s \(found 9 s ago, and not asked again yet\)\.") as e:
        breaker.check()
    assert worded(str(e.value), "zh") == "prod：3 秒内没有应答（9 秒前发现，还没有再试）"
