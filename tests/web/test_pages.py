"""The inspector's pages: what they show, that they page and filter rightly, and that whatever a run holds is text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest

from hermes_ops.web.inspector.listing import PAGE
from memory import Feedback
from tests.inspect.hostile import HOSTILE
from tests.inspect.test_page import Tags
from tests.web.bench import NOW, Bench, entered, hostile, routed

ALL = ("", "?kind=all", "/stats", "/costs?days=0", "/stats?days=0", "/complaints", "/diff", "/diff?run=one", "/one",
       "/diff?run=one&run=two&all=1")  # fmt: skip


def runs_of(text: str) -> list[str]:
    return re.findall(r'<tr[^>]* data-run="([^"]+)"', text)


async def two(bench: Bench) -> None:
    await bench.made("one", "why did checkout fail?", "li", routed("one", "logs"))
    await bench.made("two", "支付的告警？", "wang", routed("two", "alerts", "There were 3 alerts."))


async def test_every_page_has_a_strict_policy_and_loads_nothing(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        for path in ALL:
            answer = await bench.http.get(f"/traces{path}")
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'sha256-")
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"
            tags = Tags(answer.text).found
            assert not any(name.startswith("on") or name == "style" for _, attrs in tags for name in attrs), path
            assert not any("//" in str(a.get(k, "")) for _, a in tags for k in ("href", "src", "action")), path


async def test_the_list_says_who_was_asked_and_who_was_not(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        text = await bench.page()
        assert runs_of(text) == ["two", "one"]
        assert re.findall('class="agent not"[^>]*>([a-z]+)<', text) == ["logs", "changes", "alerts", "changes"]
        assert re.findall('class="agent">([a-z]+)<', text) == ["alerts", "logs"]


FILTERS = {
    "q=CHECKOUT": ["one"],
    "q=支付": ["two"],
    "user=wang": ["two"],
    "agent=logs": ["one"],
    "agent=changes": [],
    "status=ok": ["two", "one"],
    "status=failed": [],
    "wrong=1": [],
    "kind=replay": [],
    "session=s1": ["two", "one"],
    "session=other": [],
    "until=2001-01-01": [],
    "since=2001-01-01": ["two", "one"],
    "q=nothing+like+it": [],
}


async def test_filters(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        for query, found in FILTERS.items():
            assert runs_of(await bench.page(f"?{query}")) == found, query


UNKNOWN = ("?status=weird", "?since=yesterday", "?kind=x", "?after=here", "/stats?days=x", "/nonsense",
           "/nonsense/file", "/diff?run=one&run=nonsense", "/diff?run=a&run=b&run=c", "?since=99999-01-01")  # fmt: skip


async def test_what_there_is_not_is_told_in_a_sentence(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        for path in UNKNOWN:
            text = await bench.page(path, 404)
            assert 'class="notice"' in text, path


async def test_paging_shows_each_run_once_also_where_many_began_together(home: Path) -> None:
    async with entered(home) as bench:
        bench.memory.runs._clock = lambda: NOW
        names = [await bench.made(f"run-{n:03d}", f"question {n}") for n in range(2 * PAGE + 5)]
        seen: list[str] = []
        query = ""
        while True:
            text = await bench.page(query)
            seen += runs_of(text)
            link = re.search(r'href="/traces(\?[^"]*)"[^>]*rel="next"', text)
            if link is None:
                break
            query = link[1].replace("&amp;", "&")
        assert len(seen) == len(set(seen))
        assert sorted(seen) == names


async def test_rows_are_renewed_only_when_they_change(home: Path) -> None:
    async with entered(home) as bench:
        await bench.made("one", "why?", events=routed("one", "logs")[:4], status="running")
        first = await bench.http.get("/traces?part=rows")
        assert 'class="running"' in first.text
        assert "now: logs: agent" in first.text
        seen = first.headers["x-rows"]
        bench.memory.events.emit(routed("one", "logs")[4])
        await bench.memory.events.commit()
        second = await bench.http.get(f"/traces?part=rows&seen={seen}")
        assert second.status_code == 200
        assert "now: logs: find" in second.text
        await bench.memory.runs.finish("one", "done")
        third = await bench.http.get(f"/traces?part=rows&seen={second.headers['x-rows']}")
        assert 'class="running"' not in third.text
        again = await bench.http.get(f"/traces?part=rows&seen={third.headers['x-rows']}")
        assert (again.status_code, again.text) == (204, "")


async def test_a_run_with_its_way_back_its_files_and_what_people_thought(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        await bench.memory.posts.rate(Feedback("one", "wang", "bad", "figures", "it was 30", NOW))
        text = await bench.page("/one")
        assert 'href="/traces"' in text
        assert "it was 30" in text
        assert "/traces/diff?run=one" in text
        file = await bench.http.get("/traces/one/file")
        assert file.headers["content-disposition"] == 'attachment; filename="one.html"'
        assert 'href="/traces"' not in file.text
        case = await bench.http.get("/traces/one/case")
        assert tomllib.loads(case.text)["route"] == ["logs"]


async def test_two_runs_side_by_side(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        text = await bench.page("/diff?run=one&run=two")
        assert "They part first at step" in text
        assert 'id="first"' in text
        assert "There were 3 alerts." in text
        assert re.search(r'href="/traces/two#step-\d+"', text)
        assert "Both runs decided the same at every step." in await bench.page("/diff?run=one&run=one")
        picking = await bench.page("/diff?run=one")
        assert "With which run?" in picking


async def test_statistics_and_cost(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        text = await bench.page("/stats?days=0")
        assert text.count('class="chart"') == 4
        assert re.search(r"<dt>Runs</dt><dd><strong>2</strong>", text)
        assert re.search(r"<dt>Cost</dt><dd><strong>1.00</strong>", text)
        assert re.search(r"<dt>Prompt cache hits</dt><dd><strong>50 %</strong>", text)
        costs = await bench.page("/costs?days=0")
        assert re.search(r"<dt>A run</dt><dd><strong>0.5000</strong>", costs)
        assert 'href="/traces/one"' in costs
        only = await bench.page("/costs?days=0&user=li")
        assert 'href="/traces/two"' not in only
        assert "No run fits." in await bench.page("/stats?user=nobody")


async def test_complaints_stand_beside_their_runs(home: Path) -> None:
    async with entered(home) as bench:
        await two(bench)
        rate = bench.memory.posts.rate
        await rate(Feedback("one", "li", "good", "", "", NOW))
        await rate(Feedback("two", "wang", "bad", "cause", "not the alerts", NOW))
        await rate(Feedback("gone", "zhao", "bad", "", "", NOW - timedelta(days=1)))
        text = await bench.page("/complaints")
        assert re.findall(r'aria-label="Complaint about ([^"]+)"', text) == ["two", "gone"]
        assert "not the alerts" in text
        assert "it is about alerts" in text
        assert re.search(r'href="/traces/two#step-\d+"[^>]*>changes', text)
        assert "The run gone is kept no more." in text
        assert 'aria-label="thumbs down"' in await bench.page()


async def test_hostile_text_is_text_on_every_page(home: Path) -> None:
    async with entered(home) as bench:
        for run in ("one", "two"):
            await bench.made(run, HOSTILE, HOSTILE[:60], hostile(run, HOSTILE, run))
        await bench.memory.posts.rate(Feedback("one", HOSTILE, "bad", HOSTILE, HOSTILE, NOW))
        for path in (*ALL, f"?q={quote(HOSTILE)}&user={quote(HOSTILE)}&agent={quote(HOSTILE)}", "/complaints?skip=0"):
            text = await bench.page(path)
            tags = Tags(text).found
            assert not [t for t, _ in tags if t in ("img", "iframe", "object", "base")], path
            assert sum(t == "script" for t, _ in tags) == (2 if path == "/one" else 1), path
            assert not any(name.startswith("on") for _, attrs in tags for name in attrs), path
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), path
            assert not any(str(a.get("href", "")).startswith("javascript") for _, a in tags), path


async def test_a_dead_database_is_told(home: Path) -> None:
    async with entered(home) as bench:
        await bench.memory.db.close()
        assert "The database failed" in await bench.page("", 503)


@pytest.mark.slow
async def test_all_of_it_on_postgresql(tmp_path: Path, postgres: Callable[[], str]) -> None:
    async with entered(tmp_path, postgres()) as bench:
        await two(bench)
        await bench.memory.posts.rate(Feedback("two", "wang", "bad", "cause", "not the alerts", NOW))
        for query, found in FILTERS.items():
            assert runs_of(await bench.page(f"?{query}")) == found, query
        for path in ALL:
            await bench.page(path)
        assert re.search(r"<dt>Cost</dt><dd><strong>1.00</strong>", await bench.page("/stats?days=0"))
        assert "not the alerts" in await bench.page("/complaints")
