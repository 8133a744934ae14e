"""A run as one HTML file that plays it: no network, no file beside it. Everything from the run goes in as data, which
the page's own script shows as text; a strict policy allows that script and nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files

from hermes_ops.trace.graph import plain, route
from hermes_ops.trace.graph_svg import svg
from hermes_ops.trace.printing import safe, strict_json, visible_json
from hermes_ops.trace.story import Story, as_json
from orchestrator.contracts import Json, Usage, from_json

SCRIPTS = ("text.js", "steps.js", "replay.js")
PLACE = re.compile(r"\{(csp|title|css|bar|question|status|facts|graph|story|js)\}")
TONES = {"ok": "good", "done": "good", "failed": "bad", "interrupted": "bad"}


def page(story: Story, bar: str = "") -> str:
    """The whole file, UTF-8. `bar`: markup of ours above it all, where a server shows it."""
    run = story.run
    status = str(run.get("answer") or run["status"])
    parts = {
        "csp": policy(),
        "title": escape(f"{plain(run['question'], 80)} · {run['run']}"),
        "css": css(),
        "bar": bar,
        "question": escape(plain(run["question"], 300)),
        "status": f'<span class="pill {TONES.get(status, "warn")}">{escape(status)}</span>',
        "facts": _facts(run),
        "graph": svg(route(story)),
        "story": embedded(as_json(story)),
        "js": js(),
    }
    return PLACE.sub(lambda m: parts[m[1]], _file("replay.html"))


def policy() -> str:
    """The page's Content-Security-Policy; `serve` sends it as a header as well."""
    return f"{hashed(css(), js())}; form-action 'none'"


def hashed(style: str, script: str) -> str:
    """A Content-Security-Policy that allows these two inside a page, and nothing else at all."""
    own = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    return f"default-src 'none'; {own}; base-uri 'none'"


def embedded(value: Json) -> str:
    """JSON for inside a script element: no "<" that could end it, no character that can't be seen."""
    text = strict_json(value, separators=(",", ":"))
    marked = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return visible_json(marked)


@cache
def theme() -> str:
    """Colours, letters and marks that all pages of traces share."""
    return _file("theme.css")


@cache
def css() -> str:
    return theme() + _file("replay.css")


@cache
def js() -> str:
    return "\n".join(map(_file, SCRIPTS))


def _file(name: str) -> str:
    return files("hermes_ops.trace").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _facts(run: Json) -> str:
    used = from_json(Usage, run["usage"])
    cached = f" ({used.cached_tokens:,} cached)" if used.cached_tokens else ""
    tokens = f"{used.prompt_tokens:,} + {used.completion_tokens:,}{cached}"
    rows = [
        ("run", run["run"]),
        ("begun", f"{run['begun'][:19].replace('T', ' ')} UTC"),
        ("took", f"{run['seconds']:.1f} s"),
        ("by", run["user"]),
        ("asked", ", ".join(run["agents"]) or "nobody"),
        ("model", run["model"] or "–"),
        ("calls", f"{used.model_calls:,}"),
        ("tokens", tokens if used.model_calls else "–"),
        ("cost", "–" if used.cost is None else f"{used.cost:.4f}"),
    ]
    return "".join(f"<span>{name} <b>{escape(safe(plain(value, 80)))}</b></span>" for name, value in rows)
