"""Changes as candidates: each commit with the deploy that brought it, each switch and setting by itself.

A deploy carries the commits it names, and those of its service (or of what all share) since the deploy before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from subagents.cause.relations import carries, on_paper, touches
from subagents.cause.symptoms import bare
from subagents.sources import Change

ROLLED = ("deploy", "release")


@dataclass(frozen=True, slots=True)
class Candidate:
    """`at`: when it took effect. `implied`: the deploy doesn't name it, but was made after it."""

    change: Change
    carrier: Change | None = None
    implied: bool = False

    @property
    def at(self) -> datetime:
        return self.carrier.at if self.carrier else self.change.at

    @property
    def service(self) -> str:
        return (self.carrier.service if self.carrier else "") or self.change.service

    @property
    def id(self) -> str:
        """The full sha where there is one, else the id in its system."""
        c = self.change
        return c.id if c.kind == "commit" else c.sha or c.id

    @property
    def ids(self) -> tuple[str, ...]:
        both = (self.change, self.carrier) if self.carrier and not self.implied else (self.change,)
        return tuple(dict.fromkeys(x for c in both if c for x in (self.id, c.id, c.sha) if x))

    @property
    def kind(self) -> str:
        return self.carrier.kind if self.carrier else self.change.kind


def candidates(changes: Sequence[Change], services: Sequence[str]) -> list[Candidate]:
    commits = [c for c in changes if c.kind == "commit"]
    rolled = sorted((c for c in changes if c.kind in ROLLED), key=lambda c: c.at)
    found: dict[str, Candidate] = {}
    for deploy in rolled:
        named = [c for c in commits if carries(deploy, c)]
        if not named:
            found[f"{deploy.kind} {deploy.id}"] = Candidate(deploy)
        for commit in named:  # a library's comes with each of those that hold it
            found.setdefault(f"{commit.id} {deploy.service}", Candidate(commit, deploy))
    told = {c.change.id for c in found.values()}
    for deploy, commit in _implied(rolled, commits, services):
        if commit.id not in told:
            found.setdefault(commit.id, Candidate(commit, deploy, implied=True))
    for change in changes:
        if change.kind not in ROLLED and change.id not in told:
            found.setdefault(change.id, Candidate(change))
    return list(found.values())


def _implied(
    rolled: Sequence[Change], commits: Sequence[Change], services: Sequence[str]
) -> list[tuple[Change, Change]]:
    """(deploy, commit): made since the service's deploy before, of its service or of nobody's."""
    last: dict[tuple[str, str], datetime] = {}
    found = []
    for deploy in rolled:
        key = (deploy.service, deploy.environment)
        own = next((c.at for c in commits if carries(deploy, c)), deploy.at)
        since = last.get(key)
        for commit in commits:
            whose = touches(commit, (), services)
            mine = deploy.service in whose or in_path(commit, deploy.service) or not (whose or commit.service)
            if mine and commit.at <= own and (since is None or commit.at > since) and not on_paper(commit, ()):
                found.append((deploy, commit))
        last[key] = own
    return found


def in_path(commit: Change, service: str) -> bool:
    """Its files lie in a directory of the service's name."""
    name = bare(service)
    parts = {bare(p) for f in commit.files for p in f.split("/")[:-1]}
    return bool(name) and name in parts
