"""What the analysis says of a change's content, in the asker's language: a table of its sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from subagents.gaps import unread
from subagents.phrasebook import Phrases, phrase

AGAINST = {  # why it isn't this one, in both languages
    "after_onset": ("在开始之后", "after the onset"),
    "other_environment": ("其他环境", "another environment"),
    "docs_only": ("仅文档或测试", "documents or tests only"),
    "ended_before": ("早已结束", "over long before"),
    "other_service": ("无关服务", "a service not involved"),
    "unlinked": ("与出错服务的关系未知", "its link to what fails isn't known"),
    "unknown_service": ("未标明服务", "no service named"),
    "too_far": ("时间或依赖太远", "too far away in time or dependency"),
    "cannot": ("内容不可能引起", "can't bring these failures"),
}
OPEN = frozenset(("unlinked", "unknown_service"))  # of these it isn't known either way
KINDS = {
    "deploy": "部署",
    "release": "发布",
    "flag": "开关",
    "config": "配置变更",
    "commit": "提交",
    "ticket": "工单",
}
_WAYS = {"less": "减少", "more": "增加", "major": "主", "minor": "次", "patch": "补丁"}
_KEYS = {
    "time limit": "超时上限",
    "lifetime of cached entries": "缓存有效期",
    "retries": "重试次数",
    "housekeeping": "维护任务",
    "pace": "间隔",
    "rate limit": "限流",
    "pool size": "连接池大小",
    "memory limit": "内存上限",
    "capacity": "容量",
    "batch size": "批量大小",
    "buffer": "缓冲区大小",
    "lease": "租约时长",
    "disk space": "磁盘空间",
    "delay": "延迟",
    "limit": "上限",
}
FAMILIES = {
    "pool": "连接池",
    "timeout": "超时",
    "latency": "延迟",
    "errors": "错误",
    "memory": "内存",
    "crash": "崩溃",
    "queue": "排队",
    "auth": "鉴权",
    "data": "数据",
    "cache": "缓存",
    "sql": "数据库",
    "config": "配置",
    "retry": "重试",
    "traffic": "流量",
    "dependency": "依赖",
    "disk": "磁盘",
    "network": "网络",
    "certificate": "证书",
    "quota": "配额",
    "race": "竞争",
    "dns": "域名解析",
    "logging": "日志",
    "cpu": "CPU",
    "dependency_version": "依赖版本",
}
_CAUSES = {
    "certificate": "证书过期",
    "dns": "域名解析故障",
    "node": "节点或磁盘故障",
    "noisy neighbour": "同机其他负载抢占资源",
    "disk full": "磁盘已满",
    "quota": "平台或供应商配额用尽",
    "region": "云区域故障",
    "failover": "存储或主节点切换",
    "bad data": "输入数据有问题",
    "network": "网络故障",
    "provider outage": "外部供应商故障",
    "traffic surge": "流量突增",
    "planned work": "计划内操作",
}
SLOW = " is out or slow"
_OF_ONE = frozenset(("provider outage", "planned work"))  # their title names which one it is
CHINESE: Phrases = (
    (r"speaks of what the failures speak of: (.+)", r"与故障用词相同：`\1`"),
    (r"does work at the same time", "引入并发"),
    (r"waits where it didn't", "新增等待"),
    (r"turns a condition \((.+)\)", r"改变条件（\1）"),
    (r"value in (`.*`) (\S+) → (\S+)", r"\1 中的值 \2 → \3"),
    (r"switches (`.*`)", r"切换 \1"),
    (r"points (`.*`) elsewhere", r"\1 指向别处"),
    (r"replaces (`.*`)", r"替换 \1"),
    (r"other log level (`.*`)", r"日志级别 \1 改变"),
    (r"takes out the lock (`.*`)", r"去掉了锁 \1"),
    (r"takes out the tolerance (`.*`)", r"去掉了容错 \1"),
    (r"takes out the bound (`.*`)", r"去掉了上限 \1"),
    (r"no longer catches (`.*`)", r"不再捕获 \1"),
    (r"takes out the guard (`.*`)", r"去掉了检查 \1"),
    (r"takes out an index", "去掉了索引"),
    (r"changes a table that others use", "改动了其他服务使用的表"),
    (r"locks a table while it is changed", "改表期间锁表"),
    (r"locks all rows of a table: (`.*`)", r"锁住整张表：\1"),
    (r"runs work on a schedule: (`.*`)", r"新增定时任务：\1"),
    (r"writes numbers or dates as a country's people do: (`.*`)", r"按地区格式输出数字或日期：\1"),
    (r"spreads work or entries in another way: (`.*`)", r"改变了分区或路由键：\1"),
    (r"reckons in numbers with less room: (`.*`)", r"改用范围更小的数值类型：\1"),
    (r"no longer keeps doubles away: (`.*`)", r"去掉了去重或幂等：\1"),
    (r"no longer does at once what belongs together: (`.*`)", r"去掉了事务：\1"),
    (r"changes what others read: (`.*`)", r"改动了其他服务读取的字段：\1"),
    (r"works on the table (`.*`), as the failing statements do", r"与出错的语句操作同一张表 \1"),
    (r"works on much data at once: ‘(.*)’", r"批量处理大量数据：`\1`"),
    (r"asks the database something else", "改变了数据库查询"),
    (r"calls another system in a loop: (`.*`)", r"在循环中调用其他系统：\1"),
    (r"grows without bound: (`.*`)", r"无上限增长：\1"),
)
_MOVED = re.compile(r"([a-z ]+) (`.*`) (\S+) → (\S+) \((less|more), (\S+)-fold\)")
_VERSION = re.compile(r"(major|minor|patch) version of (.+) (\S+) → (\S+)")
_BRINGS = re.compile(r"(.+): can bring ([\w, ]+)", re.DOTALL)


def operational(kind: str, title: str, zh: bool) -> str:
    """A cause that is no change, by its kind and the title that the analysis gives it; a name from the data stands
    between quotes."""
    name = f"`{title.removesuffix(SLOW).replace('`', '')}`"
    if kind in _OF_ONE:
        return f"{_CAUSES[kind]} {name}" if zh else f"{kind} {name}"
    return _CAUSES[kind] if zh else title


def in_words(said: str, zh: bool) -> str:
    """A reason of kind effect or wording; in Chinese what isn't in the table stands between quotes as it is."""
    if not zh:
        return said
    if found := _BRINGS.fullmatch(said):
        kinds = "、".join(FAMILIES.get(kind, kind) for kind in found[2].split(", "))
        return f"{_effect(found[1])}，可能引起{kinds}方面的问题"
    return _effect(said)


def _effect(said: str) -> str:
    if (found := _MOVED.fullmatch(said)) and found[1] in _KEYS:
        return f"{_KEYS[found[1]]} {found[2]} {found[3]} → {found[4]}（{_WAYS[found[5]]}，{found[6]} 倍）"
    if found := _VERSION.fullmatch(said):
        return f"{found[2]} 的{_WAYS[found[1]]}版本 {found[3]} → {found[4]}"
    return phrase(said, CHINESE) or f"`{said.replace('`', '')}`"


def untold(gaps: Sequence[str], cite: str, zh: bool) -> str:
    """That nothing was found, but files that may hold changes weren't read; "" where that isn't so."""
    if not unread(gaps):
        return ""
    if zh:
        return f"没有查到变更，但有文件没有识别、未查，无法判断 {cite}。"
    return f"No change was found, but files that may hold some weren't recognised: can't tell {cite}."
