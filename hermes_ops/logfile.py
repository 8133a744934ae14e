"""Where lines of a log go: to a file that never grows beyond a bound, and elsewhere. It knows not what they say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROTATE = 50_000_000  # bytes: then the file becomes FILE.1, in place of the one before


@dataclass
class LogFile:
    """Opened by its first line, and anew where it is full."""

    path: Path
    file: IO[str] | None = None

    def write(self, line: str) -> None:
        if self.file is None or self.file.tell() > ROTATE:
            self.close()
            self.file = _opened(self.path)
        self.file.write(line)

    def flush(self) -> None:
        if self.file:
            self.file.flush()

    def close(self) -> None:
        if self.file:
            self.file.close()


@dataclass(frozen=True, eq=False)  # structlog keeps it by identity
class Tee:
    """One line at a time to each; a full disk or a closed pipe ends the log, not the question."""

    outs: list[IO[str] | LogFile]

    def write(self, line: str) -> None:
        for out in tuple(self.outs):
            try:
                out.write(line)
                out.flush()
            except (OSError, ValueError):
                self.outs.remove(out)

    def flush(self) -> None:
        """Each line was flushed already."""


def _opened(path: Path) -> IO[str]:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.exists() and path.stat().st_size > ROTATE:
        path.replace(path.with_name(path.name + ".1"))
    path.touch(mode=0o600)
    return path.open("a", encoding="utf-8", errors="replace", buffering=1 << 20)
