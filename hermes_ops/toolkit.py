"""Tools that the settings give to sub-agents, `[toolkit.NAME]`: an HTTP API or a database, for reading.

A tool is left out where a model that may see its results isn't allowed to (`egress`), or in another environment. It
knows no question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from hermes_ops.sections import File, Seconds, Secret
from hermes_ops.sourcing.connection import Live, Placed
from hermes_ops.sourcing.live import why
from orchestrator.agent import Agent
from orchestrator.contracts import ToolResult
from orchestrator.errors import ConfigError
from orchestrator.tool import Tool
from subagents.toolkit.databases import Database, Postgres, Sqlite
from subagents.toolkit.http import HttpTool
from subagents.toolkit.sql import SqlTool
from subagents.web import Refused, Web

AgentName = Literal["alerts", "logs", "changes"]
Description = Annotated[str, Field(min_length=20, max_length=1000)]
Permission = Annotated[str, Field(pattern=r"^[a-z][\w.]*$")]
Path_ = Annotated[str, Field(pattern=r"^/[^?#\s]*$")]


class HttpToolSettings(Live):
    """GET of an API. `agent`: who may use it; `description`: what it tells, when to ask it and when not; `paths`: below
    which of them, seen from `url`, it may read; `permission`: what a person needs for it."""

    kind: Literal["http"]
    agent: AgentName
    description: Description
    paths: Annotated[tuple[Path_, ...], Field(min_length=1)]
    permission: Permission = "toolkit.read"
    most_mb: Annotated[int, Field(gt=0)] = 4


class SqlToolSettings(Placed):
    """SELECT in a database. One of `sqlite` (a file) and `postgres` (its address, by reference); `tables`: the only
    ones that may be read, empty: all; `rows`: that are read at most; `timeout`: of one statement."""

    kind: Literal["sql"]
    agent: AgentName
    description: Description
    sqlite: File = ""
    postgres: Secret | None = None
    tables: tuple[str, ...] = ()
    rows: Annotated[int, Field(gt=0, le=1000)] = 50
    timeout: Annotated[Seconds, Field(le=20)] = 10.0
    permission: Permission = "toolkit.read"

    @model_validator(mode="after")
    def _one(self) -> SqlToolSettings:
        if bool(self.sqlite) == bool(self.postgres):
            raise ValueError('needs one of sqlite = "FILE" and postgres = { env = "NAME" }')
        return self

    def database(self, name: str) -> Database:
        """Raises ConfigError where a package is missing."""
        needed = ("sqlglot", "sql") if not find_spec("sqlglot") else ("psycopg", "postgres")
        if needed[1] == "sql" or (self.postgres and not find_spec("psycopg")):
            raise ConfigError(
                f"toolkit.{name} needs the package {needed[0]}: install it with pip install 'hermes-ops[{needed[1]}]'."
            )
        if self.postgres is None:
            return Sqlite(name, Path(self.sqlite), self.tables)
        return Postgres(name, self.postgres.get_secret_value().replace("postgresql+psycopg:", "postgresql:", 1))


ToolSettings = Annotated[HttpToolSettings | SqlToolSettings, Field(discriminator="kind")]


def _named(tables: dict[str, HttpToolSettings | SqlToolSettings]) -> dict[str, HttpToolSettings | SqlToolSettings]:
    for name in tables:
        if not (name.isascii() and name.isidentifier() and len(name) <= 40):
            raise ValueError(f"has a tool named {name!r}: use letters, digits and _, a letter first")
    return tables


ToolkitSettings = Annotated[dict[str, ToolSettings], AfterValidator(_named)]


class Toolkit:
    """All tools of the settings, made once."""

    def __init__(self, settings: Mapping[str, HttpToolSettings | SqlToolSettings]) -> None:
        self._settings, self._web = settings, Web()
        self._tools = {name: self._made(name, given) for name, given in settings.items()}

    def equip(self, agent: Agent, environment: str, models: tuple[str, ...]) -> Agent:
        """The agent with its tools of this environment; its description names them. One that these models may not see
        answers that it is withheld."""
        mine = {n: s for n, s in self._settings.items() if s.agent == agent.name}
        here = {n: s for n, s in mine.items() if not environment or s.environment in ("", environment)}
        if not here:
            return agent
        closed = {name: given.closed_to(models) for name, given in here.items()}
        tools = (_withheld(self._tools[name], name, closed[name]) for name in here)
        also = " ".join(f"Also reads {name}: {given.description}" for name, given in here.items())
        return replace(agent, tools=(*agent.tools, *tools), description=f"{agent.description} {also}")

    async def tried(self, name: str) -> str:
        """One reading, and what came of it, in words. Raises HermesError."""
        given = self._settings[name]
        if isinstance(given, SqlToolSettings):
            table = given.tables[0] if given.tables else "sqlite_master" if given.sqlite else ""
            await given.database(name).rows(f"SELECT 1{f' FROM {table}' * bool(table)}", 1, given.timeout)  # noqa: S608  a word of the settings
            return f"{'PostgreSQL' if given.postgres else 'SQLite'} answers; for {given.agent}"
        caller = self._web.at(replace(given.site(name), paths=given.paths))
        try:
            await caller.text(given.paths[0])
        except Refused as e:
            if e.status not in (400, 404, 405, 422):  # it is there, and wants more than the bare path
                raise
        return f"{given.url} answers; for {given.agent}"

    def _made(self, name: str, given: HttpToolSettings | SqlToolSettings) -> Tool:
        if isinstance(given, HttpToolSettings):
            caller = self._web.at(replace(given.site(name), paths=given.paths))
            where = f"Paths below {', '.join(given.paths)}."
            tool = Tool.of(HttpTool(name, caller, given.paths, given.link).get, name=f"get_{name}",
                           description=f"{given.description} {where}")  # fmt: skip
        else:
            database = given.database(name)
            asks = SqlTool(name, database, given.tables, given.rows, given.timeout, given.link)
            kind = "PostgreSQL" if given.postgres else "SQLite"
            where = f"{kind}, SELECT only" + (f"; tables {', '.join(given.tables)}." if given.tables else ".")
            tool = Tool.of(asks.query, name=f"query_{name}", description=f"{given.description} {where}")
        return replace(tool, marks=replace(tool.marks, permission=given.permission))

    async def aclose(self) -> None:
        await self._web.aclose()


def _withheld(tool: Tool, name: str, refused: list[str]) -> Tool:
    """The tool itself where nobody is refused."""
    if not refused:
        return tool

    async def fn(**_: object) -> ToolResult:
        return ToolResult("denied", f"withheld: {name}: {why(refused)}", source=name)

    return replace(tool, fn=fn, wants_context=False)
