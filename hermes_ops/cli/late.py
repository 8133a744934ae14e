"""The work behind a command, imported when it begins: `--help` and a refused argument don't pay for it."""

from __future__ import annotations

from hermes_ops.cli.faults import report
from hermes_ops.cli.inputs import Request, zoned
from orchestrator.errors import ConfigError


def answer(request: Request) -> int:
    """The exit code. Typer would end a Ctrl-C without a word, so that is caught here."""
    try:
        return _run(request)
    except KeyboardInterrupt as error:
        return report(error)


def _run(request: Request) -> int:
    """What is cheap to refuse is refused before the application is imported."""
    from hermes_ops.cli import asking
    from hermes_ops.loading import load
    from hermes_ops.sourcing.settings import NOTHING

    settings = zoned(load(), request.data_zone)
    if request.folder is None and not request.resume and not settings.sources.any:
        raise ConfigError(NOTHING)
    incoming = asking.make_incoming(request, settings)
    from hermes_ops.app import open_app

    return asking.ask(request, incoming, settings, open_app)
