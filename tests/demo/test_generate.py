"""The generator's promises: same seed same bytes, a truth that a plain text search confirms, and nothing unreadable."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hermes_ops.demo.changes import Deed
from hermes_ops.demo.faults import CAUSES, FAULTS
from hermes_ops.demo.generate import generate
from hermes_ops.demo.story import numbered, plot
from hermes_ops.demo.truth import Truth
from hermes_ops.demo.variant import Variant, calm, draw, parse
from orchestrator.contracts import from_json, to_json
from subagents.folder.folder import open_folder

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SEEDS = range(7)  # one for each cause

# how a person would search for errors in each format
ERRORS = {
    "json": re.compile(r'"level": "ERROR"'),
    "logfmt": re.compile(r" level=error "),
    "log4j": re.compile(r"^[\d-]{10} \S+ ERROR "),
    "syslog": re.compile(r"^<131>"),
    "bsd": re.compile(r"\]: ERROR "),
    "access": re.compile(r'" 5\d\d '),
}


def text(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()


def digest(folder: Path) -> dict[str, str]:
    files = (p for p in sorted(folder.rglob("*")) if p.is_file())
    return {p.relative_to(folder).as_posix(): sha256(p.read_bytes()).hexdigest() for p in files}


def small(seed: int) -> Variant:
    """The seed's variant with less traffic, for speed."""
    return replace(draw(seed), hours=6, per_minute=8)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Path, Truth]]:
    base = tmp_path_factory.mktemp("incidents")
    return {n: (base / str(n), generate(base / str(n), n, NOW, small(n))) for n in SEEDS}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_truth_is_what_a_text_search_counts(made: dict[int, tuple[Path, Truth]], seed: int) -> None:
    folder, truth = made[seed]
    for file in truth.files:
        found = sum(1 for line in text(folder / file.path).splitlines() if ERRORS[file.format].search(line))
        assert found == sum(truth.errors.get(file.service, {}).values()), file
    assert sum(truth.errors[truth.trouble.service].values()) > 30, "an incident that nobody would notice"


@pytest.mark.parametrize("seed", SEEDS)
def test_requests_and_hours_are_those_of_the_access_log(made: dict[int, tuple[Path, Truth]], seed: int) -> None:
    folder, truth = made[seed]
    file = next(f for f in truth.files if f.format == "access")
    lines = text(folder / file.path).splitlines()
    assert len(lines) == truth.requests[file.service].requests
    bad = [line for line in lines if ERRORS["access"].search(line)]
    assert len(bad) == truth.requests[file.service].bad
    hours = Counter(re.search(r"/2026:(\d\d):", line)[1] for line in bad)  # type: ignore[index]
    assert hours == {datetime.fromisoformat(h).strftime("%H"): n for h, n in truth.errors[file.service].items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_counters_end_at_the_requests(made: dict[int, tuple[Path, Truth]], seed: int) -> None:
    folder, truth = made[seed]
    file = next((folder / "metrics").glob("metrics.om*"))
    last: dict[tuple[str, str], int] = {}
    for service, code, value in re.findall(
        r'^http_requests_total\{service="(.+?)",code="(\d+)"\} (\d+) ', text(file), re.M
    ):
        last[service, code] = int(value)
    for service, requests in truth.requests.items():
        assert sum(n for (s, _), n in last.items() if s == service) == requests.requests
        assert sum(n for (s, c), n in last.items() if s == service and c[0] == "5") == requests.bad


@pytest.mark.parametrize("seed", SEEDS)
def test_the_incident_lies_on_the_askers_yesterday(made: dict[int, tuple[Path, Truth]], seed: int) -> None:
    _, truth = made[seed]
    zone = ZoneInfo(truth.zone)
    yesterday = NOW.astimezone(zone).date() - timedelta(days=1)
    assert truth.since <= truth.trouble.onset < (truth.trouble.end or truth.until) <= truth.until
    for at in (truth.since, truth.trouble.onset, truth.until - timedelta(seconds=1)):
        assert at.astimezone(zone).date() == yesterday
    assert truth.trouble.service in truth.questions[0].text


@pytest.mark.parametrize("seed", [1, 2])  # all seeds: the suite `demo`, measure `whole`
def test_every_file_is_recognised(made: dict[int, tuple[Path, Truth]], seed: int, tmp_path: Path) -> None:
    folder, truth = made[seed]
    opened = open_folder(folder, tmp_path)
    try:
        coverage = opened.coverage()
        assert opened.skipped == ()
        assert set(truth.services) <= set(coverage.services)
    finally:
        opened.close()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    for name, seed in (("a", 4), ("b", 4), ("c", 11)):
        generate(tmp_path / name, seed, NOW, small(seed))
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    assert digest(tmp_path / "a").keys() | digest(tmp_path / "c").keys()
    assert not set(digest(tmp_path / "a").values()) & set(digest(tmp_path / "c").values())


def test_the_folder_holds_nothing_of_the_truth(made: dict[int, tuple[Path, Truth]]) -> None:
    for folder, truth in made.values():
        files = [p for p in folder.rglob("*") if p.is_file()]
        assert not [p.name for p in files if "truth" in p.name]
        for what in set(truth.decoys.values()):
            assert not any(what in text(p) for p in files)


def test_the_truth_goes_through_json(made: dict[int, tuple[Path, Truth]]) -> None:
    for _, truth in made.values():
        assert from_json(Truth, json.loads(json.dumps(to_json(truth)))) == truth


# ── the story ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(100))
def test_a_story_holds_together(seed: int) -> None:
    variant = draw(seed)
    story = plot(seed, NOW, variant)
    first, graph = story.incidents[0], story.graph
    assert variant.cause == CAUSES[seed % len(CAUSES)]
    assert 4 <= len(set(graph.services)) == variant.services <= 7
    assert graph.waiting(first.origin)[-1] == graph.edge
    assert first.asked in graph.waiting(first.origin)
    assert not set(graph.waiting(graph.side[-1])) & set(graph.main)
    blamed = [d for d in story.deeds if d.id == first.blamed]
    assert bool(blamed) == (variant.cause in ("deploy", "config", "flag"))
    for deed in blamed:
        lead = first.onset - deed.at
        assert timedelta(minutes=variant.delay) < lead < timedelta(minutes=variant.delay + 5)
        assert deed.service == first.origin
        assert deed.id not in story.decoys
    assert len({d.id for d in story.deeds}) == len(story.deeds)
    assert len(story.incidents) == 1 + variant.two


def test_a_revert_names_what_it_takes_back_and_turns_its_diff() -> None:
    stories = (plot(n, NOW, draw(n)) for n in range(0, 70, 7))
    story = next(s for s in stories if s.incidents[0].end)
    commit, _, back, _ = story.incidents[0].deeds
    assert commit.sha in back.body
    plus = [line[1:] for line in commit.diff.splitlines()[3:] if line.startswith("+")]
    assert plus == [line[1:] for line in back.diff.splitlines()[3:] if line.startswith("-")]


def test_versions_grow_in_order_of_time() -> None:
    at = [NOW + timedelta(minutes=n) for n in range(3)]
    deploys = [Deed("deploy", str(n), "a", at[n], "", "") for n in (2, 0, 1)]
    assert [d.version for d in numbered(deploys, {"a": "1.4.8"})] == ["1.4.9", "1.4.10", "1.4.11"]


def test_all_that_a_variant_may_say_comes_up_among_the_seeds() -> None:
    drawn = [draw(n) for n in range(200)]
    assert {v.fault for v in drawn} == set(FAULTS)
    assert {v.services for v in drawn} == {4, 5, 6, 7}
    assert any(v.two for v in drawn)
    assert any(v.open for v in drawn)
    assert max(v.delay for v in drawn) > 30
    assert len({v.zone for v in drawn}) == 4


def test_a_variant_is_named_by_its_cause_and_fault() -> None:
    assert parse("config:dns", 3).fault == "dns"
    assert parse("", 3) == draw(3)
    assert parse("traffic", 0).cause == "traffic"
    assert calm(draw(1)).decoys == ()
    for wrong in ("nothing", "traffic:pool", "deploy:nothing"):
        with pytest.raises(ValueError, match=r"no cause|no incident"):
            parse(wrong, 1)


def test_without_noise_only_the_incident_makes_errors(tmp_path: Path) -> None:
    loud = Variant("deploy", "null", decoys=("noisy",), hours=6, per_minute=4)
    quiet = calm(loud)
    worker = {}
    for name, variant in (("loud", loud), ("quiet", quiet)):
        truth = generate(tmp_path / name, 3, NOW, variant)
        worker[name] = sum(truth.errors.get(truth.services[-1], {}).values())
    assert worker["quiet"] == 0
    assert worker["loud"] > 80


@pytest.mark.slow
def test_a_day_as_large_as_they_get_is_small(tmp_path: Path) -> None:
    largest = max((draw(n) for n in range(4, 100, 7)), key=lambda v: v.hours * v.per_minute * v.services)
    generate(tmp_path, 4, NOW, largest)
    assert sum(p.stat().st_size for p in tmp_path.rglob("*")) < 8_000_000
