"""The vocabulary: what words in metric names, log lines and diffs tell about the kind of trouble.

Families are finer than signatures; a signature is what the answer says. Words of the field only, none of a product.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from subagents.cause.stopwords import STOP

FAMILIES: dict[str, str] = {
    "certificate": r"certificat|\bx509\b|\btls_cert|\bcert[_ -]|\bcert\b|not_?after|\bca[_ -]?bundle|证书",
    "dns": r"\bdns\b|dns_|no such host|nxdomain|servfail|resolv(?:er|e host|\.conf)|name resolution|getaddrinfo"
    r"|unknown_?host|enotfound|域名解析",
    "quota": r"quota|rate.?limit|too many requests|\b429\b|throttl|limit_?exceeded|requests_per_(?!s)|per minute"
    r"|rejected|限流|配额",
    "pool": r"\bpool|_pool|pool\b|pool-\d|connection_?s?\b.*(?:exhaust|acquir|slots)|max_?conn|conns?\b|acquir"
    r"|active_?conn|conn\w*_(?:active|in_use)|connections? (?:is |are )?(?:not |un)available"
    r"|too many open files|emfile|descriptor|open_fds|\bfds\b|cannot assign requested address|连接池",
    "memory": r"memory|\bheap|_heap|\boom|\brss\b|out_?of_?memory|\bgc\b|\bleak|unbounded|内存",
    "cpu": r"\bcpu|_cpu|load_?avg|saturat|busy|event[ _-]?loop",
    "disk": r"disk|no space left|enospc|inode|\bwal\b|volume|fsync|磁盘",
    "crash": r"panic|crash|fatal|segfault|sigsegv|null_?pointer|nil pointer|nil map|\bnull\b|undefined is not|npe\b"
    r"|restart|back-?off|unhandled|uncaught|ready_replicas|exit code|nonetype|typeerror|空指针",
    "race": r"concurrent|data race|\brace\b|mutex|deadlock|\block(?:s|ed|ing)?\b|(?:share|exclusive|row|table)_?lock"
    r"|lock_?wait|\blease\b|lease_|synchroni|atomic|死锁",
    "cache": r"cache|\bttl\b|\bhit_|miss(?:es)?\b|evict|read-?through|stampede|缓存",
    "queue": r"queue|backlog|in_flight|pending|\blag\b|_lag|consumer|offset|partition|redeliver|dlq|oldest|积压",
    "timeout": r"time[d_ -]?out|deadline|gave up|took too long|exceeded \S+ ?m?s\b|within \S+ ?m?s\b|超时",
    "retry": r"\bretr(?:y|ies)|attempts?\b|backoff|重试",
    "sql": r"\bsql|select |insert |update .* set|\bquer(?:y|ies)|relation|column|\btable\b|schema|migration|\bindex\b"
    r"|statement|\bdb_|database|constraint|数据库",
    "auth": r"\bauth|token|jwt|unauthori[sz]ed|not authori[sz]ed|access ?denied|forbidden|\b40[13]\b"
    r"|credential|password|permission|login|signature"
    r"|\bkid\b|认证|鉴权",
    "route": r"\b40[45]\b|not found|no route matches|unknown (?:path|route)|method not allowed|_404",
    "latency": r"latency|duration|p9\d|slow|_wait|\bwait|response_time|elapsed|延迟|变慢",
    "errors": r"error|fail|exception|5xx|\b50\d\b|decline|refused|unavailable|错误|失败|异常",
    "traffic": r"requests_per_sec|request_rate|\brps\b|\bqps\b|requests?_total|throughput|surge|overload|shed"
    r"|queue full|all workers busy|流量",
    "dependency": r"upstream|provider|external|third.?party|vendor|gateway timeout|bad gateway|\b50[234]\b"
    r"|connection refused|connect error|dependency",
    "network": r"connection reset|broken pipe|packet|network|unreachable|\bnic\b|econnreset|socket",
    "data": r"malformed|out of range|invalid (?:record|payload|value|character|json|utf)|corrupt|poison|deseriali"
    r"|parse error|cannot parse|failed to parse|unmarshal|validation error|schema mismatch"
    r"|unexpected (?:token|field|type)|not of type|argument must be|type mismatch"
    r"|cannot (?:be )?(?:cast|convert|coerce)"
    r"|unprocessable|\b422\b|number_?format|missing (?:required )?(?:field|property|key)|unknown (?:field|property)"
    r"|脏数据",
    "config": r"config|setting|flag|feature|toggle|\benv\b|rule",
    "dependency_version": r"go\.mod|go\.sum|package(?:-lock)?\.json|requirements|pom\.xml|cargo\.toml|gemfile"
    r"|yarn\.lock|incompatible|version conflict|duplicate registration|nosuchmethod|class_?not_?found|undefined symbol"
    r"|cannot find module|importerror|no module named|版本冲突",
    "logging": r"log_?level|verbos|debug log|logger",
}
SIGNATURES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("certificate", ("certificate",)),
    ("dns", ("dns",)),
    ("quota", ("quota",)),
    ("data", ("data",)),
    ("crash", ("crash", "race")),
    ("saturation", ("pool", "memory", "disk", "cpu", "queue")),
    ("dependency", ("dependency", "network")),
    ("traffic", ("traffic",)),
    ("latency", ("latency", "timeout")),
    ("errors", ("errors", "auth", "sql", "route")),
)
DOWN_IS_BAD = re.compile(
    r"availab|ready|hit_?(?:rate|ratio)|success|healthy|\bup\b|uptime|remaining|free|idle|until_?expiry|committed"
    r"|processed|enriched|completed|apdex",
    re.IGNORECASE,
)
UP_IS_BAD = re.compile(
    r"error|fail|5xx|4xx|40\d|42\d|50\d|latency|duration|p9\d|wait|lag|age|depth|backlog|restart|oom|panic|timeout|throttl"
    r"|reject|dropp|lost|miss|memory|heap|rss|cpu|disk|used|usage|utili|in_use|busy|await|steal|retr|decline|pressure|violat|dead_?letter|dlq|stale|conflict|denied|held|pause|stall|in_flight|pending"
    r"|per_request|queue|exceed|crash|refused|evict|load|duplicat|rebalanc|abort|deadlock",
    re.IGNORECASE,
)
CALLING = re.compile(
    r"upstream|downstream|outbound|\bclient_(?:call|request)|dependency|failed with status|status code"
    r"|answered \d|stale|older than|上游|下游",
    re.IGNORECASE,
)
LOAD = re.compile(r"requests?_per_s|request_rate|\brps\b|\bqps\b|requests?(?:_total)?$|throughput|queries_per_s", re.I)
INFO = re.compile(r"max_conns|_limit(?:_|$)|capacity|ceiling|_max$|replicas_desired|_info$", re.IGNORECASE)

_COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in FAMILIES.items()}
_WORD = re.compile(r"[A-Za-z]+|\d+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z_][A-Za-z0-9_]*)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@lru_cache(maxsize=8192)
def families(text: str) -> frozenset[str]:
    """The kinds of trouble that a text's words speak of."""
    return frozenset(name for name, pattern in _COMPILED.items() if pattern.search(text))


def stem(word: str) -> str:
    """Rough: expired, expires, expiry → expir; connections → connection."""
    for ending in ("ations", "ation", "ating", "ings", "ing", "ied", "ies", "ed", "es", "er", "y", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def words(text: str) -> frozenset[str]:
    """Single words of prose and identifiers, stemmed, without those that say nothing."""
    found = set()
    for piece in _WORD.findall(_CAMEL.sub(" ", text)):
        low = piece.lower()
        if len(low) >= 3 and low not in STOP and not low.isdigit():
            found.add(stem(low))
    return frozenset(found)


def spelt_out(text: str) -> str:
    """Each word that names are made of, in small letters: readTimeout, read_timeout, read-timeout → read timeout."""
    return " ".join(_WORD.findall(_CAMEL.sub(" ", text))).lower()


def identifiers(text: str) -> frozenset[str]:
    """Names made of several parts (`dashboard_favorites`, `poolMax`, `ratelimit.go`), as one lower-case word."""
    found = set()
    for name in _IDENTIFIER.findall(text):
        for part in {name, *re.split(r"[-.]", name)}:
            inner = [p for p in _WORD.findall(_CAMEL.sub(" ", part)) if p]
            if len(inner) >= 2 and len(part) >= 6:
                found.add("_".join(p.lower() for p in inner))
    return frozenset(found)


def signature(found: Iterable[tuple[str, float]]) -> str:
    """The signature with most weight among (family, weight); the more specific one where they are near."""
    weights: dict[str, float] = {}
    for family, weight in found:
        for name, members in SIGNATURES:
            if family in members:
                weights[name] = weights.get(name, 0.0) + weight
    if not weights:
        return ""
    best = max(weights.values())
    return next(name for name, _ in SIGNATURES if weights.get(name, 0.0) >= 0.5 * best)
