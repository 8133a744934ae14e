"""`hermes-ops init`: writes a commented settings file, or prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.recorded import readers_may_leave


def init(
    path: Annotated[
        Path | None, typer.Option("--path", metavar="FILE", help="Another place than the usual one.")
    ] = None,
    show: Annotated[bool, typer.Option("--print", help="Print it, and write nothing.")] = False,
) -> None:
    """Write a settings file with every key and what it means; what exists is left as it is."""
    from hermes_ops.initial import file

    if show:
        with readers_may_leave():
            print(file.text(), end="", flush=True)
        return
    written = file.write(path)
    say(f"Written: {written}. Every key in it is still behind a #. Try what you set with: hermes-ops doctor")
    if path is not None:
        say(f"It is read where HERMES_OPS_CONFIG={written} is set.")
