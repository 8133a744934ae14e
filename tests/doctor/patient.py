"""A model that plays along with the doctor, and the ways in which it can be ill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hermes_ops.doctor.probes import WORD
from hermes_ops.testing.script import Fault, Step, calls, says
from orchestrator.contracts import Json, Message

Decide = Callable[[Sequence[Message], Sequence[Json]], Step]


@dataclass(frozen=True)
class Model:
    """`tokens`: what it takes at most, at three bytes a token; `fault`: how each tool call comes."""

    chinese: str = (
        "一周有七天："
        + "、".join(f"星期{day}" for day in "一二三四五六日")
        + "，从星期一开始，到星期日结束，周而复始，一年五十二周。"
    )
    calls: bool = True
    together: int = 3
    tokens: int = 1_000_000
    remembers: bool = True
    reasoning: str = ""
    json: str = '{"service": "结算", "errors": 3}'
    figure: str = "checkout had 4,711 errors."
    fault: Fault | None = None

    def __call__(self, messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        said = "\n".join(str(m.get("content") or "") for m in messages)
        size = len(said.encode()) // 3
        if size > self.tokens:
            return Step(fault=Fault.CONTEXT_LENGTH)
        return replace(self._step(said), reasoning=self.reasoning, usage=(size, 20))

    def _step(self, said: str) -> Step:
        if "4711" in said:
            return says(self.figure)
        if "Remember this word" in said:
            return says(WORD if self.remembers else "I don't know.")
        if "JSON object and nothing else" in said:
            return says(self.json)
        if "Call the tool for all three" in said:
            names = ("checkout", "payment", "catalog")[: self.together]
            return calls(*(("count_errors", {"service": name}) for name in names), fault=self.fault)
        if "Use the tool" in said:
            wanted = ("count_errors", {"service": "checkout"})
            return calls(wanted, fault=self.fault) if self.calls else says("I can't look that up.")
        return says(self.chinese)
