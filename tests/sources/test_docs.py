"""docs/SOURCES.md agrees with the settings: every kind and key is there, and its example is valid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from hermes_ops.loading import kinds_of, load
from hermes_ops.sourcing.settings import SourceSettings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "SOURCES.md").read_text(encoding="utf-8")
CODE = set(re.findall(r"`([^`\n]+)`", PAGE))


def kinds() -> dict[str, type[BaseModel]]:
    found: dict[str, type[BaseModel]] = {}
    for name in ("alerts", "logs", "changes"):
        hint: Any = SourceSettings.model_fields[name].annotation
        found |= kinds_of(get_args(hint)[1])
    return found


def test_there_arekinds_of() -> None:
    assert {"alertmanager", "prometheus", "victoriametrics", "loki", "victorialogs", "files"} <= set(kinds())


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_and_key_is_documented(kind: str) -> None:
    assert kind in CODE
    keys = set(kinds()[kind].model_fields)
    tables = [f.annotation for f in kinds()[kind].model_fields.values()]
    for inner in tables:
        keys |= set(inner.model_fields) if isinstance(inner, type) and issubclass(inner, BaseModel) else set()
    assert keys - CODE == set()


def test_the_example_is_valid(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert example
    (tmp_path / "config.toml").write_text(example[1])
    sources = load({"HERMES_OPS_CONFIG": str(tmp_path / "config.toml")}).sources
    assert [name for _, name, _ in sources.live()] == ["prod", "pager", "prod"]
