"""A database as a tool: one SELECT at a time, checked before it runs, with a time limit and a limit of rows."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.contracts import ToolResult
from orchestrator.ports import Context
from orchestrator.tool import tool
from subagents.asking import window_of
from subagents.toolkit.databases import Database
from subagents.toolkit.rows import result
from subagents.toolkit.statement import checked
from subagents.web.links import filled


class SqlTool:
    """`tables`: the only ones that may be read, () = all; `rows`: at most so many; `seconds`: for one statement."""

    def __init__(
        self, name: str, database: Database, tables: Sequence[str], rows: int, seconds: float, link: str = ""
    ) -> None:
        self.name, self._database, self._tables = name, database, tuple(tables)
        self._rows, self._seconds, self._link = rows, seconds, link

    @tool(permission="toolkit.read", timeout=30)
    async def query(self, ctx: Context, sql: str) -> ToolResult:
        """Reads it with one SELECT.

        Args:
            sql: The statement. :start and :end stand for the window's ends, :start_s and :end_s for them in seconds.
        """
        window = window_of(ctx, "")
        text = checked(sql, self._database.dialect, window, self._tables)
        found = await self._database.rows(text, self._rows, self._seconds)
        return result(self.name, text, window, found, filled(self._link, text, window))
