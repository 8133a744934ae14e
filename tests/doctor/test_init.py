"""The settings file that `hermes-ops init` writes: every key of the settings, valid as written and with each # away."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.initial import file
from hermes_ops.initial.words import KEYS, SECTIONS
from hermes_ops.loading import load
from hermes_ops.settings import Settings
from orchestrator.errors import ConfigError
from tests.e2e.place import hermes
from tests.test_docs import keys

pytestmark = pytest.mark.slow


def loaded(path: Path, text: str, **env: str) -> Settings:
    path.write_text(text, encoding="utf-8")
    return load({"HERMES_OPS_CONFIG": str(path), "HERMES_OPS_DATA_DIR": str(path.parent), **env})


def open_(text: str) -> str:
    """With the # away from every setting; words keep theirs, they have a blank after it."""
    return re.sub(r"^#(?=[\w\[])", "", text, flags=re.MULTILINE)


def test_as_written_it_changes_nothing(tmp_path: Path) -> None:
    assert loaded(tmp_path / "c.toml", file.text()) == load({"HERMES_OPS_DATA_DIR": str(tmp_path)})


def test_with_every_sign_away_every_value_is_valid(tmp_path: Path) -> None:
    named = re.findall(r'env = "(\w+)"', file.text())
    env = {**dict.fromkeys(named, "a secret of some length"), "HERMES_OPS_DATABASE_URL": f"sqlite:///{tmp_path}/x.db"}
    (tmp_path / "orders.db").touch()  # what the example of a tool names
    settings = loaded(tmp_path / "c.toml", open_(file.text()), **env)
    assert settings.model.api_key is not None
    assert settings.model.light is not None
    assert settings.prices
    assert settings.services["checkout"].aliases


def test_every_key_of_the_settings_stands_in_it_with_words(tmp_path: Path) -> None:
    real = set(keys(Settings)) - {"model.fallbacks", "model.light"}
    assert real == set(KEYS), "hermes_ops/initial/words.py and the settings differ"
    assert all(words.text.endswith((".", "…")) for words in KEYS.values())

    def dotted(table: object, path: str = "") -> set[str]:
        found = set()
        for name, value in table.items() if isinstance(table, dict) else ():
            inner = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
            found |= dotted(inner, f"{path}{name}.") or {f"{path}{name}"}
        return found

    written = dotted(tomllib.loads(open_(file.text())))
    many = "|".join(sorted(key.removesuffix(".NAME").replace(".", r"\.") for key in SECTIONS if key.endswith(".NAME")))
    named = {re.sub(rf"^({many})\.[^.]+(?:\.\d[^.]*)?\.", r"\1.NAME.", key) for key in written}
    inline = {key for key in KEYS if isinstance(KEYS[key].example, dict)}
    tables = inline | {"model.fallbacks", "model.light"}
    assert real - named == inline
    assert {t for t in tables for key in named - real if key.startswith(f"{t}.")} == tables
    assert all(any(key.startswith(f"{t}.") for t in tables) for key in named - real)


def test_every_section_has_words() -> None:
    def tables(kind: Any, path: str = "") -> Iterator[str]:
        for key in file.keys(kind, path):
            if key.table is not None:
                name = key.path + (".NAME" if key.many == "named" else "")
                yield name
                yield from tables(key.table, f"{name}.")

    inside = {"model.fallbacks.price", "model.light.price"}  # like the model's own
    assert set(tables(Settings)) - inside == set(SECTIONS)


def test_what_exists_is_left_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "new" / "config.toml"
    assert file.write(place) == place
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    place.write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        file.write(place)
    assert place.read_text() == "mine"
    with pytest.raises(ConfigError, match="--path"):
        file.write(place / "below" / "a" / "file")


async def test_the_command(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    first = await hermes("init", env=env)
    place = tmp_path / "hermes-ops" / "config.toml"
    assert (first.code, first.out) == (0, "")
    assert str(place) in first.err
    second = await hermes("init", env=env)
    assert second.code == 2
    assert "--print" in second.err
    printed = await hermes("init", "--print", env=env)
    assert printed.out == place.read_text(encoding="utf-8")
    other = await hermes("init", "--path", str(tmp_path / "mine.toml"), env=env)
    assert f"HERMES_OPS_CONFIG={tmp_path / 'mine.toml'}" in other.err
