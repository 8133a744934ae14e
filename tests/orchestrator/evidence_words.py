"""How the answer generator puts numbers into words, Chinese and English; by rules of its own."""

from __future__ import annotations

import random
from collections.abc import Callable

CN = "零一二三四五六七八九"


def in_chinese(n: int) -> str:
    """272 → 二百七十二, 10,203 → 一万零二百零三."""
    if n >= 10_000:
        rest = n % 10_000
        return in_chinese(n // 10_000) + "万" + (("零" if rest < 1000 else "") + in_chinese(rest) if rest else "")
    out, zero = "", False
    for place, word in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        d = n // place % 10
        if d:
            out += ("零" if zero and out else "") + CN[d] + word
        zero = d == 0
    return out.removeprefix("一") if 10 <= n < 20 else out


def counts(rng: random.Random, zh: bool) -> Callable[[float], str]:
    ways: list[Callable[[float], str]] = [lambda v: f"{v:.0f}", lambda v: f"{v:,.0f}"]
    if zh:
        ways += [lambda v: in_chinese(round(v)) if v >= 2 else f"{v:.0f}", lambda v: f"{v:.0f}".translate(_FULL)]
        ways += [lambda v: f"{v / 10_000:.2f} 万" if v >= 10_000 else f"{v:.0f}"]
    else:
        ways += [lambda v: f"{v / 1000:.1f}k" if v >= 10_000 else f"{v:.0f}"]
    return rng.choice(ways)


_FULL = str.maketrans("0123456789", "０１２３４５６７８９")


def millis(rng: random.Random, zh: bool) -> Callable[[float], str]:
    ways = [lambda v: f"{v:.0f} ms", lambda v: f"{v:.0f}ms", lambda v: f"{v / 1000:.2f} s"]
    return rng.choice([*ways, (lambda v: f"{v:.0f} 毫秒") if zh else (lambda v: f"{v:.0f} milliseconds")])


def percent(rng: random.Random, zh: bool) -> Callable[[float], str]:
    digits = rng.choice((1, 2))
    return (
        (lambda v: f"百分之{v:.{digits}f}")
        if zh and rng.random() < 0.15
        else (lambda v: f"{v:.{digits}f}{'' if digits == 1 else ' '}%")
    )


def megabytes(rng: random.Random, zh: bool) -> Callable[[float], str]:
    return rng.choice((lambda v: f"{v:.0f} MB", lambda v: f"{v / 1000:.2f} GB", lambda v: f"{v:.0f}MB"))
