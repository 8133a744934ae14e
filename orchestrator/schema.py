"""From a typed function to a JSON Schema, and from a model's arguments to values that fit it.

Models get dates, numbers and lists wrong in a few usual ways; what can be understood without guessing is accepted
here, all else becomes one line per field: what is wrong and which values are valid. Knows nothing of tools' effects.
"""

from __future__ import annotations

import inspect
import json
import re
import types
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from orchestrator.contracts import Json

_ARG = re.compile(r"^\s{2,}(\w+)\s*:\s*(.+)$")


class BadArguments(ValueError):
    """Arguments that don't fit; the text names each field, its problem and the valid values."""


def split_doc(fn: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The description and the described arguments of a docstring with an "Args:" section."""
    head, _, rest = (inspect.getdoc(fn) or "").partition("\nArgs:\n")
    described: dict[str, str] = {}
    last = ""
    for line in rest.splitlines():
        if found := _ARG.match(line):
            last = found[1]
            described[last] = found[2].strip()
        elif last and line.strip():
            described[last] += " " + line.strip()
    return " ".join(head.split()), described


def arguments_of(fn: Callable[..., Any], skip: frozenset[str]) -> type[BaseModel]:
    """A pydantic model of the function's parameters but for those in `skip`."""
    _, described = split_doc(fn)
    hints = get_type_hints(fn, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(fn).parameters.items():
        if name in skip:
            continue
        if name not in hints:
            raise TypeError(f"{fn.__qualname__}: argument {name!r} needs a type")
        kind = Annotated[hints[name], Field(description=described[name])] if name in described else hints[name]
        fields[name] = (kind, ... if parameter.default is parameter.empty else parameter.default)
    config = ConfigDict(extra="forbid", arbitrary_types_allowed=False)
    return create_model(f"{fn.__name__}_arguments", __config__=config, **fields)


def schema_of(model: type[BaseModel]) -> Json:
    """The model's JSON Schema, references inlined and titles dropped: short, and readable for small models."""
    full = model.model_json_schema()
    shared = full.pop("$defs", {})

    def plain(node: Json) -> Json:
        if isinstance(node, list):
            return [plain(x) for x in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = shared[node["$ref"].rsplit("/", 1)[-1]]
            return plain({**target, **{k: v for k, v in node.items() if k != "$ref"}})
        properties = {k: plain(v) for k, v in node.get("properties", {}).items()}
        rest = {k: plain(v) for k, v in node.items() if k not in ("title", "properties")}
        return {**rest, "properties": properties} if "properties" in node else rest

    result = plain(full)
    result.setdefault("properties", {})
    return result


def fit(tool: str, model: type[BaseModel], args: dict[str, Json]) -> dict[str, Any]:
    """Arguments as typed values. Raises BadArguments; `tool` is its name for that."""
    ready = {}
    for name, value in args.items():
        field = model.model_fields.get(name)
        if field is None:
            ready[name] = value
        elif value is not None or _allows_none(field.annotation):
            ready[name] = _loosen(value, field.annotation)
        elif field.is_required():
            ready[name] = value
    try:
        checked = model.model_validate(ready)
    except ValidationError as e:
        raise BadArguments(f"the arguments of {tool} don't fit:\n{_explain(model, e)}") from None
    return {name: getattr(checked, name) for name in model.model_fields}


def _options(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(o for k in get_args(kind) for o in _options(k))
    return (kind,)


def _allows_none(kind: Any) -> bool:
    return type(None) in _options(kind)


def _choices(kind: Any) -> tuple[Any, ...]:
    """The values that an enum or Literal allows."""
    found: list[Any] = []
    for option in _options(kind):
        if get_origin(option) is Literal:
            found += get_args(option)
        elif isinstance(option, type) and issubclass(option, Enum):
            found += [member.value for member in option]
    return tuple(found)


def _item(kind: Any) -> Any:
    """The item type where a list is expected, else None."""
    for option in _options(kind):
        if get_origin(option) in (list, tuple, set, frozenset):
            return get_args(option)[0]
    return None


def _loosen(value: Json, kind: Any) -> Json:
    item = _item(kind)
    options = _options(kind)
    nested = [o for o in options if isinstance(o, type) and issubclass(o, BaseModel)]
    if isinstance(value, str) and str not in options:
        text = value.strip()
        if (item is not None or nested or any(get_origin(o) is dict for o in options)) and text.startswith(("[", "{")):
            value = _read(text, value)
        elif item is not None:
            value = [part for part in re.split(r"\s*[,，、]\s*", text) if part]
    elif item is not None and value is not None and not isinstance(value, list):
        value = [value]
    if item is not None and isinstance(value, list):
        return [_loosen(v, item) for v in value]
    if nested and isinstance(value, dict):
        fields = nested[0].model_fields
        return {k: _loosen(v, fields[k].annotation) if k in fields else v for k, v in value.items()}
    return _same_case(value, _choices(kind))


def _read(text: str, otherwise: Json) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return otherwise


def _same_case(value: Json, choices: tuple[Any, ...]) -> Json:
    if isinstance(value, str) and value not in choices:
        for choice in choices:
            if isinstance(choice, str) and choice.casefold() == value.strip().casefold():
                return choice
    return value


def _explain(model: type[BaseModel], error: ValidationError) -> str:
    lines = []
    for problem in error.errors(include_url=False):
        where = ".".join(map(str, problem["loc"])) or "arguments"
        field = model.model_fields.get(str(problem["loc"][0])) if problem["loc"] else None
        if problem["type"] == "extra_forbidden":
            lines.append(f"{where}: no such argument; valid: {', '.join(model.model_fields)}")
            continue
        got = "" if problem["type"] == "missing" else f" (got {json.dumps(problem['input'], ensure_ascii=False)[:80]})"
        line = f"{where}: {problem['msg']}{got}"
        kind = field.annotation if field is not None else None
        if choices := _choices(kind) or _choices(_item(kind)):
            line += f"; valid: {', '.join(map(str, choices))}"
        elif field is not None and field.description:
            line += f"; meant: {field.description}"
        lines.append(line)
    return "\n".join(dict.fromkeys(lines))
