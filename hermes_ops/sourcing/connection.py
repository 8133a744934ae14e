"""The keys that all live sources have: where one is, how it is reached, which environment and models it is for.

It knows no product.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from hermes_ops.sections import File, Proxy, Seconds, Secret, Section, Url, Zone
from subagents.web import Site, basic, bearer
from subagents.web.links import FIELDS, unknown

_API = re.compile(r"(?:/loki)?/api/v\d+/?$|/select/logsql/?$")
LONGEST = 25.0  # seconds; a tool of a sub-agent has 30
Template = Annotated[str, Field(pattern=r"^(?:https?://\S+)?$")]


class Placed(Section):
    """`environment`: whose data it holds, "" for every one's; `zone`: the clock that people read it by; `link`: a
    template of the console's address (docs/SOURCES.md); `egress`: names of the models that may see what it says, "*"
    for all."""

    environment: str = ""
    zone: Zone = "UTC"
    link: Template = ""
    egress: tuple[str, ...] = ("*",)

    def closed_to(self, models: tuple[str, ...]) -> list[str]:
        """Those of the models that may not see what it says."""
        return [m for m in models if "*" not in self.egress and m not in self.egress]

    @field_validator("link")
    @classmethod
    def _fields(cls, template: str) -> str:
        if strange := unknown(template):
            there = ", ".join(f"{{{name}}}" for name in FIELDS)
            raise ValueError(f"asks for {{{strange[0]}}}, which there is not; there are {there}")
        return template


class Live(Placed):
    """`timeout`: seconds for one answer; `most_mb`: of one answer; `hosts`: further hosts that it may redirect to."""

    url: Url
    timeout: Annotated[Seconds, Field(le=LONGEST)] = 10.0
    most_mb: Annotated[int, Field(gt=0)] = 64
    token: Secret | None = None
    user: str = ""
    password: Secret | None = None
    headers: dict[str, Secret] = Field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    verify: bool = True
    ca: File = ""
    cert: File = ""
    key: File = ""
    proxy: Proxy = ""

    @field_validator("url")
    @classmethod
    def _plain(cls, url: str) -> str:
        if not url:
            raise ValueError("is needed: the address of its API")
        if "@" in url.partition("://")[2].partition("/")[0]:
            raise ValueError('holds a user or password: give user and password = { env = "NAME" } instead')
        if api := _API.search(url):
            raise ValueError(f"ends in the API's path: leave out {api[0]}")
        return url

    @model_validator(mode="after")
    def _one_way_in(self) -> Live:
        if self.token and self.user:
            raise ValueError("has a token and a user: give one of them")
        if bool(self.user) != bool(self.password):
            raise ValueError("needs user and password together")
        if self.key and not self.cert:
            raise ValueError("has a key without its cert")
        return self

    def site(self, name: str) -> Site:
        """`name`: the source's, for errors and evidence."""
        return Site(
            name, self.url, self._headers(), self.hosts, self.timeout, self.most_mb << 20,
            self.verify, self.ca, self.cert, self.key, self.proxy,
        )  # fmt: skip

    def _headers(self) -> dict[str, str]:
        own = {name: value.get_secret_value() for name, value in self.headers.items()}
        if self.token:
            return {**own, **bearer(self.token.get_secret_value())}
        if self.password:
            return {**own, **basic(self.user, self.password.get_secret_value())}
        return own
