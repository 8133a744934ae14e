"""`hermes-ops demo`: generates an incident of yesterday, and answers a question about it like any other folder.

The truth about it is kept beside the folder, where no answer can see it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hermes_ops.cli import late
from hermes_ops.cli.faults import say
from hermes_ops.cli.inputs import Request, check_clock, read_now, read_question, read_zone, terminal_locale
from hermes_ops.cli.options import AsJson, Now, Zone
from orchestrator.errors import ConfigError

SEED = 434


def demo(
    question: Annotated[str | None, typer.Argument(help="Another question about the generated incident.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which incident: the same one for a number.")] = SEED,
    variant: Annotated[
        str, typer.Option("--variant", metavar="CAUSE[:FAULT]", help="What is to blame: deploy, flag, traffic, none …")
    ] = "",
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Write the incident there, and leave it.")
    ] = None,
    online: Annotated[bool, typer.Option("--online", help="Use the configured language model.")] = False,
    now: Now = None,
    zone: Zone = None,
    as_json: AsJson = False,
) -> None:
    """Ask about a generated incident of yesterday: no key, no server, no network."""
    check_clock(now, zone)
    asked = read_question(question, None) if question is not None else ""
    with _place(keep) as folder:
        request = _generated(folder, seed, variant, now, zone)
        say(f"Question: {asked or request.text}\nFolder:   {folder}")
        request = replace(request, text=asked or request.text, offline=not online, as_json=as_json)
        code = late.answer(request)
    raise typer.Exit(code)


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    """An empty folder: the one that was named, or one that is gone afterwards."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="hermes-ops-demo-") as home:
            yield Path(home).resolve() / "incident"
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
        if any(keep.iterdir()):
            raise ConfigError(f"The folder {keep} is not empty. Name a new one after --keep.")
    except OSError as e:
        raise ConfigError(f"The folder {keep} can't be used: {e.strerror}. Name another one after --keep.") from None
    yield keep.resolve()


def _generated(folder: Path, seed: int, variant: str, now: str | None, zone: str | None) -> Request:
    """Writes the incident, its truth beside it, and gives the question in the terminal's language."""
    from hermes_ops.demo.generate import generate
    from hermes_ops.demo.variant import parse
    from hermes_ops.loading import load
    from orchestrator.contracts import to_json

    where = read_zone(zone, load().zone)
    at = read_now(now, where)
    try:
        chosen = replace(parse(variant, seed), zone=where)
    except ValueError as e:
        raise ConfigError(f"--variant: {e}.") from None
    truth = generate(folder, seed, at, chosen)
    beside = folder.with_name(f"{folder.name}.truth.json")
    beside.write_text(json.dumps(to_json(truth), ensure_ascii=False, indent=1), encoding="utf-8")
    lang = "zh" if terminal_locale().startswith("zh") else "en"
    text = next(q.text for q in truth.questions if q.lang == lang)
    return Request(text, folder, now=at.isoformat(), zone=where, new=True, locale=terminal_locale())
