"""Bodies as the usual senders of alerts post them: name, severity, service, state, start and end of each alert.

`senders.json` was written from the senders' documentation, not from what this program says.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.hooks import kinds
from hermes_ops.hooks.heard import Delivery
from hermes_ops.hooks.settings import AlertHook
from tests.hooks.test_payloads import NOW, same, told

SENDERS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "senders.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("sender", SENDERS, ids=[sender["name"] for sender in SENDERS])
def test_an_alert_says_what_a_person_reads_in_it(sender: dict[str, Any]) -> None:
    hook = AlertHook.model_validate({"zone": sender["zone"]})
    got = [told(alert) for alert in kinds.ALERTS[sender["kind"]](Delivery(sender["body"]), hook, NOW)]
    assert len(got) == len(sender["told"])
    assert all(same(g, tuple(w)) for g, w in zip(got, sender["told"], strict=True)), got
