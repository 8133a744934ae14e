"""Ctrl-C while the program's modules are still loading."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

LOADING = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "hermes_ops.cli.commands":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["hermes-ops", "--help"]
from hermes_ops.cli.main import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("ignored", "code", "shown"), [(False, -signal.SIGINT, False), (True, 0, True)])
def test_ctrl_c_while_modules_load_is_silent_and_stays_off_where_it_was_off(
    ignored: bool, code: int, shown: bool
) -> None:
    """A shell's background job has no Ctrl-C."""
    way = f"import signal; signal.signal(signal.SIGINT, signal.{'SIG_IGN' if ignored else 'default_int_handler'})\n"
    done = subprocess.run([sys.executable, "-c", way + LOADING], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (code, "")
    assert ("Usage" in done.stdout) is shown
