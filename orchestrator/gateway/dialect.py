"""Tool calls as text, for models without native ones: the prompt that teaches the form, the history in that form, and
the reading of what comes back. Read too are the forms that open models leak into their content.

Forms: `[TOOL_CALL]{…}[/TOOL_CALL]`, `<tool_call>{…}</tool_call>`, elements instead of JSON (Qwen3-Coder, GLM-4.5), a
fenced JSON block, bare JSON. The last two count only when they name an offered tool: an answer may well hold JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.contracts import Json, Message, ToolCall
from orchestrator.gateway.arguments import read, read_calls

_TAGGED = re.compile(
    r"(?:\[TOOL_CALL\]|<tool_call>)(.*?)(?:\[/TOOL_CALL\]|</tool_call>|(?=\[TOOL_CALL\]|<tool_call>)|\Z)", re.S
)
_FENCE = re.compile(r"```(?:json|tool_call|tool_code)?[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.S)
_NAME = re.compile(r"""["'](?:name|tool)["']\s*:\s*["']([^"']+)["']""")
_BARE = re.compile(r"(?<!<tool_call>)(?<!<tool_call>\n)<function=")  # Qwen3-Coder may leave out the tag around it
_ELEMENT = re.compile(r"(?:<function=)?([\w.:-]+)>?\s*(?=<parameter=|<arg_key>|</function>|\Z)")
_PAIR = re.compile(
    r"<(?:parameter=|arg_key>)\s*([\w.-]+)\s*(?:>|</arg_key>\s*<arg_value>)\s*(.*?)\s*</(?:parameter|arg_value)>", re.S
)
_ARGS = ("arguments", "args", "parameters", "params", "input")

_HOW = """# Tools

You may call tools. To call one, write exactly this, one block a call, several blocks for calls that can run together:
[TOOL_CALL]{"name": "<tool>", "arguments": {…}}[/TOOL_CALL]
The block holds strict JSON in double quotes. After your blocks, stop: the results come in the next message.
Without a block your reply is the final answer. 必填 marks what must be given, 可选 what may be left out.
"""
_FORBID = "Do not call a tool now. Answer in plain words from what is above."


# ── what the model is told ────────────────────────────────────────────────────────────────────


def prompt(tools: Sequence[Json]) -> str:
    """All tools with types, 必填 and one example each: the same text for the same tools."""
    return _HOW + "\n".join(_describe(t["function"]) for t in tools)


def _describe(function: Json) -> str:
    schema = function.get("parameters") or {}
    properties: Mapping[str, Json] = schema.get("properties") or {}
    needed = set(schema.get("required") or ())
    lines = [f"\n## {function['name']}", str(function.get("description") or "").strip()]
    for name, p in properties.items():
        must = "必填" if name in needed else "可选"
        default = f", default {json.dumps(p['default'], ensure_ascii=False)}" if p.get("default") is not None else ""
        lines.append(f"- {name} ({_type(p)}, {must}{default}): {p.get('description') or ''}".rstrip(": "))
    shown = {n: _example(p, n) for n, p in properties.items() if n in needed}
    lines.append("Example: " + block(function["name"], json.dumps(shown, ensure_ascii=False)))
    return "\n".join(line for line in lines if line)


def _type(p: Json) -> str:
    if "enum" in p:
        return "one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in p["enum"])
    if options := p.get("anyOf") or p.get("oneOf"):
        return " or ".join(_type(o) for o in options if o.get("type") != "null")
    if p.get("type") == "array":
        return f"list of {_type(p.get('items') or {})}"
    kind = p.get("type") or "any"
    return f"{kind}, {p['format']}" if "format" in p else str(kind)


def _example(p: Json, name: str) -> Json:
    """A value of the right shape: a given example, the default, the first of an enum, else one made from the type."""
    given = [*(p.get("examples") or ()), *filter(None, [p.get("default")]), *(p.get("enum") or ())]
    if given:
        return given[0]
    if options := p.get("anyOf") or p.get("oneOf"):
        return _example(options[0], name)
    if p.get("type") == "array":
        return [_example(p.get("items") or {}, name)]
    if p.get("type") == "object":
        return {n: _example(v, n) for n, v in (p.get("properties") or {}).items() if n in (p.get("required") or ())}
    at = "2026-06-01T14:00:00+08:00"
    made = {"integer": 1, "number": 1.0, "boolean": True, "date-time": at, "date": at[:10]}
    return made.get(p.get("format") or p.get("type") or "", f"<{name}>")


def block(name: str, arguments: str) -> str:
    return f'[TOOL_CALL]{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {arguments}}}[/TOOL_CALL]'


def as_text(messages: Sequence[Message], teach: str = "", forbid: bool = False) -> list[Message]:
    """The history in this dialect; `teach` (from `prompt`) is put into the system message, once.

    Results of one turn become one user message, as some templates refuse two user messages in a row.
    """
    out: list[Message] = []
    names: dict[str, str] = {}
    for m in messages:
        if calls := m.get("tool_calls"):
            names |= {c["id"]: c["function"]["name"] for c in calls}
            blocks = [block(c["function"]["name"], c["function"]["arguments"]) for c in calls]
            out.append({"role": "assistant", "content": "\n".join(filter(None, [m.get("content"), *blocks]))})
        elif m.get("role") == "tool":
            text = f"[TOOL_RESULT {names.get(m['tool_call_id'], '')}]\n{m.get('content') or ''}\n[/TOOL_RESULT]"
            _append_user(out, text)
        else:
            out.append(m)
    if teach and out and out[0].get("role") == "system":
        out[0] = {**out[0], "content": f"{out[0]['content']}\n\n{teach}"}
    elif teach:
        out.insert(0, {"role": "system", "content": teach})
    if forbid:
        _append_user(out, _FORBID)
    return out


def _append_user(out: list[Message], text: str) -> None:
    last = out[-1] if out else {}
    if last.get("role") == "user" and isinstance(last.get("content"), str):
        out[-1] = {**last, "content": f"{last['content']}\n\n{text}"}
    else:
        out.append({"role": "user", "content": text})


# ── what the model says ───────────────────────────────────────────────────────────────────────


def parse(text: str, names: Sequence[str], stem: str) -> tuple[str, list[ToolCall]]:
    """The text without its calls, and the calls, with ids `<stem>_<n>`. A block that can't be read is a call whose
    `args` is None."""
    text = _BARE.sub("<tool_call><function=", text) if names else text
    if "[TOOL_CALL]" in text or "<tool_call>" in text:
        return _TAGGED.sub("", text).strip(), _calls((m.strip() for m in _TAGGED.findall(text)), stem)
    stripped = text.strip()
    if not names or "{" not in stripped:
        return text, []
    if stripped[0] in "{[" and _names_tool(stripped, names):
        return "", _calls([stripped], stem)
    blocks = [m for m in _FENCE.finditer(text) if _names_tool(m.group(1), names)]
    if not blocks:
        return text, []
    rest = text
    for m in blocks:
        rest = rest.replace(m.group(0), "")
    return rest.strip(), _calls((m.group(1).strip() for m in blocks), stem)


def _names_tool(text: str, names: Sequence[str]) -> bool:
    """Every object in it is a call, by shape and by an offered name."""
    found = [_call(o) for o in read(text).objects]
    return bool(found) and all(name in names and given is not None for name, given in found)


def _call(data: Mapping[str, Json]) -> tuple[str, Json]:
    """Name and arguments of an object that may be a call, under the keys that models use; None for no arguments."""
    inner = data["function"] if isinstance(data.get("function"), dict) else data
    name = inner.get("name") or inner.get("tool") or inner.get("function") or ""
    return str(name), next((inner[a] for a in _ARGS if a in inner), None)


def _calls(bodies: Iterable[str], stem: str) -> list[ToolCall]:
    out: list[ToolCall] = []
    for body in map(_plain, bodies):
        reading = read(body)
        if reading.fault:
            found = _NAME.search(body)
            out.append(ToolCall(f"{stem}_{len(out)}", found.group(1) if found else "", None, body, reading.fault))
        for name, given in map(_call, reading.objects):
            raw = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
            out += read_calls(f"{stem}_{len(out)}", name, raw)
    return out


def _plain(body: str) -> str:
    """A call written in elements as JSON. Values are text; what begins like JSON is JSON. A cut one stays as it is."""
    pairs = _PAIR.findall(body)
    if not (head := _ELEMENT.match(body)) or len(pairs) != len(re.findall("<parameter=|<arg_key>", body)):
        return body
    return json.dumps({"name": head.group(1), "arguments": {name: _value(text) for name, text in pairs}})


def _value(text: str) -> Json:
    try:
        return json.loads(text) if text[:1] in ("[", "{") else text
    except (ValueError, RecursionError):
        return text
