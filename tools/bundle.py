"""An offline bundle: every wheel that hermes-ops needs here, in one directory, tried in an empty environment.

    python -m tools.bundle [DIRECTORY]     dist/bundle by default

It is for this kind of machine and this Python: make it where both are the same as where it goes. Versions are those of
constraints.txt. The trial installs with no index at all, runs the demo, and throws its environment away. Where packages
come from is pip's own configuration.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = "postgres,cluster,zst,feishu,serve"
PIP = ("-m", "pip", "--disable-pip-version-check", "-q")
README = """hermes-ops, for Python {python} on {system}, without an index:

    python3 -m venv hermes-ops
    hermes-ops/bin/python -m pip install --no-index --find-links . 'hermes-ops[{extras}]'
    hermes-ops/bin/hermes-ops demo
"""


def main(arguments: list[str]) -> int:
    place = Path(arguments[0] if arguments else ROOT / "dist" / "bundle").absolute()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    made = make(place)
    try_out(place)
    print(f"{place}: {made} wheels, {sum(f.stat().st_size for f in place.iterdir()) >> 20} MB; installed and tried")
    return 0


def make(place: Path) -> int:
    """How many wheels there are. Raises CalledProcessError where one can't be had."""
    pins = ["--constraint", "constraints.txt", "--build-constraint", "constraints.txt"]
    command = [sys.executable, *PIP, "wheel", *pins, "--wheel-dir", str(place), f".[{EXTRAS}]"]
    subprocess.run(command, cwd=ROOT, check=True)
    shutil.copy(ROOT / "constraints.txt", place)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    system = f"{platform.system()} {platform.machine()}"
    (place / "README").write_text(README.format(python=python, system=system, extras=EXTRAS), encoding="utf-8")
    return len(list(place.glob("*.whl")))


def try_out(place: Path) -> None:
    """In an empty environment, with nothing of ours or of pip's configuration. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as empty:
        python = Path(empty) / "venv" / "bin" / "python"
        clean = {"PATH": os.environ.get("PATH", ""), "HOME": empty, "PIP_CONFIG_FILE": os.devnull, "LANG": "C.UTF-8"}
        subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True, env=clean)
        wanted = ["--no-index", "--find-links", str(place), f"hermes-ops[{EXTRAS}]"]
        subprocess.run([str(python), *PIP, "install", *wanted], check=True, env=clean, cwd=empty)
        command = str(python.with_name("hermes-ops"))
        for words in (["--version"], ["demo"]):
            subprocess.run([command, *words], check=True, env=clean, cwd=empty, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
