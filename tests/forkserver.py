"""A process that has imported `hermes-ops` and forks one `hermes-ops` a request: the real program, its start paid once.

`python -m tests.forkserver FD`: requests come over the Unix socket FD, each a socket of its own, over which the JSON of
a command, its standard files, its pid and its exit code go. Used by `tests/processes.py`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import runpy
import signal
import socket
import sys
import time

PRELOADED = (
    "alembic.command",
    "alembic.runtime.migration",
    "hermes_ops.app",
    "hermes_ops.cli.asking",
    "hermes_ops.cli.commands",
    "hermes_ops.render",
    "json_repair",
    "memory.migrations",
    "openai.resources.chat.completions",
    "sqlalchemy.dialects.sqlite",
    "tenacity",
)


def serve(requests: socket.socket) -> list[str] | None:
    """The arguments of one command, in the process that shall be it; None at the end, in the server itself."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait
    while True:
        _, files, _, _ = socket.recv_fds(requests, 1, 1)
        if not files:
            return None
        with socket.socket(fileno=files[0]) as conn:
            if os.fork() == 0:
                requests.close()
                return _command(conn)


def _command(conn: socket.socket) -> list[str]:
    """In a fork that waits for another one, which becomes the command."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    raw, files, _, _ = socket.recv_fds(conn, 1 << 20, 3)
    while more := conn.recv(1 << 20):
        raw += more
    pid = os.fork()
    if pid:
        conn.sendall(f"{pid}\n".encode())
        for file in files:
            os.close(file)
        _, status = os.waitpid(pid, 0)
        conn.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    conn.close()
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    asked = json.loads(raw)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    time.tzset()
    random.seed()
    return list(asked["args"])


def main() -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()
    args = serve(socket.socket(fileno=int(sys.argv[1])))
    if args is not None:
        sys.argv = ["hermes-ops", *args]
        runpy.run_module("hermes_ops", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
