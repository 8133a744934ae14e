"""Provider profiles: what an OpenAI-compatible server takes and gives that others don't.

Only facts that can't be learnt from an answer stand here; what a server refuses (`parallel_tool_calls`, a temperature,
`stream_options` …) is learnt at the first refusal by `mends.py`. Sources: the providers' public API references.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Profile:
    """`reasoning`: echoed in tool-calling turns, or dropped. `forbid`: how a last step forbids calls, by tool_choice
    "none" or by leaving the tools out. `parallel`: sent as parallel_tool_calls. `usage`: stream_options are known.
    `hosts` and `models`: by what `guess` knows it (host endings, beginnings of model names). `vision`: the names, from
    their beginning, of models that take pictures by the vendor's documentation, as an expression."""

    name: str
    base_url: str = ""
    hosts: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    reasoning: Literal["echo", "drop"] = "echo"
    forbid: Literal["choice", "omit"] = "choice"
    parallel: bool | None = None
    stream: bool = True
    usage: bool = True
    max_temperature: float = 2.0
    vision: str = "(?!)"


COMPATIBLE = Profile("compatible")

# fmt: off
PROFILES: Mapping[str, Profile] = {
    p.name: p
    for p in (
        COMPATIBLE,
        Profile(
            "openai", "https://api.openai.com/v1", ("api.openai.com", "openai.azure.com"), ("gpt-", "o1", "o3", "o4"),
            reasoning="drop",  # chat completions never show it
            vision=r"gpt-(4o|4\.1|[5-9])|o1(?!-mini|-preview)|o3(?!-mini)|o4",
        ),
        Profile(
            "deepseek", "https://api.deepseek.com/v1", ("deepseek.com",), ("deepseek-",),
            reasoning="echo",  # thinking mode: turns with calls must carry it in all later requests, else 400
        ),
        Profile(
            "qwen", "https://dashscope.aliyuncs.com/compatible-mode/v1", ("aliyuncs.com",),
            models=("qwen-", "qwen2.5-", "qwen3-", "qwen3.", "qwq", "qvq"), reasoning="drop",
            parallel=True,  # off by default there
            max_temperature=1.99,  # [0, 2)
            vision=r"qwen(-|[\d.]+-)vl|qwen3\.[5-9]|qvq",
        ),
        Profile(
            "kimi", "https://api.moonshot.cn/v1", ("moonshot.cn", "moonshot.ai"), ("kimi-", "moonshot-"),
            reasoning="echo",  # thinking models refuse tool-calling turns without it
            max_temperature=1.0, vision=r"kimi-k2\.[5-9]|.*vision",
        ),
        Profile(
            "glm", "https://open.bigmodel.cn/api/paas/v4", ("bigmodel.cn", "z.ai"), ("glm-",), reasoning="echo",
            forbid="omit",  # tool_choice takes only "auto"
            usage=False,  # the last chunk carries usage anyway
            max_temperature=1.0, vision=r"glm-[\d.]+v",
        ),
        Profile(
            "doubao", "https://ark.cn-beijing.volces.com/api/v3", ("volces.com",), ("doubao-", "ep-"),
            reasoning="drop", vision=r"doubao-(seed-(1[.-][6-9]|[2-9])|.*vision)",
        ),
        Profile("vllm", "http://localhost:8000/v1"),
        Profile("ollama", "http://localhost:11434/v1", reasoning="drop", forbid="omit"),  # tool_choice is ignored
    )
}
# fmt: on


def guess(base_url: str, model: str) -> Profile:
    """The profile for an address and a model name: the host decides, then how the model is named."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    for p in PROFILES.values():
        if any(host == h or host.endswith("." + h) for h in p.hosts):
            return p
    if parts.port == 11434:
        return PROFILES["ollama"]
    name = model.lower()
    if "/" in name:  # the name of a repository of weights: somebody serves them
        return PROFILES["vllm"]
    if ":" in name:
        return PROFILES["ollama"]
    return next((p for p in PROFILES.values() if name.startswith(p.models)), COMPATIBLE)
