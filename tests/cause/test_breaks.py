from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from subagents.cause.breaks import breaks
from tests.subagents.rig import at

Points = list[tuple[datetime, float]]


def series(values: list[float], start: str = "10:00") -> Points:
    return [(at(start) + timedelta(minutes=n), v) for n, v in enumerate(values)]


def noisy(level: float, n: int, seed: int = 1) -> list[float]:
    rng = Random(seed)
    return [level * rng.uniform(0.95, 1.05) for _ in range(n)]


def test_a_step_is_dated_to_its_first_value():
    [found] = breaks(series(noisy(10, 40) + noisy(30, 20)))
    assert found.at == at("10:40")
    assert found.up
    assert found.end is None
    assert found.sure - found.at <= timedelta(minutes=3)


def test_it_ends_where_the_values_come_back():
    [found] = breaks(series(noisy(10, 40) + noisy(2, 15) + noisy(10, 40)))
    assert not found.up
    assert found.end == at("10:55")


def test_a_slow_ramp_is_dated_near_its_foot_not_to_its_end():
    [found] = breaks(series(noisy(200, 40) + [200 + 3 * n for n in range(100)]))
    assert at("10:38") <= found.at <= at("10:52")


def test_one_outlier_and_mere_noise_are_no_change():
    values = noisy(10, 90)
    values[50] = 400
    assert breaks(series(values)) == []


def test_a_countdown_is_no_change():
    assert breaks(series([90_000.0 - 60 * n for n in range(120)])) == []


def test_a_daily_rhythm_is_no_change_but_a_step_on_top_of_it_is():
    day = [100.0 + (80 if 9 <= n / 12 % 24 < 17 else 0) for n in range(12 * 24 * 3)]
    points = [(at("00:00") + timedelta(minutes=5 * n), v) for n, v in enumerate(day)]
    assert breaks(points) == []
    stepped = [(t, v + (120 if n > len(points) - 40 else 0)) for n, (t, v) in enumerate(points)]
    assert breaks(stepped)[-1].at >= points[-41][0]


def test_too_few_values_say_nothing():
    assert breaks(series([1, 1, 9, 9, 9])) == []
