"""`hermes-ops chat`: a conversation on the terminal."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_ops.cli.faults import say, worded
from hermes_ops.cli.inputs import Request, check_clock, read_folder, read_name, terminal_locale, zoned
from hermes_ops.cli.options import DataZone, Folder, Now, Offline, Session, User, Zone

if TYPE_CHECKING:
    from hermes_ops.app import App
    from hermes_ops.channels.session import Session as Conversation
    from hermes_ops.channels.talk import Talk

HELP = """\
Ask about alerts, logs and changes; several questions may wait, they are answered one after the other.
  /stop          ends the question that runs and shows what was found so far (as Ctrl-C does)
  /trace [N]     what was done for the last answer, or its step N whole
  /memory        what is kept of you; /forget NAME lets go of it, /forget all of everything
  /report [DAY]  the ops report; /handover [TIME]: of a shift
  /quit          leaves (as Ctrl-D does)
Paste log lines as they are, or between two lines of \"\"\": they become a log file beside your question."""


def chat(
    folder: Folder = None,
    session: Session = "",
    offline: Offline = False,
    user: User = "local",
    now: Now = None,
    zone: Zone = None,
    data_zone: DataZone = None,
) -> None:
    """Talk about the sources of the settings, a folder of exported files, or log lines you paste."""
    check_clock(now, zone)
    where = read_folder(folder) if folder is not None else None
    name = read_name("--session", session) or f"chat-{secrets.token_hex(3)}"
    who = read_name("--user", user) or "local"
    asked = Request("", where, offline, now, zone, who, name, locale=terminal_locale(), data_zone=data_zone)
    conversation = _conversation(asked)
    with conversation.terminal:
        said = f"Folder {where}. " if where else "Paste log lines beside a question, or start with --folder DIR. "
        conversation.terminal.write(f"{said}Conversation {name}. /help says what you can do.", quiet=True)
        conversation.run()
    if not session:
        say(f"Go on with: hermes-ops chat --session {name}")


def _conversation(request: Request) -> Conversation:
    from hermes_ops.app import open_app
    from hermes_ops.channels.console import Asker
    from hermes_ops.channels.session import Session as Conversation
    from hermes_ops.channels.terminal import Terminal
    from hermes_ops.cli.asking import make_incoming
    from hermes_ops.cli.progress import describe
    from hermes_ops.loading import load
    from orchestrator.guard import AllowAll

    settings = zoned(load(), request.data_zone)
    lang = "zh" if request.locale.startswith("zh") else "en"
    incoming = make_incoming(request, settings)  # refuses what is wrong before anything is opened
    guard = AllowAll(settings.masking_key())
    pastes = settings.data_dir / "pastes" / secrets.token_hex(6)
    asker = Asker(lambda text: make_incoming(replace(request, text=text), settings), guard.mask, pastes)
    return Conversation(
        Terminal(settings.data_dir / "chat-history"),
        asker,
        request.session,
        lambda: open_app(settings, request.folder, request.offline),
        describe,
        lambda app, talk, name, rest: commanded(app, talk, incoming.user, lang, incoming.zone, name, rest),
        HELP,
        worded,
    )


async def commanded(app: App, talk: Talk, user: str, lang: str, zone: str, name: str, rest: str) -> str:
    """What a command says; "" for one that isn't known."""
    from hermes_ops.channels import notes

    if name == "memory":
        return await notes.kept(app.recall.keeper, "", user, lang, zone)
    if name == "forget":
        return await notes.forget(app.recall.keeper, "", user, rest, lang)
    return await _trace(app, talk.run, rest) if name == "trace" else ""


async def _trace(app: App, run: str, rest: str) -> str:
    from hermes_ops.trace import finding, show, step, tree

    if not run:
        return "Nothing was asked yet."
    info, events = await finding.one(app.memory, run)
    steps = tree.build(events)
    if not rest:
        return "\n".join(line.text for line in show.lines(info, events, steps))
    found = tree.find(steps, int(rest)) if rest.isdecimal() else None
    if found is None:
        return f"There is no step {rest[:20]!r}; /trace lists them."
    return "\n".join(line.text for line in step.lines(found, steps, app.settings.limits.history_tokens))
