"""What systems of delivery export: runs, forms and deployments, under whatever names; those that changed nothing; and
records of things, which are no lines of a log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from subagents import changes
from subagents.folder.folder import Folder
from subagents.gaps import unread
from subagents.sources import Change, ChangeQuery, LogQuery
from tests.subagents.folder.helpers import ALL, counted, folder_of, utc, window
from tests.subagents.rig import context, findings


async def listed(folder: Folder) -> dict[str, Change]:
    return {c.id: c for c in (await folder.sources().changes[0].list(ChangeQuery(ALL))).rows}


def run(id: str, status: str, message: str, **stamps: str) -> dict[str, Any]:
    told = {
        "created-at": "2026-11-30T02:01:00+00:00",
        "message": message,
        "status": status,
        "status-timestamps": stamps,
    }
    who = {"data": {"id": "user-1", "type": "users"}}
    where = {"data": {"id": "ws-1", "type": "workspaces"}}
    return {"id": id, "type": "runs", "attributes": told, "relationships": {"created-by": who, "workspace": where}}


RUNS = [
    run("run-1", "applied", "orders: fewer iops", **{"applied-at": "2026-11-30T02:05:00+00:00"}),
    run("run-2", "planned_and_finished", "orders: more memory"),
    run("run-3", "errored", "Triggered via UI"),
]
INCLUDED = [
    {"id": "user-1", "type": "users", "attributes": {"username": "jo"}},
    {"id": "ws-1", "type": "workspaces", "attributes": {"name": "orders"}},
]
LINE = '{"time": "2026-11-30T02:00:00Z", "level": "info", "service": "orders", "msg": "ok"}\n'


@pytest.mark.parametrize("lines", [False, True])
async def test_runs_of_terraform_are_changes_from_when_they_were_applied(tmp_path: Path, lines: bool) -> None:
    whole = json.dumps({"data": RUNS, "included": INCLUDED})
    exported = "".join(json.dumps(r) + "\n" for r in RUNS) if lines else whole
    folder = folder_of(tmp_path, {"tfc-runs.json": exported, "a.log": LINE})
    found = await listed(folder)
    assert {i: (c.kind, c.outcome) for i, c in found.items()} == {
        "run-1": ("config", ""), "run-2": ("config", "planned_and_finished"), "run-3": ("config", "errored"),
    }  # fmt: skip
    one = found["run-1"]
    assert (one.at, one.service, one.title) == (utc("2026-11-30T02:05:00"), "orders", "orders: fewer iops")
    assert one.author == ("user-1" if lines else "jo")
    assert found["run-3"].service == ("" if lines else "orders")  # by its workspace
    assert folder.coverage().services == ("orders",)


THINGS = [
    {"id": 7, "created_at": "2026-11-30T02:01:00Z", "message": "smaller pool", "state": "merged", "user": "jo"},
    {"id": "a", "createdAt": "2026-11-30T02:01:00Z", "text": "nightly", "status": "applied", "plan": "p"},
    {"id": "b", "create_time": "2026-11-30T02:01:00Z", "body": "resize", "update_time": "2026-11-30T02:09:00Z"},
    {"id": "c", "attributes": {"created-at": "2026-11-30T02:01:00Z", "message": "x", "status": "done", "source": "s"}},
]
OF_LOGS = [
    {"createdAt": "2026-11-30T02:01:00Z", "level": "error", "message": "boom", "updatedAt": "2026-11-30T02:01:00Z"},
    {"createdAt": "2026-11-30T02:01:00Z", "message": "boom", "status": "error", "host": "h"},
    {"createdAt": "2026-11-30T02:01:00Z", "message": "POST /pay", "status": 500, "host": "h"},
    {"id": "1", "attributes": {"timestamp": "2026-11-30T02:01:00Z", "message": "x", "status": "done", "source": "s"}},
]


@pytest.mark.parametrize("whole", [True, False])
async def test_records_of_things_are_no_lines_of_a_service_called_like_the_file(tmp_path: Path, whole: bool) -> None:
    """Whether one a line or one list: they are named as unread, so that nothing is said to be absent."""
    for n, (items, is_log) in enumerate([*(([t, t], False) for t in THINGS), *(([t, t], True) for t in OF_LOGS)]):
        text = json.dumps(items) if whole else "".join(json.dumps(i) + "\n" for i in items)
        folder = folder_of(tmp_path / str(n), {"night-runs.json": text, "a.log": LINE})
        named = {s for (s,) in await counted(folder, "service")}
        gaps = (await folder.sources().changes[0].list(ChangeQuery(ALL))).gaps
        assert (named == {"orders"}) is not is_log, items[0]
        assert unread(gaps) is not is_log, items[0]
        folder.close()


FORMS = [
    ("单号,应用,发布人,开始时间,完成时间,状态,内容", "7,pay,王敏,{0},{1},成功,换连接池"),
    ("发布编号,应用名称,上线人,上线时间,版本号,上线状态,环境", "7,pay,王敏,{0},2.4.1,成功,prod"),
    ("发布单号,服务名,发布版本,操作人,发布时间,发布结果", "7,pay,2.4.1,王敏,{0},成功"),
    ("应用,环境,发布人,发布时间,状态", "pay,prod,王敏,{0},成功"),
    ("工单号,系统,部署人,部署时间,说明", "7,pay,王敏,{0},换连接池"),
    ("Release ID,Application,Released By,Start Time,End Time,Status", "7,pay,王敏,{0},{1},Success"),
    ("ID,Service,Deployer,Deployed At,Tag,Result", "7,pay,王敏,{0},v2.4.1,SUCCESS"),
    ("Deployment ID,App,Deployed By,Created At,Version,State", "7,pay,王敏,{0},2.4.1,finished"),
]


@pytest.mark.parametrize(("head", "row"), FORMS)
async def test_a_form_of_a_system_that_delivers_is_a_deploy(tmp_path: Path, head: str, row: str) -> None:
    table = f"{head}\n{row.format('2026-11-30 20:28:00', '2026-11-30 20:30:00')}\n"
    [change] = (await listed(folder_of(tmp_path, {"x.csv": table}))).values()
    said = (change.kind, change.service, change.author, change.at, change.outcome)
    assert said == ("deploy", "pay", "" if "部署人" in head else "王敏", utc("2026-11-30T20:28:00"), "")


@pytest.mark.parametrize("head", ["变更单号,应用,变更人,变更时间,状态,变更内容", "id,service,owner,start,state,title"])
async def test_a_form_of_other_changes_stays_a_ticket(tmp_path: Path, head: str) -> None:
    table = f"{head}\n7,pay,王敏,2026-11-30 20:28:00,完成,扩容\n"
    [change] = (await listed(folder_of(tmp_path, {"x.csv": table}))).values()
    assert (change.kind, change.service) == ("ticket", "pay")


def gitlab(id: int, status: str, title: str, ref: str = "main", environment: str = "production") -> dict[str, Any]:
    deployable = {"id": id, "name": "deploy", "commit": {"id": f"{id:040}", "title": title}}
    return {"id": id, "ref": ref, "sha": f"{id:040}", "status": status, "created_at": "2026-11-30T18:12:00Z",
            "user": {"username": "ravi"}, "environment": {"name": environment}, "deployable": deployable}  # fmt: skip


async def test_a_branch_is_neither_a_service_nor_a_version(tmp_path: Path) -> None:
    rows = [
        gitlab(1, "success", "pay 4.2.0: cluster client"),
        gitlab(2, "success", "tidy up"),
        gitlab(3, "success", "pay: tune", ref="refs/tags/v4.3.0", environment="staging"),
    ]
    plain = {"id": 4, "created_at": "2026-11-30T18:12:00Z", "service": "pay", "ref": "release/main", "environment": "p"}
    files = {"d.json": json.dumps([*rows, plain]), "a.log": LINE.replace("orders", "pay")}
    found = await listed(folder_of(tmp_path, files))
    assert {i: (c.service, c.version, c.environment) for i, c in found.items()} == {
        "1": ("pay", "4.2.0", "production"), "2": ("", "", "production"), "3": ("pay", "4.3.0", "staging"),
        "4": ("pay", "", "p"),
    }  # fmt: skip


WHEN = "2026-11-30T18:12:00Z"
ENDS = [
    (gitlab(1, "failed", "x"), "failed"),
    (gitlab(1, "canceled", "x"), "canceled"),
    (gitlab(1, "created", "x"), "created"),
    (gitlab(1, "success", "x"), ""),
    ({"number": 1, "result": "FAILURE", "timestamp": 1795960800000, "fullDisplayName": "deploy-pay #1",
      "url": "https://ci.example/job/deploy-pay/1/"}, "FAILURE"),
    ({"conclusion": "cancelled", "status": "completed", "headSha": "a" * 40, "name": "deploy", "createdAt": WHEN,
      "databaseId": 1}, "cancelled"),
    ({"conclusion": "success", "status": "completed", "headSha": "a" * 40, "name": "deploy", "createdAt": WHEN,
      "databaseId": 1}, ""),
    ({"revision": 3, "updated": WHEN, "chart": "pay-1.2.3", "status": "failed", "description": "timed out"}, "failed"),
    ({"revision": 3, "updated": WHEN, "chart": "pay-1.2.3", "status": "superseded", "description": "done"}, ""),
    ({"service": "pay", "version": "1", "deployed_at": WHEN, "status": "rejected"}, "rejected"),
    ({"service": "pay", "version": "1", "deployed_at": WHEN, "status": "succeeded"}, ""),
    ({"单号": "1", "应用": "pay", "发布人": "li", "开始时间": WHEN, "状态": "发布失败", "内容": "x"}, "发布失败"),
    ({"id": "1", "title": "x", "start": WHEN, "status": "planned"}, ""),  # planned work: it may have been done
]  # fmt: skip


@pytest.mark.parametrize(("item", "outcome"), ENDS)
async def test_a_run_that_did_not_take_effect_says_so(tmp_path: Path, item: dict[str, Any], outcome: str) -> None:
    [change] = (await listed(folder_of(tmp_path, {"x.json": json.dumps([item])}))).values()
    assert change.outcome == outcome


async def test_what_failed_and_what_went_elsewhere_is_told_so(tmp_path: Path) -> None:
    rows = [gitlab(1, "failed", "pay 4.2.1: hotfix"), gitlab(2, "success", "pay 4.3.0: try", environment="staging")]
    folder = folder_of(tmp_path, {"d.json": json.dumps(rows), "a.log": LINE.replace("orders", "pay")})
    span = window("2026-11-30T18:00", "2026-11-30T19:00")
    for question, lang, failed in (
        ("what changed?", "en", "failed: it changed nothing"),
        ("有哪些变更", "zh", "未生效"),
    ):
        found = await findings(changes.make(folder.sources()), context(span, (), question, lang))  # type: ignore[arg-type]
        told = {line.split("`")[1]: line for line in found.summary.splitlines() if line.startswith("- ")}
        assert failed in told["pay 4.2.1: hotfix"]
        assert "staging" not in told["pay 4.2.1: hotfix"]
        assert "staging" in told["pay 4.3.0: try"]
        assert failed not in told["pay 4.3.0: try"]


async def test_logs_of_a_folder_are_whole_beside_things(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"things.json": json.dumps(THINGS), "a.log": LINE})
    assert (await folder.sources().logs[0].count(LogQuery(ALL), ())).total == 1
