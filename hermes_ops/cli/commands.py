"""The commands and their options. Arguments are checked here; the work begins in `asking.py`."""

from __future__ import annotations

from typing import Annotated

import typer

from hermes_ops.cli import late
from hermes_ops.cli.analyze import analyze
from hermes_ops.cli.chat import chat
from hermes_ops.cli.demo import demo
from hermes_ops.cli.demo_feishu import demo_feishu
from hermes_ops.cli.doctor import doctor
from hermes_ops.cli.evals import evaluate
from hermes_ops.cli.init import init
from hermes_ops.cli.inputs import (
    Request,
    check_clock,
    check_resume,
    read_folder,
    read_name,
    read_question,
    terminal_locale,
)
from hermes_ops.cli.memory import group as memory
from hermes_ops.cli.options import AsJson, DataZone, Folder, New, Now, Offline, Resume, Session, User, Zone
from hermes_ops.cli.report import group as report
from hermes_ops.cli.runs import group as runs
from hermes_ops.cli.sandbox import sandbox
from hermes_ops.cli.schedule import group as schedule
from hermes_ops.cli.serve import serve
from hermes_ops.cli.trace import group as trace
from hermes_ops.version import VERSION

app = typer.Typer(
    name="hermes-ops",
    help="Ask about alerts, logs and changes; get figures with evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


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
    data_zone: DataZone = None,
) -> None:
    """Answer a question from the sources of the settings, or from a folder of exported files."""
    check_resume(resume, new)
    check_clock(now, zone)
    text = read_question(question, resume)
    where = read_folder(folder) if folder is not None else None
    asker, talk = read_name("--user", user) or "local", read_name("--session", session)
    request = Request(
        text, where, offline, now, zone, asker, talk, resume, new, as_json, terminal_locale(), data_zone
    )  # fmt: skip
    raise typer.Exit(late.answer(request))


app.command()(analyze)
app.command()(demo)
app.command(name="demo-feishu")(demo_feishu)
app.command(name="eval")(evaluate)
app.add_typer(memory, name="memory")
app.add_typer(trace, name="trace")
app.add_typer(runs, name="runs")
app.add_typer(report, name="report")
app.add_typer(schedule, name="schedule")
app.command()(serve)
app.command()(init)
app.command()(doctor)
app.command()(chat)
app.command()(sandbox)
