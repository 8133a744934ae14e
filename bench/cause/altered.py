"""An incident's folder, altered: a kind of file left out, or the same told otherwise. What is right stays right.

Each alteration takes a writable copy of a folder in RootCauseBench's form and its truth, changes the copy, and gives
the truth as it is then. Deterministic.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

Truth = dict[str, Any]
Alteration = Callable[[Path, Truth], Truth]
Row = dict[str, Any]
COMMITS, DEPLOYS, FLAGS = "context/commits.json", "context/deploys.json", "context/flags.json"
LATER = timedelta(days=17)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")
_WORD = re.compile(r"[A-Za-z]+")
CHINESE = {
    "fix": "修复", "feat": "新增", "chore": "杂项", "refactor": "重构", "perf": "性能优化", "add": "增加",
    "bump": "升级", "update": "更新", "upgrade": "升级", "remove": "删除", "drop": "去掉", "tidy": "整理",
    "tune": "调整", "adjust": "调整", "simplify": "简化", "rename": "重命名", "support": "支持",
    "handle": "处理", "move": "移动", "split": "拆分", "pool": "连接池", "cache": "缓存", "queue": "队列",
    "retry": "重试", "timeout": "超时", "default": "默认", "shared": "公共", "config": "配置",
    "settings": "设置", "handler": "处理器", "request": "请求", "response": "响应", "token": "令牌",
    "index": "索引", "query": "查询", "table": "表", "order": "订单", "payment": "支付", "checkout": "结算",
    "cart": "购物车", "catalog": "目录", "user": "用户", "inventory": "库存", "helper": "辅助函数",
    "metrics": "指标", "log": "日志", "logging": "日志", "dependencies": "依赖", "limit": "限制",
    "counter": "计数器", "validation": "校验", "expiry": "过期",
}  # fmt: skip


def without(*files: str) -> Alteration:
    return partial(_without, files)


def _without(files: tuple[str, ...], folder: Path, truth: Truth) -> Truth:
    for name in files:
        (folder / name).unlink(missing_ok=True)
    return truth


def without_trace_ids(folder: Path, truth: Truth) -> Truth:
    return _lines(folder, truth, lambda row: {k: v for k, v in row.items() if k != "trace_id"})


def without_diffs(folder: Path, truth: Truth) -> Truth:
    return _rows(folder, truth, COMMITS, lambda rows: [{**r, "diff": None} for r in rows])


def without_cause(folder: Path, truth: Truth) -> Truth:
    """The change to blame, and the deploys that bring it, are nowhere written: then nothing may be blamed for it."""
    sha = truth["root_cause_commit"]
    for name, key in ((COMMITS, "sha"), (DEPLOYS, "commit_sha")):
        _rows(folder, truth, name, partial(_but, key, sha))
    return {**truth, "root_cause_commit": "none", "hidden": sha != "none"}


def _but(key: str, value: str, rows: list[Row]) -> list[Row]:
    return [r for r in rows if r[key] != value]


def later(folder: Path, truth: Truth) -> Truth:
    """All times by whole days."""
    return _text(folder, truth, lambda text: _TIME.sub(_later, text))


def _later(said: re.Match[str]) -> str:
    return (datetime.fromisoformat(said.group()) + LATER).isoformat()


def renamed(folder: Path, truth: Truth) -> Truth:
    """Services bear names without a meaning, in texts and directories alike."""
    names = sorted(_services(folder), key=lambda n: (-len(n), n))
    new = {name: f"svc-{chr(97 + i // 26)}{chr(97 + i % 26)}" for i, name in enumerate(names)}
    said = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
    short = {re.sub(r"[-_]?(?:service|svc)?(?:-\d+)?$", "", name): bare for name, bare in new.items()}
    path = re.compile(rf"(?<=/)(?:{'|'.join(map(re.escape, filter(None, short)))})(?=/)")

    def other(text: str) -> str:
        return path.sub(lambda m: short[m.group()], said.sub(lambda m: new[m.group()], text))

    _text(folder, truth, other)
    first, blast = truth["first_failing_service"], truth["blast_radius"]
    return {**truth, "first_failing_service": new[first], "blast_radius": [new.get(n, n) for n in blast]}


def reordered(folder: Path, truth: Truth) -> Truth:
    """Changes stand in another order: every second one first, backwards."""
    for name in (COMMITS, DEPLOYS, FLAGS):
        _rows(folder, truth, name, lambda rows: [*rows[::-2], *rows[-2::-2]])
    return truth


def untitled(folder: Path, truth: Truth) -> Truth:
    return _rows(folder, truth, COMMITS, lambda rows: [{**r, "message": "update"} for r in rows])


def in_chinese(folder: Path, truth: Truth) -> Truth:
    """Titles of changes, word by word; what has no word of its own is left out."""

    def said(text: str) -> str:
        return " ".join(CHINESE[w.lower()] for w in _WORD.findall(text) if w.lower() in CHINESE) or "其他修改"

    return _rows(folder, truth, COMMITS, lambda rows: [{**r, "message": said(r["message"])} for r in rows])


def in_files(folder: Path, truth: Truth) -> Truth:
    """A log file for each service, in two rotations."""
    rows = _read(folder / "logs.ndjson")
    parts: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        parts[row["service"]].append(row)
    for name, mine in parts.items():
        half = len(mine) // 2
        _write(folder / f"logs/{name}.ndjson.1", mine[:half])
        _write(folder / f"logs/{name}.ndjson", mine[half:])
    (folder / "logs.ndjson").unlink()
    return truth


def as_plain_text(folder: Path, truth: Truth) -> Truth:
    """Logs as lines for people, a file for each service."""
    parts: dict[str, list[str]] = defaultdict(list)
    for row in _read(folder / "logs.ndjson"):
        said = {k: v for k, v in row.items() if k not in ("timestamp", "service", "severity_text", "msg")}
        fields = " ".join(f"{k}={v}" for k, v in said.items() if isinstance(v, str | int | float))
        level = row.get("severity_text", "INFO")
        parts[row["service"]].append(f"{row['timestamp']} {level} {row.get('msg', '')} {fields}".replace("\n", "\\n"))
    for name, lines in parts.items():
        (folder / f"{name}.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "logs.ndjson").unlink()
    return truth


def thinned(folder: Path, truth: Truth) -> Truth:
    """Of three log lines one."""
    _write(folder / "logs.ndjson", _read(folder / "logs.ndjson")[::3])
    return truth


def coarse(folder: Path, truth: Truth) -> Truth:
    """Metrics every five minutes."""
    path = folder / "metrics.csv"
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    at = head.split(",").index("timestamp")
    kept = [r for r in rows if int(r.split(",")[at][14:16]) % 5 == 0]
    path.write_text("\n".join([head, *kept]) + "\n", encoding="utf-8")
    return truth


def with_bystanders(folder: Path, truth: Truth) -> Truth:
    """Harmless deploys of the failing service and of one it reached, minutes before the alert."""
    alert = json.loads((folder / "alert.json").read_text(encoding="utf-8"))
    fired = datetime.fromisoformat(alert["fired_at"].replace("Z", "+00:00"))
    made = []
    for n, name in enumerate([truth["first_failing_service"], *truth["blast_radius"][:1]]):
        at = (fired - timedelta(minutes=9 - 2 * n)).strftime("%Y-%m-%dT%H:%M:%SZ")
        made.append((f"{'b5' * 19}0{n}", name, at))
    diff = '@@ src/about.py @@\n-TITLE = "About us"\n+TITLE = "About our team"'
    words = {"author": "sam", "message": "feat: new title of the about page", "files_changed": ["src/about.py"]}
    commits = [{"sha": sha, "timestamp": at, **words, "diff": diff} for sha, _, at in made]
    deploys = [{"timestamp": at, "service": name, "commit_sha": sha, "version": "v7"} for sha, name, at in made]
    _rows(folder, truth, COMMITS, lambda rows: [*rows, *commits])
    _rows(folder, truth, DEPLOYS, lambda rows: [*rows, *deploys])
    decoys = [*truth["decoy_deploy_commits"], *(c["sha"] for c in commits)]
    return {**truth, "decoy_deploy_commits": decoys}


ALTERATIONS: Mapping[str, Alteration] = {
    "as it is": without(),
    "no metrics": without("metrics.csv"),
    "no traces": without("traces.json"),
    "no patterns": without("patterns.json"),
    "no alert": without("alert.json"),
    "no flags": without(FLAGS),
    "no logs": without("logs.ndjson"),
    "no deploys": without(DEPLOYS),
    "no diffs": without_diffs,
    "no trace ids": without_trace_ids,
    "logs and changes only": without("metrics.csv", "traces.json", "patterns.json", "alert.json"),
    "metrics and changes only": without("logs.ndjson", "traces.json", "patterns.json", "alert.json"),
    "later by days": later,
    "neutral names": renamed,
    "changes in another order": reordered,
    "titles say nothing": untitled,
    "titles in Chinese": in_chinese,
    "logs in several files": in_files,
    "logs as plain text": as_plain_text,
    "a third of the logs": thinned,
    "metrics every 5 minutes": coarse,
    "innocent deploys nearby": with_bystanders,
    "the cause unrecorded": without_cause,
}


# ── files ─────────────────────────────────────────────────────────────────────────────────────


def _services(folder: Path) -> set[str]:
    """All that any file names as a service."""
    text = "\n".join(p.read_text(encoding="utf-8") for p in _files(folder))
    named = set(re.findall(r'"service":\s*"([^"]+)"', text))
    with (folder / "metrics.csv").open(encoding="utf-8", newline="") as file:
        return named | {row["service"] for row in csv.DictReader(file)}


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file())


def _text(folder: Path, truth: Truth, change: Callable[[str], str]) -> Truth:
    for path in _files(folder):
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return truth


def _rows(folder: Path, truth: Truth, name: str, change: Callable[[list[Row]], list[Row]]) -> Truth:
    path = folder / name
    if path.is_file():
        rows = change(json.loads(path.read_text(encoding="utf-8")))
        path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    return truth


def _lines(folder: Path, truth: Truth, change: Callable[[Row], Row]) -> Truth:
    _write(folder / "logs.ndjson", [change(row) for row in _read(folder / "logs.ndjson")])
    return truth


def _read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _write(path: Path, rows: list[Row]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
