"""Arguments of the command line, checked: each refusal is a ConfigError that says what to do."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from hermes_ops.channels.base import MAX_QUESTION
from hermes_ops.zones import find_zone, machine_zone
from orchestrator.cleaning import clean
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.settings import Settings

MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line. `zone` and `now` as given; `locale`: the terminal's, "zh_CN"."""

    text: str
    folder: Path | None
    offline: bool = False
    now: str | None = None
    zone: str | None = None
    user: str = "local"
    session: str = ""
    resume: str | None = None
    new: bool = False
    as_json: bool = False
    locale: str = ""
    data_zone: str | None = None


def read_question(argument: str | None, resume: str | None) -> str:
    """The question's text; "-" reads it from stdin. Empty only where a run is resumed, which has its own."""
    if argument is None and resume:
        return ""
    if argument is None:
        raise ConfigError('No question was given. Try: hermes-ops ask --folder DIR "errors since 14:00?"')
    raw = sys.stdin.buffer.read(4 * MAX_QUESTION + 4).decode("utf-8", "replace") if argument == "-" else argument
    text = clean(raw.encode("utf-8", "replace").decode("utf-8")).strip()
    if not text:
        raise ConfigError('The question is empty. Try: hermes-ops ask --folder DIR "errors since 14:00?"')
    if len(text) > MAX_QUESTION:
        raise ConfigError(
            f"The question is longer than {MAX_QUESTION:,} characters. "
            "Ask in a few sentences, and put long texts (logs, traces) into a file in the folder."
        )
    return text


def read_folder(argument: Path | None) -> Path:
    """The folder, absolute."""
    if argument is None:
        raise ConfigError("--folder is required here: name a directory of exported files.")
    if not argument.exists():
        raise ConfigError(f"There is no folder {argument}. Check the path after --folder.")
    if not argument.is_dir():
        raise ConfigError(f"{argument} is a file, not a folder. Give the directory that holds it.")
    try:
        with os.scandir(argument) as entries:
            empty = next(entries, None) is None
    except OSError as e:
        raise ConfigError(f"The folder {argument} can't be read: {e.strerror}.") from None
    if empty:
        raise ConfigError(f"The folder {argument} is empty. Put exported alerts, logs or changes into it.")
    return argument.resolve()


def read_zone(argument: str | None, setting: str) -> str:
    return find_zone(argument).key if argument is not None else setting or machine_zone()


def zoned(settings: Settings, data_zone: str | None) -> Settings:
    """With the zone of the folder's times as the command line says it. Raises ConfigError for one that isn't known."""
    if data_zone is None:
        return settings
    sources = settings.sources.model_copy(update={"folder_zone": find_zone(data_zone).key})
    return settings.model_copy(update={"sources": sources})


def read_now(argument: str | None, zone: str, option: str = "--now") -> datetime:
    """The given ISO 8601 time, read in `zone` where it names no offset; without one the time it is. In UTC."""
    if argument is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        at = datetime.fromisoformat(argument.strip())
        aware = at if at.tzinfo else at.replace(tzinfo=ZoneInfo(zone))
        if not 1970 <= aware.year <= 2200:
            raise ValueError
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ConfigError(
            f"{option} {argument[:60]!r} is no time. Write it like 2026-11-30T09:00, 2026-11-30T09:00Z "
            "or 2026-11-30T09:00+08:00."
        ) from None


def check_clock(now: str | None, zone: str | None, option: str = "--now") -> None:
    """Refuses a bad time or zone before anything is read for it."""
    read_now(now, read_zone(zone, "UTC"), option)


def read_name(option: str, argument: str) -> str:
    """A session, user or run: a short name without control characters."""
    if argument != argument.strip() or len(argument) > MAX_NAME or not argument.isprintable():
        raise ConfigError(f"{option} must be a name of at most {MAX_NAME} printable characters.")
    return argument


def check_resume(resume: str | None, new: bool) -> None:
    if resume is not None and new:
        raise ConfigError("--resume goes on with a run and --new starts afresh: give one of them.")
    if resume is not None and not read_name("--resume", resume):
        raise ConfigError("--resume needs the id of a run, as an answer or a message names it.")


def terminal_locale() -> str:
    """As "zh_CN" of LANG=zh_CN.UTF-8; empty where nothing is said."""
    said = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return said.partition(".")[0]
