"""Templates: how well they group real logs whose right templates are known, and what a place must show to vary."""

from __future__ import annotations

import csv
from collections import defaultdict

from subagents.folder.mining import VALUES, Miner, gist, masked
from tests.shared import shared


def grouping_accuracy(found: list[int], right: list[str]) -> float:
    """Share of lines whose group is exactly the right one (Zhu et al., ICSE-SEIP 2019)."""
    groups: dict[int, set[int]] = defaultdict(set)
    truth: dict[str, set[int]] = defaultdict(set)
    for line, (f, r) in enumerate(zip(found, right, strict=True)):
        groups[f].add(line)
        truth[r].add(line)
    good = sum(len(g) for g in groups.values() if g == truth[right[next(iter(g))]])
    return good / len(found)


def test_real_logs_are_grouped_better_than_by_the_usual_miner() -> None:
    scores = {}
    for folder in sorted(p for p in shared("data/logs/loghub-2k").iterdir() if p.is_dir()):
        with (folder / f"{folder.name}_2k.log_structured_corrected.csv").open(encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        miner = Miner()
        clusters = [miner.add(row["Content"]) for row in rows]
        scores[folder.name] = grouping_accuracy([c.root.id for c in clusters], [r["EventId"] for r in rows])
    assert sum(scores.values()) / len(scores) >= 0.93, scores
    assert min(scores.values()) >= 0.65, scores


def test_what_is_surely_a_variable_is_masked() -> None:
    assert masked("order 17 at 10.0.0.1:80 took 3.5ms") == "order <*> at <*> took <*>"
    assert (
        masked("id 0d0d4d3e-7b9b-4a3c-9f51-0123456789ab of 0xFF in deadbeef1 /var/log/x.log")
        == "id <*> of <*> in <*> <*>"
    )
    assert masked('lock=17, tag="View Lock", name="x"') == "lock=<*> tag=<*>, name=<*>"
    assert masked("lifetime <1 sec") == masked("lifetime 00:17") == "lifetime <*>"
    assert masked("c.s.Search v2 of http2 failed") == "c.s.Search v2 of http2 failed"
    assert masked("结算失败 订单 12 号") == "结算失败 订单 <*> 号"


def test_plain_words_melt_only_when_a_place_shows_many() -> None:
    miner = Miner()
    words = ["started", "stopped", "paused", "resumed", "lost", "found"]
    few = [miner.add(f"the machine {w} by itself") for w in words[: VALUES - 1]]
    assert len({c.root.id for c in few}) == VALUES - 1
    all_of_them = [miner.add(f"the machine {w} by itself") for w in words]
    assert len({c.root.id for c in [*few, *all_of_them]}) == 1
    assert all_of_them[0].root.template == "the machine <*> by itself"
    assert all_of_them[0].root.n == VALUES - 1 + len(words)
    assert miner.add("the machine exploded by itself").root is all_of_them[0].root


def test_names_of_two_words_and_values_between_commas_or_bars_lose_no_line() -> None:
    """Lines of another length are another template; each is counted once, whatever it says between its separators."""
    miner = Miner()
    names = ("Bob", "Dora", "Emil", "Fay", "Gus", "Ann Lee", "Hal Ng", "Carl von Linde")
    found = [miner.add(f"user {name} logged in") for name in names]
    counts = {c.root.id: c.root.n for c in found}
    assert sum(counts.values()) == len(names)
    assert found[4].root.template == "user <*> logged in"
    assert found[4].root.n == 5
    assert masked("a,17,ok") == "a,<*>,ok"
    assert masked("17|x|10.0.0.1") == "<*>|x|<*>"
    assert masked("user=ann|action=pay|ms=9") == "user=ann|action=pay|ms=<*>"
    assert masked("took (17 ms) [a+b] {c} \\d ^x?") == "took (<*> ms) [a+b] {c} \\d ^x?", "no character is a pattern's"


def test_the_error_that_a_trace_ends_in_belongs_to_the_template() -> None:
    java = "save failed\njava.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)\n\tSuppressed: a.OddError: y"
    assert gist(java) == "save failed · IllegalStateException: x"
    assert gist(f"{java}\nCaused by: com.db.LockTimeoutException: Deadlock found\n\t... 9 more").endswith(
        "save failed · LockTimeoutException: Deadlock found"
    )
    python = 'job died\nTraceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: bad 3\n'
    assert gist(python) == "job died · ValueError: bad 3"
    assert gist("KeyError: 'a'\nKeyError: 'a'") == "KeyError: 'a'"
    assert gist("two lines\nof text") == "two lines"
    assert len(gist("A" * 100_000 + "\n" + "B" * 100_000 + "Error")) == 1_000


def test_memory_is_bounded() -> None:
    miner = Miner(most=50)
    for i in range(2000):
        miner.add(" ".join(f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{w}" for w in ("word", "other", "third")))
    assert len(miner.clusters) < 2000


def test_empty_and_odd_messages_have_templates() -> None:
    miner = Miner()
    assert miner.add("").template == ""
    assert miner.add("   ").root is miner.add("").root
    assert miner.add("<*>").template == "<*>"
