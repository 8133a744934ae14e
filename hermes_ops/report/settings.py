"""The section [report]: which services are the core, what was promised for them, and from when on the verdict minds."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hermes_ops.sections import Section

Percent = Annotated[float, Field(gt=0, lt=100)]
Count = Annotated[int, Field(gt=0)]


class ReportSettings(Section):
    """`core`: services whose availability counts, (): those of tier core, else all that are measured; `objectives`:
    percent of good requests promised by service; `objective`: for those without one of their own; `budget_days`: the
    stretch an error budget is for; `burst`: error lines of one service in one hour that are an incident though no alert
    fired; `errors_worth`: fewer error lines never alarm; `growth`: so many times the like day's do; `incidents`: so
    many are analysed, the worst first."""

    core: tuple[str, ...] = ()
    objectives: dict[str, Percent] = Field(default_factory=dict)
    objective: Percent = 99.9
    budget_days: Annotated[int, Field(gt=0, le=92)] = 30
    burst: Count = 100
    errors_worth: Count = 100
    growth: Annotated[float, Field(gt=1)] = 2.0
    incidents: Annotated[int, Field(gt=0, le=20)] = 5
