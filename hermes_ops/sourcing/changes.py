"""The settings of sources of changes that are read where they are, and what they make: git repositories on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator

from hermes_ops.sections import Seconds, beside
from hermes_ops.sourcing.connection import LONGEST, Placed
from subagents.git.source import Code, GitChanges
from subagents.sources import Sources


class GitSettings(Placed):
    """Clones or bare repositories, read as they lie there; nothing is fetched. `repositories`: their directories;
    `branches`: patterns of those that count, empty: all; `service`: whose they are; `services`: names to look for in
    repositories of several, in messages and paths, where not those of the catalogue; `timeout`: of one question."""

    kind: Literal["git"]
    repositories: Annotated[tuple[str, ...], Field(min_length=1)]
    branches: tuple[Annotated[str, Field(pattern=r"^[^-\s][^\s]*$")], ...] = ()
    service: str = ""
    services: tuple[str, ...] = ()
    timeout: Annotated[Seconds, Field(le=LONGEST)] = 15.0
    _known: Mapping[str, str] = PrivateAttr(default_factory=dict)

    @field_validator("repositories")
    @classmethod
    def _there(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        """Relative to the settings file."""
        paths = [beside(name, info) for name in names]
        if missing := next((p for p in paths if not p.is_dir()), None):
            raise ValueError(f"names the directory {missing}, which isn't there")
        return tuple(map(str, paths))

    def know(self, services: Mapping[str, str]) -> None:
        """The catalogue: service → its repository, as written there, "" where nothing is."""
        object.__setattr__(self, "_known", services)

    def code(self) -> Code:
        paths = tuple(map(Path, self.repositories))
        owned = {_bare(repository): service for service, repository in self._known.items() if repository}
        shared = {_bare(r) for r in self._known.values() if list(map(_bare, self._known.values())).count(_bare(r)) > 1}
        owners = {name: self.service or owned.get(name, "") for name in (_bare(str(p.resolve())) for p in paths)}
        owners = {name: owner for name, owner in owners.items() if owner and (self.service or name not in shared)}
        return Code(
            paths, owners, self.services or tuple(self._known), self.branches, self.timeout, self.zone,
            self.environment, self.link,
        )  # fmt: skip


def _bare(repository: str) -> str:
    """The last part of a path or address: "https://git.example/shop/payment.git" → "payment"."""
    return repository.rstrip("/").replace(":", "/").rpartition("/")[2].removesuffix(".git")


def git(name: str, given: GitSettings, asked: None) -> Sources:
    return Sources(changes=(GitChanges(name, given.code()),))
