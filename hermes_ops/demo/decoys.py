"""Changes that look guilty and are not: near in time, near in the graph, or merely loud. Draws from the seed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

from hermes_ops.demo import names
from hermes_ops.demo.changes import Deed, diff, sha, shipped
from hermes_ops.demo.faults import Edit
from hermes_ops.demo.graph import Graph
from hermes_ops.demo.variant import Variant

Told = list[tuple[Deed, str]]


def decoys(rng: Random, variant: Variant, graph: Graph, onset: datetime, since: datetime) -> Told:
    """(change, what it really is) of every decoy that is a change; the loud ones are made where logs and alerts are."""
    apart, asked = graph.side[0], graph.main[0]
    makers: dict[str, Callable[[], Told]] = {
        "deploy": lambda: _deploy(rng, apart, _before(rng, onset, since, 3, 25)),
        "harmless": lambda: _harmless(rng, asked, _before(rng, onset, since, 2, 40)),
        "docs": lambda: [_docs(rng, asked, _before(rng, onset, since, 1, 15))],
        "ticket": lambda: [_ticket(rng, apart, since + timedelta(minutes=rng.randint(20, 80)))],
        "flag": lambda: [_flag(rng, apart, _before(rng, onset, since, 4, 50))],
    }
    told = [made for name, make in makers.items() if name in variant.decoys for made in make()]
    return told + _earlier(rng, graph.main[-1], since + timedelta(minutes=rng.randint(5, 60)))


def _before(rng: Random, onset: datetime, since: datetime, least: int, most: int) -> datetime:
    return max(since + timedelta(minutes=1), onset - timedelta(seconds=rng.randint(least * 60, most * 60)))


def _deploy(rng: Random, service: str, at: datetime) -> Told:
    word = rng.choice(names.WORDS)
    edit = Edit(
        f"render the {word} on the server",
        f"src/{word}.py",
        (f"    return raw({word})",),
        (f"    return page({word})",),
    )
    return [(deed, "a deploy of a service that is not involved") for deed in shipped(rng, service, edit, at)]


def _harmless(rng: Random, service: str, at: datetime) -> Told:
    """On the very service, but its diff can't do any of it."""
    word = rng.choice(names.WORDS)
    edit = Edit(
        f"reword the {word}", "src/texts.py", (f'{word.upper()} = "Your {word}"',), (f'{word.upper()} = "The {word}"',)
    )
    return [(deed, "a deploy that changes a text only") for deed in shipped(rng, service, edit, at)]


def _docs(rng: Random, service: str, at: datetime) -> tuple[Deed, str]:
    mark, file = sha(rng), f"docs/{service}.md"
    patch = diff(file, ("Call the team.",), ("Call the team first, then page.",))
    who = rng.choice(names.PEOPLE)
    title = f"docs: tidy the runbook of {service}"
    return Deed("commit", mark, service, at, title, who, mark, file=file, diff=patch), "documents only"


def _ticket(rng: Random, service: str, at: datetime) -> tuple[Deed, str]:
    ends = at + timedelta(minutes=rng.randint(20, 40))
    name = f"CHG-{rng.randint(1000, 9999)}"
    return Deed("ticket", name, service, at, f"Rotate backups of {service}", rng.choice(names.PEOPLE), until=ends), (
        "planned work elsewhere, over before"
    )


def _flag(rng: Random, service: str, at: datetime) -> tuple[Deed, str]:
    key, who = rng.choice(names.HARMLESS_FLAGS), rng.choice(names.PEOPLE)
    name = f"flg-{rng.randint(1000, 9999)}"
    return Deed("flag", name, service, at, key, who, key=key, old="off", new="on"), "a flag of another service"


def _earlier(rng: Random, service: str, at: datetime) -> Told:
    """Hours before, so that no folder is without a change."""
    edit = Edit("log the trace id", "src/log.py", ('    log("done")',), ('    log("done", trace=trace)',))
    return [(deed, "a deploy hours before") for deed in shipped(rng, service, edit, at)]
