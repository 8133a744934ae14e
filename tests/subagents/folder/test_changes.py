"""Changes of every kind, tied to each other; git by export, by text and as a real repository."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from subagents.folder import gitcommand
from subagents.sources import Change, ChangeQuery, ChangeSource, SourceError
from tests.subagents.folder.helpers import ALL, folder_of, utc, window

A, B, C, D = (c * 40 for c in "abcd")


def commit(sha: str, at: str, message: str, **more: Any) -> dict[str, Any]:
    return {"sha": sha, "author": "ana", "committed": f"2026-11-29T{at}Z", "message": message, "files": [], **more}


COMMITS = [
    commit(A, "10:00:00", "pay: release", refs="tag: pay-v1.0.0", files=["pay/version"]),
    commit(B, "11:00:00", "right-size the pool (#7)", files=["services/pay/pool.toml"], diff="-20\n+2"),
    commit(C, "11:30:00", "docs: tidy", files=["docs/README.md"]),
    commit(D, "12:00:00", 'Revert "right-size the pool (#7)" (#8)', refs="HEAD -> main, tag: pay-v1.0.2",
           files=["services/pay/pool.toml"]),
]  # fmt: skip
DEPLOYS = [
    {"id": 1, "created_at": "2026-11-29T10:05:00Z", "service": "pay", "ref": "pay-v1.0.0", "environment": "prod"},
    {"id": 2, "created_at": "2026-11-29T11:05:00Z", "service": "pay", "sha": B[:8], "environment": "prod",
     "ref": "v1.0.1",
     "creator": {"login": "omar"}, "description": "pool"},
    {"id": 3, "created_at": "2026-11-29T12:05:00Z", "service": "pay", "ref": "pay-v1.0.2", "environment": "prod"},
]  # fmt: skip


async def listed(source: ChangeSource, **q: Any) -> tuple[Change, ...]:
    return (await source.list(ChangeQuery(ALL, **q))).rows


async def test_deploys_commits_and_reverts_are_tied(tmp_path: Path) -> None:
    source = folder_of(tmp_path, {"x": json.dumps(COMMITS), "y": json.dumps(DEPLOYS)}).sources().changes[0]
    commits = await listed(source, kinds=("commit",))
    assert [(c.service, c.reverts) for c in commits] == [("pay", ""), ("pay", ""), ("", ""), ("pay", B)]
    first, second, third = await listed(source, kinds=("deploy",))
    assert (first.version, first.sha, first.commits) == ("1.0.0", A, (A,))
    assert (second.sha, second.version, second.author, second.commits) == (B, "1.0.1", "omar", (B,))
    assert (third.sha, third.reverts, third.commits) == (D, "2", (D,))
    assert (await source.diff("2")).rows == "-20\n+2"
    assert (await source.diff(B[:9], cap=3)).gaps == ("the first 3 of 6 characters",)
    assert "no diff" in (await source.diff(A)).gaps[0]
    with pytest.raises(SourceError, match="no change 'zzz'"):
        await source.diff("zzz")


async def test_a_revert_may_name_a_short_sha_in_its_body(tmp_path: Path) -> None:
    pair = [COMMITS[1], commit(D, "12:00:00", "undo", body=f"This reverts commit {B[:10]}.")]
    source = folder_of(tmp_path, {"x": "\n".join(map(json.dumps, pair))}).sources().changes[0]
    assert (await listed(source))[1].reverts == B


async def test_flags_config_tickets_and_releases(tmp_path: Path) -> None:
    items = [
        {"timestamp": "2026-11-29T10:00:00Z", "flag": "strict", "service": "pay", "change": "off->on", "actor": "li"},
        {"time": "2026-11-29T11:00:00Z", "key": "pool.max", "service": "pay", "old": 20, "new": 2},
        {
            "id": "CHG-1",
            "title": "Reindex",
            "service": "cat",
            "start": "2026-11-29T03:00:00Z",
            "end": "2026-11-29T03:35:00Z",
        },
        {"tag_name": "v2", "published_at": "2026-11-29T12:00:00Z", "name": "Two"},
    ]  # fmt: skip
    for n, content in enumerate((json.dumps(items), json.dumps({"data": {"items": items}}))):
        source = folder_of(tmp_path / str(n), {"x": content}).sources().changes[0]
        rows = await listed(source)
        assert [(c.kind, c.service, c.title) for c in rows] == [
            ("ticket", "cat", "Reindex"),
            ("flag", "pay", "strict: off->on"),
            ("config", "pay", "pool.max: 20 → 2"),
            ("release", "", "Two"),
        ]
        running = await source.list(ChangeQuery(window("2026-11-29T03:10:00", "2026-11-29T03:20:00")))
        assert [c.id for c in running.rows] == ["CHG-1"]
        assert running.rows[0].until == utc("2026-11-29T03:35:00")


async def test_lists_page(tmp_path: Path) -> None:
    source = folder_of(tmp_path, {"x": json.dumps(COMMITS)}).sources().changes[0]
    page = await source.list(ChangeQuery(ALL), limit=3)
    assert (page.total, page.complete, len(page.rows)) == (4, False, 3)
    rest = await source.list(ChangeQuery(ALL), limit=3, cursor=page.cursor)
    assert [c.id for c in rest.rows] == [D]
    assert rest.cursor is None


async def test_github_and_gitlab_bodies_are_commits(tmp_path: Path) -> None:
    author, committer = {"name": "li", "date": "2026-11-29T10:00:00Z"}, {"date": "2026-11-29T11:00:00Z"}
    inner = {"message": "fix\n\nwhy", "author": author, "committer": committer}
    github = {"sha": A, "commit": inner, "files": [{"filename": "a.py", "patch": "+x"}]}
    gitlab = {"id": B, "title": "t", "message": "t", "author_name": "wei", "committed_date": "2026-11-29T12:00:00Z"}
    source = folder_of(tmp_path, {"x": json.dumps([github]), "y": json.dumps([gitlab])}).sources().changes[0]
    first, second = await listed(source)
    assert (first.title, first.body, first.at, first.files) == ("fix", "why", utc("2026-11-29T11:00:00"), ("a.py",))
    assert "+x" in (await source.diff(A)).rows
    assert (second.id, second.author) == (B, "wei")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits, the second a revert of the first; and a hook and a pager that must not run."""
    root = tmp_path / "export" / "repo"
    root.mkdir(parents=True)
    (tmp_path / "home").mkdir()

    def git(*args: str, at: str = "2026-11-29T10:00:00Z") -> str:
        who = {f"GIT_{role}_{part}": "ana" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        when = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), **who, **when}
        done = subprocess.run(["git", *args], cwd=root, env=env, check=True, capture_output=True, text=True)
        return done.stdout

    git("init", "-q", "-b", "main")
    (root / "pool").write_text("20\n")
    git("add", ".")
    git("commit", "-qm", "pay: pool")
    (root / "pool").write_text("2\n")
    git("commit", "-qam", "pay: shrink", at="2026-11-29T11:00:00Z")
    git("tag", "pay-v1")
    git("revert", "--no-edit", "HEAD", at="2026-11-29T12:00:00Z")
    (root / "log.txt").write_text(git("log", "-p", "--decorate", "--format=fuller"))
    trap = f"touch {tmp_path}/ran"
    for name in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"):
        git("config", name, trap)
    return root.parent


async def test_a_real_repository_is_read_and_runs_nothing(repository: Path) -> None:
    (repository / "repo" / "log.txt").unlink()
    source = folder_of(repository, {}).sources().changes[0]
    first, second, third = await listed(source)
    assert [c.title for c in (first, second)] == ["pay: pool", "pay: shrink"]
    assert third.reverts == second.id
    assert second.at == utc("2026-11-29T11:00:00")
    assert second.files == ("pool",)
    assert "+2" in (await source.diff(second.id)).rows
    assert not (repository.parent / "ran").exists()


async def test_what_git_log_printed_reads_like_the_repository(repository: Path, tmp_path: Path) -> None:
    text = (repository / "repo" / "log.txt").read_text()
    source = folder_of(tmp_path / "alone", {"f00": text}).sources().changes[0]
    first, second, third = await listed(source)
    assert [c.title for c in (first, second, third)] == ["pay: pool", "pay: shrink", 'Revert "pay: shrink"']
    assert (second.files, third.reverts, second.author) == (("pool",), second.id, "ana")
    assert "+2" in (await source.diff(second.id)).rows


async def test_of_a_repository_no_more_is_read_than_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wrote it: neither its history nor a patch is held whole."""
    read: list[int] = []
    real = gitcommand._read

    async def counted(stream: asyncio.StreamReader | None, most: int) -> tuple[bytes, bool]:
        text, whole = await real(stream, most)
        read.append(len(text))
        return text, whole

    monkeypatch.setattr(gitcommand, "_read", counted)
    git = ["git", "-c", "user.name=w", "-c", "user.email=", "-C", str(tmp_path / "repo")]
    (tmp_path / "repo").mkdir()
    subprocess.run([*git, "init", "-q"], check=True)
    for n in range(3):
        (tmp_path / "repo" / "a").write_text("".join(f"{n} {line}\n" for line in range(30_000)))
        subprocess.run([*git, "add", "a"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", f"change {n}\n\n" + "word " * 200], check=True)
    folder = folder_of(tmp_path, {})
    [source] = folder.sources().changes
    newest = (await source.list(ChangeQuery(ALL))).rows[-1]
    cut = await source.diff(newest.id, cap=100)
    assert (len(cut.rows), cut.total, cut.complete, cut.gaps) == (100, None, False, ("only the first 100 characters",))
    assert read[-1] == 400
    folder.close()
    monkeypatch.setattr(gitcommand.output, "__defaults__", (2_600,))
    few = folder_of(tmp_path, {})
    assert 0 < len((await few.sources().changes[0].list(ChangeQuery(ALL))).rows) < 3
    assert max(read[len(read) // 2 :]) <= 2_600
    assert any("of its history are read" in row["why"] for row in few.skipped)
    few.close()
