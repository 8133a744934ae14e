"""Reads a multipart/form-data body, also parts without a file name or content type, as the SDK sends them.

Only what an upload needs: no nested parts, no transfer encodings.
"""

from __future__ import annotations

from email.message import Message
from typing import NamedTuple


class Part(NamedTuple):
    """One part. `filename` is None where the client gave none."""

    data: bytes
    filename: str | None


def parse(content_type: str, body: bytes) -> dict[str, Part] | None:
    """Name → part; None when the body is no form."""
    kind = Message()
    kind["content-type"] = content_type
    boundary = kind.get_param("boundary")
    if kind.get_content_type() != "multipart/form-data" or not isinstance(boundary, str):
        return None
    mark = b"--" + boundary.encode()
    parts: dict[str, Part] = {}
    for piece in (b"\r\n" + body).split(b"\r\n" + mark)[1:]:
        if piece.startswith(b"--"):
            return parts
        head, gap, data = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        disposition = _disposition(head.decode("utf-8", "replace"))
        name = disposition.get_param("name", header="content-disposition")
        if not gap or not isinstance(name, str):
            return None
        parts[name] = Part(data, disposition.get_filename())
    return None


def _disposition(head: str) -> Message:
    lines = dict(line.partition(":")[::2] for line in head.split("\r\n"))
    message = Message()
    message["content-disposition"] = next((v for k, v in lines.items() if k.lower() == "content-disposition"), "")
    return message
