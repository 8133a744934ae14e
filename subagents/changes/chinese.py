"""What the analysis says of a change's content, in the asker's language: a table of its sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from subagents.gaps import unread
from subagents.phrasebook import Phrases, phrase

AGAINST = {  # why it isn't this one, in both languages
    "after_onset": ("在开始之后", "after the onset"),
    "other_environment": ("其他环境", "another environment"),
    "not_done": ("未生效", "did not take effect"),
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
    "life of idle connections": "空闲连接保持时间",
    "who counts as the caller": "调用方识别",
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
    "route": "路由",
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
    "numbers used up": "编号、序列或地址用尽",
}
SLOW = " is out or slow"
_OF_ONE = frozenset(("provider outage", "planned work"))  # their title names which one it is
DOES = {  # what a change's lines do, each followed by the line
    "takes out the lock": "去掉了锁",
    "takes out the tolerance": "去掉了容错",
    "takes out the bound": "去掉了上限",
    "takes out the guard": "去掉了检查",
    "takes out an index": "去掉了索引",
    "drops an index": "删除了索引",
    "takes away a right": "收回了权限",
    "no longer gives back what it took": "不再归还占用的资源",
    "no longer gives back in any case what it took": "不再保证归还占用的资源",
    "no longer lets others run while it waits": "等待时不再让出执行",
    "no longer works side by side": "不再并行处理",
    "no longer waits between tries": "重试之间不再等待",
    "no longer catches": "不再捕获",
    "no longer keeps what it asked for": "不再缓存",
    "no longer reads together what belongs together": "不再批量读取关联数据",
    "no longer limits how much it reads": "不再限制读取量",
    "no longer checks": "不再校验",
    "no longer keeps doubles away": "去掉了去重或幂等",
    "no longer does at once what belongs together": "去掉了事务",
    "changes a table that others use": "改动了其他服务使用的表",
    "locks a table while it is changed": "改表期间锁表",
    "locks all rows of a table": "锁住整张表",
    "locks in another order": "改变了加锁顺序",
    "takes a lock": "新增加锁",
    "holds a lock for longer": "持锁时间变长",
    "runs work on a schedule": "新增定时任务",
    "writes numbers or dates as a country's people do": "按地区格式输出数字或日期",
    "spreads work or entries in another way": "改变了分区或路由键",
    "reckons in numbers with less room": "改用范围更小的数值类型",
    "assumes that there is a value": "假定值一定存在",
    "gives up": "新增报错退出",
    "waits where it didn't": "新增等待",
    "calls another system": "新增对其他系统的调用",
    "calls another system in a loop": "在循环中调用其他系统",
    "listens, and never stops listening": "新增监听且从不取消",
    "takes what it doesn't give back": "占用资源而不归还",
    "reads all of it at once": "一次读取全部数据",
    "asks the database something else": "改变了数据库查询",
    "matches texts by a pattern that can take very long": "使用可能极慢的正则表达式",
    "does work at the same time": "引入并发",
    "asks for more than before": "校验比以前严格",
    "is stricter": "校验比以前严格",
    "needs a setting": "需要一项配置",
    "changes how partners are trusted": "改变了 TLS 或信任设置",
    "takes another one for the caller": "改变了调用方识别",
    "changes who may call whom": "改变了访问控制",
    "changes when a process counts as well": "改变了健康检查",
    "changes what a process may do or where it runs": "改变了运行权限或调度位置",
    "logs much more": "日志量大增",
    "writes or reads another form": "改变了数据格式或编码",
    "reckons time in another way": "改变了时间的计算方式",
    "reckons dates in another way": "改变了日期的计算方式",
    "signs or reads secrets in another way": "改变了签名或密钥的读取方式",
    "changes what others read": "改动了其他服务读取的字段",
    "grows without bound": "无上限增长",
    "other keys of cached entries": "改变了缓存的键",
}
CHINESE: Phrases = (
    *((rf"{re.escape(said)}:? (`.*`)", rf"{meant}：\1") for said, meant in DOES.items()),
    *((re.escape(said), meant) for said, meant in DOES.items()),
    (r"points (`.*`) elsewhere", r"\1 指向别处"),
    (r"speaks of what the failures speak of: (.+)", r"与故障用词相同：`\1`"),
    (r"turns a condition \((.+)\)", r"改变条件（\1）"),
    (r"value in (`.*`) (\S+) → (\S+)", r"\1 中的值 \2 → \3"),
    (r"switches (`.*`)", r"切换 \1"),
    (r"works since the flag (.+) was switched", r"开关 \1 切换后才生效"),
    (r"reckons with dates, and the date changed", "与日期有关，而日期刚刚变化"),
    (r"sets (`.*`) to something else", r"\1 改为其他值"),
    (r"edits (\S+), which the failing lines point to", r"改动了报错指向的文件 \1"),
    (r"(?:puts in|takes out) (`.*`), which the failing lines name", r"改动了报错中出现的 \1"),
    (r"puts in (\S+), which the failing lines say", r"引入了报错中出现的 \1"),
    (r"puts in the version (\S+), which the failing lines say", r"引入了报错中出现的版本 \1"),
    (r"works where a line that no longer comes was said: ‘(.*)’", r"改动了不再出现的日志 `\1` 所在的代码"),
    (r"replaces (`.*`)", r"替换 \1"),
    (r"other log level (`.*`)", r"日志级别 \1 改变"),
    (r"works on the table (`.*`), as the failing statements do", r"与出错的语句操作同一张表 \1"),
    (r"works on much data at once: ‘(.*)’", r"批量处理大量数据：`\1`"),
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
