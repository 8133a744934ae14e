"""The kill matrix, in short form here and in CI, with 200 kills a database under `make nightly`."""

from __future__ import annotations

import pytest

from tests.e2e.matrix import matrix


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("database", ["", "postgres"])
async def test_a_killed_question_is_answered_and_no_finished_call_is_made_twice(database: str, nightly: bool) -> None:
    kills = 200 if nightly else 8
    figures = await matrix(kills, database)
    print(figures)
    assert figures.wrong == []
    assert (figures.answered, figures.repeated) == (kills, 0)
    assert figures.killed_inside >= kills / 8 or not nightly  # how many fall inside depends on the machine
