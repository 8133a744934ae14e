"""Secrets of the settings, and the key that masking uses: where they may stand, and how they are read.

In a file a secret is a reference, `{ env = "NAME" }` or `{ file = "PATH" }`; written out it is refused, since
configuration files are copied and committed. A variable of the environment may hold one as it is.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr, ValidationInfo

from orchestrator.errors import StoreError

_USERINFO = re.compile(r"://[^/\s:@]*:[^/\s@]+@")


class FromEnvironment(str):
    """A value that came out of the environment, and may be a secret as it is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where references are looked up: the environment, and the directory that relative paths start from."""

    environ: Mapping[str, str]
    base: Path


def read_secret(value: Any, info: ValidationInfo) -> SecretStr:
    """For pydantic: a reference or an environment's value → the secret."""
    if isinstance(value, SecretStr):
        return value
    if isinstance(value, FromEnvironment):
        return SecretStr(value.strip())
    if isinstance(value, str):
        raise ValueError('must not be written out here: use { env = "NAME" } or { file = "PATH" }')
    return SecretStr(_follow(value, cast(Origin, info.context)))


def read_options(value: Any, info: ValidationInfo) -> Any:
    """For pydantic: a table of options that this program doesn't know; references in it become secrets."""
    if not isinstance(value, dict):
        return value
    return {
        key: SecretStr(_follow(given, cast(Origin, info.context)))
        if isinstance(given, dict) and given.keys() in ({"env"}, {"file"})
        else given
        for key, given in value.items()
    }


def read_url(value: Any, info: ValidationInfo) -> str:
    """For pydantic: the same for a database's address, which may be written out where it holds no password."""
    if isinstance(value, dict):
        return _follow(value, cast(Origin, info.context))
    if not isinstance(value, FromEnvironment) and isinstance(value, str) and _USERINFO.search(value):
        raise ValueError('holds a password, which must not be written out here: use { env = "NAME" }')
    return str(value)


def _follow(reference: Any, origin: Origin) -> str:
    match reference:
        case {"env": str(name)} if len(reference) == 1:
            if not (found := origin.environ.get(name, "").strip()):
                raise ValueError(f"refers to the variable {name}, which is not set")
            return found
        case {"file": str(name)} if len(reference) == 1:
            path = origin.base / Path(name).expanduser()
            try:
                return path.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as e:
                reason = e.strerror if isinstance(e, OSError) else "it is no text"
                raise ValueError(f"refers to the file {path}, which can't be read: {reason}") from None
    raise ValueError('must be { env = "NAME" } or { file = "PATH" }')


def masking_key(data_dir: Path) -> bytes:
    """This installation's key for the tags of masked values, made at its first use. Raises StoreError."""
    path = data_dir / "masking.key"
    try:
        if not path.exists():
            _write_once(path, secrets.token_bytes(32))
        key = path.read_bytes()
    except OSError as e:
        raise StoreError(
            f"The data directory {data_dir} can't be used: {e.strerror}. "
            "Make it writable, or choose another with HERMES_OPS_DATA_DIR."
        ) from e
    if len(key) != 32:
        raise StoreError(f"The file {path} is damaged. Remove it; a new one is made, and masked values get new tags.")
    return key


def check_value(key: bytes) -> str:
    """By which two keys are told apart; the key can't be found from it."""
    return hashlib.sha256(b"check value " + key).hexdigest()[:16]


def _write_once(path: Path, content: bytes) -> None:
    """Whole or not at all, readable by its owner only; of two processes that try at once the first one wins."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)
