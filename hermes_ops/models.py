"""Which brain an agent gets: the configured models behind one gateway, or none, and then its playbook."""

from __future__ import annotations

from hermes_ops.settings import Settings
from orchestrator.agent import Agent, Brain
from orchestrator.brain import ModelBrain
from orchestrator.context import Fitter, Tiers
from orchestrator.gateway.gateway import Gateway
from orchestrator.planner import NAME, OfflineBrain
from orchestrator.ports import Limiter


class Models:
    """`offline`: no model is asked, by wish or because none is configured; `limiter`: of all of them."""

    def __init__(self, settings: Settings, offline: bool, limiter: Limiter | None = None) -> None:
        model = settings.model
        endpoints = () if offline else tuple(map(settings.priced, model.endpoints()))
        self._main = Gateway(endpoints, limiter) if endpoints else None
        light = model.light_endpoint()
        self._light = Gateway([settings.priced(light)], limiter) if light and endpoints else self._main
        self._tiers = Tiers(settings.limits.history_tokens)
        self.offline = self._main is None
        self.name = self._main.name if self._main else NAME
        self.names = tuple(dict.fromkeys(e.model for e in (*endpoints, *([light] if light and endpoints else ()))))

    @property
    def light(self) -> Gateway | None:
        """The model for summaries and extraction: the light one, else the first; None offline."""
        return self._light

    def asked(self, offline: bool) -> tuple[str, ...]:
        """Which models see what sources say; none where a question is answered by rules."""
        return () if offline else self.names

    def brain(self, agent: Agent) -> Brain:
        """A brain for one loop of `agent`."""
        if self._main is None:
            return OfflineBrain()
        return ModelBrain(self._main, Fitter(self._tiers, self._light))

    async def aclose(self) -> None:
        for gateway in {self._main, self._light} - {None}:
            assert gateway is not None
            await gateway.aclose()
