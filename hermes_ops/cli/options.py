"""Options that several commands have, with their help. Checking them is for `inputs.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path | None, typer.Option("--folder", metavar="DIR", help="A directory of exported files.")]
Offline = Annotated[bool, typer.Option("--offline", help="Use no language model.")]
Now = Annotated[str | None, typer.Option("--now", metavar="T", help="The time of the question, ISO 8601.")]
Zone = Annotated[str | None, typer.Option("--zone", metavar="Z", help="The asker's time zone, by IANA name.")]
DataZone = Annotated[
    str | None, typer.Option("--data-zone", metavar="Z", help="The zone of times in the files that state none.")
]
User = Annotated[str, typer.Option("--user", metavar="U", help="Who asks.")]
Session = Annotated[str, typer.Option("--session", metavar="S", help="A conversation to go on with.")]
Resume = Annotated[str | None, typer.Option("--resume", metavar="RUN", help="Go on with an interrupted run.")]
New = Annotated[bool, typer.Option("--new", help="Start afresh, though an interrupted run of this question exists.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
