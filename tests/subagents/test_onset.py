from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subagents.onset import rises, shift
from tests.subagents.rig import DAY, at, window

MINUTE = timedelta(minutes=1)


def counts(**minutes: int) -> Counter[datetime]:
    return Counter({at(clock.replace("_", ":")[1:]): n for clock, n in minutes.items()})


def steady(start: str, minutes: int, each: int) -> Counter[datetime]:
    return Counter({at(start) + m * MINUTE: each for m in range(minutes)})


def test_a_rise_has_its_begin_and_end():
    [rise] = rises(steady("13:03", 44, 6), window("10:00"), MINUTE, at("12:00"))
    assert (rise.start, rise.end, rise.total, rise.width) == (at("13:03"), at("13:47"), 264, 60)
    assert rise.known


def test_bins_are_whole_minutes_though_the_data_begins_between():
    [rise] = rises(steady("13:03", 44, 6), window("10:00:17"), MINUTE, at("12:00"))
    assert (rise.start, rise.end) == (at("13:03"), at("13:47"))


def test_what_still_goes_on_has_no_end():
    [rise] = rises(steady("14:30", 30, 6), window(), MINUTE, at("12:00"))
    assert rise.end is None


def test_up_from_the_first_bin_on_is_said():
    [rise] = rises(steady("12:00", 40, 9), window(), MINUTE, at("12:00"))
    assert not rise.known


def test_scattered_single_errors_are_noise():
    assert rises(counts(m12_10=1, m12_31=2, m13_02=1, m13_59=1, m14_40=2), window(), MINUTE, at("12:30")) == []


def test_a_short_burst_of_many_counts():
    [rise] = rises(counts(m13_05=40), window(), MINUTE, at("12:30"))
    assert rise.start == at("13:05")


def test_rare_errors_are_found_in_wider_bins():
    trickle = Counter({at("13:00") + 2 * m * MINUTE: 1 for m in range(30)})
    [rise] = rises(trickle, window("09:00"), MINUTE, at("12:00"))
    assert rise.width == 300
    assert abs(rise.start - at("13:00")) <= timedelta(seconds=rise.width)


def test_a_noisy_service_must_rise_above_its_own_noise():
    noisy = steady("09:00", 360, 20)
    assert rises(noisy, window("09:00"), MINUTE, at("12:00")) == []
    [rise] = rises(noisy + steady("13:10", 20, 30), window("09:00"), MINUTE, at("12:00"))
    assert (rise.start, rise.end) == (at("13:10"), at("13:30"))


@given(st.integers(0, 170), st.integers(3, 60), st.integers(3, 500))
def test_the_onset_is_within_a_bin_of_the_truth(start: int, minutes: int, each: int):
    begins = at("12:00") + start * MINUTE
    bins = Counter({begins + m * MINUTE: each for m in range(minutes) if begins + m * MINUTE < at("15:00")})
    if len(bins) < 3:
        return
    [rise] = rises(bins, window("08:00"), MINUTE, at("12:00"))
    assert abs((rise.start - begins).total_seconds()) <= rise.width


@pytest.mark.parametrize("seed", range(8))
def test_a_low_rate_has_its_own_begin_and_end(seed: int):
    """About 1.5 a minute: single minutes are over the limit by chance only."""
    chance = random.Random(seed)
    bins = Counter(at("13:12") + chance.randrange(40) * MINUTE for _ in range(60))
    [rise] = rises(bins, window("08:00", "17:00"), MINUTE, at("12:00"))
    assert abs(rise.start - at("13:12")) <= 3 * MINUTE
    assert rise.end is not None
    assert abs(rise.end - at("13:52")) <= 3 * MINUTE


def test_two_bursts_stay_two():
    found = rises(steady("13:00", 20, 6) + steady("13:50", 20, 6), window("08:00", "17:00"), MINUTE, at("12:00"))
    assert [(r.start, r.end) for r in found] == [(at("13:00"), at("13:20")), (at("13:50"), at("14:10"))]


def test_a_low_rate_up_to_the_end_of_the_data_is_not_over():
    bins = Counter({at("14:20") + m * MINUTE: 2 for m in range(0, 38, 2)})
    [rise] = rises(bins, window("09:00"), MINUTE, at("12:00"))
    assert rise.end is None, "two minutes without one are no end at one a minute"


def test_a_gauge_that_was_away_from_the_first_point_on_began_at_no_known_time():
    found = shift(points([20.0] * 80 + [2.0] * 60), at("10:40"))
    assert found is not None
    assert not found.known


def points(values: list[float]) -> list[tuple[datetime, float]]:
    return [(DAY + timedelta(hours=10, seconds=30 * i), v) for i, v in enumerate(values)]


def test_a_gauge_that_drops_has_shifted():
    found = shift(points([20.0] * 100 + [2.0] * 40 + [20.0] * 20), at("10:40"))
    assert found is not None
    assert (found.at, found.end) == (at("10:50"), at("11:10"))
    assert (found.before, found.during) == (20.0, 2.0)


def test_a_gauge_that_wobbles_has_not():
    assert shift(points([20.0, 21.0, 19.0, 20.5] * 40), at("10:40")) is None


def test_without_a_time_before_the_beginning_is_the_usual():
    found = shift(points([5.0, 6.0] * 40 + [90.0] * 100), at("10:00"))
    assert found is not None
    assert found.at == at("10:40")


@pytest.mark.parametrize("seed", range(5))
def test_an_even_low_rate_is_one_rise_however_narrow_bins_cut_it(seed: int):
    chance = random.Random(seed)
    found: Counter[datetime] = Counter()
    for _ in range(126):
        found[at("13:00") + chance.randrange(52) * MINUTE] += 1
    for _ in range(6):
        found[at("09:00") + chance.randrange(240) * MINUTE] += 1
    [rise] = rises(found, window("09:00"), MINUTE, at("12:00"))
    assert abs(rise.start - at("13:00")) <= 5 * MINUTE
    assert rise.total >= 120


def test_two_rises_with_a_calm_time_between_stay_two():
    two = steady("12:30", 15, 4) + steady("13:10", 15, 4)
    assert [r.start for r in rises(two, window("09:00"), MINUTE, at("12:00"))] == [at("12:30"), at("13:10")]
