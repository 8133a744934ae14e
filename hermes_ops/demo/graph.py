"""Which services a generated incident has, and who calls whom."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hermes_ops.demo import names


@dataclass(frozen=True, slots=True)
class Graph:
    """`main` holds the service that is asked about first, then what it calls; `side` a branch apart from it;
    `worker` is called by nobody."""

    edge: str
    main: tuple[str, ...]
    side: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    worker: str

    @property
    def services(self) -> tuple[str, ...]:
        return (self.edge, *self.main, *self.side)

    def routes(self) -> list[tuple[str, ...]]:
        """Every way a request may go, from the edge on."""
        found: list[tuple[str, ...]] = [(self.edge,)]
        for route in found:
            found += [(*route, callee) for caller, callee in self.calls if caller == route[-1]]
        return found

    def waiting(self, service: str) -> tuple[str, ...]:
        """The service and all that depend on it, nearest first."""
        found = [service]
        for name in found:
            found += [a for a, b in self.calls if b == name and a not in found]
        return tuple(found)


def drawn(rng: Random, n: int) -> Graph:
    """Of 4 services edge → a → c and edge → b; further ones are b → d, a → e, c → f."""
    edge = rng.choice(names.EDGES)
    a, b, c, *more = rng.sample(names.SERVICES, n - 1)
    calls = [(edge, a), (edge, b), (a, c)]
    calls += [(caller, callee) for caller, callee in zip((b, a, c), more, strict=False)]
    return Graph(edge, (a, c, *more[1:]), (b, *more[:1]), tuple(calls), rng.choice(names.WORKERS))
