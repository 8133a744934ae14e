"""Uploaded pictures and files. It looks at the bytes only as far as the platform does: format, size, dimensions."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from hermes_ops.sandbox.errors import Refusal
from hermes_ops.sandbox.ids import fresh
from hermes_ops.sandbox.model import Author

IMAGE_BYTES, FILE_BYTES, DOWNLOAD_BYTES = 10 << 20, 30 << 20, 100 << 20
SIDE, GIF_SIDE = 12_000, 2_000
FORMATS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
    b"\x00\x00\x01\x00": "image/x-icon",
    b"II*\x00": "image/tiff",
    b"MM\x00*": "image/tiff",
}
KINDS = frozenset({"opus", "mp4", "pdf", "doc", "xls", "ppt", "stream"})


@dataclass(frozen=True)
class Blob:
    """Something uploaded: by whom, what, and its bytes. `kind`: image or file."""

    key: str
    owner: Author
    kind: str
    name: str
    mime: str
    data: bytes


class Media:
    """Key → what was uploaded under it."""

    def __init__(self) -> None:
        self.blobs: dict[str, Blob] = {}

    def image(self, owner: Author, data: bytes, name: str = "") -> Blob:
        """Keeps a picture. Raises Refusal 234006, 234010, 234011, 234039."""
        if not data:
            raise Refusal(234010, "File's size can't be 0.")
        if len(data) > IMAGE_BYTES:
            raise Refusal(234006, "The file size exceed the max value.")
        mime = image_type(data)
        if mime is None:
            raise Refusal(234011, "Can't regonnize the image format.")
        width, height = dimensions(data, mime)
        if max(width, height) > (GIF_SIDE if mime == "image/gif" else SIDE):
            raise Refusal(234039, "Image resolution exceeds limit.")
        return self._keep(Blob(fresh("img_v3_"), owner, "image", name or "image", mime, data))

    def file(self, owner: Author, data: bytes, name: str) -> Blob:
        """Keeps a file. Raises Refusal 234006, 234010."""
        if not data:
            raise Refusal(234010, "File's size can't be 0.")
        if len(data) > FILE_BYTES:
            raise Refusal(234006, "The file size exceed the max value.")
        return self._keep(Blob(fresh("file_v3_"), owner, "file", name, "application/octet-stream", data))

    def _keep(self, blob: Blob) -> Blob:
        self.blobs[blob.key] = blob
        return blob


def image_type(data: bytes) -> str | None:
    """The MIME type of a picture in a format that the platform takes."""
    for start, mime in FORMATS.items():
        if data.startswith(start):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return "image/heic" if data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"mif1") else None


def dimensions(data: bytes, mime: str) -> tuple[int, int]:
    """(width, height) of PNG, GIF and BMP; (0, 0) where they aren't at a fixed place."""
    try:
        if mime == "image/png":
            return struct.unpack(">II", data[16:24])
        if mime == "image/gif":
            return struct.unpack("<HH", data[6:10])
        if mime == "image/bmp":
            return struct.unpack("<II", data[18:26])
    except struct.error:
        pass
    return 0, 0
