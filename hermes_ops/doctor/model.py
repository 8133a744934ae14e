"""Really calls a model: Chinese, streaming, a tool call, two at once, an answer after results, thinking, JSON, a
picture, and how much context it takes, in at most ten small requests and a few large ones.

What a server refuses is learnt by the gateway on the way; what was learnt becomes the settings to use.
"""

from __future__ import annotations

from functools import partial

from hermes_ops.doctor import probes
from hermes_ops.doctor.check import Check, Checks, Clock
from hermes_ops.doctor.patient import ROOM, Patient, advice, settings
from hermes_ops.doctor.probes import Probe
from orchestrator.contracts import Json
from orchestrator.errors import ConfigError
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.failures import Failure, sentence
from orchestrator.gateway.lane import Lane, NoLimit

PROBES: tuple[tuple[str, Probe], ...] = (
    ("tool call", probes.tool_call),
    ("parallel calls", probes.parallel_calls),
    ("answer from results", probes.after_results),
    ("JSON", probes.plain_json),
    ("pictures", probes.pictures),
)


async def checks(at: Endpoint, history_tokens: int, whole: bool, found: dict[str, Json]) -> Checks:
    """`whole`: everything, else only whether it answers. What to write into the settings comes into `found`."""
    try:
        patient = Patient(at, Lane(at, NoLimit(), tries=2))
    except ConfigError as e:
        yield Check("model", at.model, "fail", str(e), "See docs/MODELS.md.")
        return
    try:
        first, streaming = await probes.answers(patient)
        yield first
        if not whole or first.state == "fail":
            return
        yield streaming
        for name, probe in PROBES:
            yield await _tried(name, probe, patient)
        yield probes.thinks(patient)
        yield await _tried("context", partial(probes.context, history_tokens + ROOM), patient)
        found.update(settings(patient, history_tokens))
    finally:
        await patient.lane.aclose()


async def _tried(name: str, probe: Probe, patient: Patient) -> Check:
    clock = Clock()
    try:
        return await probe(patient, clock)
    except Failure as e:
        return Check("model", name, "fail", str(sentence(e, patient.at)), advice(e), clock.seconds)
