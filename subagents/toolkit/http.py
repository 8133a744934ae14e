"""An HTTP API as a tool: GET below allowed paths, through the one client of all sources. It knows no product."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from orchestrator.contracts import Figure, Json, ToolResult, Window, dumps
from orchestrator.ports import Context
from orchestrator.tool import tool
from subagents.asking import window_of
from subagents.web import Caller
from subagents.web.links import filled, times
from subagents.web.paths import below

MOST = 7_500  # characters of an answer
FIGURES = 200
DEEP = 6


class HttpTool:
    """`paths`: prefixes of what may be read, seen from the site's address."""

    def __init__(self, name: str, caller: Caller, paths: Sequence[str], link: str = "") -> None:
        self.name, self._caller, self._paths, self._link = name, caller, tuple(paths), link

    @tool(permission="toolkit.read", timeout=30)
    async def get(self, ctx: Context, path: str, query: tuple[str, ...] = ()) -> ToolResult:
        """Reads it with GET.

        Args:
            path: What to read, beginning with /, without a query.
            query: The query, each as name=value; {start}, {end}, {start_s}, {end_s} stand for the window's ends.
        """
        if not below(path, self._paths):
            raise ValueError(f"path: {path[:100]!r} may not be read; allowed are paths below {', '.join(self._paths)}")
        window = window_of(ctx, "")
        params = [_param(item, window) for item in query]
        said = f"GET {self._caller.site.address(path)}" + (f"?{urlencode(params)}" if params else "")
        body = await self._caller.text(path, params)
        link = filled(self._link, said, window)
        if not body.strip():
            return ToolResult("no_data", "an empty answer", None, (), self.name, said, window, link, 0, 0)
        return _told(body, ToolResult("ok", "", None, (), self.name, said, window, link))


def _param(item: str, window: Window) -> tuple[str, str]:
    """Raises ValueError that says what is valid."""
    name, _, value = item.partition("=")
    if not name or "=" not in item:
        raise ValueError(f"query: {item!r} is no name=value")
    for field, at in times(window).items():
        value = value.replace(f"{{{field}}}", at)
    return name, value


def _told(body: str, around: ToolResult) -> ToolResult:
    """JSON is written short, its numbers are figures; what is left out is said."""
    try:
        data = json.loads(body)
    except ValueError:
        data, text = None, body
    else:
        text = dumps(data)
    rows = data if isinstance(data, list) else None
    figures = tuple(figure for figure, _ in zip(_figures(data, "", DEEP), range(FIGURES), strict=False))
    if rows is not None:
        figures = (Figure("entries", len(rows)), *figures)
    cut = len(text) > MOST
    gaps = (f"the first {MOST:,} of {len(text):,} characters",) if cut else ()
    kept = None if cut else data
    total = 1 if rows is None else len(rows)
    shown = total if not cut else text[:MOST].count("},") if rows is not None else 1
    return ToolResult(
        "ok", text[:MOST], kept, figures, around.source, around.query, around.window, around.link, shown, total,
        not cut, gaps,
    )  # fmt: skip


def _figures(value: Json, name: str, deep: int) -> Iterator[Figure]:
    """Each number under the names that lead to it; in a list, told apart by the words beside it."""
    if isinstance(value, bool) or not deep:
        return
    if isinstance(value, int | float) and value - value == 0:
        yield Figure(name or "value", value)
    elif isinstance(value, list):
        for entry in value:
            yield from _figures(entry, name, deep - 1)
    elif isinstance(value, dict):
        words = {str(k): v[:60] for k, v in value.items() if isinstance(v, str)}
        for key, inner in value.items():
            for figure in _figures(inner, f"{name}.{key}".strip("."), deep - 1):
                yield figure if figure.labels else Figure(figure.name, figure.value, labels=words)
