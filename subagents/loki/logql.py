"""LogQL for one query: a stream selector and a pipeline, with every name and word quoted.

(grafana.com/docs/loki/latest/query) Strings are Go's, regular expressions RE2. Knows no HTTP.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from subagents import near
from subagents.logs import remote
from subagents.near import Words

METADATA = ("detected_level",)  # what Loki keeps beside lines and not as a stream's label


@dataclass(frozen=True, slots=True)
class Labels:
    """`selector`: what every query adds, `{job="shop"}`; `service`, `level`, `code`: labels, "" = there is none.
    `pipeline`: stages that make labels of a line, `| json`; what isn't a stream's label is then asked for after them.
    `values`: level → how it is written, exactly; without it all usual words, in any case."""

    selector: str = ""
    service: str = "service_name"
    level: str = "detected_level"
    code: str = ""
    pipeline: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self) -> dict[str, str]:
        return {"service": self.service, "level": self.level, "code": self.code}

    def stream(self, services: Sequence[str], levels: Sequence[str]) -> str:
        """`{service_name="payment",level="error"} …`"""
        matchers = [self.selector.strip().removeprefix("{").removesuffix("}").strip(" ,")]
        matchers.append(_one_of(self.service, services))
        late = self.pipeline or self.level in METADATA
        wanted = self._levels(levels)
        if wanted and not late:
            matchers.append(wanted)
        inside = ",".join(filter(None, matchers)) or f'{self.service}=~".+"'
        stages = [self.pipeline.strip(), f"| {wanted}" if wanted and late else ""]
        return " ".join(filter(None, ["{" + inside + "}", *stages]))

    def query(self, services: Sequence[str], levels: Sequence[str], text: Sequence[str], words: Words = ()) -> str:
        """With the words that a line must hold, before its stages: that is what an index can do best."""
        selector = self.stream(services, levels)
        patterns = [*map(escaped, text), *([near.pattern(words)] if words else ())]
        head, brace, rest = _split(selector) if patterns else selector.partition("}")
        filters = "".join(f" |~ {quoted('(?i)' + pattern)}" for pattern in patterns)
        return f"{head}{brace}{filters}{rest}"

    def _levels(self, levels: Sequence[str]) -> str:
        if not levels:
            return ""
        if all(self.values.get(level) for level in levels):
            return _one_of(self.level, [word for level in levels for word in self.values[level]])
        return f"{self.level}=~{quoted(remote.written(levels, self.values, escaped))}"


def quoted(text: str) -> str:
    """A string of Go: JSON's escapes are among its own."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def escaped(text: str) -> str:
    """A text as a regular expression that matches it alone."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)


def _one_of(label: str, values: Sequence[str]) -> str:
    if not values:
        return ""
    if len(values) == 1:
        return f"{label}={quoted(values[0])}"
    return f"{label}=~{quoted('|'.join(map(escaped, values)))}"


def _split(selector: str) -> tuple[str, str, str]:
    """At the brace that ends the selector, not at one inside a string."""
    end = re.match(r'\{(?:[^"`}]|"(?:[^"\\]|\\.)*"|`[^`]*`)*\}', selector)
    at = end.end() if end else len(selector)
    return selector[:at], "", selector[at:]
