"""A real PostgreSQL for tests: started once a session from the system's binaries, on a unix socket, thrown away after.

Where there are none a test skips, and fails instead under REQUIRE_POSTGRES=1.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

USER = "postgres"  # who runs the server where we are root, which it refuses
FAST = ("fsync=off", "full_page_writes=off", "listen_addresses=", "max_connections=40", "shared_buffers=16MB")


def binaries() -> Path:
    """Where initdb and pg_ctl are. The test skips, or fails under REQUIRE_POSTGRES=1, where they aren't."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name))
    on_path = shutil.which("initdb")
    places = [p for p in [*reversed(found), *([Path(on_path).parent] if on_path else [])] if (p / "pg_ctl").exists()]
    if places:
        return places[0]
    if os.environ.get("REQUIRE_POSTGRES") == "1":
        pytest.fail("PostgreSQL's server binaries are missing, and REQUIRE_POSTGRES=1 forbids skipping")
    pytest.skip("needs PostgreSQL's server binaries (initdb, pg_ctl)")


class Server:
    """One cluster in a directory of its own. `new()` makes an empty schema and gives a URL that sees only it."""

    def __init__(self, bin: Path, directory: Path) -> None:
        self._bin = bin
        self._directory = directory
        self._names = (f"test{n}" for n in count())

    def run(self, tool: str, *args: str) -> None:
        command = [str(self._bin / tool), *args]
        if os.geteuid() == 0:
            command = ["runuser", "-u", USER, "--", *command]
        done = subprocess.run(
            command, cwd=self._directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50
        )
        assert done.returncode == 0, f"{tool}: {done.stderr or done.stdout}"

    def start(self) -> None:
        options = " ".join(f"-c {option}" for option in (*FAST, f"unix_socket_directories={self._directory}"))
        log = ("-l", str(self._directory / "log"))
        self.run("pg_ctl", "-D", str(self._directory / "data"), *log, "-o", options, "-w", "start", "-s")

    def stop(self) -> None:
        self.run("pg_ctl", "-D", str(self._directory / "data"), "-m", "immediate", "-w", "stop", "-s")

    def new(self) -> str:
        name = next(self._names)
        with psycopg.connect(host=str(self._directory), user=USER, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"postgresql://{USER}@/postgres?host={self._directory}&options=-csearch_path%3D{name}"


@contextmanager
def serving() -> Iterator[Server]:
    """A running server, stopped and removed at the end."""
    bin = binaries()
    directory = Path(tempfile.mkdtemp(prefix="pg"))
    if os.geteuid() == 0:
        os.chown(directory, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
    server = Server(bin, directory)
    try:
        server.run("initdb", "-D", str(directory / "data"), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """Gives at each call the URL of what is a new, empty database for whoever opens it."""
    with serving() as server:
        yield server.new
