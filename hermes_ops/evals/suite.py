"""Suites from TOML, JSON lines or case folders (docs/EVALS.md), checked as they are read. Runs nothing.

A suite without cases, an unknown key, a case that checks nothing: each is an error, since it would pass unseen.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from hermes_ops.evals.case import Case
from orchestrator.errors import ConfigError

CASES: TypeAdapter[Case] = TypeAdapter(Case)
CHECKS = ("status", "route", "facts", "forbidden", "figures", "window", "services", "cause", "verified", "whole")
WRITTEN = (".toml", ".jsonl")


class Made(BaseModel):
    """Cases of generated incidents: each seed from `first` on, with the questions `about` these things."""

    model_config = ConfigDict(extra="forbid")
    seeds: int = Field(gt=0)
    first: int = 0
    about: tuple[str, ...] = ("cause",)
    langs: tuple[str, ...] = ("zh", "en")  # in turn
    variant: str = ""


class Written(BaseModel):
    """A suite's file. `defaults` go into every case that doesn't say otherwise."""

    model_config = ConfigDict(extra="forbid")
    name: str = ""
    about: str = ""
    thresholds: dict[str, float] = Field(default_factory=dict)
    defaults: dict[str, Any] = Field(default_factory=dict)
    cases: list[dict[str, Any]] = Field(default_factory=list)
    made: list[Made] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    cases: tuple[Case, ...]
    thresholds: dict[str, float] = field(default_factory=dict)

    def first(self, limit: int | None) -> Suite:
        """With at most `limit` cases."""
        return self if limit is None else replace(self, cases=self.cases[:limit])

    def repeated(self, times: int) -> Suite:
        again = [replace(c, id=f"{c.id}#{n + 1}") for c in self.cases for n in range(times)]
        return self if times == 1 else replace(self, cases=tuple(again))


def builtin() -> tuple[str, ...]:
    return tuple(sorted(Path(p.name).stem for p in _suites().iterdir() if p.name.endswith(WRITTEN)))


def load(name: str) -> Suite:
    """A built-in suite by its name, or a file or folder by its path. Raises ConfigError."""
    if name in builtin():
        own = next(p for p in _suites().iterdir() if p.name.endswith(WRITTEN) and Path(p.name).stem == name)
        return _suite(name, _read(own.read_text(encoding="utf-8"), own.name), Path())
    path = Path(name)
    if path.is_dir():
        return _of_folders(path)
    if path.is_file():
        return _suite(path.stem, _read(_text(path), name), path.parent)
    raise ConfigError(f"There is no suite {name!r}. Built-in: {', '.join(builtin())}; or name a file or folder.")


def _read(text: str, name: str) -> Written:
    return _of_lines(text, name) if name.endswith((".jsonl", ".ndjson")) else _toml(text, name)


def _suites() -> Traversable:
    return files("hermes_ops.evals").joinpath("suites")


def _of_folders(path: Path) -> Suite:
    """`suite.toml`, if there is one, and `*/case.toml`, whose folder is `input` beside it."""
    own = path / "suite.toml"
    suite = _toml(_text(own), str(own)) if own.is_file() else Written()
    for file in sorted(path.glob("*/case.toml")):
        row = {"id": file.parent.name, "folder": "input", **_table(_text(file), str(file))}
        row["folder"] = str(Path(file.parent.name, row["folder"]))
        suite.cases.append(row)
    return _suite(path.resolve().name, suite, path)


def _suite(name: str, written: Written, base: Path) -> Suite:
    title = written.name or name
    rows = [*_rows(written, base), *_made(written)]
    if not rows:
        raise ConfigError(f"The suite {title!r} has no cases. Add [[cases]] or [[made]] to it (docs/EVALS.md).")
    cases = tuple(_case(row, n, title) for n, row in enumerate(rows, 1))
    if len({c.id for c in cases}) < len(cases):
        raise ConfigError(f"The suite {title!r} has two cases of one id. Give each its own.")
    return Suite(title, cases, written.thresholds)


def _rows(written: Written, base: Path) -> Iterator[dict[str, Any]]:
    for n, row in enumerate(written.cases, 1):
        whole = {"id": f"{n:03d}", **written.defaults, **row}
        if isinstance(pair := whole.get("window"), list) and len(pair) == 2:
            whole["window"] = {"start": pair[0], "end": pair[1]}
        if folder := whole.get("folder"):
            whole["folder"] = str((base / str(folder)).resolve())
        yield whole


def _made(written: Written) -> Iterator[dict[str, Any]]:
    for made in written.made:
        for seed in range(made.first, made.first + made.seeds):
            lang = made.langs[seed % len(made.langs)]
            for about in made.about:
                name = f"{made.variant or 'seed'}-{seed}-{about}-{lang}"
                spec = {"id": name, "seed": seed, "variant": made.variant, "about": about, "lang": lang}
                yield {**written.defaults, **spec}


def _case(row: dict[str, Any], n: int, suite: str) -> Case:
    try:
        case = CASES.validate_python(row)
    except ValidationError as e:
        raise ConfigError(f"Case {row.get('id', n)} of the suite {suite!r}: {_first(e)}.") from None
    if case.now is not None and case.now.tzinfo is None:
        raise ConfigError(f"Case {case.id} of the suite {suite!r}: now must have an offset, like 2026-11-30T09:00Z.")
    if not case.folder and case.seed is None:
        raise ConfigError(f"Case {case.id} of the suite {suite!r} names neither a folder nor a seed.")
    if case.question and not any(getattr(case, c) not in (None, (), False) or c in row for c in CHECKS):
        raise ConfigError(f"Case {case.id} of the suite {suite!r} checks nothing: add one of {', '.join(CHECKS)}.")
    return case


def _toml(text: str, name: str) -> Written:
    return _written(_table(text, name), name)


def _written(data: dict[str, Any], name: str) -> Written:
    try:
        return Written.model_validate(data)
    except ValidationError as e:
        raise ConfigError(f"The suite {name!r}: {_first(e)}.") from None


def _of_lines(text: str, name: str) -> Written:
    """A case on each line; a line with `thresholds` or `defaults` is about the suite."""
    whole: dict[str, Any] = {"cases": []}
    for row in _json_lines(text.splitlines(), name):
        if {"thresholds", "defaults", "made"} & row.keys():
            whole.update(row)
        else:
            whole["cases"].append(row)
    return _written(whole, name)


def _json_lines(lines: Iterable[str], name: str) -> Iterator[dict[str, Any]]:
    for n, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise ConfigError(f"Line {n} of the suite {name!r} is no JSON object.")
        yield row


def _table(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise ConfigError(f"The suite {name!r} is no TOML: {e}.") from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        reason = e.strerror if isinstance(e, OSError) else "it is no text"
        raise ConfigError(f"The suite {path} can't be read: {reason}.") from None


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
