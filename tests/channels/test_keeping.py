"""Files that messages bring along: whatever they are encoded in, masked as a whole, or refused with the reason."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hermes_ops.channels.keeping import MOST, PIECE, distinct, keep, pieces

MANY = gzip.compress(b"".join(b"%d: GET /cart %x\n" % (n, n * n) for n in range(5_000)))
LINE = "2026-11-29 14:04:30 ERROR 结账失败：数据库连接超时\n"


@pytest.mark.parametrize(
    "data",
    [
        LINE.encode(),
        b"\xef\xbb\xbf" + LINE.encode(),
        LINE.encode("gb18030") * 20,
        b"\xff\xfe" + LINE.encode("utf-16-le"),
        gzip.compress(LINE.encode(), mtime=0),
        gzip.compress(LINE.encode("gb18030") * 20, mtime=0),
        gzip.compress(LINE.encode(), mtime=0) + b"\0" * 9,  # padded, as on a tape
        LINE.encode() * 50 + b"\xe7\xbb\n",
    ],
)
def test_a_text_is_read_whatever_it_is_encoded_in(tmp_path: Path, data: bytes) -> None:
    kept = keep(tmp_path / "m", "../../服务 日志.log.gz", data, lambda text: text.replace("超时", "***"), "zh")
    assert Path(kept.path).parent == tmp_path / "m"
    assert kept.name == "服务_日志.log"
    assert Path(kept.path).read_text(encoding="utf-8").startswith(LINE.replace("超时", "***"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "不是文本"),
        (b"PK\x03\x04" + bytes(range(256)) * 20, "不是文本"),
        (gzip.compress(b"x", mtime=0)[:-9] + b"broken!!!", "不是文本"),
        (gzip.compress(bytes(MOST + 10), mtime=0), "超过 30 MB"),
        (gzip.compress(bytes(MOST // 2), mtime=0) * 3, "超过 30 MB"),
        (MANY[: len(MANY) // 2], "不完整"),
        (MANY[:-1], "不完整"),
        (MANY + MANY[:5], "不完整"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        keep(tmp_path, "x.bin", data, lambda text: text, "zh")


def test_pieces_are_whole_lines_and_a_key_is_never_torn() -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n-----END PRIVATE KEY-----\n"
    filling = "x" * 99 + "\n"
    text = filling * (PIECE // 100 - 1) + key + filling * 2000 + "-----BEGIN never closed\n" + filling * 2000
    cut = list(pieces(text))
    assert "".join(cut) == text
    assert all(piece.endswith("\n") for piece in cut)
    assert [piece for piece in cut if key in piece]
    assert max(map(len, cut)) < 2 * PIECE


@pytest.mark.parametrize("members", [2, 5])
def test_all_members_of_an_archive_are_read(tmp_path: Path, members: int) -> None:
    data = b"".join(gzip.compress(f"{n} {LINE}".encode()) for n in range(members))
    kept = keep(tmp_path, "app.log.gz", data, lambda text: text, "zh")
    assert Path(kept.path).read_text(encoding="utf-8") == "".join(f"{n} {LINE}" for n in range(members))


@pytest.mark.parametrize(("unit", "pause"), [("x", ""), ("中", ""), ('{"token": "a1b2"},', ","), ("a b", " ")])
def test_a_text_without_lines_is_cut_as_well_where_it_pauses(unit: str, pause: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    cut = list(pieces(text))
    assert "".join(cut) == text
    assert max(map(len, cut)) <= 2 * PIECE
    assert all(piece.endswith(pause) for piece in cut[:-1])


NAMES = (
    ["app.log", "a/app.log", "b/app.log", "../app.log", "APP.log"],
    ["1-a/app.log", "2-b/app.log"],
    ["a b.log", "a_b.log", "a?b.log"],
    ["app.log", "app.log.gz", "app.log.gz.gz"],
    ["app.log", "app.log", "0-app.log", "1-app.log"],
    ["1" + "x" * 300 + ".log", "2" + "x" * 300 + ".log"] * 6,
    ["..", ".", "", "/", "a/..", ".gz", "...gz", "file"],
    [".hidden", "hidden"],
    ["日志.log", "服务/日志.log"],
)


@pytest.mark.parametrize("names", NAMES)
def test_no_file_of_a_message_takes_anothers_place(tmp_path: Path, names: list[str]) -> None:
    kept = [keep(tmp_path, name, f"text {n}".encode(), str, "en") for n, name in enumerate(distinct(names))]
    assert [Path(k.path).read_text("utf-8") for k in kept] == [f"text {n}" for n in range(len(names))]
    assert {Path(k.path).parent for k in kept} == {tmp_path}
    assert len({k.name.casefold() for k in kept}) == len(names)
    assert not [k.name for k in kept if k.name.startswith(".") or len(k.name) > 80]


def test_files_of_different_names_keep_them() -> None:
    assert distinct(["checkout.log", "a/payment.log.gz", "服务 日志.txt"]) == [
        "checkout.log",
        "payment.log",
        "服务_日志.txt",
    ]
