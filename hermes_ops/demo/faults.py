"""What can go wrong: for each fault its causes, what the service then says, which metric moves, which alert fires, and
what the change that does it looks like. Data only.

In texts: {service}, {host}, {n}, {ms}, {id}, {flag}; a change's `before` and `after` are the lines of its diff.
"""

from __future__ import annotations

from dataclasses import dataclass

CAUSES = ("deploy", "config", "flag", "upstream", "traffic", "certificate", "none")


@dataclass(frozen=True, slots=True)
class Edit:
    """The change that brings a fault: title, file (under the service's directory), lines of the diff."""

    title: str
    file: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    key: str = ""  # of a configuration change: the key; its values are those of the diff


@dataclass(frozen=True, slots=True)
class Fault:
    """`status`: what the service answers; `slow`: how many times longer it takes; `late`: minutes that the onset may
    come after the change; `metric`: name, usual value, value while it lasts; `logger`: exception class in traces."""

    causes: tuple[str, ...]
    signature: str
    said: tuple[str, ...]
    logger: str
    status: int
    slow: float
    metric: tuple[str, float, float]
    alert: tuple[str, str]
    edit: Edit | None = None
    late: tuple[int, int] = (0, 0)
    slows: bool = False  # people notice that it is slow


FAULTS: dict[str, Fault] = {
    "pool": Fault(
        ("deploy", "config"),
        "saturation",
        (
            "timeout after 3000 ms waiting for a database connection, 2 of 2 in use, {n} waiting",
            "connection pool exhausted: 0 idle, {n} waiting",
        ),
        "PoolTimeoutException",
        500,
        20.0,
        ("db_pool_in_use_ratio", 0.31, 1.0),
        ("ConnectionPoolExhausted", "all database connections of {service} are in use"),
        Edit("right-size the database pool", "config/database.toml", ("pool_max = 20",), ("pool_max = 2",), "pool_max"),
    ),
    "timeout": Fault(
        ("deploy", "config"),
        "errors",
        ("deadline exceeded after 80 ms calling the database", "request {id} gave up after 80 ms: deadline exceeded"),
        "DeadlineExceededException",
        504,
        1.2,
        ("dependency_timeouts_per_minute", 0.0, 9.0),
        ("DependencyTimeouts", "calls of {service} run into their deadline"),
        Edit(
            "tighten client timeouts",
            "config/client.toml",
            ("timeout_ms = 2000",),
            ("timeout_ms = 80",),
            "client.timeout_ms",
        ),
    ),
    "queries": Fault(
        ("deploy",),
        "latency",
        ("slow query {ms} ms: one SELECT per line item, {n} queries", "statement timeout after {ms} ms, {n} queries"),
        "QueryTimeoutException",
        504,
        30.0,
        ("db_queries_per_request", 3.0, 96.0),
        ("SlowQueries", "queries of {service} are slow"),
        Edit(
            "load line items lazily",
            "src/items.py",
            ("    return repo.items_with_prices(order.id)",),
            ("    return [repo.price(item.id) for item in repo.items(order.id)]",),
        ),
        slows=True,
    ),
    "null": Fault(
        ("deploy",),
        "crash",
        ("unhandled exception in request {id}: discount is null", "panic in request {id}: discount is null"),
        "NullPointerException",
        500,
        0.8,
        ("process_restarts_per_minute", 0.0, 2.0),
        ("CrashLooping", "{service} restarts again and again"),
        Edit(
            "simplify discounts",
            "src/discount.py",
            ("    if order.discount is None:", "        return order.total"),
            ("    # every order has a discount since the last migration",),
        ),
    ),
    "memory": Fault(
        ("deploy",),
        "crash",
        ("out of memory: heap limit reached while serving request {id}", "worker killed: out of memory"),
        "OutOfMemoryError",
        503,
        4.0,
        ("process_memory_used_ratio", 0.42, 0.99),
        ("MemoryNearLimit", "memory of {service} is used up"),
        Edit(
            "cache rendered results",
            "src/cache.py",
            ("CACHE = LruCache(max_entries=2000)",),
            ("CACHE = {}  # entries never leave",),
        ),
        late=(20, 60),
    ),
    "column": Fault(
        ("deploy",),
        "errors",
        ('column "settled_at" does not exist', 'query of request {id} failed: column "settled_at" does not exist'),
        "SqlGrammarException",
        500,
        1.0,
        ("db_errors_per_minute", 0.0, 8.0),
        ("DatabaseErrors", "the database refuses queries of {service}"),
        Edit(
            "read settled_at instead of status",
            "src/repository.py",
            ('QUERY = "SELECT id, status FROM entries WHERE id = %s"',),
            ('QUERY = "SELECT id, settled_at FROM entries WHERE id = %s"',),
        ),
        late=(12, 45),
    ),
    "quota": Fault(
        ("config",),
        "quota",
        ("rate limit reached: 60 requests per minute", "request {id} rejected: rate limit of 60 per minute reached"),
        "RateLimitException",
        503,
        0.5,
        ("requests_rejected_per_minute", 0.0, 7.0),
        ("RateLimited", "{service} rejects requests over its limit"),
        Edit(
            "align rate limits with the plan",
            "config/limits.toml",
            ("requests_per_minute = 6000",),
            ("requests_per_minute = 60",),
            "limits.requests_per_minute",
        ),
    ),
    "dns": Fault(
        ("config",),
        "dns",
        ("lookup of db.{service}.internal failed: no such host", "no such host: db.{service}.internal"),
        "UnknownHostException",
        500,
        3.0,
        ("dns_failures_per_minute", 0.0, 8.0),
        ("DnsLookupFailures", "{service} can't resolve names"),
        Edit(
            "move to the new resolver",
            "config/network.toml",
            ('resolver = "10.0.0.2"',),
            ('resolver = "10.9.0.2"',),
            "network.resolver",
        ),
        late=(10, 30),
    ),
    "rule": Fault(
        ("flag",),
        "errors",
        ("{flag}: no rule for currency {id}", "{flag} failed for request {id}: rule set is empty"),
        "MissingRuleException",
        500,
        1.1,
        ("rule_misses_per_minute", 0.0, 8.0),
        ("RuleMisses", "{service} finds no rule for requests"),
        late=(8, 25),
    ),
    "uncached": Fault(
        ("flag",),
        "latency",
        ("{flag}: read-through took {ms} ms", "timeout after {ms} ms in {flag}, {n} reads waiting"),
        "ReadTimeoutException",
        504,
        25.0,
        ("cache_hit_ratio", 0.97, 0.04),
        ("CacheMisses", "the cache of {service} is bypassed"),
        slows=True,
    ),
    "provider": Fault(
        ("upstream",),
        "dependency",
        ("{host} answered 503 Service Unavailable", "call to {host} failed for request {id}: 503 Service Unavailable"),
        "ProviderUnavailableException",
        503,
        2.0,
        ("provider_errors_per_minute", 0.0, 8.0),
        ("ProviderErrors", "{host} answers {service} with errors"),
    ),
    "provider-slow": Fault(
        ("upstream",),
        "dependency",
        ("no answer from {host} within {ms} ms", "call to {host} timed out after {ms} ms for request {id}"),
        "ProviderTimeoutException",
        504,
        25.0,
        ("provider_latency_p99_seconds", 0.21, 4.8),
        ("ProviderSlow", "{host} answers {service} slowly"),
        slows=True,
    ),
    "surge": Fault(
        ("traffic",),
        "traffic",
        ("queue full: {n} requests waiting", "request {id} shed: all workers busy, {n} waiting"),
        "OverloadException",
        503,
        8.0,
        ("worker_busy_ratio", 0.38, 1.0),
        ("TrafficSurge", "{service} gets far more requests than usual"),
    ),
    "certificate": Fault(
        ("certificate",),
        "certificate",
        (
            "TLS handshake with db.{service}.internal failed: certificate has expired",
            "x509: certificate of db.{service}.internal has expired",
        ),
        "CertificateExpiredException",
        500,
        1.5,
        ("tls_handshake_failures_per_minute", 0.0, 8.0),
        ("TlsHandshakeFailures", "TLS handshakes of {service} fail"),
    ),
    "node": Fault(
        ("none",),
        "errors",
        ("read failed: connection reset by peer", "request {id} lost its connection: connection reset by peer"),
        "ConnectionResetException",
        500,
        2.5,
        ("node_disk_await_seconds", 0.004, 0.7),
        ("NodeDiskSlow", "the disk of the node of {service} is slow"),
    ),
}
