"""The logs of a generated incident: each service in a format of its own, some gz. Writes what `traffic` says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from hermes_ops.demo import files
from hermes_ops.demo.story import Story
from hermes_ops.demo.traffic import Line, Traffic
from hermes_ops.demo.truth import LogFile

Format = Callable[[Line, str, Random], str]
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
BROWSER = "Mozilla/5.0 (X11; Linux x86_64)"
SEVERITY = {"error": 131, "warn": 132, "info": 134}  # facility local0


def as_json(line: Line, version: str, rng: Random) -> str:
    item = {"timestamp": files.iso(line.at, "milliseconds"), "level": line.level.upper(), "service": line.service,
            "version": version, "trace_id": line.trace, "message": line.message, "status": int(line.code),
            "duration_ms": line.ms}  # fmt: skip
    return json.dumps(item, ensure_ascii=False)


def as_logfmt(line: Line, version: str, rng: Random) -> str:
    said = line.message.replace('"', '\\"')
    at = files.iso(line.at, "milliseconds")
    return (
        f"ts={at} level={line.level} svc={line.service} version={version} trace_id={line.trace} "
        f'msg="{said}" status={line.code} dur_ms={line.ms}'
    )


def as_log4j(line: Line, version: str, rng: Random) -> str:
    """With a stack trace under each error."""
    package = "com.acme." + line.service.replace("-", "")
    stamp = line.at.strftime("%Y-%m-%d %H:%M:%S,") + f"{line.at.microsecond // 1000:03d}"
    head = (
        f"{stamp} {line.level.upper():<5} [http-nio-8080-exec-{rng.randint(1, 20)}] {package}.Handler - {line.message}"
    )
    if not line.fault:
        return head
    frames = [f"\tat {package}.{name}.call({name}.java:{n})" for name, n in (("Client", 88), ("Handler", 41))]
    return "\n".join([head, f"{package}.{line.fault}: {line.message}", *frames])


def as_syslog(line: Line, version: str, rng: Random) -> str:
    """RFC 5424"""
    at = files.iso(line.at, "milliseconds")
    return f"<{SEVERITY[line.level]}>1 {at} node-{rng.randint(1, 3)} {line.service} 311 - - {line.message}"


def as_bsd(line: Line, version: str, rng: Random) -> str:
    """RFC 3164 without a priority: the level is a word."""
    at = f"{MONTHS[line.at.month - 1]} {line.at.day:>2} {line.at:%H:%M:%S}"
    word = "ERROR " if line.level == "error" else ""
    return f"{at} node-4 {line.service}[207]: {word}{line.message}"


def as_access(line: Line, version: str, rng: Random) -> str:
    at = f"{line.at.day:02d}/{MONTHS[line.at.month - 1]}/{line.at:%Y:%H:%M:%S} +0000"
    request = f'203.0.113.{rng.randint(1, 254)} - - [{at}] "GET /v1/{line.trace[:4]} HTTP/1.1"'
    return f'{request} {line.code} {rng.randint(200, 9000)} "-" "{BROWSER}" {line.ms / 1000:.3f}'


INNER: dict[str, tuple[Format, str]] = {
    "json": (as_json, "json.log"),
    "logfmt": (as_logfmt, "logfmt.log"),
    "log4j": (as_log4j, "java.log"),
    "syslog": (as_syslog, "syslog.log"),
}


def write(folder: Path, story: Story, traffic: Traffic) -> tuple[LogFile, ...]:
    rng = Random(f"logs {story.seed}")
    by_service: dict[str, list[Line]] = {}
    for line in traffic.lines:
        by_service.setdefault(line.service, []).append(line)
    kinds = list(INNER)
    rng.shuffle(kinds)
    inner = (*story.graph.main, *story.graph.side)
    found = [
        _file(folder, story, (service, kinds[n % len(kinds)], *INNER[kinds[n % len(kinds)]]), by_service[service], rng)
        for n, service in enumerate(inner)
    ]
    edge, worker = story.graph.edge, story.graph.worker
    found.append(_file(folder, story, (edge, "access", as_access, "access.log"), by_service[edge], rng))
    found.append(_file(folder, story, (worker, "bsd", as_bsd, "syslog.log"), by_service[worker], rng))
    return tuple(found)


def _file(folder: Path, story: Story, kind: tuple[str, str, Format, str], lines: list[Line], rng: Random) -> LogFile:
    service, name, form, ending = kind
    deploys = [d.at for d in story.deeds if d.kind == "deploy" and d.service == service]
    versions = [story.versions.get(service, ""), *(story.version(service, at) for at in deploys)]
    written = (form(line, versions[sum(at <= line.at for at in deploys)], rng) for line in lines)
    return LogFile(files.put(folder, f"logs/{service}.{ending}", written, rng.random() < 0.5), service, name)
