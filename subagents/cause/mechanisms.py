"""What the lines that a change takes out or puts in can do at run time: words of code and settings in many languages.

Each row is one sentence of the field's knowledge. Data only; none is about one product's or one case's code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mechanism:
    """`text`, with {} for the line; `brings`: families; `gone`: in a removed line and in no added one; `come`: in an
    added line and in no removed one; `unless`: in no added line; `otherwise`: also where a removed line had it, since
    what it does it then does in another way."""

    text: str
    brings: str
    strength: float
    gone: str = ""
    come: str = ""
    unless: str = ""
    otherwise: bool = False


TAKEN_OUT = (  # of each removed line the first that fits
    Mechanism(
        "takes out the lock `{}`", "race crash data", 1.6,
        r"mutex|\block\b|\.r?(?:un)?lock\(|synchronized|atomic|semaphore|\bsync\.",
    ),
    Mechanism(
        "takes out the tolerance `{}`", "auth errors data", 1.4,
        r"leeway|toleran|skew|grace|fallback|lenient|legacy|compat|backward|optional|nullable|default_?value|(?<!sh)(?<!sw)allow_",
    ),
    Mechanism(
        "takes out the bound `{}`", "memory crash pool disk", 1.5,
        r"lru|evict|max_?(?:entries|size|len)|capacity|bounded|maxlen|(?<!thro)ttl(?-i:s?(?![a-z]))|expire|cleanup",
    ),
    Mechanism(
        "no longer gives back what it took: `{}`", "memory crash pool disk", 1.5,
        r"\b\w*(?:close(?!st)|release|dispose|free(?!z)|disconnect|unsubscribe|removeListener|clearInterval|rollback)\w*\("
        r"|\bdefer\b|\bfinally\b|\busing\b|(?m:^)(?>.*?\bwith\b).*\bas\b",
    ),
    Mechanism(
        "no longer gives back in any case what it took: `{}`", "memory crash pool disk", 1.5,
        r"\btry\s*\(|\bdefer\b|\bfinally\b|\busing\b|(?m:^)(?>.*?\bwith\b).*\bas\b",
    ),
    Mechanism(
        "no longer lets others run while it waits: `{}`", "latency timeout queue cpu", 1.5,
        r"\bawait\b|\basync\b|\bsuspend\b|CompletableFuture|\bMono\b|subscribeOn|\.then\(",
    ),
    Mechanism(
        "no longer works side by side: `{}`", "queue latency timeout pool cpu", 1.5,
        r"thread_?pool|worker_?pool|parallel|concurren|gather\(|Promise\.all|\bgo func|pool\.(?:map|submit)",
    ),
    Mechanism(
        "no longer waits between tries: `{}`", "retry traffic cpu errors", 1.3, r"back_?off|jitter|exponential",
    ),
    Mechanism(
        "no longer catches `{}`", "crash errors dependency", 1.2,
        r"\btry\b|\bcatch\b|\bexcept\b|\brescue\b|recover\(|on_?error|circuit",
    ),
    Mechanism(
        "no longer keeps what it asked for: `{}`", "cache latency sql traffic dependency quota cpu", 1.3,
        r"cacheable|cache|memoi[sz]e",
    ),
    Mechanism(
        "no longer reads together what belongs together: `{}`", "sql latency traffic", 1.3,
        r"select_related|prefetch_related|joinedload|selectinload|\.includes\(|preload|eager|join fetch|data_?loader"
        r"|in_?batch|find_each|batch_?get|mget",
    ),
    Mechanism(
        "no longer limits how much it reads: `{}`", "sql memory latency", 1.3,
        r"\blimit\b|paginat|page_?size|\bcursor\b|\btop \d|max_?rows|fetch_?size",
    ),
    Mechanism(
        "takes out the guard `{}`", "crash data errors", 1.5,
        r"(?m:^)(?>.*?\bif\b).*(?:nil|null|None|undefined|len\(|\.length|isEmpty|is_empty|exists|isset|empty"
        r"|instanceof|typeof|not )|\?\.|\bOptional\b|\.get\(|\?\?|assert|require|unwrap_or|or_?else|or_?default"
        r"|coalesce|present\?",
    ),
    Mechanism(
        "no longer checks `{}`", "data errors auth", 1.0, r"valid|sanitiz|verif|\bcheck\w*\(|escape",
    ),
    Mechanism(
        "takes away a right: `{}`", "auth errors", 1.2,
        r"\bgrant|permission|\brole|\bpolicy|\bscope|(?<!sh)(?<!sw)allow|(?-i:[\"'][a-z0-9-]{2,}:[A-Z]\w+[\"'])",
    ),
    Mechanism(
        "no longer keeps doubles away: `{}`", "data race errors", 1.4, r"idempoten|de_?dup|\bdistinct\b|on conflict",
    ),
    Mechanism(
        "no longer does at once what belongs together: `{}`", "data race errors", 1.3,
        r"transaction|\bcommit\(|save_?point|unit_?of_?work",
    ),
    Mechanism(
        "takes out an index: `{}`", "sql latency cpu", 1.6, r"(?:create|add).{0,20}index|index=True|db_index|@Index",
    ),
)  # fmt: skip

PUT_IN = (  # each of an edit's added lines that fits
    Mechanism(
        "drops an index: `{}`", "sql latency cpu", 1.8, come=r"(?:drop|remove)[ _]?index",
    ),
    Mechanism(
        "changes a table that others use: `{}`", "sql errors", 1.6,
        come=r"\b(?:drop|alter|rename|truncate)\s+(?:table|column|constraint)|\b(?:drop|remove|rename)_?(?:column|table)",
    ),
    Mechanism(
        "locks a table while it is changed: `{}`", "sql race latency timeout errors", 1.5,
        come=r"create\s+(?:unique\s+)?index\b|\block\s+table|add\s+column.*not null|add\s+constraint|alter\s+table"
        r"|vacuum full|\b(?:add|create)_?(?:index|foreign_?key|reference|constraint)|(?:alter|change)_?column"
        r"|set\s+not\s+null",
        unless=r"concurrently|not valid|algorithm\W{1,3}(?:inplace|instant)|lock\W{1,2}none",
    ),
    Mechanism(
        "locks all rows of a table: `{}`", "race sql latency timeout errors", 1.8,
        come=r"(?m:^)(?!.*\bwhere\b)(?=.*\bselect\b).*\bfor update\b|\block tables?\b",
    ),
    Mechanism(
        "runs work on a schedule: `{}`", "sql race latency cpu queue", 0.8,
        come=r"cron_?job|\bschedule:|@Scheduled|crontab|add_job\(|\bcron\(",
    ),
    Mechanism(
        "writes numbers or dates as a country's people do: `{}`", "data errors", 1.5,
        come=r"\blocale\b|format_(?:decimal|currency|date)|NumberFormat|DecimalFormat|toLocale\w*String|\bIntl\.|\bbabel\b"
        r"|CultureInfo|setlocale",
        otherwise=True,
    ),
    Mechanism(
        "spreads work or entries in another way: `{}`", "queue cache data", 1.2,
        come=r"(?:partition|shard|routing|hash)_?key|\bpartitioner\b|consistent_?hash|murmur|crc32",
        otherwise=True,
    ),
    Mechanism(
        "reckons in numbers with less room: `{}`", "data errors", 0.9,
        come=r"\bint(?:16|32)\b|\(int\)|\bparseInt\(|\bas [iu](?:16|32)\b|\.int(?:Value)?\(\)|\btoInt\(|\bsmallint\b",
    ),
    Mechanism(
        "takes a lock: `{}`", "race latency timeout pool queue", 1.2,
        come=r"serializable|for update\b|synchronized|\.lock\(|\bmutex\b|with \w*lock\b|advisory_lock",
    ),
    Mechanism(
        "holds a lock for longer: `{}`", "race latency timeout queue pool", 1.4,
        come=r"(?:let|var|val|auto|const|final)\s+(?:mut\s+)?\w+\s*:?=\s*.*\.(?:lock|acquire)\(\)",
    ),
    Mechanism(
        "assumes that there is a value: `{}`", "crash errors", 1.4,
        come=r"\.unwrap\(\)|\.expect\(|!!\.|\w!\.|\.orElseThrow\(|\.get\(\)\.|\bas!|\.fetch\(:|\.first!",
    ),
    Mechanism(
        "gives up: `{}`", "crash errors", 0.9, come=r"\bpanic\(|\bthrow\b|\braise\b|os\.Exit|process\.exit|\babort\(",
    ),
    Mechanism(
        "waits where it didn't: `{}`", "latency timeout queue pool", 1.3,
        come=r"\bsleep\(|\.block\(\)|\.get\(\)\s*;?$|\.join\(\)|runBlocking|\.Result\b|\.Wait\(\)|\wSync\(|\.result\(\)",
    ),
    Mechanism(
        "calls another system: `{}`", "latency timeout dependency network queue", 1.0,
        come=r"\bfetch\(|\baxios\b|\bhttpx?\.(?:get|post|put|request|do)\b|\brequests\.(?:get|post|put|request)|httpClient"
        r"|RestTemplate|WebClient|urlopen|Net::HTTP|reqwest|HTTParty|Faraday|curl_exec|\.execute\("
        r"|client\.\w+\(",
    ),
    Mechanism(
        "listens, and never stops listening: `{}`", "memory crash cpu", 1.4,
        come=r"\.on\(\s*[\"']|add_?(?:event_?)?listener\(|\.subscribe\(|setInterval\(|NewTicker\(|\.observe\(|\.register\(",
        unless=r"\.off\(|remove\w*listener|unsubscri|clearInterval|\.stop\(|unregister|dispose|\.once\(",
    ),
    Mechanism(
        "takes what it doesn't give back: `{}`", "pool memory crash", 1.0,
        come=r"\b(?:open|connect|acquire|getConnection|borrow|createConnection|createClient|checkout|newConnection)\w*\("
        r"|\bnew \w*(?:Client|Connection|Pool|Channel)\(|\b\w*client\.(?:get|post|do|query|stream)\(",
        unless=r"close|release|return_?to|dispose|\bwith\b|\busing\b|defer|finally|pool",
    ),
    Mechanism(
        "reads all of it at once: `{}`", "memory latency sql", 1.0,
        come=r"read_?all|find_?all\(|\.all\(\)|fetchall|toList\(|\.collect\(|load_all|getAll|select \*",
    ),
    Mechanism(
        "asks the database something else: `{}`", "sql latency errors", 0.9,
        come=r"(?m:^)(?>.*?\bselect\b).+\bfrom\b|(?m:^)(?>.*?\bupdate\b).+\bset\b|\b(?:insert\s+into|delete\s+from|join)\b",
        otherwise=True,
    ),
    Mechanism(
        "matches texts by a pattern that can take very long: `{}`", "cpu latency timeout", 1.7,
        come=r"\((?:\?[:=!])?(?:\[[^\]]+\]|\\\w|\.)[+*](?:\\?.[?*])*\)[+*]|[+*]\)[+*]\)[+*]"
        r"|\((?:\?[:=!])?(?:\[[^\]]+\]|\\\w|\.)\*[^()]*[+*]\)[+*]",
    ),
    Mechanism(
        "does work at the same time: `{}`", "race cpu memory pool", 0.6,
        come=r"\bgo (?:func|\w+\()|Thread\(|spawn|create_task|executor\.submit|Promise\.all|parallel|gather\(",
    ),
    Mechanism(
        "asks for more than before: `{}`", "data errors auth", 1.2,
        come=r"strict|forbid|reject|required|mandatory|validat|min_?length|enforce|\bnot null",
    ),
    Mechanism(
        "needs a setting: `{}`", "config crash errors", 1.0,
        come=r"environ\[|process\.env\.|getenv\(|mustGet|MustEnv|ENV\.fetch|@Value\(",
    ),
    Mechanism(
        "changes how partners are trusted: `{}`", "certificate auth network dependency errors", 1.2,
        come=r"min_?version|tlsv?1|cipher|truststore|keystore|sslmode|ssl_verify|mtls|ca_?(?:cert|bundle|file)|verify_peer",
        otherwise=True,
    ),
    Mechanism(
        "takes another one for the caller: `{}`", "quota auth errors", 1.2,
        come=r"x-forwarded|x-real-ip|real_?ip|remote_?addr|trust(?:ed)?_?prox|forwarded_?(?:for|allow)|proxy_?protocol|client_?ip"
        r"|externalTrafficPolicy",
    ),
    Mechanism(
        "changes who may call whom: `{}`", "network timeout dependency auth errors", 1.2,
        come=r"NetworkPolicy|\bingress\b|\begress\b|security_?group|firewall|allow-?origin|\bdeny\b|whitelist|allowlist|cidr",
        otherwise=True,
    ),
    Mechanism(
        "changes when a process counts as well: `{}`", "crash errors", 1.0,
        come=r"(?:readiness|liveness|startup)_?Probe|failureThreshold|initialDelaySeconds",
    ),
    Mechanism(
        "changes what a process may do or where it runs: `{}`", "crash errors disk", 1.0,
        come=r"readOnlyRootFilesystem|runAsNonRoot|runAsUser|securityContext|nodeSelector|affinity|hostNetwork|seccomp",
    ),
    Mechanism(
        "logs much more: `{}`", "logging disk cpu memory latency", 1.0,
        come=r"(?:level|log).{0,20}\b(?:debug|trace|all)\b|(?m:^)(?>.*?log\w*+\W).*(?:body|payload|dump|headers)",
    ),
    Mechanism(
        "writes or reads another form: `{}`", "data errors", 1.0,
        come=r"marshal|serializ|encod|\bavro\b|protobuf|content-?type|charset|gzip|zstd|snappy|parquet|msgpack|json:\"",
        otherwise=True,
    ),
    Mechanism(
        "reckons time in another way: `{}`", "data errors auth", 0.7,
        come=r"utcnow|time_?zone|\btz\b|LocalDate|strftime|strptime|toISOString|ZoneId|DateTimeFormat",
        otherwise=True,
    ),
    Mechanism(
        "signs or reads secrets in another way: `{}`", "auth errors", 1.2,
        come=r"hmac|sha\d|\brs\d{3}|\bhs\d{3}|decrypt|encrypt|signing|kms|vault",
        otherwise=True,
    ),
)  # fmt: skip


def compiled(rows: tuple[Mechanism, ...]) -> tuple[tuple[Mechanism, re.Pattern[str]], ...]:
    return tuple((m, re.compile(m.gone or m.come, re.IGNORECASE)) for m in rows)
