"""The page that plays a run, the route's formats and the exports: whole, and safe whatever a run holds."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.trace import exporting
from hermes_ops.trace.compare import compare
from hermes_ops.trace.graph import route
from hermes_ops.trace.graph_formats import FORMATS, coded
from hermes_ops.trace.html import page
from hermes_ops.trace.story import as_json
from tests.inspect.hostile import HOSTILE, MEGABYTE, big_story, hostile_story

CHROMIUM = Path("/usr/bin/chromium")
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


class Tags(HTMLParser):
    """What a browser's parser makes of a page: its elements, and what stands in its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "script":
            self.scripts.append(data)


def test_hostile_text_makes_no_element_and_comes_back_whole() -> None:
    told = hostile_story()
    tags = Tags(page(told))
    assert [t for t, _ in tags.found if t in ("img", "script", "iframe", "link")] == ["script", "script"]
    assert not any(name.startswith("on") for _, attrs in tags.found for name in attrs)
    assert not any(str(a.get("href", "#")).startswith("javascript") for _, a in tags.found)
    data = json.loads(tags.scripts[0])
    assert data["run"]["question"] == HOSTILE
    assert data == json.loads(json.dumps(as_json(told)))


def test_an_agent_s_step_has_its_tools_as_a_model_was_told_of_them() -> None:
    (step,) = (s for s in hostile_story("find").steps if s.kind == "agent" and s.lane == 0)
    assert step.detail["tools"] == [{"name": "find", "description": "find", "parameters": {"find": "find"}}]


def test_the_page_loads_nothing_and_its_policy_allows_only_its_own_script() -> None:
    text = page(hostile_story("x"))
    policy = next(a["content"] for t, a in Tags(text).found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert re.findall(r"""(?:src|href|url\()\s*=?\s*["']?(?:https?:)?//""", text) == []
    assert 'style="' not in text


@pytest.mark.parametrize("name", ["graphml", "svg"])
def test_hostile_text_is_text_in_xml(name: str) -> None:
    told = FORMATS[name](route(hostile_story()))
    tree = ET.fromstring(told.encode())
    assert {e.tag.rpartition("}")[2] for e in tree.iter()} <= {
        "graphml", "key", "graph", "node", "edge", "data", "svg", "title", "style", "path", "a", "g", "rect", "text",
    }  # fmt: skip
    assert "</script><script>" in "".join(tree.itertext())


def test_hostile_text_is_text_in_mermaid_and_dot() -> None:
    graph = route(hostile_story())
    for line in FORMATS["mermaid"](graph).splitlines():
        for label in re.findall(r'"([^"]*)"', line):
            assert re.fullmatch(r"(?:[^\W]|[ ]|#\d+;|<br/>)*", label), label
    assert coded('a"b') == "a#34;b"
    for line in FORMATS["dot"](graph).splitlines():
        strings = re.findall(r'"(?:[^"\\]|\\.)*"', line)
        rest = line
        for said in strings:
            rest = rest.replace(said, "", 1)
        assert "script" not in rest
        assert '"' not in rest
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\u2028]", FORMATS["dot"](graph) + FORMATS["mermaid"](graph))


def test_the_graph_says_who_was_asked_and_who_was_not() -> None:
    graph = route(hostile_story("someone"))
    kinds = {n.kind: n.label for n in graph.nodes}
    assert kinds["agent"] == "logs"
    assert kinds["tool"] == "someone"
    ends = {(e.start, e.end): e.kind for e in graph.edges}
    assert "calls" in ends.values()
    assert ("question", "l0") in ends


def test_five_hundred_steps_are_told_at_once() -> None:
    told = big_story(500)
    assert 480 < len(told.steps) <= 510
    assert len({s.n for s in told.steps}) == len(told.steps)
    assert all(s.start >= 0 and s.ms >= 0 for s in told.steps)


def test_otlp_has_one_span_a_step_under_its_loop() -> None:
    told = hostile_story()
    spans = exporting.otlp([told])["resourceSpans"][0]["scopeSpans"][0]["spans"]
    ids = {s["spanId"] for s in spans}
    assert len(ids) == len(spans)
    assert [s["name"] for s in spans if "parentSpanId" not in s] == ["invoke_agent supervisor"]
    assert all(s["parentSpanId"] in ids for s in spans if "parentSpanId" in s)
    assert all(re.fullmatch("[0-9a-f]{32}", s["traceId"]) and s["startTimeUnixNano"].isdigit() for s in spans)
    keys = {a["key"] for s in spans for a in s["attributes"]}
    assert {"gen_ai.operation.name", "gen_ai.usage.input_tokens", "gen_ai.tool.name"} <= keys
    assert "gen_ai.tool.call.result" not in keys
    full = exporting.otlp([told], texts=True)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert "gen_ai.tool.call.result" in {a["key"] for s in full for a in s["attributes"]}


def test_a_run_is_the_same_as_itself_and_parts_where_another_does_something_else() -> None:
    one, other = hostile_story("a"), hostile_story("b")
    assert compare(one, one).same
    told = compare(one, other)
    assert told.first is not None
    assert told.steps[told.first].why
    assert not told.same


# ── in a real browser ─────────────────────────────────────────────────────────────────────────


@contextmanager
def opened(path: Path, text: str, **more: Any) -> Iterator[Any]:
    """The page from disk, in Chromium; whatever it logs or throws fails the test, and so does any request."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if not CHROMIUM.exists():
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("Chromium is missing, and REQUIRE_BROWSER=1 forbids skipping")
        pytest.skip("needs Chromium")
    path.write_text(text, encoding="utf-8", errors="replace")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        tab = browser.new_page(**{"viewport": {"width": 1300, "height": 850}, **more})
        faults: list[str] = []
        tab.on("console", lambda m: faults.append(m.text))
        tab.on("pageerror", lambda e: faults.append(str(e)))
        tab.on("request", lambda r: faults.append(r.url) if not r.url.startswith("file:") else None)
        tab.goto(path.as_uri())
        try:
            yield tab
            assert faults == []
        finally:
            browser.close()


@pytest.mark.slow
def test_keys_search_and_links_in_a_browser(tmp_path: Path) -> None:
    with opened(tmp_path / "run.html", page(hostile_story("someone"))) as tab:
        assert tab.locator("#right h2").inner_text() == "someone"
        tab.keyboard.press("j")
        tab.keyboard.press("j")
        tab.locator("#right h2", has_text="2 ·").wait_for()
        tab.wait_for_url("**#step-2")
        tab.keyboard.press("k")
        assert tab.locator('[aria-selected="true"]').get_attribute("data-n") == "1"
        tab.keyboard.press("o")
        tab.locator("#right a.ev").first.click()
        tab.locator("#right", has_text="Evidence L1, which the answer cites").wait_for()
        tab.keyboard.press("/")
        tab.keyboard.type("supervisor begins")
        tab.locator("#hits", has_text="1 of").wait_for()
        tab.keyboard.press("Enter")
        tab.wait_for_url("**#step-1")
        tab.keyboard.press("Escape")
        tab.keyboard.press("v")
        assert tab.locator(".talk").count() > 5
        tab.keyboard.press("?")
        assert tab.locator("#help").is_visible()
        tab.keyboard.press("Escape")
        tab.goto(tab.url.partition("#")[0] + "#step-3")
        tab.locator("#right h2", has_text="3 ·").wait_for()
        tab.keyboard.press("Space")
        tab.wait_for_function("document.getElementById('play').textContent.includes('Pause')")
        tab.wait_for_function("location.hash !== '#step-3'")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1300, 390])
def test_hostile_text_of_a_megabyte_in_a_browser(tmp_path: Path, width: int) -> None:
    text = page(hostile_story(HOSTILE, MEGABYTE))
    with opened(tmp_path / "run.html", text, viewport={"width": width, "height": 850}) as tab:
        title = tab.title()
        for _ in range(9):
            tab.keyboard.press("j")
        tab.keyboard.press("v")
        assert tab.title() == title != "owned"
        assert tab.locator("#list img, #right img, #list script, #right script").count() == 0
        assert tab.locator("#right .more").count() > 0
        wide = tab.evaluate("document.documentElement.scrollWidth")
        assert wide <= width


@pytest.mark.slow
def test_five_hundred_steps_stay_quick_in_a_browser(tmp_path: Path) -> None:
    with opened(tmp_path / "run.html", page(big_story(500))) as tab:
        assert tab.locator("#list .row").count() > 480
        before = tab.evaluate("performance.now()")
        for _ in range(50):
            tab.keyboard.press("j")
        assert tab.url.endswith("#step-50")
        print("50 steps took", tab.evaluate("performance.now()") - before, "ms")
        tab.keyboard.press("G")
        assert int(tab.url.rpartition("-")[2]) > 480


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(tmp_path: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="needs axe-core-python").Axe()
    source = axe.axe_script
    with opened(tmp_path / "run.html", page(hostile_story("someone")), color_scheme=scheme, bypass_csp=True) as tab:
        for key in ("o", "j", "j", "j", "j", "j", "j", "v"):
            tab.keyboard.press(key)
            tab.evaluate(source)
            found = tab.evaluate("axe.run()")
            bad = [
                (v["id"], v["nodes"][0]["html"]) for v in found["violations"] if v["impact"] in ("serious", "critical")
            ]
            assert bad == []
