from __future__ import annotations

from hermes_ops.testing.sources import MemorySpans
from subagents.sources import Edge
from subagents.topology import Declared, Topology, declared, learnt

SHOP = Topology([("web", "cart"), ("cart", "pay"), ("web", "search"), ("pay", "ledger")])


def test_distance_counts_calls_downwards_only():
    assert SHOP.distance("web", "pay") == 2
    assert SHOP.distance("web", "web") == 0
    assert SHOP.distance("pay", "web") is None
    assert SHOP.distance("web", "nowhere") is None


def test_reach_is_nearest_first():
    assert SHOP.downstream("web") == ("cart", "search", "pay", "ledger")
    assert SHOP.callees("web") == ("cart", "search")
    assert SHOP.callers("pay") == ("cart",)


def test_a_circle_ends():
    assert Topology([("a", "b"), ("b", "a")]).downstream("a") == ("b",)


async def test_settings_and_traces_both_give_edges():
    spans = MemorySpans("tempo", calls=[Edge("cart", "pay", 9)])
    said = Declared({"web": ["cart"], "cart": []})
    assert await learnt([said, spans], None) == {("web", "cart"), ("cart", "pay")}
    assert (await said.coverage()).services == ("web", "cart")
    assert declared({"web": ["cart"]}) | await learnt([spans], None) == {("web", "cart"), ("cart", "pay")}


async def test_unreachable_traces_give_no_edges():
    assert await learnt([MemorySpans("tempo", down="no route")], None) == frozenset()
