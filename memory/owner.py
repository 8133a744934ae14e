"""Which process owns a run, and whether it still lives: by host, process id and the time the process was born.

A process id alone is used again by others. What runs on another host can't be seen from here and counts as alive.
"""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    host: str
    pid: int
    born: str

    @classmethod
    def this(cls) -> Owner:
        pid = os.getpid()
        return cls(platform.node(), pid, _born(pid) or "")

    @property
    def alive(self) -> bool:
        return self.host != platform.node() or (bool(self.born) and _born(self.pid) == self.born)


def _born(pid: int) -> str | None:
    """When the process was born, in words that no other process of this host shares; None if there is none."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    if not boot.exists():
        return _born_by_ps(pid)
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold anything; state is the third field
    return None if fields[0] in "ZX" else f"{boot.read_text().strip()[:8]}.{fields[19]}"


def _born_by_ps(pid: int) -> str | None:
    done = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, born = done.stdout.strip().partition(" ")
    return None if not born or state.startswith("Z") else " ".join(born.split())
