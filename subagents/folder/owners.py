"""Whose log a file is, where its lines don't say so.

Asked in this order: a known service's name in the file's own name; for access logs the service whose request counters
show the same numbers by status; the file's own name, where that can be a service's; the directory of a file with a
general name (`checkout/app.log`), where it is known as a service or a product, or its neighbours hold such files, too;
names of known services inside dotted and slashed names (packages, paths). A product's name there (kafka, mysql …) is
its client library's: every program that uses it writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from subagents.folder import keys
from subagents.folder.files import Found, unpacked
from subagents.folder.formats.sampled import SAMPLES
from subagents.folder.jobs import Job
from subagents.folder.material import MetricFile
from subagents.folder.records import Row
from subagents.folder.work import Pool

_LIKE = 0.02  # share of requests by which an access log and a counter may differ
_APART = 0.10  # and by which the next best must
_PRODUCTS = frozenset((
    "activemq", "cassandra", "clickhouse", "consul", "elasticsearch", "envoy", "etcd", "grpc", "hadoop",
    "hbase", "istio", "jdbc", "kafka", "kubernetes", "mariadb", "memcached", "minio", "mongo", "mongodb",
    "mysql", "nacos", "nats", "netty", "nginx", "opensearch", "oracle", "postgres", "postgresql", "prometheus",
    "pulsar", "rabbitmq", "redis", "rocketmq", "spark", "sqlite", "tomcat", "zookeeper",
))  # fmt: skip
_ANY = frozenset((  # words of which a log's name says nothing of whose it is
    "access", "all", "api", "app", "application", "archive", "audit", "backend", "catalina", "combined",
    "console", "container", "current", "daemon", "daily", "data", "debug", "default", "docker", "dump", "err",
    "error", "errors", "event", "events", "export", "fatal", "file", "gc", "general", "host", "info", "journal",
    "kern", "kernel", "local", "log", "logfile", "logs", "main", "message", "messages", "my", "node", "out",
    "output", "plain", "pod", "prod", "production", "raw", "record", "records", "root", "sample", "server",
    "service", "slow", "staging", "stderr", "stdout", "stream", "sys", "syslog", "system", "test", "text",
    "tmp", "trace", "tracing", "user", "warn", "warning",
))  # fmt: skip
_ENDINGS = ("bz2", "gz", "gzip", "json", "jsonl", "log", "ndjson", "out", "text", "txt", "xz", "zip", "zst")
_STAMPED = re.compile(
    r"[-_.]?(?<![0-9a-z])\d{4}[-_.]?\d\d(?:[-_.]?\d\d)?(?:[-_T.]?\d\d){0,3}(?![0-9a-z])|\.\d{1,3}(?=$|\.)"
)
_REPLICA = re.compile(r"(?:-[0-9a-f]{8,10}-[a-z0-9]{5}|-\d{1,3})$")
_OWN = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def known_services(surveys: Iterable[Row]) -> tuple[str, ...]:
    """Every name that records, metrics and logs use for a service."""
    return tuple(sorted({s for row in surveys for s in row["services"] if s}))


def of_logs(
    surveys: Sequence[tuple[Found, Row]], metrics: Sequence[MetricFile], known: Sequence[str], pool: Pool, root: Path
) -> Iterator[tuple[Found, Row, str]]:
    """(file, survey, owner) of each log file; owner "" where the lines name services, or nothing tells."""
    folders = _Folders((f.path for f, row in surveys if row["kind"] == "log" and not any(row["services"])), root, known)
    for file, row in surveys:
        if row["kind"] != "log":
            continue
        nameless = not any(row["services"])
        owner = ""
        if nameless and known:
            owner = _by_name(file, known) or _by_counters(row, metrics, pool)
        if nameless and not owner:
            owner = own_name(file.path) or folders.service(file.path) or _by_words(row["words"], known)
        yield file, row, owner


def _by_words(words: dict[str, int], known: Sequence[str]) -> str:
    names = {keys.norm(s): s for s in known if keys.norm(s) not in _PRODUCTS}
    hits: dict[str, int] = {}
    for word, n in words.items():
        if name := names.get(keys.norm(word)):
            hits[name] = hits.get(name, 0) + n
    best = max(hits, key=lambda s: hits[s], default="")
    return best if best and hits[best] * 3 >= sum(hits.values()) * 2 else ""


def _by_counters(row: Row, metrics: Sequence[MetricFile], pool: Pool) -> str:
    """The one service whose counters grew by the log's numbers of each status in the same time."""
    if not row["codes"] or row["since"] is None or row["codes_until"] is None:
        return ""
    files = [m for m in metrics if m.survey["kind"] in SAMPLES]
    window = (row["since"] - 1.0, row["codes_until"] + 1.0)
    jobs = [Job("ratio", unpacked(m.found.size, m.found.packed), (m.where, *window)) for m in files]
    counts: dict[str, dict[str, float]] = {}
    for result in pool.now(jobs):
        for service, code, n in result["counts"]:
            mine = counts.setdefault(service, {})
            mine[code] = mine.get(code, 0.0) + n
    ranked = sorted((_apart(row["codes"], mine), service) for service, mine in counts.items() if service)
    if not ranked or ranked[0][0] > _LIKE or (len(ranked) > 1 and ranked[1][0] < _APART):
        return ""
    return ranked[0][1]


def _apart(log: dict[str, int], counter: dict[str, float]) -> float:
    total = sum(log.values())
    return sum(abs(log.get(c, 0) - counter.get(c, 0.0)) for c in {*log, *counter}) / max(1, total)


def _by_name(file: Found, known: Sequence[str]) -> str:
    parts = [p for p in re.split(r"[^A-Za-z0-9]+", Path(file.path).name.lower()) if p]
    joined = "".join(parts)
    fitting = [s for s in known if (n := keys.norm(s)) and (n in parts or (len(n) > 5 and joined.startswith(n)))]
    return max(fitting, key=len, default="")


def machine(file: Found, row: Row, known: Sequence[str]) -> str:
    """The one machine whose lines a file holds, where somebody else speaks of it too: a record, a metric, its name."""
    host = str(row.get("host", ""))
    return host if host and (host in known or host.lower() in Path(file.path).name.lower()) else ""


def own_name(path: str) -> str:
    """The service that a log file is called by: `cart.log`, `push-consumer-2026-11-29.log.gz`; "" where the name is a
    general word, a number, or no log's name."""
    parts = _STAMPED.sub("", Path(path).name).split(".")
    ends = [part.lower() for part in parts[1:]]
    stem = parts[0].removesuffix("-log").removesuffix("_log")
    if not ends or not any(end in _ENDINGS for end in ends) or not _OWN.fullmatch(stem.lower()):
        return ""
    return re.sub(r"[-_](?:access|errors?|stdout|stderr)$", "", stem) if _tells(stem) else ""


def _tells(stem: str) -> bool:
    """Whether a name can be a service's: more than general words, numbers and short codes."""
    words = re.split(r"[-_]", stem.lower())
    telling = [word for word in words if word not in _ANY and not re.fullmatch(r"[a-z]?\d*|[0-9a-f]{8,}", word)]
    return bool(telling) and len(stem) > 2


class _Folders:
    """The directories of log files whose names say nothing of whose they are."""

    def __init__(self, paths: Iterable[str], root: Path, known: Sequence[str]) -> None:
        self._root, self._known = root, {keys.norm(s): s for s in known}
        self._beside: dict[Path, set[Path]] = {}  # directory → those in it that can be a service's
        for path in paths:
            for folder in () if own_name(path) else self._above(path):
                self._beside.setdefault(folder.parent, set()).add(folder)

    def service(self, path: str) -> str:
        """A known service, or a product, by the nearest directory; else the nearest that has neighbours like it."""
        above = self._above(path)
        known = (self._known.get(keys.norm(f.name), "") for f in above)
        products = (f.name for f in above if f.name in _PRODUCTS)
        several = (_REPLICA.sub("", f.name) for f in above if len(self._beside.get(f.parent, ())) > 1)
        return next((name for name in (*known, *products, *several) if name), "")

    def _above(self, path: str) -> list[Path]:
        """From the nearest up, below the root."""
        inside = [p for p in Path(path).parents if p != self._root and p.is_relative_to(self._root)]
        return [p for p in inside if _OWN.fullmatch(p.name.lower()) and _tells(p.name)]
