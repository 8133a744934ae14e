"""Counting finds, in lines as nasty as they come, exactly what reading every line does."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subagents.folder import files, recognise, scan, scan_counts
from subagents.folder.records import Hints

BY = ("service", "level", "minute", "code")
ALL = scan.Ask(None, None, (), (), ())
ASKS = (
    ALL,
    ALL._replace(levels=("error", "fatal")),
    ALL._replace(levels=("fatal",), services=("pay", "own")),
    ALL._replace(levels=("error",), since=1795960800.0, until=1795960860.0),
    ALL._replace(levels=("error",), since=1795960801.5, until=1795960830.0),
)
WORDS: tuple[str, ...] = (
    "error",
    "ERROR",
    "Error",
    "eRRor",
    "ERR",
    "err",
    "errors",
    "SEVERE",
    "fail",
    "Failed",
    "failure",
    "FATAL",
)
WORDS += ("Fatal", "panic", "DPANIC", "crit", "Critical", "ALERT", "emerg", "EMERGENCY", "E", "f", "C")
HARMLESS: tuple[str, ...] = (
    "info",
    "INFO",
    "Info",
    "debug",
    "WARN",
    "trace",
    "DEBUG6",
    "I",
    "ok",
    "",
    "errand",
    "catalog",
    "Eagle",
)
TIMES: tuple[str, ...] = (
    "2026-11-29T14:00:0{}Z",
    "2026-11-29 14:00:5{},123",
    "2026-11-29T14:00:59.99999999{}Z",
    "179596080{}",
)
TIMES += ("2026-11-29T15:00:1{}.5+01:00", "1795960{}00.25", "2026-11-29T14:00:6{}Z", "2026-13-29T14:00:0{}Z", "{}")
TEXTS: tuple[str, ...] = (
    "paid",
    'said "level":"error"',
    "level=error",
    " ERROR ",
    '\\"level\\": \\"fatal\\"',
    "订单失败",
    "a\tb\\",
    "é" * 3,
)
TEXTS += ("service=other ERROR", "x" * 90 + " ERROR", "\x1b[31mred\x1b[0m", "E", "\u00a0ERROR")
TEXTS += ("at 14:50.2", "a=b c=E")
OTHER = (b"", b"\tat a.B.c(B.java:1) ERROR", b"{", b'{"level":"error"', b"\xff\xfe level=error \xff", b"\xef\xbb\xbf{}")


def pick(chance: random.Random, *many: str) -> str:
    return chance.choice(many)


def level(chance: random.Random) -> str:
    return pick(chance, *WORDS) if chance.random() < 0.4 else pick(chance, "INFO", pick(chance, *HARMLESS))


def moment(chance: random.Random) -> str:
    return pick(chance, *TIMES[:2], *TIMES).format(chance.randrange(10))


def json_line(chance: random.Random) -> str:
    said: object = level(chance) if chance.random() < 0.8 else chance.choice([50, 60, 30, 50.0, "50", "050", None, [5]])
    at: object = moment(chance)
    if chance.random() < 0.3:
        at = chance.choice([1795960805, 1795960859.9999, 1795960859999, 1795960859999999, 17])
    item = {"time": at, "level": said, "service": pick(chance, "pay", "web", "", "订"), "msg": pick(chance, *TEXTS)}
    item |= chance.choice(
        [{}, {}, {"status": 502}, {"code": "200", "n": -1.5e3}, {"ctx": {"level": "error"}}, {"b": True}]
    )
    if chance.random() < 0.2:
        item = dict(chance.sample(list(item.items()), chance.randrange(len(item) + 1)))
    separators = chance.choice([(", ", ": "), (", ", ": "), (",", ":"), (" , ", " : "), (",", ":\t ")])
    text = json.dumps(item, ensure_ascii=chance.random() < 0.5, separators=separators)
    if chance.random() < 0.1:  # a key twice, an escaped letter, a line that breaks off
        text = chance.choice([text[:-1] + ',"level":"error"}', text.replace("rr", "\\u0072r"), text[:-3], "  " + text])
    return text


def logfmt_line(chance: random.Random) -> str:
    def value(text: str) -> str:
        plain = text and not set(text) & set(' "\\\t') and chance.random() < 0.8
        return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    pairs = [("ts", moment(chance)), ("level", chance.choice([level(chance), "50", "60", "050"]))]
    pairs += [("service", pick(chance, "pay", "web", "")), ("msg", pick(chance, *TEXTS))]
    pairs += chance.choice([[], [], [("status", "502")], [("level", "error")], [("lvl", "fatal")]])
    if chance.random() < 0.3:
        chance.shuffle(pairs)
    return chance.choice([" ", " ", " ", "  "]).join(f"{k}={value(v)}" for k, v in pairs)


def text_line(chance: random.Random) -> str:
    at = pick(chance, "{}", "{}", "[{}]", "\x1b[32m{}\x1b[0m", "x {}").format(moment(chance))
    thread = pick(
        chance, "", "", "", "", "[main] ", "[exec-12] ", "[error-handler] ", "(service=pay) ", "[é] ", "p" * 50 + " "
    )
    said = pick(chance, "{}", "{}", "[{}]", "{}:", "{}x", "{}é", "é{}", "\x1b[31m{}\x1b[0m", "{}=1").format(
        level(chance)
    )
    if chance.random() < 0.1:
        said = "ER\x1b[0mROR"
    return f"{at} {thread}{said} {pick(chance, 'c.s.Pay - ', '')}{pick(chance, *TEXTS)}"


def access_line(chance: random.Random) -> str:
    at = pick(chance, "29/Nov/2026:14:00:0{} +0000", "29/Nov/2026:14:00:0{}", "29/Nov/2026:15:00:0{} +0100", "{}")
    request = pick(chance, "GET / HTTP/1.1", 'GET /\\" 502 1 HTTP/1.1', "-", "")
    code = pick(chance, "200", "404", "500", "502", "599", "5", "５00")
    client, size = pick(chance, "1.1.1.1 - -", "::1 - é", ""), pick(chance, "12", "-", "x")
    return f'{client} [{at.format(chance.randrange(10))}] "{request}" {code} {size} "-"'


MAKERS = {"JSON-lines log": json_line, "logfmt": logfmt_line, "timestamped text": text_line, "access log": access_line}
SHAPES = {"JSON-lines log": ("field", "number", "status", "text"), "timestamped text": ("0", "1"), "logfmt": ("field",)}


def nasty(seed: int, make: Callable[[random.Random], str], n: int) -> bytes:
    chance = random.Random(seed)
    out = b""
    for _ in range(n):
        line = make(chance).encode() if chance.random() < 0.9 else chance.choice(OTHER)
        if chance.random() < 0.05 and len(line) > 4:
            cut = chance.randrange(len(line))
            line = line[:cut] + chance.choice([b"\xff", b"\x00", b"\x1f", b"\xc2\xa0", b"\r"]) + line[cut:]
        out += line + chance.choice([b"\n", b"\n", b"\n", b"\r\n"])
    return out.rstrip(b"\r\n") if seed % 2 else out


def fast(path: Path, name: str, hints: Hints, ask: scan.Ask, start: int = 0, end: int | None = None) -> Counter[str]:
    part = scan.Part(str(path), files.compression(path), 0, start, end)
    out = scan_counts.count(part, recognise.log_format(name), hints, ask, BY)
    return Counter({json.dumps(key): n for key, n in out["groups"]})


def slow(path: Path, name: str, hints: Hints, ask: scan.Ask) -> Counter[str]:
    parse = recognise.log_format(name).parser(hints)
    out: Counter[str] = Counter()
    for _, line in files.lines(str(path), files.compression(path)):
        rec = parse(line.removesuffix(b"\r").decode("utf-8", "replace"))
        if rec is not None and ask.fits(rec):
            minute = "" if rec.at is None else str(int(rec.at // 60) * 60)
            out[json.dumps([rec.service, rec.level, minute, rec.code])] += 1
    return out


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 60), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MAKERS)
def test_the_same_as_reading_every_line(tmp_path: Path, name: str, seeds: range) -> None:
    errors = 0
    for seed in seeds:
        path = tmp_path / str(seed)
        data = nasty(seed, MAKERS[name], 120)
        path.write_bytes(gzip.compress(data) if seed % 5 == 4 else data)
        for shape in SHAPES.get(name, ("",)):
            hints = Hints("own", 1795970000.0, shape)
            for ask in ASKS:
                right = slow(path, name, hints, ask)
                assert fast(path, name, hints, ask) == right, (seed, shape, ask)
                errors += sum(right.values()) if ask.levels else 0
    assert errors > 200


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("counts") / "x"


@pytest.mark.parametrize("name", MAKERS)
@given(seed=st.integers(0, 1 << 32), n=st.integers(1, 20), ask=st.sampled_from(ASKS))
@settings(max_examples=25)
def test_the_same_for_any_lines(file: Path, name: str, seed: int, n: int, ask: scan.Ask) -> None:
    """Few services, levels and minutes, so that the same time comes with other groups, and the other way round."""
    chance = random.Random(seed)
    lines = [MAKERS[name](chance) for _ in range(n)]
    file.write_bytes("\n".join(chance.choice(lines) for _ in range(2 * n)).encode())
    hints = Hints("own", 1795970000.0, chance.choice(SHAPES.get(name, ("",))))
    assert fast(file, name, hints, ask) == slow(file, name, hints, ask)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_the_same_wherever_a_file_is_split(tmp_path: Path, name: str) -> None:
    path, hints = tmp_path / "x", Hints("own", None, SHAPES.get(name, ("",))[0])
    path.write_bytes(nasty(7, MAKERS[name], 12))
    right = slow(path, name, hints, ASKS[1])
    assert right
    for cut in range(path.stat().st_size + 1):
        both = fast(path, name, hints, ASKS[1], 0, cut) + fast(path, name, hints, ASKS[1], cut, None)
        assert both == right, cut


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_the_same_over_many_blocks_and_a_line_of_megabytes(tmp_path: Path, name: str) -> None:
    make, chance = MAKERS[name], random.Random(1)
    plain = [make(chance).encode() for _ in range(300)]
    long = make(chance).encode().replace(b"GET /", b"GET /" + b"x" * 5_000_000) + b" " + b"error " * 800_000
    path, hints = tmp_path / "x", Hints("own", None, SHAPES.get(name, ("",))[0])
    path.write_bytes(b"\n".join([*plain * 12, long, *plain * 3]))
    for ask in ASKS[:2]:
        assert fast(path, name, hints, ask) == slow(path, name, hints, ask)
