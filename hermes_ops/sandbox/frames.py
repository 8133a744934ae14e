"""Codec of the long connection's frame: one protobuf (proto2) message, package pbbp2, written by hand.

    Header { 1 key: string; 2 value: string }
    Frame  { 1 SeqID: uint64; 2 LogID: uint64; 3 service: int32; 4 method: int32; 5 headers: repeated Header;
             6 payload_encoding: string; 7 payload_type: string; 8 payload: bytes; 9 LogIDNew: string }

The four numbers and both strings of a header are `required`: they are on the wire even when zero or empty.
It deliberately doesn't use the SDK's generated class: a server must not depend on the client that it tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

CONTROL, DATA = 0, 1
FIXED = {1: 8, 5: 4}  # wire types of a set length → their bytes
NUMBERS = {1: "seq_id", 2: "log_id", 3: "service", 4: "method"}
TEXTS = {6: "payload_encoding", 7: "payload_type", 9: "log_id_new"}


@dataclass
class Frame:
    """One frame. `headers` keeps the order of the wire; `method` is CONTROL or DATA."""

    seq_id: int = 0
    log_id: int = 0
    service: int = 0
    method: int = CONTROL
    headers: dict[str, str] = field(default_factory=dict)
    payload_encoding: str = ""
    payload_type: str = ""
    payload: bytes = b""
    log_id_new: str = ""


class BadFrame(ValueError):
    """The bytes are no frame."""


def encode(frame: Frame) -> bytes:
    """The frame as bytes."""
    out = bytearray()
    for number, name in NUMBERS.items():
        out += _varint(number << 3) + _varint(getattr(frame, name))
    for key, value in frame.headers.items():
        out += _field(5, _field(1, key.encode()) + _field(2, value.encode()))
    for number, name in sorted({**TEXTS, 8: "payload"}.items()):
        value = getattr(frame, name)
        if value:
            out += _field(number, value if isinstance(value, bytes) else value.encode())
    return bytes(out)


def decode(data: bytes) -> Frame:
    """The frame in the bytes. Unknown fields are passed over. Raises BadFrame."""
    frame, seen = Frame(), set()
    try:
        for number, value in _fields(data):
            seen.add(number)
            if number in NUMBERS and isinstance(value, int):
                setattr(frame, NUMBERS[number], value)
            elif number in TEXTS and isinstance(value, bytes):
                setattr(frame, TEXTS[number], value.decode())
            elif number == 5 and isinstance(value, bytes):
                pair = {n: v.decode() for n, v in _fields(value) if isinstance(v, bytes)}
                frame.headers[pair[1]] = pair[2]
            elif number == 8 and isinstance(value, bytes):
                frame.payload = value
    except (UnicodeDecodeError, KeyError) as e:
        raise BadFrame(f"a text in the frame can't be read: {e!r}") from None
    if missing := set(NUMBERS) - seen:
        raise BadFrame(f"required fields are missing: {sorted(missing)}")
    return frame


def _varint(n: int) -> bytes:
    n &= (1 << 64) - 1  # a negative int32 takes ten bytes on the wire
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise BadFrame("a number in the frame has no end")


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _read_varint(data, at)
            yield number, value
        elif wire == 2:
            size, at = _read_varint(data, at)
            if at + size > len(data):
                raise BadFrame("the frame is cut off")
            yield number, bytes(data[at : at + size])
            at += size
        elif wire in FIXED and at + FIXED[wire] <= len(data):  # no field of ours
            at += FIXED[wire]
        else:
            raise BadFrame(f"unexpected wire type {wire}")
