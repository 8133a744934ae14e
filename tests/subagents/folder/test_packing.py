"""Compressed files: whatever unpacks them, what is cut off is told."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from subagents.folder import files
from tests.subagents.folder.helpers import counted, folder_of

TEXT = "".join(f"2026-11-29T14:{n // 60:02}:{n % 60:02}Z ERROR order {n * n} failed\n" for n in range(40)).encode()
MAGIC = {"gz": 2, "xz": 6, "bz2": 3, "zst": 4, "zst by its command": 4}


def _framed(text: bytes) -> bytes:
    return zstandard.compress(text[:999]) + zstandard.compress(text[999:])


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": _framed, "zst by its command": _framed,
}  # fmt: skip


@pytest.fixture(params=PACK)
def packed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param.endswith("command"):
        monkeypatch.setitem(sys.modules, "zstandard", None)
    return str(request.param)


def _read(path: Path, packed: str) -> tuple[bytes, bool]:
    """What could be unpacked, and whether it was told that this isn't all."""
    got = bytearray()
    try:
        for block in files.blocks(str(path), packed.split()[0]):
            got += block
    except files.Unreadable as e:
        return bytes(got), str(e).startswith("the archive breaks off: ")
    return bytes(got), False


def test_wherever_an_archive_is_cut_what_came_before_is_read_and_the_cut_is_told(packed: str, tmp_path: Path) -> None:
    whole, path = PACK[packed](TEXT), tmp_path / "app.log"
    path.write_bytes(whole)
    assert _read(path, packed) == (TEXT, False)
    between = len(zstandard.compress(TEXT[:999])) if packed.startswith("zst") else 0  # there two whole files meet
    first, size = MAGIC[packed], len(whole)
    places = {*range(first, first + 9), *range(first, size, size // 9), *range(size - 9, size)} - {between}
    for cut in sorted(places)[:: 4 if packed.endswith("command") else 1]:
        path.write_bytes(whole[:cut])
        got, told = _read(path, packed)
        assert told, f"cut at {cut} of {size}"
        assert TEXT.startswith(got)


async def test_an_archive_that_breaks_off_counts_what_it_holds_and_the_folder_says_so(
    packed: str, tmp_path: Path
) -> None:
    whole = PACK[packed](TEXT)
    folder = folder_of(tmp_path, {"app.log": whole[:-4], "whole.log": TEXT})
    try:
        assert sum((await counted(folder, "level")).values()) >= 40
        told = [*folder.material.notes, *(row["why"] for row in folder.skipped)]
        assert any("the archive breaks off" in said for said in told), told
    finally:
        folder.close()


def test_zeros_that_unpack_to_much_come_a_piece_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    path.write_bytes(zstandard.compress(bytes(96 << 20)))
    blocks = files.blocks(str(path), "zst")
    assert len(next(blocks)) < 48 << 20


def _rows(n: int) -> list[str]:
    rng = random.Random(7)
    return [f"2026-11-29T14:{i // 60 % 60:02}:{i % 60:02}Z ERROR 订单 {rng.getrandbits(160):x} 失败" for i in range(n)]


def _cri(rows: list[str]) -> bytes:
    return "".join(f"{row[:20]} stdout F {row}\n" for row in rows).encode()


def _kibana(rows: list[str]) -> bytes:
    return json.dumps([{"@timestamp": row[:20], "level": "ERROR", "message": row} for row in rows]).encode()


def _journal(rows: list[str]) -> bytes:
    form = "__CURSOR=s={n}\n__REALTIME_TIMESTAMP={at}\n_BOOT_ID=b\nPRIORITY=3\nMESSAGE={row}\n\n"
    return "".join(form.format(n=n, at=1_795_960_800_000_000 + n, row=row) for n, row in enumerate(rows)).encode()


WRAPPED: dict[str, Callable[[list[str]], bytes]] = {
    "gb18030": lambda rows: "\n".join(rows).encode("gb18030"),
    "utf-16-le": lambda rows: b"\xff\xfe" + "\n".join(rows).encode("utf-16-le"),
    "cri": _cri, "json-document": _kibana, "journal": _journal,
}  # fmt: skip


@pytest.mark.parametrize("inner", WRAPPED)
@pytest.mark.parametrize("outer", ["gz", "bz2", "xz", "zst"])
def test_within_what_breaks_off_no_wrapping_loses_what_came_before(tmp_path: Path, outer: str, inner: str) -> None:
    """Nearly as many lines as of the same bytes that simply end there."""
    whole = WRAPPED[inner](_rows(3_000))
    small: dict[str, Callable[[bytes], bytes]] = {"bz2": lambda data: bz2.compress(data, 1), "zst": zstandard.compress}
    packed = small.get(outer, PACK[outer])(whole)
    path = tmp_path / "app.log"
    path.write_bytes(packed[: len(packed) * 3 // 4])
    assert files.packing(path) == f"{outer}+{inner}"
    bare, _ = _read(path, outer)
    n, told = 0, ""
    try:
        for _ in files.lines(str(path), f"{outer}+{inner}"):
            n += 1
    except files.Unreadable as e:
        told = str(e)
    assert told.startswith("the archive breaks off: ")
    assert n >= 0.97 * 3_000 * len(bare) / len(whole)
