"""What was found out about files, kept by (path, size, mtime): in memory, and as JSON in a directory where one is
given. A file that changed is read again. Losing the directory loses time, nothing else.
"""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from orchestrator.guard import masked
from subagents.folder.files import Found
from subagents.folder.records import Row

VERSION = 11  # raise it when a format reads differently
_MEMORY = 512
_PER_FILE = 40
_LARGEST = 4 << 20  # characters of one stored result
_MASKED = 16_384  # texts whose mask is remembered: counts say the same few names and minutes again and again


class Index:
    """`mask`: what takes secrets out of a text before it is written down."""

    def __init__(self, folder: Path | None, mask: Callable[[str], str]) -> None:
        self._folder = folder
        self._mask = lru_cache(_MASKED)(mask)
        self._recent: OrderedDict[tuple[Found, str], Row] = OrderedDict()
        self._names: dict[Found, set[str]] = {}  # what is stored of a file, as far as it was looked for
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def get(self, file: Found, question: Sequence[Any]) -> Row | None:
        """The stored result of a question about a file as it is now."""
        name = _name(question)
        row = self._recent.get((file, name))
        if row is None and self._folder is not None and name in self._names.get(file, {name}):
            row = self._stored(file).get(name)
            if row is not None:
                self._remember(file, name, row)
        return row

    def put(self, file: Found, question: Sequence[Any], row: Row) -> None:
        name = _name(question)
        self._remember(file, name, row)
        if self._folder is None or len(json.dumps(row)) > _LARGEST:
            return
        results = self._stored(file)
        results[name] = masked(row, self._mask)
        while len(results) > _PER_FILE:
            results.pop(next(iter(results)))
        text = json.dumps({"file": list(file), "v": VERSION, "results": results}, ensure_ascii=False)
        if len(text) <= _LARGEST:
            self._write(file, text, set(results))

    def _write(self, file: Found, text: str, names: set[str]) -> None:
        """Where there is no room for it, it is found out again another time."""
        target = self._path(file)
        beside = target.with_suffix(f".{os.getpid()}.{threading.get_ident()}.tmp")
        try:
            beside.write_text(text, encoding="utf-8", errors="surrogatepass")
            beside.replace(target)
            self._names[file] = names
        except OSError:
            with suppress(OSError):
                beside.unlink(missing_ok=True)

    def _remember(self, file: Found, name: str, row: Row) -> None:
        self._recent[file, name] = row
        while len(self._recent) > _MEMORY:
            self._recent.popitem(last=False)

    def _path(self, file: Found) -> Path:
        assert self._folder is not None
        return self._folder / f"{sha256(file.path.encode('utf-8', 'surrogateescape')).hexdigest()[:24]}.json"

    def _stored(self, file: Found) -> dict[str, Row]:
        self._names[file] = set()
        try:
            kept = json.loads(self._path(file).read_text(encoding="utf-8", errors="surrogatepass"))
        except (OSError, ValueError):
            return {}
        same = isinstance(kept, dict) and kept.get("file") == list(file) and kept.get("v") == VERSION
        results: dict[str, Row] = kept["results"] if same else {}
        self._names[file] = set(results)
        return results


def _name(question: Sequence[Any]) -> str:
    return json.dumps(question, ensure_ascii=False, separators=(",", ":"))
