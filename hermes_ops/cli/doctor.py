"""`hermes-ops doctor`: tries what is set, says what to do about what doesn't work; exit code 1 when that was needed."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hermes_ops.cli.options import AsJson
from hermes_ops.cli.recorded import readers_may_leave
from hermes_ops.exits import ANSWERED, FAILED

if TYPE_CHECKING:
    from hermes_ops.doctor.check import Check

STYLES = {"ok": "green", "warn": "yellow", "fail": "red", "skip": "dim"}


def doctor(
    folder: Annotated[
        list[Path], typer.Option("--folder", metavar="DIR", help="A directory of exported files to look into.")
    ] = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Try the settings, this machine, the store, folders and models, and say what to do."""
    from hermes_ops.trace.printing import print_json

    fits: dict[str, Any] = {}
    with readers_may_leave():
        checks = asyncio.run(_examined(folder, fits, as_json))
        good = not any(check.state == "fail" for check in checks)
        if as_json:
            print_json({"ok": good, "checks": [dataclasses.asdict(c) for c in checks], "settings": fits})
        else:
            _conclude(checks, fits)
    raise typer.Exit(ANSWERED if good else FAILED)


async def _examined(folders: list[Path], fits: dict[str, Any], quiet: bool) -> list[Check]:
    from hermes_ops.doctor.examine import examine
    from hermes_ops.loading import load

    checks = []
    async for check in examine(load, folders, fits):
        checks.append(check)
        if not quiet:
            _show(check)
    return checks


def _show(check: Check) -> None:
    from hermes_ops.trace.printing import Line, print_lines

    took = f"  ({check.seconds:.1f} s)" if check.seconds >= 0.1 else ""
    style = "" if check.state == "ok" else STYLES[check.state]
    lines = [Line(f"{check.state:<5} {check.part}: {check.name}: {check.says}{took}", style)]
    if check.do and check.state != "ok":
        lines.append(Line(f"      → {check.do}", style))
    print_lines(lines)


def _conclude(checks: list[Check], fits: dict[str, Any]) -> None:
    from hermes_ops.initial.file import toml
    from hermes_ops.trace.printing import Line, print_lines

    lines = [Line("")]
    if fits:
        lines.append(Line("Settings that fit this model:", "bold"))
        for table in dict.fromkeys(key.partition(".")[0] for key in fits):
            lines.append(Line(f"  [{table}]"))
            lines += [
                Line(f"  {k.partition('.')[2]} = {toml(v)}") for k, v in fits.items() if k.startswith(f"{table}.")
            ]
    failed, warned = (sum(c.state == state for c in checks) for state in ("fail", "warn"))
    lines.append(
        Line(f"{len(checks)} checks: {failed} failed, {warned} could be better.", "red" if failed else "green")
    )
    print_lines(lines)
