"""Opening a database: its schema is brought up once, and what is wrong with it is said in one sentence."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from memory import open_memory
from memory.engine import make_engine, open_engine, schema_version
from memory.migrations import config
from memory.tables import KNOWN, VERSION_TABLE, metadata
from orchestrator.errors import StoreError
from tests.memory.test_store import event, started

pytestmark = pytest.mark.slow

NOBODY = 65534


def test_the_migrations_make_the_tables_that_the_code_knows(url: str) -> None:
    engine = open_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        assert schema_version(connection) == KNOWN[-1]
    engine.dispose()


def test_every_migration_is_known_in_order() -> None:
    scripts = ScriptDirectory.from_config(config()).walk_revisions("base", "heads")
    assert tuple(script.revision for script in scripts)[::-1] == KNOWN


def _open(url: str, barrier: multiprocessing.synchronize.Barrier, said: multiprocessing.queues.Queue[str]) -> None:
    barrier.wait()
    try:
        open_engine(url).dispose()
        said.put("fine")
    except StoreError as e:
        said.put(str(e))


def test_several_processes_may_start_at_once_on_a_new_database(url: str) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.memory.test_engine", "tests.memory.flow"])
    barrier, said = context.Barrier(4), context.Queue()
    processes = [context.Process(target=_open, args=(url, barrier, said)) for _ in range(4)]
    for process in processes:
        process.start()
    assert [said.get(timeout=30) for _ in processes] == ["fine"] * 4
    for process in processes:
        process.join()


def test_a_second_start_imports_no_alembic(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'hermes.db'}"
    open_engine(url).dispose()
    code = f"import sys; from memory import open_memory; open_memory({url!r}); print('alembic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_newer_schema_is_refused_by_name(url: str) -> None:
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreError, match=r"schema 9999, which is newer .* Update hermes-ops"):
        open_memory(url)


def test_what_is_new_is_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "hermes.db"
    open_engine(f"sqlite:///{path}").dispose()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


# ── what a person is told ─────────────────────────────────────────────────────────────────────


@contextmanager
def unprivileged() -> Iterator[None]:
    """Permissions bind inside, even where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def sealed() -> Iterator[Path]:
    """A directory with a database in it, all readable and nothing writable."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        open_engine(f"sqlite:///{path / 'old.db'}").dispose()
        (path / "old.db").chmod(0o444)
        path.chmod(0o555)
        yield path
        path.chmod(0o755)


@pytest.mark.parametrize("name", ["new.db", "old.db", "sub/new.db"])
def test_a_read_only_directory(sealed: Path, name: str) -> None:
    with unprivileged(), pytest.raises(StoreError, match="Choose another data directory") as caught:
        open_memory(f"sqlite:///{sealed / name}")
    assert str(sealed) in str(caught.value)


def test_a_file_where_the_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a directory")
    with pytest.raises(StoreError, match=r"data.*Choose another data directory"):
        open_memory(f"sqlite:///{tmp_path / 'data' / 'hermes.db'}")


def test_a_directory_where_the_file_should_be(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="can't be opened"):
        open_memory(f"sqlite:///{tmp_path}")


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "hermes.db").write_bytes(os.urandom(9000))
    with pytest.raises(StoreError, match=r"hermes\.db is damaged or is no SQLite database\. Move the file away"):
        open_memory(f"sqlite:///{tmp_path / 'hermes.db'}")


async def test_a_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "hermes.db"
    memory = open_memory(f"sqlite:///{path}")
    await started(memory)
    for n in range(200):
        memory.events.emit(event(n, f"{n}" * 2000))
    await memory.close()
    raw = path.read_bytes()
    path.write_bytes(raw[:4096] + os.urandom(len(raw) - 4096))

    async def look() -> None:
        opened = open_memory(f"sqlite:///{path}")
        try:
            await opened.events.load("r")
        finally:
            await opened.db.close()

    with pytest.raises(StoreError, match=r"is damaged\. Move the file away"):
        await look()


async def test_a_full_disk_is_told_and_nothing_is_missing_when_there_is_space_again(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path / 'hermes.db'}")
    await started(memory)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    room = 300_000 + max(file.stat().st_size for file in tmp_path.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    numbers = itertools.count()

    async def fill() -> None:
        for n in itertools.islice(numbers, 500):
            memory.events.emit(event(n, os.urandom(1000).hex()))
            await memory.events.commit()

    try:
        with pytest.raises(StoreError, match=r"disk.*Free some space|disk.*Check its space"):
            await fill()
        with pytest.raises(StoreError):
            await memory.events.commit()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await memory.events.commit()
    count = next(numbers)
    assert count > 3
    assert [e.n for e in await memory.events.events("r")] == list(range(count))
    await memory.close()


def test_an_unreachable_postgres(free_port: int) -> None:
    with pytest.raises(StoreError, match="can't be reached") as caught:
        open_memory(f"postgresql://ops:s3cret@127.0.0.1:{free_port}/hermes")
    assert f"127.0.0.1:{free_port}" in str(caught.value)
    assert "HERMES_OPS_DATABASE_URL" in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_an_unknown_database_on_a_real_server(postgres: Callable[[], str]) -> None:
    with pytest.raises(StoreError, match=r'can\'t be reached: .*database "elsewhere" does not exist'):
        open_memory(sa.make_url(postgres()).set(database="elsewhere").render_as_string(hide_password=False))


@pytest.mark.parametrize(
    ("raised", "told"), [("disk_full", "disk is full"), ("read_only_sql_transaction", "read-only")]
)
async def test_what_a_postgres_server_refuses(postgres: Callable[[], str], raised: str, told: str) -> None:
    memory = open_memory(postgres())
    with pytest.raises(StoreError, match=told):
        await memory.db.write(lambda c: c.execute(sa.text(f"DO $$ BEGIN RAISE {raised}; END $$")))
    await memory.close()


async def test_a_restarted_postgres_costs_nothing(postgres: Callable[[], str]) -> None:
    url = postgres()
    memory = open_memory(url)
    await started(memory)
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.execute(
            sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        )
    engine.dispose()
    memory.events.emit(event(0, "after"))
    await memory.events.commit()
    assert len(await memory.events.events("r")) == 1
    await memory.close()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://host/db", "'mysql' aren't supported"),
        ("hermes.db", "can't be read"),
        ("sqlite://", "needs a plain file"),
        ("sqlite:///:memory:", "needs a plain file"),
    ],
)
def test_a_url_of_another_kind(url: str, told: str) -> None:
    with pytest.raises(StoreError, match=told):
        open_memory(url)
