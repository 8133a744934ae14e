"""Real servers for tests: Prometheus, VictoriaMetrics and Alertmanager from the system's packages, on loopback, in
directories of their own, thrown away after.

Where one isn't installed a test skips, and fails instead under REQUIRE_SERVERS=1.
"""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

START = 60.0  # seconds that a server may take on a busy machine

ROUTES = """
route: {receiver: none, group_by: [alertname, service], group_wait: 1s}
receivers: [{name: none}]
inhibit_rules:
  - source_matchers: [severity="critical"]
    target_matchers: [severity="warning"]
    equal: [service]
"""


def binary(*names: str) -> str:
    """The first of these programs that is there."""
    for name in names:
        if path := shutil.which(name):
            return path
    if os.environ.get("REQUIRE_SERVERS") == "1":
        pytest.fail(f"{names[0]} is missing, and REQUIRE_SERVERS=1 forbids skipping")
    pytest.skip(f"needs the program {names[0]}")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def running(command: Sequence[str], url: str, ready: str) -> Iterator[str]:
    """The server's address once `ready` answers; ended at the end."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        try:
            if not answers(f"{url}{ready}", process):
                said.seek(0)
                pytest.fail(f"{command[0]} didn't start: {said.read()[-1500:].decode(errors='replace')}")
            yield url
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                if response.status == 200:
                    return True
        except OSError:
            time.sleep(0.1)
    return False


@contextmanager
def prometheus(*open_metrics: Path, rules: str = "") -> Iterator[str]:
    """With what these files hold, as blocks. Runs no scrapes; evaluates `rules`, where there are any."""
    program, tool = binary("prometheus"), binary("promtool")
    with tempfile.TemporaryDirectory(prefix="prom") as place:
        data, config = Path(place, "data"), Path(place, "prometheus.yml")
        config.write_text("global: {evaluation_interval: 1s}\nrule_files: [rules.yml]\n")
        Path(place, "rules.yml").write_text(rules or "groups: []\n")
        for n, path in enumerate(open_metrics):
            plain = Path(place, f"{n}.om")
            plain.write_bytes(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
            made = [tool, "tsdb", "create-blocks-from", "openmetrics", str(plain), str(data)]
            subprocess.run(made, check=True, capture_output=True, timeout=120)
        url = f"http://127.0.0.1:{free_port()}"
        options = [f"--config.file={config}", f"--storage.tsdb.path={data}", "--storage.tsdb.retention.time=50y"]
        command = [program, *options, f"--web.listen-address={url.removeprefix('http://')}", "--log.level=error"]
        with running(command, url, "/-/ready"):
            yield url


@contextmanager
def victoriametrics(*open_metrics: Path) -> Iterator[str]:
    """With what these files hold, imported."""
    program = binary("victoria-metrics", "victoria-metrics-prod")
    with tempfile.TemporaryDirectory(prefix="vm") as place:
        url = f"http://127.0.0.1:{free_port()}"
        address = url.removeprefix("http://")
        options = [f"-storageDataPath={place}/data", f"-httpListenAddr={address}", "-retentionPeriod=50y"]
        with running([program, *options, "-loggerLevel=ERROR", "-memory.allowedBytes=200MB"], url, "/health"):
            for path in open_metrics:
                text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
                lines = (line for line in text.decode().splitlines() if not line.startswith("#"))
                posted(f"{url}/api/v1/import/prometheus", "\n".join(f"{line}000" for line in lines).encode())
            with urllib.request.urlopen(f"{url}/internal/force_flush", timeout=30):
                yield url


@contextmanager
def alertmanager(config: str = ROUTES) -> Iterator[str]:
    program = binary("prometheus-alertmanager", "alertmanager")
    with tempfile.TemporaryDirectory(prefix="am") as place:
        path = Path(place, "alertmanager.yml")
        path.write_text(config)
        url = f"http://127.0.0.1:{free_port()}"
        options = [f"--config.file={path}", f"--storage.path={place}/data", "--cluster.listen-address="]
        command = [program, *options, f"--web.listen-address={url.removeprefix('http://')}", "--log.level=error"]
        with running(command, url, "/-/ready"):
            yield url


def posted(url: str, body: bytes, kind: str = "application/json") -> bytes:
    request = urllib.request.Request(url, body, {"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=60) as response:
        return bytes(response.read())
