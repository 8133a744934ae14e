"""What the sections of the settings are made of: a strict base and checked kinds of value.

It knows no setting by name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationInfo

from hermes_ops.keys import Origin, read_secret
from hermes_ops.zones import find_zone
from orchestrator.errors import ConfigError
from orchestrator.gateway.profiles import PROFILES


def _known_zone(name: str) -> str:
    try:
        return find_zone(name).key if name else ""
    except ConfigError as e:
        raise ValueError(str(e)) from None


def _known_profile(name: str) -> str:
    if name and name not in PROFILES:
        raise ValueError(f"must be one of {', '.join(PROFILES)}")
    return name


def _web_address(url: str) -> str:
    if url and not re.match(r"https?://[^\s/]", url):
        raise ValueError("must be an address that begins with http:// or https://")
    return url


def _http_proxy(url: str) -> str:
    if url.lower().startswith("socks"):
        raise ValueError("is a SOCKS proxy, which can't be used: give an HTTP proxy (http://HOST:PORT) in front of it")
    return _web_address(url)


def hard_to_guess(secret: SecretStr) -> SecretStr:
    """For a secret that people choose."""
    if len(secret.get_secret_value()) < SHORTEST:
        raise ValueError(f"must have at least {SHORTEST} characters: `openssl rand -hex 24` makes one")
    return secret


SHORTEST = 16  # characters of a secret that people choose


def beside(name: str, info: ValidationInfo) -> Path:
    """A path of the settings: relative ones start from the settings file."""
    return (info.context.base if isinstance(info.context, Origin) else Path.cwd()) / Path(name).expanduser()


def _existing(name: str, info: ValidationInfo) -> str:
    if name and not beside(name, info).is_file():
        raise ValueError(f"names the file {beside(name, info)}, which isn't there")
    return str(beside(name, info)) if name else ""


Secret = Annotated[SecretStr, BeforeValidator(read_secret)]
Url = Annotated[str, AfterValidator(_web_address)]
Proxy = Annotated[str, AfterValidator(_http_proxy)]
File = Annotated[str, AfterValidator(_existing)]
Zone = Annotated[str, AfterValidator(_known_zone)]
Profile = Annotated[str, AfterValidator(_known_profile)]
Seconds = Annotated[float, Field(gt=0)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
