"""Where one model is reached and what it costs: plain data, made from settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from orchestrator.contracts import Json, Usage
from orchestrator.errors import ConfigError
from orchestrator.gateway.profiles import PROFILES, Profile, guess


@dataclass(frozen=True, slots=True)
class Price:
    """Per million tokens, in whatever currency the settings use. `cached`: of prompt tokens served from a cache."""

    prompt: float
    completion: float
    cached: float | None = None

    def of(self, usage: Usage) -> float:
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        rate = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt_tokens - cached
        return (fresh * self.prompt + cached * rate + usage.completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one address. `profile` "" is guessed; `stream` None is the profile's; `tools` "text" for models
    without native calls. `timeout`: seconds without a byte; `ca`: path of a PEM bundle; `key_name`: the setting that
    holds the key, for error messages. `vision`: whether it takes pictures, None as the profile knows."""

    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    profile: str = ""
    temperature: float | None = None
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    stream: bool | None = None
    tools: Literal["native", "text"] = "native"
    timeout: float = 60.0
    proxy: str = field(default="", repr=False)
    ca: str = ""
    price: Price | None = None
    key_name: str = "HERMES_OPS_API_KEY or OPENAI_API_KEY"
    vision: bool | None = None

    def quirks(self) -> Profile:
        """Raises ConfigError for a profile name nobody knows."""
        if self.profile and self.profile not in PROFILES:
            raise ConfigError(f"The model profile {self.profile!r} is unknown; use one of {', '.join(PROFILES)}.")
        return PROFILES[self.profile] if self.profile else guess(self.url, self.model)

    @property
    def sees(self) -> bool:
        """Pictures reach it. Never with tools as text: those models know nothing but text."""
        seeing = bool(re.match(self.quirks().vision, self.model, re.I)) if self.vision is None else self.vision
        return seeing and self.tools == "native"

    @property
    def url(self) -> str:
        if self.base_url:
            return self.base_url
        return PROFILES[self.profile].base_url if self.profile in PROFILES else PROFILES["openai"].base_url

    @property
    def place(self) -> str:
        """The address for people: no credentials, no query."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "?…" if parts.query else "", "")).replace("??", "?")
