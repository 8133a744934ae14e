"""Operational causes by what failing lines say and which metrics move: words of the field, none of a product. Data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """`says`: in new failing lines (with its weight); `moved`: in the names of moved metrics."""

    kind: str
    title: str
    says: str
    weight: float
    moved: str = ""


_ZONE = (
    r"region|availability zone|\baz-?\d"
    r"|\b(?:us|eu|ap|cn|sa|ca)-(?:east|west|north|south|central|southeast|northeast)-\d"
)
_OUT = r"outage|unavailab|\bdown\b|unreachable|impair|degrad|power|lost|isolated|event|disrupt|elevated"

RULES = (
    Rule(
        "certificate",
        "a certificate has expired",
        r"(?:certificat|x509|\btls\b|\bcert\b).{0,60}(?:expir(?!\w* (?:in|within) \d|\w* ?soon)|not yet valid)"
        r"|(?:certificat|x509|\btls\b|\bcert\b).{0,60}not ?after"
        r"|expired.{0,20}(?:certificat|\bcert\b)|证书.{0,6}过期",
        4.5,
        r"cert.*expir|handshake_fail",
    ),
    Rule(
        "dns",
        "names can't be resolved",
        r"no such host|nxdomain|servfail|name resolution|could not resolve|getaddrinfo|enotfound"
        r"|dns (?:lookup|timeout|server)|lookup \S+ (?:on \S+ )?failed|域名解析失败",
        2.6,
        r"dns",
    ),
    Rule(
        "node",
        "a node or its disk is in trouble",
        r"node ?not ?ready|kernel|i/o error|hardware|machine check|\becc\b|node .{0,30}(?:down"
        r"|unreachable|lost|preempt|pressure)|read-only file system|evicted|taint"
        r"|spot (?:instance )?(?:interrupt|reclaim)|preemptible|内核|节点",
        2.6,
        r"\bnode_(?:disk_(?:io|read|write|await)|pressure|not_?ready|unavail)|disk_await|io_?wait|disk_io",
    ),
    Rule(
        "noisy neighbour",
        "another workload on the same machine takes its resources",
        r"noisy|neighbou?r|cpu steal|steal time|cpu.{0,20}throttl|throttl.{0,20}cpu|co-?tenant|shared (?:node|host)",
        3.0,
        r"steal|cpu.*throttl|pressure",
    ),
    Rule(
        "disk full",
        "a disk is full",
        r"no space left|enospc|disk (?:is )?full|quota exceeded on disk|磁盘.{0,4}满",
        2.2,
        r"disk.*us|filesystem.*us|volume.*us",
    ),
    Rule(
        "quota",
        "a quota of a platform or provider is used up",
        r"quota|limit ?exceeded|rate exceeded|(?<!cpu )throttl(?!.{0,20}cpu)|too many requests|\b429\b"
        r"|insufficient capacity|配额",
        2.0,
        r"quota|throttl",
    ),
    Rule(
        "region",
        "a region or zone of the cloud is out",
        rf"(?:{_ZONE}).{{0,60}}(?:{_OUT})|(?:{_OUT}).{{0,60}}(?:{_ZONE})",
        2.4,
    ),
    Rule(
        "failover",
        "a data store or leader changed over",
        r"failover|fail-over|leader (?:election|lost|changed)|no leader|primary (?:changed"
        r"|stepped down|is down)|promot(?:ed|ing)|not (?:the )?(?:leader|primary)|split.?brain|主从切换",
        2.2,
        r"leader|failover",
    ),
    Rule(
        "bad data",
        "bad input data",
        r"malformed|out of range|poison|corrupt|undecodable|invalid (?:record|payload|utf|character"
        r"|byte)|deserializ\w* (?:error|fail)|(?:cannot|failed to|can't|unable to) (?:parse|decode"
        r"|deserialize)|unexpected (?:token|field|value)|parse error|schema mismatch|validation error"
        r"|脏数据",
        2.4,
        r"validation_err|parse_err|dlq|poison|malformed",
    ),
    Rule(
        "numbers used up",
        "a range of numbers or ids is used up",
        r"reached maximum value of sequence|out of range for (?:type |column )?\S*int|integer (?:overflow|out of range)"
        r"|arithmetic overflow|wraparound"
        r"|(?:ids?|sequence|serial|auto_?increment|ports?|addresses).{0,30}(?:exhausted|used up)"
        r"|exhausted.{0,20}(?:ids|sequence|ports|addresses)",
        3.4,
    ),
    Rule(
        "network",
        "the network is in trouble",
        r"packet loss|network (?:is )?unreachable|no route to host|link down|\bbgp\b"
        r"|partition(?:ed)? network|mtu",
        2.4,
        r"packet|tcp_retrans|network_err",
    ),
)
