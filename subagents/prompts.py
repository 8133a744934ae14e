"""Prompt files: Markdown beside their agent, filled strictly.

A placeholder is `{{name}}`. One that is left, and a value that no placeholder asks for, are errors at start-up. Reads
package data only; doesn't know what a prompt says.
"""

from __future__ import annotations

import re
from importlib.resources import files

_HOLE = re.compile(r"\{\{(\w+)\}\}")


def load(package: str, name: str = "prompt.md", **values: str) -> str:
    """The text of a prompt file in `package`, filled. Raises ValueError naming the file and what doesn't fit."""
    text = files(package).joinpath(name).read_text(encoding="utf-8").strip()
    asked = set(_HOLE.findall(text))
    if asked != set(values):
        raise ValueError(f"{package}/{name} asks for {sorted(asked)}, but was given {sorted(values)}")
    return _HOLE.sub(lambda m: values[m[1]], text)
