"""Makes the commented settings file from the types of the settings, and puts it where the settings are looked for.

Every key stands there behind a `#`, with its default or an example: the file as written changes nothing. Which keys
there are, their order and their defaults come from `Settings`; only the words are kept beside it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from platformdirs import user_config_path
from pydantic import BaseModel

from hermes_ops.initial.words import KEYS, NAMES, SECTIONS, Words
from hermes_ops.settings import Settings
from orchestrator.contracts import Json
from orchestrator.errors import ConfigError

HEAD = """\
# Settings of hermes-ops. None is needed; take the # away from what you change, and keep it before what you don't.
# The environment goes over this file: HERMES_OPS_ and the path of a key, with __ between its parts.
# docs/SETTINGS.md explains more; `hermes-ops doctor` tries what is set.
"""
WIDTH = 118


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """One key: `path` dotted, with NAME where a table has a name of its own; `table`: its type, where it is one;
    `many`: "" one table, "list", or "named"."""

    path: str
    default: Any
    table: Any = None
    many: str = ""

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


def keys(kind: Any, path: str = "") -> Iterator[Key]:
    """The keys of one table, as its type has them: plain ones, then tables."""
    found = [_key(f"{path}{name}", hint, default) for name, hint, default in _fields(kind)]
    yield from sorted(found, key=lambda k: k.table is not None)


def text() -> str:
    """The whole file."""
    return HEAD + "\n" + "\n".join(_table(Settings, "", "", False)) + "\n"


def write(path: Path | None) -> Path:
    """Writes the file, readable by its owner only; gives where. Raises ConfigError, also where there is one already."""
    place = (path or user_config_path("hermes-ops") / "config.toml").expanduser().absolute()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text())
    except FileExistsError:
        raise ConfigError(
            f"{place} exists already, and is left as it is. Use --print, or --path for another."
        ) from None
    except OSError as e:
        raise ConfigError(
            f"The settings file {place} can't be written: {e.strerror}. Name another with --path."
        ) from None
    return place


# ── lines ─────────────────────────────────────────────────────────────────────────────────────


def _table(kind: Any, path: str, head: str, optional: bool) -> Iterator[str]:
    """`head`: its name as it stands in the file; `optional`: its header is behind a # as well."""
    for key in keys(kind, path):
        if key.table is None:
            yield from _plain(key)
        elif key.path in ("model.fallbacks", "model.light"):
            yield from _section(key, f"{head}{key.name}", True)
            yield f'#model = "{"another" if key.many else "a-light"}-model"'
        else:
            name = f".{json.dumps(NAMES[key.name])}" if key.many == "named" else ""
            named = f"{head}{key.name}{name}"
            hidden = optional or bool(key.many) or key.default is None
            yield from _section(key, named, hidden)
            yield from _table(key.table, f"{key.path}.{'NAME.' if name else ''}", f"{named}.", hidden)


def _section(key: Key, named: str, hidden: bool) -> Iterator[str]:
    yield ""
    yield from _comment(SECTIONS.get(key.path + (".NAME" if key.many == "named" else ""), ""))
    header = f"[[{named}]]" if key.many == "list" else f"[{named}]"
    yield f"#{header}" if hidden else header


def _plain(key: Key) -> Iterator[str]:
    words = KEYS.get(key.path, Words(""))
    yield from _comment(words.text)
    yield f"#{key.name} = {toml(key.default if words.example is None else words.example)}"


def _comment(words: str) -> Iterator[str]:
    line = "#"
    for word in words.split():
        if len(line) + 1 + len(word) > WIDTH:
            yield line
            line = "#"
        line += f" {word}"
    if words:
        yield line


def toml(value: Json) -> str:
    """A value as TOML writes it; a table in one line."""
    if isinstance(value, dict):
        keys = {k: k if re.fullmatch(r"[A-Za-z0-9_-]+", k) else json.dumps(k, ensure_ascii=False) for k in value}
        return "{ " + ", ".join(f"{keys[k]} = {toml(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)


# ── types ─────────────────────────────────────────────────────────────────────────────────────


def _fields(kind: Any) -> Iterator[tuple[str, Any, Any]]:
    """(name, type, default) of each field."""
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        for field in dataclasses.fields(kind):
            yield field.name, hints[field.name], None if field.default is dataclasses.MISSING else field.default
        return
    for name, info in kind.model_fields.items():
        yield name, info.annotation, info.get_default(call_default_factory=True)


def _key(path: str, hint: Any, default: Any) -> Key:
    many = {dict: "named", tuple: "list"}.get(get_origin(hint), "")
    table = next((t for t in (hint, *get_args(hint)) if _is_table(t)), None)
    return Key(path, default, table, many) if table is not None else Key(path, default)


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and (dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel))
