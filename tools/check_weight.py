"""What the base install weighs: `hermes-ops` without extras and everything that it pulls in.

    python tools/check_weight.py            the closure of hermes-ops in this environment
    python tools/check_weight.py --fresh    all that lies in this environment except pip (for one made just now)

Prints a table, heaviest first; exit 1 when there are more packages or bytes than the README promises. Sizes are those
of the installed files, compiled ones included. What each package is there for stands in docs/DEPENDENCIES.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

OURS = "hermes-ops"
PACKAGES = 45
MEGABYTES = 130  # of 10^6 bytes
INSTALLERS = {"pip", "setuptools", "wheel"}
ROOMS = ("orchestrator", "subagents", "memory", "hermes_ops")


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    size: int  # bytes


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def size(dist: Distribution) -> int:
    """Bytes of the files on disk. An editable install lists none of its own: then the rooms are measured."""
    files = [Path(str(dist.locate_file(f))) for f in dist.files or ()]
    if normal(dist.name) == OURS and not any(f.parent.name in ROOMS for f in files):
        root = Path(__file__).resolve().parents[1]
        files += [f for room in ROOMS for f in (root / room).rglob("*") if f.is_file()]
    return sum(f.stat().st_size for f in files if f.is_file())


def weigh(dists: Iterable[Distribution]) -> list[Package]:
    found = {normal(d.name): Package(normal(d.name), d.version, size(d)) for d in dists}
    return sorted(found.values(), key=lambda p: -p.size)


def closure(name: str) -> list[Distribution]:
    """The distribution and what it requires, directly or not, with the extras that the requirements name."""
    from packaging.requirements import Requirement  # only here: a fresh install lacks it

    seen: dict[tuple[str, str], Distribution] = {}
    waiting = [(normal(name), "")]
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen[key] = dist = distribution(key[0])
        for line in dist.requires or ():
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": key[1]}):
                waiting += [(normal(need.name), extra) for extra in ("", *need.extras)]
    return list(seen.values())


def breaches(packages: list[Package]) -> list[str]:
    total = sum(p.size for p in packages) / 1e6
    found = []
    if len(packages) > PACKAGES:
        found.append(f"the base install has {len(packages)} packages, at most {PACKAGES}")
    if total > MEGABYTES:
        found.append(f"the base install has {total:.1f} MB, at most {MEGABYTES}")
    return found


def main(argv: list[str]) -> int:
    fresh = "--fresh" in argv
    dists = [d for d in distributions() if normal(d.name) not in INSTALLERS] if fresh else closure(OURS)
    packages = weigh(dists)
    for p in packages:
        print(f"{p.size / 1e6:8.2f} MB  {p.name} {p.version}")
    total = sum(p.size for p in packages) / 1e6
    print(f"weight: {len(packages)} of {PACKAGES} packages, {total:.1f} of {MEGABYTES} MB")
    print("\n".join(breaches(packages)), end="")
    return 1 if breaches(packages) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
