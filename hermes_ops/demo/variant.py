"""What may differ between generated incidents, and how a seed draws it. Knows no names and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from hermes_ops.demo.faults import CAUSES, FAULTS

DECOYS = ("deploy", "harmless", "docs", "ticket", "flapping", "noisy", "flag")
ZONES = ("UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York")


@dataclass(frozen=True, slots=True)
class Variant:
    """`hour`: the asker's hour in which it begins; `delay`: minutes from the change to the onset, 0 = at once;
    `open`: not over when the data ends; `two`: another incident elsewhere at the same time; `hours`: of data."""

    cause: str
    fault: str
    services: int = 6
    zone: str = "UTC"
    hour: int = 14
    delay: int = 0
    decoys: tuple[str, ...] = DECOYS
    two: bool = False
    open: bool = False
    hours: int = 9
    per_minute: int = 16
    alerts: str = "series"  # or "webhooks"


def draw(seed: int, cause: str = "", fault: str = "") -> Variant:
    """The seed's variant; `cause` and `fault` hold one thing fast. Raises ValueError for what there isn't."""
    rng = Random(f"variant {seed}")
    wanted = cause or (FAULTS[fault].causes[0] if fault in FAULTS else CAUSES[seed % len(CAUSES)])
    fitting = sorted(name for name, f in FAULTS.items() if wanted in f.causes)
    chosen = fault or (rng.choice(fitting) if fitting else "")
    if chosen not in fitting:
        raise ValueError(f"no incident of the cause {wanted!r} with the fault {fault!r}" if fault else _unknown(wanted))
    late = FAULTS[chosen].late
    return Variant(
        cause=wanted,
        fault=chosen,
        services=rng.randint(4, 7),
        zone=rng.choice(ZONES),
        hour=rng.randint(9, 18),
        delay=rng.randint(*late) if late[1] and rng.random() < 0.6 else 0,
        decoys=tuple(d for d in DECOYS if rng.random() < 0.75),
        two=rng.random() < 0.2,
        open=rng.random() < 0.2,
        hours=rng.randint(7, 10),
        per_minute=rng.randint(14, 20),
        alerts=rng.choice(("series", "webhooks")),
    )


def parse(text: str, seed: int) -> Variant:
    """ "deploy" or "deploy:pool", with the seed's other choices; "" is the seed's own. Raises ValueError."""
    cause, _, fault = text.partition(":")
    return draw(seed, cause.strip(), fault.strip())


def calm(variant: Variant) -> Variant:
    """The same without what makes it harder."""
    return replace(variant, decoys=(), two=False)


def _unknown(cause: str) -> str:
    return f"there is no cause {cause!r}; choose one of {', '.join(CAUSES)}"
