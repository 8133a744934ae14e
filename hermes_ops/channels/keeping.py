"""Files that messages bring along, kept as masked text for the time that their question is worked on.

A log file of tens of megabytes is masked piece by piece, so that whoever waits for the interpreter meanwhile (such as a
platform's acknowledgement) gets it. It knows no platform, and not what the files say.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from hermes_ops.channels.words import say
from orchestrator.contracts import Attachment
from subagents.folder.codings import coding

MOST = 30 << 20  # bytes of a file, unpacked
HEAD, PIECE = 64 << 10, 64 << 10
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"  # of a private key, which is masked as a whole


def keep(place: Path, name: str, data: bytes, mask: Callable[[str], str], lang: str) -> Attachment:
    """Blocks. `place`: its directory, made where there is none. Raises ValueError, with the reason, for what can't be
    read, and OSError."""
    text = _text(data, lang)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    clean = re.sub(r"[^\w.\-一-鿿]", "_", Path(name).name)[-80:].removesuffix(".gz") or "file"
    path = place / clean
    with path.open("w", encoding="utf-8") as file:
        for piece in pieces(text):
            file.write(mask(piece))
    return Attachment(clean, "text/plain", str(path))


def _text(data: bytes, lang: str) -> str:
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, MOST + 1)
        except zlib.error:
            raise ValueError(say("no_text", lang)) from None
    if len(data) > MOST:
        raise ValueError(say("too_large", lang, mb=MOST >> 20))
    text = data.decode(coding(data[:HEAD]) or "utf-8", "replace").removeprefix("\ufeff")
    head = text[:HEAD]
    if "\0" in head or head.count("\ufffd") * 10 > len(head):
        raise ValueError(say("no_text", lang))
    return text


def pieces(text: str) -> Iterator[str]:
    """Cut at the ends of lines; a key that is begun ends in the same piece, unless it is longer than one."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        begun = text.rfind(KEY_BEGINS, start, end)
        if begun >= 0 and text.find(KEY_ENDS, begun, end) < 0:
            closed = text.find(KEY_ENDS, end, end + PIECE)
            end = end if closed < 0 else text.find("\n", closed) + 1 or len(text)
        yield text[start:end]
        start = end
