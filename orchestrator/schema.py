"""From a typed function to a JSON Schema, and from a model's arguments to values that fit it.

Models get dates, numbers and lists wrong in a few usual ways; what can be understood without guessing is accepted
here, all else becomes one line per field: what is wrong and which values are valid. Knows nothing of tools' effects.
"""

from __future__ import annotations

import inspect
import json
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
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
    """The model's JSON Schema without what tells a model nothing: short, and readable for small models. References are
    inlined; titles, empty defaults and the ban on further fields (which `fit` explains) are left out."""
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
        dull = {"title", "additionalProperties", "properties"} | ({"default"} if not node.get("default") else set())
        rest = {k: plain(v) for k, v in node.items() if k not in dull}
        return {**rest, "properties": properties} if "properties" in node else rest

    result = plain(full)
    result.setdefault("properties", {})
    return result


def fit(tool: str, model: type[BaseModel], args: dict[str, Json]) -> dict[str, Any]:
    """Arguments as typed values. Raises BadArguments; `tool` is its name for that."""
    ready, kinds = {}, _kinds(model)
    for name, value in args.items():
        kind = kinds.get(name)
        if kind is None:
            ready[name] = value
        elif value is not None or kind.none:
            ready[name] = _loosen(value, kind)
        elif model.model_fields[name].is_required():
            ready[name] = value
    try:
        checked = model.model_validate(ready)
    except ValidationError as e:
        raise BadArguments(f"the arguments of {tool} don't fit:\n{_explain(model, e)}") from None
    return {name: getattr(checked, name) for name in model.model_fields}


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a type allows: None, text, a list of `item`, an object (of `nested`), or `choices` (enum, Literal)."""

    none: bool
    text: bool
    item: _Kind | None
    mapping: bool
    nested: type[BaseModel] | None
    choices: tuple[Any, ...]

    @classmethod
    def of(cls, annotation: Any) -> _Kind:
        options = _options(annotation)
        lists = [get_args(o)[0] for o in options if get_origin(o) in (list, tuple, set, frozenset)]
        nested = [o for o in options if isinstance(o, type) and issubclass(o, BaseModel)]
        return cls(
            none=type(None) in options,
            text=str in options,
            item=cls.of(lists[0]) if lists else None,
            mapping=bool(nested) or any(get_origin(o) is dict for o in options),
            nested=nested[0] if nested else None,
            choices=tuple(value for o in options for value in _values(o)),
        )


@lru_cache(maxsize=512)
def _kinds(model: type[BaseModel]) -> Mapping[str, _Kind]:
    return {name: _Kind.of(field.annotation) for name, field in model.model_fields.items()}


def _options(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(o for k in get_args(kind) for o in _options(k))
    return (kind,)


def _values(option: Any) -> tuple[Any, ...]:
    if get_origin(option) is Literal:
        return get_args(option)
    if isinstance(option, type) and issubclass(option, Enum):
        return tuple(member.value for member in option)
    return ()


def _loosen(value: Json, kind: _Kind) -> Json:
    if isinstance(value, str) and not kind.text:
        text = value.strip()
        if (kind.item or kind.mapping) and text.startswith(("[", "{")):
            value = _read(text, value)
        elif kind.item:
            value = [part for part in re.split(r"\s*[,，、]\s*", text) if part]
    elif kind.item and value is not None and not isinstance(value, list):
        value = [value]
    if kind.item and isinstance(value, list):
        return [_loosen(v, kind.item) for v in value]
    if kind.nested and isinstance(value, dict):
        fields = _kinds(kind.nested)
        return {k: _loosen(v, fields[k]) if k in fields else v for k, v in value.items()}
    return _same_case(value, kind.choices)


def _read(text: str, otherwise: Json) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
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
        kind = _kinds(model)[str(problem["loc"][0])] if field is not None else None
        if choices := kind and (kind.choices or (kind.item.choices if kind.item else ())):
            line += f"; valid: {', '.join(map(str, choices))}"
        elif field is not None and field.description:
            line += f"; meant: {field.description}"
        lines.append(line)
    return "\n".join(dict.fromkeys(lines))
