"""Which pod, instance, region, version … it was, and of how many users: asked by words of the question, answered from
what the failing lines and the moved series name. Where no field of that kind exists, that is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from orchestrator.contracts import Json
from subagents.plain.kinds import changes_asked, kinds
from subagents.plain.seen import Seen
from subagents.plain.words import stop
from subagents.saying import HOW_MANY, joined

MOST = 6  # values that an answer names
MAIN = 2 / 3  # of the lines: then one value stands out
PART = 0.5  # of the failing lines must name a user for their number to tell how many were hit


class Part(NamedTuple):
    """`said`: what a question calls it; `keys`: how fields that hold it are called, the closest first, in lower case
    without punctuation (`pod_name`, `podName` and `k8s.pod.name` are podname or pod)."""

    name: str
    zh: str
    said: str
    keys: tuple[str, ...]


PARTS: tuple[Part, ...] = (
    Part("pod", "Pod", r"pods?|容器组?|containers?", ("pod", "podname", "container", "containername")),
    Part("instance", "实例", r"instances?|replicas?|实例|副本",
         ("instance", "instanceid", "replica", "pod", "host", "node")),
    Part("host", "主机", r"hosts?|hostnames?|machines?|servers?|vms?|主机|机器|服务器",
         ("host", "hostname", "machine", "server", "vm", "node", "instance")),
    Part("node", "节点", r"nodes?|节点", ("node", "nodename", "host", "hostname")),
    Part("broker", "broker", r"brokers?", ("broker", "brokerid")),
    Part("region", "地域", r"regions?|地域|地区|区域|大区", ("region", "regionid", "awsregion", "location")),
    Part("zone", "可用区", r"availability zones?|zones?|azs?|data ?cent(?:er|re)s?|dcs?|idcs?|可用区|机房",
         ("az", "zone", "availabilityzone", "idc", "datacenter", "dc")),
    Part("version", "版本", r"versions?|builds?|版本",
         ("version", "ver", "appversion", "release", "build", "tag", "imagetag")),
    Part("tenant", "租户", r"tenants?|租户", ("tenant", "tenantid")),
    Part("namespace", "命名空间", r"namespaces?|命名空间", ("namespace", "ns")),
    Part("cluster", "集群", r"clusters?|集群", ("cluster", "clustername", "clusterid")),
    Part("partition", "分区", r"partitions?|shards?|分区|分片", ("partition", "partitionid", "shard", "shardid")),
    Part("topic", "topic", r"topics?|queues?|队列|主题", ("topic", "queue", "queuename")),
    Part("task", "任务", r"tasks?|jobs?|dags?|任务|作业", ("task", "taskid", "job", "dag", "dagid")),
    Part("path", "接口", r"endpoints?|paths?|routes?|urls?|uris?|接口|路径",
         ("path", "route", "uri", "url", "endpoint", "request")),
)  # fmt: skip
USERS = Part(
    "user", "用户", r"用户|客户|玩家|会员|顾客|users?|customers?|players?|members?",
    ("uid", "user", "userid", "player", "playerid", "customer", "customerid", "member", "memberid", "account",
     "accountid",
     "openid", "buyer"),
)  # fmt: skip
_WORDS = "|".join(p.said for p in PARTS)
_WHICH = re.compile(
    r"(?:哪(?:一|几|些|个|台|几个|几台|些个|一个|一台)?|影响了?(?:到|哪些|哪个|哪几个)?|什么)"
    rf"\s?(?P<zh>{_WORDS})(?![A-Za-z-])"
    rf"|\b(?:which|what)\s(?:of the |other |one of the )?(?P<en>{_WORDS})\b(?![-'])",
    re.IGNORECASE,
)
_LOADED = re.compile(  # of metrics, or of what was built into a change
    r"(?<![a-z])(?:cpu|memory|disk|latency|qps|rps)(?![a-z])|内存|磁盘|延迟|耗时|负载|慢|\bslow"
    r"|引起|导致|\bcaus|\bbroke\b|\bintroduc",
    re.IGNORECASE,
)
_FAILS = re.compile(r"错|失败|异常|问题|影响|坏|挂|\b(?:fail\w*|errors?|affected|impacted|bad|broken)\b", re.IGNORECASE)
ROUTE = re.compile(r"(?<![A-Za-z0-9_.:/-])(/[A-Za-z{][\w.{}~%:*-]*(?:/[\w.{}~%:*-]+)*)", re.ASCII)
RATED = re.compile(r"错误率|失败率|成功率|可用[率性]|\b(?:error|failure|success) rate\b|\bavailab\w+", re.IGNORECASE)


def asked(text: str) -> Part | None:
    """What a question wants named; None where it wants none of these."""
    found = _WHICH.search(text)
    if found is None or changes_asked(text) is not None or _LOADED.search(text):
        return None
    word = found["zh"] or found["en"]
    part = next(p for p in PARTS if re.fullmatch(p.said, word, re.IGNORECASE))
    bare = found[0] == text.strip(" ?？。.!！")
    return part if part.name != "version" or bare or _FAILS.search(text) else None  # else which one runs


def route(text: str) -> str:
    """The path of requests that a question narrows to; "" where it names none."""
    found = ROUTE.search(text)
    return found[1].rstrip("./:") if found else ""


def told(seen: Seen) -> list[str]:
    """The values that failing lines name, most first, and the series that moved; that no field of the kind exists."""
    part = asked(seen.text)
    got = seen.of("count_field")
    if part is None or got is None or got[0]["field"] != part.name:
        return []
    data, cite, _ = got
    lines = [_values(seen, part, data, cite)] if data["values"] else []
    lines += _series(seen, part)
    if lines:
        return lines
    zh, name = seen.zh, part.zh if seen.zh else part.name
    if not data["lines"]:
        none = (
            f"{seen.span} 内没有错误日志，说不出是哪个{name}"
            if zh
            else f"No failing line in {seen.span} that could name a {name}"
        )
        return [stop(none, cite, zh)]
    none = f"错误日志和指标里都没有{name}字段，说不出是哪个" if zh else (
        f"No field of the failing lines and no label of a metric tells the {name}"
    )  # fmt: skip
    return [stop(none, cite, zh)]


def _values(seen: Seen, part: Part, data: Json, cite: str) -> str:
    zh, rows, held = seen.zh, data["values"], data["held"]
    named = joined((f"{value} ({n})" for value, n in rows[:MOST]), zh)
    top = f"{part.name} {rows[0][0]}" if str(rows[0][0]).isdigit() else rows[0][0]
    more = len(rows) > MOST
    if zh:
        lead = f"主要是 {top}" if rows[0][1] >= MAIN * held else f"不止一个{part.zh}"
        said = f"{lead}：按 {data['key']} 分，错误日志 {named}" + ("，其余更少" if more else "")
        return stop(said + _of(data, zh), cite, zh)
    lead = f"Mostly {top}" if rows[0][1] >= MAIN * held else f"Not one {part.name} alone"
    said = f"{lead}: failing lines by {data['key']}: {named}" + (", others fewer" if more else "")
    return stop(said + _of(data, zh), cite, zh)


def _of(data: Json, zh: bool) -> str:
    """What of the failing lines was looked at, where that isn't all."""
    said = ""
    if data["held"] < data["looked"]:
        said = (
            f"（{data['looked']} 行里有 {data['held']} 行写明）"
            if zh
            else f" ({data['held']} of {data['looked']} lines name one)"
        )
    if data["looked"] < data["lines"]:
        said += f"（只看了最早的 {data['looked']} 行，共 {data['lines']} 行）" if zh else (
            f" (of the first {data['looked']} of {data['lines']} lines)"
        )  # fmt: skip
    return said


def _series(seen: Seen, part: Part) -> list[str]:
    """The series that moved and whose labels name one."""
    got, zh = seen.of("metric"), seen.zh
    rows = [m for m in got[0]["series"] if not m["harmless"] and _labelled(m["name"], part)] if got else []
    if got is None or not rows:
        return []
    m = rows[0]
    since = seen.clock.at(datetime.fromisoformat(m["onset"]))
    said = f"`{m['name']}` {m['before']}{m['unit']} → {m['during']}{m['unit']}"
    return [stop(f"指标 {said}，{since} 起" if zh else f"Metric {said} since {since}", got[1], zh)]


def _labelled(name: str, part: Part) -> bool:
    labels = re.findall(r"([\w.]+)=", name.partition("{")[2])
    return any(key_of(label, part) is not None for label in labels)


def key_of(field: str, part: Part) -> int | None:
    """How near the name of a field comes to what is wanted, 0 the nearest; None where it is something else:
    `k8s.pod`, `kubernetes.pod_name`, `ctx.player.id`."""
    pieces = re.split(r"[.]", field)
    last = re.sub(r"[\W_]", "", pieces[-1]).casefold()
    if last in ("id", "name") and len(pieces) > 1:
        last = re.sub(r"[\W_]", "", pieces[-2]).casefold()
    return part.keys.index(last) if last in part.keys else None


def users(seen: Seen) -> list[str]:
    """How many different users the failing lines name, and by which field; nothing where no field holds them."""
    got, zh = seen.of("count_field"), seen.zh
    if got is None or got[0]["field"] != USERS.name:
        return []
    data, cite, _ = got
    if not data["distinct"]:
        return []
    n, whole = data["distinct"], data["looked"] >= data["lines"]
    if data["held"] < PART * data["looked"]:
        few = f"没法计数：{data['looked']} 行错误日志里只有 {data['held']} 行写明用户（{n} 个不同的）" if zh else (
            f"Can't be counted: only {data['held']} of {data['looked']} failing lines name a user ({n} different)"
        )  # fmt: skip
        return [stop(few, cite, zh)]
    least = "" if whole else "至少 " if zh else "at least "
    if zh:
        said = f"出错的日志里有 {least}{n} 个不同的 {data['key']}{_of(data, zh)}"
    else:
        said = f"{least}{n} different {data['key']} in the failing lines{_of(data, zh)}".capitalize()
    return [stop(said, cite, zh), *_of_asked(data, cite, zh)]


def _of_asked(data: Json, cite: str, zh: bool) -> list[str]:
    rows: Sequence[Json] = data["whose"]
    if len(rows) < 2:
        return []
    named = joined((f"{service} {n}" for service, n in rows[:MOST]), zh)
    return [stop(f"各服务分别：{named}" if zh else f"By service, some in several: {named}", cite, zh)]


def rate(seen: Seen) -> list[str]:
    """How many requests to the path that is named failed, and which part that is; that it couldn't be narrowed."""
    path, zh = route(seen.text), seen.zh
    if not (RATED.search(seen.text) or HOW_MANY.search(seen.text)) and kinds(seen.text):
        return []  # "/pay 什么时候开始报错" asks for something else
    got = seen.of("count_requests")
    if not path or got is None or got[0]["path"] != path:
        return []
    data, cite, _ = got
    of = joined(seen.asked, zh)
    if not data["requests"]:
        none = f"{seen.span} {of and of + ' '}的日志里没有到 `{path}` 的请求，没法只看这个路径" if zh else (
            f"No log line{' of ' + of if of else ''} in {seen.span} is a request to `{path}`: it couldn't be narrowed"
        )  # fmt: skip
        return [stop(none, cite, zh), *_whole(seen)]
    n, bad, percent = data["requests"], data["failed"], data["percent"]
    loose = ("（含以它开头的路径）" if zh else " (longer paths among them)") if data["loose"] else ""
    if zh:
        said = f"{of and of + ' '}`{path}` 的错误率 {percent:g}%：{n} 次请求中失败 {bad} 次{loose}"
    else:
        said = f"Error rate of `{path}`{' on ' + of if of else ''}: {percent:g}% ({bad} of {n} requests failed{loose})"
    codes = joined((f"{code} ({k})" for code, k in data["codes"]), zh)
    more = [stop(f"状态码：{codes}" if zh else f"Codes: {codes}", cite, zh)] if codes else []
    return [stop(said, cite, zh), *more]


def _whole(seen: Seen) -> list[str]:
    """The error rate of all requests of the asked services."""
    rows, cite = seen.rows("availability", "ratios")
    named = joined((f"{r['service']} {100.0 - r['percent']:.4g}%（{r['bad']}/{r['total']}）" if seen.zh else
                    f"{r['service']} {r['bad']} of {r['total']}" for r in rows[:MOST]), seen.zh)  # fmt: skip
    said = f"全部请求的失败数：{named}" if seen.zh else f"Of all requests failed: {named}"
    return [stop(said, cite, seen.zh)] if named else []
