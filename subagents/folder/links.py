"""Changes tied together: a commit's service, the commits that a deploy carries, what a revert takes back.

By sha (also a short one), by tag, by title. What can't be told stays empty.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from subagents.folder import keys
from subagents.folder.records import Row

_SCOPE = re.compile(r"^(?:\w+\(([^)]+)\)|([\w./-]+))(?: v?(\d+(?:\.\d+)+[-+\w.]*))?!?: ")
_REVERT = re.compile(r"^Revert(?:ed)?:? \"(.+)\"(?: \(#\d+\))?$", re.DOTALL)
_REVERTS_COMMIT = re.compile(r"[Tt]his reverts commits? ([0-9a-f]{7,64})")
_HOLDERS = frozenset(("services", "service", "apps", "app", "src", "cmd", "packages", "modules", "internal", "pkg"))


class Names:
    """Services by their bare name: `paymentservice`, `payment-service` and `payment` are the service `payment…`."""

    def __init__(self, services: Iterable[str]) -> None:
        self._exact = {keys.norm(s): s for s in services if s}
        self._bare: dict[str, str] = {}
        for name, service in self._exact.items():
            self._bare.setdefault(_bare(name), service)

    def find(self, word: str) -> str:
        name = keys.norm(word)
        return self._exact.get(name) or self._bare.get(_bare(name), "") if name else ""


def _bare(name: str) -> str:
    short = name
    for suffix in ("service", "svc", "server", "app"):
        short = short.removesuffix(suffix)
    return short or name


def service_of(row: Row, names: Names) -> str:
    """A change's service: its scope (`payment: …`, `fix(payment): …`, `payment 2.4: …`), else the folders of its files,
    else what it was done in."""
    if match := _SCOPE.match(row["title"]):
        for word in re.split(r"[,/ ]+", match.group(1) or match.group(2)):
            if found := names.find(word):
                return found
    found_in: dict[str, int] = {}
    for path in row.get("files", ()):
        if service := _by_path(path, names):
            found_in[service] = found_in.get(service, 0) + 1
    best = max(found_in, key=lambda s: found_in[s], default="")
    return best if best and found_in[best] * 2 > len(row["files"]) else names.find(row.get("within", ""))


def _stated(title: str) -> str:
    """The version behind the scope of a title: `pay 4.2.0: …`."""
    match = _SCOPE.match(title)
    return (match.group(3) or "") if match else ""


def _by_path(path: str, names: Names) -> str:
    parts = [p for p in path.split("/") if p][:-1]
    for n, part in enumerate(parts[:4]):
        if (n == 0 or parts[n - 1].lower() in _HOLDERS) and (found := names.find(part)):
            return found
    return ""


def linked(rows: Sequence[Row], services: Iterable[str]) -> list[Row]:
    """All changes, oldest first, each once, with `service`, `sha`, `commits` and `reverts` filled where told."""
    names = Names(services)
    commits = _unique(row for row in rows if row["change"] == "commit")
    for row in commits:
        row["service"] = row["service"] or service_of(row, names)
    by_tag = {tag: row for row in commits for tag in row["tags"]}
    shas = _Shas(row["sha"] for row in commits)
    others = _unique(row for row in rows if row["change"] != "commit")
    for row in others:
        tagged = next((by_tag[t] for t in row.get("tags", ()) if t in by_tag), None)
        row["sha"] = shas.full(row.get("sha", "")) or (tagged["sha"] if tagged else row.get("sha", ""))
        if not row["service"] and (service := service_of(row, names)):
            row.update(service=service, version=row.get("version") or _stated(row["title"]))
    by_sha = {row["sha"]: row for row in commits}
    _reverts(commits, others, by_sha, shas)
    _carried(commits, others, by_sha)
    return sorted([*commits, *others], key=lambda r: (r["at"], r["change"] != "commit", r["id"]))


def _unique(rows: Iterable[Row]) -> list[Row]:
    """Copies, the fuller of two tellings of one change; commits first by time."""
    kept: dict[object, Row] = {}
    for row in rows:
        key = row["id"] if row["change"] == "commit" else (row["change"], row["id"], row["service"], row["at"])
        old = kept.get(key)
        if old is None or len(str(row)) > len(str(old)):
            kept[key] = dict(row)
    return sorted(kept.values(), key=lambda r: r["at"])


class _Shas:
    """Full shas by any unambiguous beginning."""

    def __init__(self, shas: Iterable[str]) -> None:
        self._by_start: dict[str, set[str]] = defaultdict(set)
        for sha in shas:
            self._by_start[sha[:7]].add(sha)

    def full(self, short: str) -> str:
        found = [s for s in self._by_start.get(short[:7], ()) if s.startswith(short)] if len(short) >= 7 else []
        return found[0] if len(found) == 1 else ""


def _reverts(commits: list[Row], others: list[Row], by_sha: dict[str, Row], shas: _Shas) -> None:
    titles: dict[str, list[Row]] = defaultdict(list)
    for row in commits:  # oldest first: a revert finds the last commit of that title before it
        row["reverts"] = _reverted(row, titles, shas)
        titles[_plain(row["title"])].append(row)
    carrier: dict[str, list[Row]] = defaultdict(list)
    for row in others:
        if row["sha"]:
            carrier[row["sha"]].append(row)
    for row in others:
        commit = by_sha.get(row["sha"])
        undone = commit["reverts"] if commit else ""
        deploys = [r for r in carrier.get(undone, ()) if r["at"] <= row["at"]]
        row["reverts"] = deploys[-1]["id"] if deploys else undone


def _reverted(row: Row, titles: dict[str, list[Row]], shas: _Shas) -> str:
    if match := _REVERTS_COMMIT.search(row["body"]):
        return shas.full(match.group(1)) or match.group(1)
    match = _REVERT.match(row["title"])
    before = titles.get(_plain(match.group(1))) if match else None
    return str(before[-1]["sha"]) if before else ""


def taken_back(row: Row) -> str:
    """The title of the commit that a revert says to take back, "" where it is no revert by title."""
    match = _REVERT.match(row["title"])
    return _plain(match.group(1)) if match else ""


def _plain(title: str) -> str:
    """A title without the pull request's number, which a revert may repeat or not."""
    return re.sub(r" \(#\d+\)$", "", title).strip()


def _carried(commits: list[Row], others: list[Row], by_sha: dict[str, Row]) -> None:
    """A deploy carries its service's commits since the deploy before it, up to its own."""
    last: dict[tuple[str, str], float] = {}
    for row in others:
        own = by_sha.get(row["sha"])
        if row["change"] not in ("deploy", "release"):
            continue
        row["commits"] = [own["sha"]] if own else []
        key = (row["service"], row.get("environment", ""))
        if own is not None and row["service"]:
            since = last.get(key)
            row["commits"] = [
                c["sha"]
                for c in commits
                if c is own or (since is not None and c["service"] == row["service"] and since < c["at"] <= own["at"])
            ]
            own["service"] = own["service"] or row["service"]
            last[key] = own["at"]
