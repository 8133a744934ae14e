"""Writes constraints.txt: the newest versions that pyproject.toml allows, of everything that `make` installs.

It asks pip to resolve and installs nothing. Only names and exact versions are kept: no addresses and no hashes, so
that a mirror of one's own works. It knows nothing of what the packages are for: docs/DEPENDENCIES.md does.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = "postgres,sql,zst,feishu,sandbox"
BUILD = ("pip", "editables")  # the installer, and what an editable build asks for
HEAD = "# Exact versions of everything `make` installs; made by `make lock`, on the oldest Python we support.\n"


def resolve() -> dict[str, str]:
    """Name → version of the whole closure, as pip would install it into an empty environment."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    done = subprocess.run(
        [*command, f".[{EXTRAS}]", "--group", "dev", *BUILD], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    chosen = [item["metadata"] for item in json.loads(done.stdout)["install"]]
    return {re.sub(r"[-_.]+", "-", m["name"]).lower(): m["version"].partition("+")[0] for m in chosen}


def main() -> int:
    versions = resolve()
    versions.pop("hermes-ops", None)
    lines = [f"{name}=={version}\n" for name, version in sorted(versions.items())]
    (ROOT / "constraints.txt").write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"constraints.txt: {len(lines)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
