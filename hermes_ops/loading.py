"""Reads the settings: finds the file, lays the environment over it, and words what is wrong for a person."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import tomllib
import types
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from platformdirs import user_config_path
from pydantic import BaseModel, ValidationError

from hermes_ops.keys import FromEnvironment, Origin
from hermes_ops.settings import Settings
from orchestrator.errors import ConfigError

PREFIX = "HERMES_OPS_"
SHORT = {"MODEL": "MODEL__MODEL", "BASE_URL": "MODEL__BASE_URL", "API_KEY": "MODEL__API_KEY"}
OTHERS = {"OPENAI_API_KEY": "api_key", "OPENAI_BASE_URL": "base_url"}
NO_SETTINGS = ("CONFIG", "DEBUG")  # read by the command line itself
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
UNTOLD = ("union_tag_invalid", "union_tag_not_found")  # a table whose `kind` is missing or none of ours
HEADER = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?")
ASSIGNED = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process. Raises ConfigError with a sentence for each mistake."""
    environ = os.environ if environ is None else environ
    path = _file(environ)
    written = _read(path) if path else {}
    from_env = _environment(environ)
    data = _over(written, from_env)
    model = data.setdefault("model", {})
    if isinstance(model, dict):
        for name, key in OTHERS.items():
            if environ.get(name):
                model.setdefault(key, FromEnvironment(environ[name]))
    origin = Origin(environ, path.parent if path else Path.cwd())
    try:
        return Settings.model_validate(data, context=origin)
    except ValidationError as e:
        faults = [_fault(error["type"], error["msg"], error["loc"], from_env, path) for error in e.errors()]
        raise ConfigError("\n".join(faults)) from None


def _file(environ: Mapping[str, str]) -> Path | None:
    if named := environ.get(f"{PREFIX}CONFIG"):
        return Path(named).expanduser().absolute()
    usual = user_config_path("hermes-ops") / "config.toml"
    return usual if usual.is_file() else None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise ConfigError(f"The settings file {path} can't be read: {e.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"The settings file {path} is no UTF-8 text.") from None
    except tomllib.TOMLDecodeError as e:
        raise ConfigError(f"The settings file {path} is no valid TOML: {e}.") from None


def _environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The variables under our prefix as nested data; lists and tables are JSON there."""
    given: dict[str, str | None] = {}
    for name, value in environ.items():
        rest = name.removeprefix(PREFIX)
        if rest == name or not value or rest in NO_SETTINGS:
            continue
        rest = SHORT.get(rest, rest)
        if rest.partition("__")[0].lower() not in Settings.model_fields:
            known = [
                PREFIX + field.upper() for field in dict.fromkeys([*SHORT, *map(str.upper, Settings.model_fields)])
            ]
            raise ConfigError(f"The variable {name} is unknown.{_valid(name, known)}")
        given[f"{PREFIX}{rest}".lower()] = FromEnvironment(value)
    if not given:
        return {}
    from pydantic_settings import EnvSettingsSource, SettingsError  # as dear as all other imports of this module

    source = EnvSettingsSource(Settings, env_prefix=PREFIX, env_nested_delimiter="__")  # type: ignore[arg-type]
    source.env_vars = given
    try:
        return source()
    except SettingsError as e:
        raise ConfigError(f"{_no_json(given)} holds no valid JSON: {e.__cause__}.") from None


def _no_json(given: Mapping[str, str | None]) -> str:
    for name, value in given.items():
        try:
            json.loads(value if value and value[0] in "[{" else "0")
        except ValueError:
            return f"The variable {name.upper()}"
    return f"A variable {PREFIX}…"


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


# ── wording ───────────────────────────────────────────────────────────────────────────────────


def _fault(sort: str, message: str, loc: Sequence[int | str], env: dict[str, Any], path: Path | None) -> str:
    names = _names(loc)
    key, where = ".".join(names), _where(names, env, path)
    if sort in UNTOLD:
        given, kinds = re.search(r"tag '(.*?)'", message), kinds_of(_at(Settings, loc))
        wrong = f"the kind {given[1]!r} is unknown" if given else "needs its kind"
        return f"{where}: {key}: {wrong}.{_valid(given[1] if given else '', list(kinds))}"
    if sort in UNKNOWN:
        valid = _keys(Settings, loc[:-1])
        return f"{where}: the key {key!r} is unknown.{_valid(str(loc[-1]), valid)}"
    said = message.removeprefix("Value error, ").replace("Input should be", "must be").rstrip(".")
    said = "is needed" if sort == "missing" else said
    whole = ":" if said[:1].isupper() else ""  # a sentence of its own
    return f"{where}: {key}{whole} {said}." if key else f"{where}: {said}."


def _where(loc: Sequence[int | str], env: Any, path: Path | None) -> str:
    """The variable that gave the value, else the file."""
    names: list[str] = []
    for part in loc:
        if not isinstance(env, dict) or part not in env:
            break
        names.append(str(part))
        env = env[part]
    if names and not isinstance(env, dict):
        return f"The variable {PREFIX}{'__'.join(names).upper()}"
    if names and len(names) == len(loc):
        return f"The variables {PREFIX}{'__'.join(names).upper()}__…"
    return f"The settings file {path}{_line(path, loc)}" if path else "The settings"


def _line(path: Path, names: Sequence[int | str]) -> str:
    """ ", line 7" of a TOML file, where a key or the nearest table around it stands; "" for what isn't written."""
    table: list[str] = []
    best, found = 0, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        header, assigned = HEADER.fullmatch(line), ASSIGNED.match(line)
        if header:
            table = _parts(header[1])
        written = table if header else [*table, *_parts(assigned[1])] if assigned else []
        if len(written) > best and written == [str(n) for n in names[: len(written)]]:
            best, found = len(written), f", line {number}"
    return found if best > 1 or best == len(names) else ""


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r""""[^"]*"|'[^']*'|[^.\s]+""", dotted)]


def _valid(given: str, valid: Sequence[str]) -> str:
    near = get_close_matches(given, valid, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{hint} Valid: {', '.join(sorted(valid))}."


def _keys(kind: Any, loc: Sequence[int | str]) -> list[str]:
    """The valid keys at a place inside the settings."""
    kind = _plain(_at(kind, loc))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return list(kind.model_fields)
    return [f.name for f in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []


def _at(kind: Any, loc: Sequence[int | str]) -> Any:
    for part in loc:
        kind = _inside(kind, part)
    return kind


def _names(loc: Sequence[int | str]) -> list[str]:
    """The place as it is written: without the kinds that tell tables apart."""
    kind: Any = Settings
    names = []
    for part in loc:
        names += [] if part in kinds_of(kind) else [str(part)]
        kind = _inside(kind, part)
    return names


def kinds_of(hint: Any) -> dict[str, Any]:
    """Of tables that their `kind` tells apart: kind → table."""
    while hasattr(hint, "__metadata__"):
        hint = hint.__origin__
    tables = [
        t for t in get_args(hint) if isinstance(t, type) and issubclass(t, BaseModel) and "kind" in t.model_fields
    ]
    return {name: t for t in tables for name in get_args(t.model_fields["kind"].annotation)}


def _inside(kind: Any, part: int | str) -> Any:
    if part in (kinds := kinds_of(kind)):
        return kinds[str(part)]
    kind = _plain(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        field = kind.model_fields.get(str(part))
        return field.annotation if field else object
    if dataclasses.is_dataclass(kind):
        return get_type_hints(kind).get(str(part), object)
    arguments = get_args(kind)
    return arguments[1 if get_origin(kind) is dict else 0] if arguments else object


def _plain(kind: Any) -> Any:
    """The type itself: without `| None` and annotations."""
    if get_origin(kind) in (Union, types.UnionType):
        return _plain(next(a for a in get_args(kind) if a is not type(None)))
    return _plain(kind.__origin__) if hasattr(kind, "__metadata__") else kind
