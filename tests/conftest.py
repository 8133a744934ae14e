"""What holds for every test: only loopback and local sockets, a home of its own, no settings of the person running it.

Data beside the checkout comes through `tests/shared.py`. Slow tests take their length from the `nightly` fixture.
"""

from __future__ import annotations

import ipaddress
import itertools
import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import sqlalchemy as sa

from memory import migrations
from memory.engine import open_engine

NIGHTLY = os.environ.get("NIGHTLY") == "1"
hypothesis.settings.register_profile("house", deadline=None, database=None, max_examples=2000 if NIGHTLY else 100)
hypothesis.settings.load_profile("house")
SLOW = ("chat", "cluster", "feishu", "sandbox", "serve", "trace")  # all their tests start servers, bots and browsers

FOREIGN = ("HERMES_OPS_", "OPENAI_", "XDG_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def is_local(address: Any) -> bool:
    """AF_UNIX paths, and the loopback addresses by number or as "localhost"; "" and None bind, they don't leave."""
    if not isinstance(address, tuple):
        return True
    host = address[0]
    host = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


class Outside(BaseException):
    """Not an Exception: code that is polite about network errors must not swallow it."""


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test that reaches for anything else fails, even if the code under test catches the refusal."""
    reached: list[Any] = []

    def refuse(address: Any) -> None:
        if not is_local(address):
            reached.append(address)
            raise Outside(f"tests may only talk to loopback, not to {address!r}")

    def guarded(name: str) -> Any:
        real = getattr(socket.socket, name)

        def call(self: socket.socket, *args: Any) -> Any:
            refuse(args[-1])
            return real(self, *args)

        return call

    def resolve(host: Any, *args: Any, **options: Any) -> Any:
        refuse((host,))
        return look_up(host, *args, **options)

    look_up = socket.getaddrinfo
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, guarded(name))
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    yield
    assert not reached, f"the test reached for {reached}"


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.mktemp("homes")
    return (base / str(n) for n in itertools.count())


@pytest.fixture(autouse=True)
def home(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory; data, cache and settings of the program lie under it, in child processes too."""
    for name in [n for n in os.environ if n.upper().startswith(FOREIGN)]:
        monkeypatch.delenv(name)
    path = next(_homes)
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    return path


@pytest.fixture(scope="session")
def _schema(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The tables that the migrations make in a new SQLite file, as SQL."""
    path = tmp_path_factory.mktemp("schema") / "hermes.db"
    open_engine(f"sqlite:///{path}").dispose()
    with closing(sqlite3.connect(path)) as db:
        made = [
            sql
            for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%'")
        ]
        return [*made, *(line for line in db.iterdump() if line.startswith("INSERT"))]


@pytest.fixture(autouse=True)
def _migrated_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fast tests open hundreds of new databases: there the migrations run once, and what they made is made again. The
    slow tests, and every process that a test starts, run the migrations."""
    if request.node.get_closest_marker("slow"):
        return
    schema: list[str] = request.getfixturevalue("_schema")

    def make(connection: sa.Connection) -> None:
        if connection.dialect.name != "sqlite" or sa.inspect(connection).get_table_names():
            return upgrade(connection)
        for sql in schema:
            connection.exec_driver_sql(sql)

    upgrade = migrations.upgrade
    monkeypatch.setattr(migrations, "upgrade", make)


@pytest.fixture(scope="session")
def nightly() -> bool:
    """True under `make nightly`: slow tests run in full length; else in the short form that CI has time for."""
    return NIGHTLY


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The fast run doesn't even import what is slow as a whole: the platform's SDK alone takes seconds."""
    fast = str(config.option.markexpr) == "not slow"
    return True if fast and collection_path.is_dir() and collection_path.name in SLOW else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name in SLOW:
            item.add_marker(pytest.mark.slow)
