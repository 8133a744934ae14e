"""The frame codec on its own; test_sdk_bot.py compares it with the SDK's generated class."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_ops.sandbox.frames import BadFrame, Frame, decode, encode

FRAMES = st.builds(
    Frame,
    seq_id=st.integers(0, 2**64 - 1),
    log_id=st.integers(0, 2**64 - 1),
    service=st.integers(0, 2**31 - 1),
    method=st.sampled_from([0, 1]),
    headers=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    payload_encoding=st.text(max_size=3),
    payload_type=st.text(max_size=3),
    payload=st.binary(max_size=200),
    log_id_new=st.text(max_size=3),
)


@given(FRAMES)
def test_what_is_written_is_read(frame: Frame) -> None:
    assert decode(encode(frame)) == frame


def test_required_fields_are_on_the_wire_even_when_empty() -> None:
    assert encode(Frame()) == b"\x08\x00\x10\x00\x18\x00\x20\x00"
    assert encode(Frame(headers={"type": ""}))[8:] == b"\x2a\x08\x0a\x04type\x12\x00"


@given(st.binary(max_size=60))
def test_any_bytes_are_a_frame_or_a_bad_frame(data: bytes) -> None:
    with contextlib.suppress(BadFrame):
        decode(data)


def test_fields_of_next_year_are_passed_over() -> None:
    more = b"\x50\x05" + b"\x59" + bytes(8) + b"\x62\x01x" + b"\x6d" + bytes(4)
    frame = Frame(1, 2, 3, 1, {"type": "event"}, payload=b"{}")
    assert decode(encode(frame) + more) == decode(more + encode(frame)) == frame
    with pytest.raises(BadFrame):
        decode(encode(frame) + b"\x59\x00")


@pytest.mark.parametrize("data", [b"", b"\x08\x00", b"\x08", b"\x2a\x7f\x00", encode(Frame(payload=b"x" * 50))[:-1]])
def test_what_is_no_frame(data: bytes) -> None:
    with pytest.raises(BadFrame):
        decode(data)
