"""`hermes-ops trace replay`, `diff` and `fork`: a recorded run once more, two side by side, one as a case."""

from __future__ import annotations

import asyncio
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.inspect import Out, write
from hermes_ops.cli.options import AsJson
from hermes_ops.cli.recorded import Run, readers_may_leave, settings
from hermes_ops.exits import ANSWERED, FAILED
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.replay.run import Changes, Replayed
    from hermes_ops.settings import Settings
    from hermes_ops.trace.finding import Found
    from hermes_ops.trace.story import Story
    from memory import RunInfo

Many = list[str]
Other = Annotated[str, typer.Argument(metavar="B", help="The other run.")]


def replay(
    run: Run,
    model: Annotated[str, typer.Option("--model", metavar="M", help='Ask this model anew; "offline": none.')] = "",
    prompt: Annotated[Many, typer.Option("--prompt", metavar="FILE", help="Another prompt: FILE, or AGENT=FILE.")] = [],  # noqa: B006
    set_: Annotated[Many, typer.Option("--set", metavar="K=V", help="Another setting, limits.parallel=1.")] = [],  # noqa: B006
    start: Annotated[int, typer.Option("--from", metavar="N", min=0, help="Ask models anew from this step on.")] = 0,
    say_: Annotated[str | None, typer.Option("--say", metavar="TEXT", help="With --from: the message there.")] = None,
    edit: Annotated[Path | None, typer.Option("--edit", metavar="FILE", help="The same, from a file.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Ask sources what wasn't recorded.")] = False,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Only with recorded replies: the same must come out.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a recorded question again on recorded results, as a new run."""
    changed = bool(model or prompt or set_ or start)
    if recorded and changed:
        raise ConfigError("--recorded replays what was said; leave it out to try another model, prompt or setting.")
    if (say_ is not None or edit) and not start:
        raise ConfigError("--say and --edit need --from N: the step whose message is another.")
    if say_ is not None and edit:
        raise ConfigError("--say and --edit both give the message: give one of them.")
    sets = dict(map(_pair, set_))
    chosen = _settings({**sets, **({"model.model": model} if model not in ("", "offline") else {})})
    prompts = dict(map(_prompt, prompt))
    words = _read(edit) if edit else say_

    given = {"model": model, "prompts": prompts, "sets": sets, "live": live, "say": words}
    done = asyncio.run(_replay(run, chosen, start, given))
    with readers_may_leave():
        _tell(done, changed, as_json)
    raise typer.Exit(ANSWERED if changed or done.identical else FAILED)


async def _replay(run: str, chosen: Settings, start: int, given: Mapping[str, object]) -> Replayed:
    from hermes_ops.replay.run import Changes
    from hermes_ops.replay.run import replay as again
    from hermes_ops.trace import finding, tree
    from memory import open_memory

    memory = open_memory(chosen.database_url)
    try:
        info, events = await finding.one(memory, run)
        step = tree.find(tree.build(events), start) if start else None
        if start and step is None:
            raise ConfigError(f"Run {info.id} has no step {start}. `hermes-ops trace show {info.id}` numbers them.")
        changes: Changes = Changes(start=step, **given)  # type: ignore[arg-type]
        return await again(memory, chosen, info, events, changes)
    finally:
        await memory.close()


def _tell(done: Replayed, changed: bool, as_json: bool) -> None:
    from hermes_ops.trace import printing

    if as_json:
        told = {"run": done.run, "of": done.of, "status": done.answer.status, "identical": done.identical}
        told |= {"recorded": done.recorded, "matched": done.matched, "divergences": done.divergences}
        printing.print_json({**told, "text": done.answer.text})
        return
    how = "identical" if done.identical else f"{done.matched} of {done.recorded} events the same"
    lines = [printing.Line(f"Run {done.run} replays {done.of}: {how}, {done.answer.status}.", "bold")]
    for found in done.divergences:
        lines.append(
            printing.Line(f"  {found['path']}, {printing.one_line(found['step'], 80)}: {found['why']}", "yellow")
        )
        if found.get("args"):
            lines.append(printing.Line(f"    {printing.one_line(found['args'], 200)}", "dim"))
    if changed:
        lines += [printing.Line(""), printing.Line(done.answer.text)]
    printing.print_lines(lines)
    say(f"Compare: hermes-ops trace diff {done.of} {done.run}")


def diff(
    run: Run,
    other: Other,
    everything: Annotated[bool, typer.Option("--all", help="Show also what is the same.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set two runs side by side: what was asked, found, answered and spent; marks where they first part."""
    from hermes_ops.trace import printing
    from hermes_ops.trace.compare import compare
    from hermes_ops.trace.comparing import lines

    (_, a), (_, b) = stories(run, other)
    told = compare(a, b)
    with readers_may_leave():
        if as_json:
            printing.print_json({**asdict(told), "same": told.same})
        else:
            printing.print_lines(lines(told, a, b, everything))


def fork(
    run: Run,
    route: Annotated[
        str | None, typer.Option("--route", metavar="AGENTS", help='Who should be asked: "logs,changes".')
    ] = None,
    fact: Annotated[
        Many, typer.Option("--fact", metavar="TEXT", help="What the answer should say; may be repeated.")
    ] = [],  # noqa: B006
    folder: Annotated[Path | None, typer.Option("--folder", metavar="DIR", help="The exported files to ask.")] = None,
    out: Out = None,
) -> None:
    """Write a run as a case for `hermes-ops eval`, with its right route and facts."""
    from dataclasses import replace

    from hermes_ops.trace.forking import Right, case, toml

    ((info, story),) = stories(run)
    if folder is not None:
        info = replace(info, folder=str(folder.resolve()))
    if not info.folder:
        raise ConfigError(
            f"Run {info.id} had no folder, and a case needs one: export what it asked, and name it with --folder."
        )
    agents = None if route is None else [name for name in route.replace(" ", "").split(",") if name]
    known = {name for step in story.steps if step.kind == "route" for name in step.detail["offered"] or ()}
    if agents and known and (wrong := [name for name in agents if name not in known]):
        raise ConfigError(f"--route {wrong[0][:40]!r} is no sub-agent. Valid: {', '.join(sorted(known))}.")
    write(toml(case(info, story, Right(agents, fact or None))), out)


# ── arguments ─────────────────────────────────────────────────────────────────────────────────


def stories(*runs: str) -> list[tuple[RunInfo, Story]]:
    from hermes_ops.trace import finding, story, tree
    from memory import open_memory

    budget = settings().limits.history_tokens

    async def read() -> list[Found]:
        memory = open_memory(settings().database_url)
        try:
            return [await finding.one(memory, run) for run in runs]
        finally:
            await memory.close()

    found = asyncio.run(read())
    return [(info, story.tell(info, events, tree.build(events), budget)) for info, events in found]


def _pair(said: str) -> tuple[str, str]:
    key, mark, value = said.partition("=")
    if not mark or not key.strip():
        raise ConfigError(f"--set {said[:60]!r} is no KEY=VALUE. Write it like limits.supervisor_steps=3.")
    return key.strip(), value.strip()


def _prompt(said: str) -> tuple[str, str]:
    agent, mark, path = said.partition("=")
    if not mark:
        agent, path = "supervisor", said
    if agent not in (known := ("supervisor", "alerts", "logs", "changes")):
        raise ConfigError(f"--prompt {agent[:40]!r}: there is no such agent. Valid: {', '.join(known)}.")
    return agent, _read(Path(path))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as e:
        reason = e.strerror if isinstance(e, OSError) else "it is no UTF-8 text"
        raise ConfigError(f"{path} can't be read: {reason}.") from None


def _settings(sets: Mapping[str, str]) -> Settings:
    """The settings with some changed, checked like those of the environment."""
    from hermes_ops.loading import PREFIX, load

    given = {f"{PREFIX}{key.replace('.', '__').upper()}": _plain(value) for key, value in sets.items()}
    return load({**os.environ, **given})


def _plain(value: str) -> str:
    """TOML's lists and tables as JSON, which the environment takes."""
    try:
        found = tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return value
    return found if isinstance(found, str) else json.dumps(found)
