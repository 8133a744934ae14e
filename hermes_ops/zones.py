"""Time zones by IANA name: the machine's own, and a helpful refusal of names that don't exist."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from orchestrator.errors import ConfigError

UNNAMED = {  # large cities after which no zone is called
    "beijing": "Asia/Shanghai", "peking": "Asia/Shanghai", "shenzhen": "Asia/Shanghai", "guangzhou": "Asia/Shanghai",
    "hangzhou": "Asia/Shanghai", "mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata", "bangalore": "Asia/Kolkata",
    "osaka": "Asia/Tokyo", "san_francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles", "washington": "America/New_York", "boston": "America/New_York",
    "munich": "Europe/Berlin", "frankfurt": "Europe/Berlin",
}  # fmt: skip


def find_zone(name: str) -> ZoneInfo:
    """Raises ConfigError naming the nearest zones."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise ConfigError(f"There is no time zone {name[:60]!r}{_nearest(name)}. Use an IANA name.") from None


def machine_zone() -> str:
    """The IANA name of this machine's zone: TZ, else where /etc/localtime points, else UTC."""
    linked = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    for name in (os.environ.get("TZ", "").lstrip(":"), linked, _first_line(Path("/etc/timezone"))):
        try:
            return ZoneInfo(name).key
        except (OSError, ValueError, KeyError):
            continue
    return "UTC"


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _nearest(name: str) -> str:
    """By the last part, case aside: "shanghai", "PRC/Shanghai" and "Asia/Shangai" all find Asia/Shanghai."""
    zones = {zone.lower(): zone for zone in sorted(available_timezones())}
    wanted = name.lower().replace(" ", "_")
    if (city := wanted.rpartition("/")[2]) in UNNAMED:
        return f"; its time is that of {UNNAMED[city]}"
    by_city = [zone for low, zone in zones.items() if low.rpartition("/")[2] == wanted.rpartition("/")[2]]
    close = by_city or [zones[low] for low in get_close_matches(wanted, zones, n=3, cutoff=0.6)]
    if not close:
        cities = {low.rpartition("/")[2]: zone for low, zone in zones.items()}
        close = [cities[low] for low in get_close_matches(wanted.rpartition("/")[2], cities, n=3, cutoff=0.7)]
    return f"; nearest: {', '.join(close[:3])}" if close else ""
