"""Arguments of the command line: what is taken, and what is refused with which words."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops.channels.base import MAX_QUESTION
from hermes_ops.cli.inputs import (
    check_clock,
    check_resume,
    read_folder,
    read_name,
    read_now,
    read_question,
    zoned,
)
from hermes_ops.settings import Settings
from orchestrator.errors import ConfigError


@pytest.mark.parametrize("question", ["", "   ", "\u200b\n", "\x1b[0m", "\x00"])
def test_an_empty_question(question: str) -> None:
    with pytest.raises(ConfigError, match="is empty"):
        read_question(question, None)


def test_a_long_question() -> None:
    assert len(read_question("错" * MAX_QUESTION, None)) == MAX_QUESTION
    with pytest.raises(ConfigError, match="8,000 characters"):
        read_question("错" * (MAX_QUESTION + 1), None)


def test_a_question_is_cleaned_and_kept_as_it_is_otherwise() -> None:
    assert read_question(" \x1b[31m为什么\udcff?\n ", None) == "为什么??"


def test_a_resumed_run_needs_no_question() -> None:
    assert read_question(None, "r1") == ""


@pytest.mark.parametrize(
    ("now", "zone", "utc"),
    [
        ("2026-11-30T09:00Z", "Asia/Shanghai", (2026, 11, 30, 9)),
        ("2026-11-30T09:00+08:00", "UTC", (2026, 11, 30, 1)),
        ("2026-11-30T09:00", "Asia/Shanghai", (2026, 11, 30, 1)),
        ("2026-11-30 09:00", "America/New_York", (2026, 11, 30, 14)),
        ("2026-07-01T09:00", "America/New_York", (2026, 7, 1, 13)),
        ("2026-11-30", "UTC", (2026, 11, 30)),
        ("20261130T0900Z", "UTC", (2026, 11, 30, 9)),
    ],
)
def test_now_is_read_in_the_zone_unless_it_has_an_offset(now: str, zone: str, utc: tuple[int, ...]) -> None:
    assert read_now(now, zone) == datetime(*utc, tzinfo=UTC)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize("now", ["yesterday", "2026-13-01", "0001-01-01T00:00+14:00", "9999-12-31", "", "1764424931"])
def test_a_bad_now(now: str) -> None:
    with pytest.raises(ConfigError, match="2026-11-30T09:00"):
        check_clock(now, None)


def test_the_zone_of_a_folders_times_goes_before_the_settings() -> None:
    settings = Settings.model_validate({"sources": {"folder": "/data", "folder_zone": "Europe/Berlin"}})
    assert zoned(settings, None).sources.folder_zone == "Europe/Berlin"
    assert zoned(settings, "Asia/Shanghai").sources.folder_zone == "Asia/Shanghai"
    assert zoned(settings, "Asia/Shanghai").sources.folder == settings.sources.folder
    with pytest.raises(ConfigError, match="no time zone"):
        zoned(settings, "Shanghai")


@pytest.mark.parametrize("zone", ["Asia/Shangai", "../etc", "", "/etc/passwd", "UTC+8", "x" * 10_000, "a\0b"])
def test_a_bad_zone(zone: str) -> None:
    with pytest.raises(ConfigError, match="no time zone") as caught:
        check_clock(None, zone)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", ["a\nb", " a", "x" * 101, "a\x1b[0m"])
def test_bad_names(name: str) -> None:
    with pytest.raises(ConfigError, match="--session"):
        read_name("--session", name)


def test_resume_and_new() -> None:
    for resume, new in (("r1", True), ("", False)):
        with pytest.raises(ConfigError, match="--resume"):
            check_resume(resume, new)
    check_resume("r1", False)


def test_a_folder_must_be_one_with_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert read_folder(tmp_path) == tmp_path
    (tmp_path / "empty").mkdir()
    for path, words in (
        (tmp_path / "no", "no folder"),
        (tmp_path / "file", "is a file"),
        (tmp_path / "empty", "is empty"),
    ):
        with pytest.raises(ConfigError, match=words):
            read_folder(path)
