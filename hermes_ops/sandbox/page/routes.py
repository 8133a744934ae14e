"""The chat page and what it asks for."""

from __future__ import annotations

from starlette.routing import BaseRoute

from hermes_ops.sandbox.platform import Platform


def routes(platform: Platform) -> list[BaseRoute]:
    """The routes of the page."""
    return []
