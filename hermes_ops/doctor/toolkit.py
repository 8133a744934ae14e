"""Each tool of the settings tried once: a database with SELECT 1, an API at the first of its paths."""

from __future__ import annotations

from hermes_ops.doctor.check import Check, Checks, Clock
from hermes_ops.toolkit import HttpToolSettings, SqlToolSettings, Toolkit
from orchestrator.errors import HermesError


async def checks(settings: dict[str, HttpToolSettings | SqlToolSettings], models: tuple[str, ...]) -> Checks:
    """`models`: those that would see what the tools bring."""
    try:
        toolkit = Toolkit(settings)
    except HermesError as e:
        yield Check("tool", "toolkit", "fail", str(e), "Install it, or take the table out (docs/TOOLKIT.md).")
        return
    try:
        for name, given in settings.items():
            clock, place = Clock(), f"toolkit.{name}"
            try:
                yield Check("tool", place, "ok", await toolkit.tried(name), seconds=clock.seconds)
            except HermesError as e:
                yield Check("tool", place, "fail", str(e), "Mend its table (docs/TOOLKIT.md).", clock.seconds)
            if refused := given.closed_to(models):
                do = f"Add it to {place}.egress, or leave it: the tool then answers that it is withheld."
                yield Check("tool", f"{place}: egress", "warn", f"doesn't allow the model {', '.join(refused)}", do)
    finally:
        await toolkit.aclose()
