"""What this installation stands on: Python, our own packages, the clock, zone data, the data directory, proxies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from hermes_ops.doctor.check import Check
from hermes_ops.settings import Settings
from hermes_ops.zones import machine_zone
from orchestrator.errors import HermesError

ROOMS = ("orchestrator", "subagents", "memory")
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
TRIED_ZONES = ("Asia/Shanghai", "America/New_York", "UTC")


def checks(settings: Settings, environ: Mapping[str, str] | None = None) -> Iterator[Check]:
    yield _python()
    yield _rooms()
    yield _clock()
    yield _zones(settings.zone or machine_zone())
    yield _data_dir(settings)
    yield from _proxies(settings, os.environ if environ is None else environ)


def _python() -> Check:
    return Check("machine", "python", "ok", f"Python {'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}")


def _rooms() -> Check:
    """Our top-level packages have common names: another distribution's may stand before them."""
    home = Path(__file__).resolve().parents[2]
    for room in ROOMS:
        spec = find_spec(room)
        found = Path(spec.origin).resolve() if spec and spec.origin else None
        if found is None or home not in found.parents:
            return Check(
                "machine",
                "packages",
                "fail",
                f"The package {room} is not ours: it comes from {found}.",
                "Give hermes-ops an environment of its own, and start it from another directory.",
            )
    return Check("machine", "packages", "ok", f"{', '.join(ROOMS)} are ours")


def _clock() -> Check:
    now = datetime.now(UTC)
    built = datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
    zone = machine_zone()
    said = f"{now:%Y-%m-%d %H:%M:%S} UTC, {now.astimezone(ZoneInfo(zone)):%H:%M %z} here ({zone})"
    if now < built - timedelta(days=1):
        return Check(
            "machine",
            "clock",
            "fail",
            f"The clock says {said}, and this program was installed on {built:%Y-%m-%d}.",
            "Set the clock: relative times of questions are read by it.",
        )
    return Check("machine", "clock", "ok", said)


def _zones(zone: str) -> Check:
    for name in (*TRIED_ZONES, zone):
        try:
            ZoneInfo(name).utcoffset(datetime.now())
        except (OSError, ValueError, KeyError):
            return Check(
                "machine",
                "zone data",
                "fail",
                f"The time zone {name} can't be found.",
                "Install the package tzdata (it belongs to hermes-ops), or the system's.",
            )
    return Check("machine", "zone data", "ok", f"times are read and said in {zone}")


def _data_dir(settings: Settings) -> Check:
    try:
        settings.masking_key()
    except HermesError as e:
        return Check("machine", "data directory", "fail", str(e), "See above; HERMES_OPS_DATA_DIR names another one.")
    if not os.access(settings.data_dir, os.W_OK):
        said = f"{settings.data_dir} can't be written to."
        return Check("machine", "data directory", "fail", said, "Make it writable, or set HERMES_OPS_DATA_DIR.")
    return Check("machine", "data directory", "ok", str(settings.data_dir))


def _proxies(settings: Settings, environ: Mapping[str, str]) -> Iterator[Check]:
    """Which proxy the model is asked through, if any; a SOCKS one can't be."""
    given = {n: environ.get(n) or environ.get(n.lower(), "") for n in PROXIES}
    named = {name: value for name, value in given.items() if value}
    for name, value in named.items():
        if value.lower().startswith("socks"):
            yield Check(
                "machine",
                "proxy",
                "warn",
                f"{name} names a SOCKS proxy, which can't be used.",
                "Give an HTTP proxy (model.proxy), or put the model's host into NO_PROXY.",
            )
            return
    places = [f"{name} {_place(value)}" for name, value in named.items()]
    if settings.model.proxy:
        places = [f"model.proxy {_place(settings.model.proxy)}"]
    if places:
        yield Check("machine", "proxy", "ok", f"through {', '.join(places)}")


def _place(url: str) -> str:
    """Without credentials."""
    parts = urlsplit(url)
    return f"{parts.hostname or url.rpartition('@')[2]}{f':{parts.port}' if parts.port else ''}"
