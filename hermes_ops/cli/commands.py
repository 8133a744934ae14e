"""The commands and their options. Arguments are checked here; the work begins in `asking.py`."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.inputs import (
    Request,
    check_clock,
    check_resume,
    read_folder,
    read_name,
    read_question,
    terminal_locale,
)
from hermes_ops.version import VERSION

app = typer.Typer(
    name="hermes-ops",
    help="Ask about alerts, logs and changes; get figures with evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Folder = Annotated[Path | None, typer.Option("--folder", metavar="DIR", help="A directory of exported files.")]
Offline = Annotated[bool, typer.Option("--offline", help="Use no language model.")]
Now = Annotated[str | None, typer.Option("--now", metavar="T", help="The time of the question, ISO 8601.")]
Zone = Annotated[str | None, typer.Option("--zone", metavar="Z", help="The asker's time zone, by IANA name.")]
User = Annotated[str, typer.Option("--user", metavar="U", help="Who asks.")]
Session = Annotated[str, typer.Option("--session", metavar="S", help="A conversation to go on with.")]
Resume = Annotated[str | None, typer.Option("--resume", metavar="RUN", help="Go on with an interrupted run.")]
New = Annotated[bool, typer.Option("--new", help="Start afresh, though an interrupted run of this question exists.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hermes-ops {VERSION}")
        raise typer.Exit()


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Version.")
    ] = False,
) -> None:
    """Ask about alerts, logs and changes; get figures with evidence."""


@app.command()
def ask(
    question: Annotated[str | None, typer.Argument(help='The question; "-" reads it from stdin.')] = None,
    folder: Folder = None,
    offline: Offline = False,
    now: Now = None,
    zone: Zone = None,
    user: User = "local",
    session: Session = "",
    resume: Resume = None,
    new: New = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question about a folder of exported files."""
    check_resume(resume, new)
    check_clock(now, zone)
    text = read_question(question, resume)
    where = read_folder(folder, resume)
    asker, talk = read_name("--user", user) or "local", read_name("--session", session)
    request = Request(text, where, offline, now, zone, asker, talk, resume, new, as_json, terminal_locale())
    raise typer.Exit(_answer(request))


@app.command()
def demo(
    question: Annotated[str | None, typer.Argument(help="Another question about the built-in incident.")] = None,
    online: Annotated[bool, typer.Option("--online", help="Use the configured language model.")] = False,
    now: Now = None,
    zone: Zone = None,
    as_json: AsJson = False,
) -> None:
    """Ask about a built-in incident: no key, no server, no network."""
    with as_file(files("hermes_ops.demo").joinpath("sample")) as folder:
        facts = json.loads((folder.parent / "sample.json").read_text(encoding="utf-8"))
        text = read_question(question or facts["question"], None)
        say(f"Question: {text}\nFolder:   {folder}")
        its_now, its_zone = now or facts["now"], zone or facts["zone"]
        code = _answer(Request(text, folder, not online, its_now, its_zone, new=True, as_json=as_json))
    raise typer.Exit(code)


def _answer(request: Request) -> int:
    """What is cheap to refuse is refused before the application is imported."""
    from hermes_ops.cli import asking
    from hermes_ops.loading import load

    settings = load()
    incoming = asking.make_incoming(request, settings)
    from hermes_ops.app import open_app

    return asking.ask(request, incoming, settings, open_app)
