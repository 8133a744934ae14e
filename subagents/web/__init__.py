"""The one HTTP client of all live sources. It knows no product: paths, parameters and meanings are the sources' own."""

from __future__ import annotations

from subagents.web.client import Caller, Web
from subagents.web.elements import Elements
from subagents.web.failures import Refused
from subagents.web.site import Site, basic, bearer

__all__ = ["Caller", "Elements", "Refused", "Site", "Web", "basic", "bearer"]
