"""The console script. It imports next to nothing, so that `--version` costs no more than Python itself."""

from __future__ import annotations

import contextlib
import io
import sys

from hermes_ops.version import VERSION


def main() -> None:
    """Runs the command line and exits with a documented code (docs/CLI.md)."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"hermes-ops {VERSION}")
        return
    _on_ctrl_c("SIG_DFL")  # while modules load there is nothing to save
    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(OSError):  # it was opened as something else than it is now
            sys.stdout.reconfigure(errors="backslashreplace")  # as stderr is: no Chinese, but its escapes
    try:
        from hermes_ops.cli.commands import app

        _on_ctrl_c("default_int_handler")
        app(prog_name="hermes-ops")
    except (Exception, KeyboardInterrupt) as error:
        _on_ctrl_c("SIG_DFL")  # it ends already; a second one must not be told as a fault
        from hermes_ops.cli.faults import report

        sys.exit(report(error))


def _on_ctrl_c(handler: str) -> None:
    """`handler`: its name in `signal`. A job that a shell started in the background has no Ctrl-C, and gets none."""
    import signal

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, getattr(signal, handler))
