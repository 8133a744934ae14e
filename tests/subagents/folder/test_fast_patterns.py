"""Mining finds, in lines as nasty as they come, exactly what reading every line does; also where grep looks first."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from subagents.folder import native, recognise, scan, scan_counts, scan_patterns
from subagents.folder.records import Hints
from tests.subagents.folder.test_fast_counts import BY, MAKERS, SHAPES, nasty, slow

START = 1795960800.0  # 2026-11-29T14:00Z
Asked = tuple[scan.Ask, tuple[float, float] | None]
ALL = scan.Ask(None, None, (), (), ())
ASKS: tuple[Asked, ...] = (
    (ALL, None),
    (ALL._replace(services=("pay", "own")), None),
    (ALL._replace(since=START + 5, until=START + 61), (START - 60, START + 5)),
    (ALL._replace(since=START + 60, until=START + 180, levels=("info", "error")), (START, START + 60)),
)
SAID = (
    "paid {} in {} ms",
    "pool of {} exhausted",
    "req {:x} of u{} failed",
    "v{}.{} ready",
    "0x{} moved",
    "a\\u00e{} b",
)


def varied(seed: int, name: str, n: int) -> bytes:
    """Lines that differ in digits alone, over some minutes, between nasty ones and lines that continue them."""
    chance, out = random.Random(seed), []
    for i in range(n):
        second = chance.randrange(20) if i % 9 == 0 else i // 4
        at = f"2026-11-29T14:{second // 60:02}:{second % 60:02}.{chance.randrange(1000):03}Z"
        said = chance.choice(SAID).format(chance.randrange(10**4), chance.randrange(20))
        level, service = chance.choice(("info", "info", "error")), chance.choice(("pay", "web-1", "web-2"))
        if name == "JSON-lines log":
            out.append(f'{{"time": "{at}", "level": "{level}", "service": "{service}", "msg": "{said}"}}')
        elif name == "logfmt":
            out.append(f'ts={at} level={level} service={service} msg="{said}"')
        else:
            out.append(f"{at} [main] {level.upper()} c.s.Pay - {said}")
        if chance.random() < 0.1:
            out.append(chance.choice(["\tat a.B.c(B.java:1)", "", MAKERS[name](chance)]))
    return "\n".join(out).encode()


def read(path: Path, name: str, hints: Hints, asked: Asked) -> list[dict[str, Any]]:
    """By every line's record."""
    ask, base = asked
    wide = ask if base is None else ask._replace(since=base[0])
    mined = scan_patterns._Mined(ask, base)
    for found in scan.records(scan.Part(str(path), "", 0, 0, None), recognise.log_format(name), hints, wide):
        mined.note(found)
    return list(mined.templates())


def by_template(rows: list[dict[str, Any]]) -> dict[tuple[str, ...], dict[str, Any]]:
    return {(r["template"], r["service"], r["level"]): r for r in rows}


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 40), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["JSON-lines log", "logfmt", "timestamped text"])
def test_patterns_are_the_same_as_by_reading_every_line(tmp_path: Path, name: str, seeds: range) -> None:
    known = 0
    for seed in seeds:
        path = tmp_path / str(seed)
        path.write_bytes(varied(seed, name, 250) if seed % 2 else nasty(seed, MAKERS[name], 250))
        hints, form = Hints("own", 1795970000.0, SHAPES[name][0]), recognise.log_format(name)
        for asked in ASKS:
            right = by_template(read(path, name, hints, asked))
            fast = scan_patterns.patterns(scan.Part(str(path), "", 0, 0, None), form, hints, *asked)
            assert by_template(fast["patterns"]) == right, (seed, asked)
            known += sum(row["n"] + row["before"] for row in right.values())
    assert known > 200


def test_lines_that_differ_in_digits_are_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x"
    line = '{"time": "2026-11-29T14:00:%02d.%03dZ", "level": "info", "service": "pay", "msg": "paid %d in %d ms"}\n'
    path.write_text("".join(line % (n // 50, n % 50, 1000 + n, 10 + n % 80) for n in range(2_500)))
    read: list[str] = []
    form = recognise.log_format("JSON-lines log")

    def parser(hints: Hints) -> Any:
        parse = form.parser(hints)

        def noted(text: str) -> Any:
            read.append(text)
            return parse(text)

        return noted

    hints = Hints("own", None, "field")
    found = scan_patterns.patterns(scan.Part(str(path), "", 0, 0, None), form._replace(parser=parser), hints, ALL, None)
    assert [(p["template"], p["n"]) for p in found["patterns"]] == [("paid <*> in <*> ms", 2_500)]
    assert len(read) < 50


@pytest.mark.skipif(not native.grep(), reason="there is no GNU grep here")
@pytest.mark.parametrize("name", MAKERS)
def test_errors_found_by_grep_are_the_same_as_by_reading_every_line(tmp_path: Path, name: str) -> None:
    errors = 0
    for seed in range(12):
        path = tmp_path / str(seed)
        path.write_bytes(nasty(seed, MAKERS[name], 120))
        hints, ask = Hints("own", 1795970000.0, SHAPES.get(name, ("",))[0]), ALL._replace(levels=("error", "fatal"))
        tally = scan_counts._Tally(recognise.log_format(name), hints, ask, BY)
        assert scan_counts._natively(str(path), recognise.log_format(name).native, tally, ask)
        right = slow(path, name, hints, ask)
        assert sum(tally.settled().values()) == sum(right.values()), seed
        errors += sum(right.values())
    assert errors > 100


@pytest.mark.skipif(not native.grep(), reason="there is no GNU grep here")
def test_where_grep_gives_up_the_file_is_read_without_it_and_its_time_is_bounded(tmp_path: Path) -> None:
    path, name = tmp_path / "x", "JSON-lines log"
    path.write_bytes(varied(1, name, 250))
    form, hints, ask = recognise.log_format(name), Hints("own", None, "field"), ALL._replace(levels=("error", "fatal"))
    part = scan.Part(str(path), "", 0, 0, None, True)
    right = sorted(scan_counts.count(part._replace(native=False), form, hints, ask, BY)["groups"])
    assert right
    for expression in (form.native, b"(("):
        assert sorted(scan_counts.count(part, form._replace(native=expression), hints, ask, BY)["groups"]) == right
    assert scan_counts.count(part, form, hints, ask._replace(deadline=1.0), BY)["late"] is not None
