"""The settings of budgets (`budget` holds people to them): tokens a day."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hermes_ops.sections import Section

Tokens = Annotated[int, Field(ge=0)]


class TeamBudget(Section):
    """`[budgets.NAME]`: a team: who belongs to it, by user and chat ids, and its tokens a day where not all teams'."""

    users: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    tokens: Tokens | None = None


class BudgetSettings(Section):
    """Tokens a day, 0 without a bound: of all together (`day`), of each person (`user`), of each team (`team`)."""

    day: Tokens = 0
    user: Tokens = 0
    team: Tokens = 0
