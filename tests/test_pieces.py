"""What comes in pieces is put together once: neither bytes nor text grow by being copied at each piece."""

from __future__ import annotations

import ast
import asyncio
import io
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import orchestrator
from hermes_ops.web.bodies import body
from orchestrator.gateway import sse
from subagents.folder import files, framing
from subagents.web.client import Caller

ROOT = Path(orchestrator.__file__).parents[1]
PIECE, SIZE = 1_460, 2 << 20  # bytes of a packet, and of one line
BOUNDED = {  # (module, name): grown by whole blocks, and cut where it is longer than one or a few of them
    ("subagents/folder/files.py", "got"), ("subagents/folder/files.py", "kept"), ("subagents/folder/files.py", "carry"),
    ("subagents/folder/seek.py", "kept"),
}  # fmt: skip


def pieces(data: bytes, size: int = PIECE) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


async def streamed(data: bytes, size: int = PIECE) -> AsyncIterator[bytes]:
    for piece in pieces(data, size):
        yield piece


class Stream(io.BytesIO):
    """Gives no more than a piece at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, n: int | None = -1) -> bytes:
        return super().read(self._size)


def caller(data: bytes, size: int = PIECE) -> Any:
    made = object.__new__(Caller)
    made.__dict__ |= {"_chunks": lambda *_: streamed(data, size), "site": SimpleNamespace(name="s")}
    return made


async def of_a_source(n: int) -> None:
    assert [len(line) async for line in caller(b"x" * n).lines("p")] == [n]


async def of_a_model(n: int) -> None:
    event = b'data: {"a": "' + b"x" * n + b'"}\n\n'
    assert [len(part["a"]) async for parts in sse.events(streamed(event)) for part in parts] == [n]


async def of_a_request(n: int) -> None:
    request: Any = SimpleNamespace(stream=lambda: streamed(b"x" * n, PIECE))
    assert await body(request, n) == b"x" * n


async def of_parts(n: int) -> None:
    part = b"2026-01-01T00:00:00Z stdout P " + b"y" * 20 + b"\n"
    read = framing.Unframed(io.BytesIO(part * (n // 40)), "cri").read()
    assert len(read) == min(n // 40 * 20, 1 << 20) + len("2026-01-01T00:00:00Z stdout F \n")


async def of_a_stream(n: int) -> None:
    assert sum(map(len, framing._split(Stream(b"x" * n, PIECE)))) == n


@pytest.mark.parametrize("read", [of_a_source, of_a_model, of_a_request, of_parts, of_a_stream])
async def test_a_line_in_many_pieces_costs_its_length(read: Callable[[int], Awaitable[None]]) -> None:
    """Processor time of four times as much is about four times as much, not sixteen."""

    async def cost(n: int) -> float:
        began = time.process_time()
        await read(n)
        return time.process_time() - began

    small = min([await cost(SIZE // 4) for _ in range(3)])
    large = min([await cost(SIZE) for _ in range(3)])
    assert large < 9 * small + 0.02


@pytest.mark.parametrize("size", [1, 2, 3, 5, 999])
def test_however_it_is_cut_the_same_is_read(size: int) -> None:
    lines = b"one\r\n\n  \ntwo\n\nthree"
    events = b'data: {"n": 1}\r\n\r\ndata: {"n": 2}\n\n: said\n\ndata: {"n":\ndata: 3}\r\rdata: {"n": 4}'

    async def read() -> tuple[list[bytes], list[Any]]:
        return (
            [line async for line in caller(lines, size).lines("p")],
            [part["n"] async for parts in sse.events(streamed(events, size)) for part in parts],
        )

    assert asyncio.run(read()) == ([b"one\r", b"two", b"three"], [1, 2, 3, 4])
    assert list(framing._split(Stream(lines, size))) == lines.split(b"\n")


def _grown(function: ast.AST) -> set[str]:
    """Names that begin as empty bytes or text, and in a loop over pieces become themselves and more."""
    empty = {
        target.id
        for node in ast.walk(function) if isinstance(node, ast.Assign)
        for target, value in _pairs(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and value.value in (b"", "")
    }  # fmt: skip
    loops = [n for n in ast.walk(function) if isinstance(n, ast.While | ast.AsyncFor) or _over_pieces(n)]
    grown = set()
    for node in (n for loop in loops for n in ast.walk(loop)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            grown |= {node.target.id}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, ast.Name):
            grown |= {node.left.id}
    return empty & grown


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _over_pieces(node: ast.AST) -> bool:
    return isinstance(node, ast.For) and any(w in ast.unparse(node.iter) for w in ("blocks(", "pieces", "chunks"))


def test_nothing_grows_by_copying_it_at_each_piece() -> None:
    assert files.LINE_CAP <= 1 << 20  # what the bounded ones are bounded by
    found = set()
    for path in (
        p for room in ("orchestrator", "subagents", "memory", "hermes_ops") for p in (ROOT / room).rglob("*.py")
    ):
        source = path.read_text()
        for node in ast.walk(ast.parse(source)) if 'b""' in source else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found |= {(str(path.relative_to(ROOT)), name) for name in _grown(node)}
    assert found <= BOUNDED
