"""Files that messages bring along, kept as masked text for the time that their question is worked on.

A log file of tens of megabytes is masked piece by piece, so that whoever waits for the interpreter meanwhile (such as a
platform's acknowledgement) gets it. It knows no platform, and not what the files say.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from hermes_ops.channels.words import say
from orchestrator.contracts import Attachment
from subagents.folder.codings import coding

PLACE = "attachments"  # in the data directory
MOST = 30 << 20  # bytes of a file, unpacked
HEAD, PIECE = 64 << 10, 64 << 10
PAUSES = ",;& \t"  # the surest first
LONGEST = 86_400.0  # seconds: what is older was left behind by a process that died
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"  # of a private key, which is masked as a whole


def place_of(root: Path, message: str) -> Path:
    """The directory of a message's files."""
    return root / re.sub(r"\W", "_", message)


def drop(place: Path) -> None:
    """Lets go of a message's files. Blocks; never raises."""
    shutil.rmtree(place, ignore_errors=True)


def sweep(root: Path) -> None:
    """Lets go of what nobody came back for. Blocks; never raises."""
    with suppress(OSError):
        for left in root.iterdir():
            if time.time() - left.stat().st_mtime > LONGEST:
                drop(left)


def keep(place: Path, name: str, data: bytes, mask: Callable[[str], str], lang: str) -> Attachment:
    """Blocks. `place`: its directory, made where there is none. Raises ValueError, with the reason, for what can't be
    read, and OSError."""
    text = _text(data, lang)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.touch()  # tried again after a day, it is young again
    clean = re.sub(r"[^\w.\-一-鿿]", "_", Path(name).name)[-80:].removesuffix(".gz") or "file"
    path = place / clean
    with path.open("w", encoding="utf-8") as file:
        for piece in pieces(text):
            file.write(mask(piece))
    return Attachment(clean, "text/plain", str(path))


def _text(data: bytes, lang: str) -> str:
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data, lang)
    if len(data) > MOST:
        raise ValueError(say("too_large", lang, mb=MOST >> 20))
    text = data.decode(coding(data[:HEAD]) or "utf-8", "replace").removeprefix("\ufeff")
    head = text[:HEAD]
    if "\0" in head or head.count("\ufffd") * 10 > len(head):
        raise ValueError(say("no_text", lang))
    return text


def _unpacked(data: bytes, lang: str) -> bytes:
    """All members, as `cat a.gz b.gz` makes them, as far as they may be kept. Half of a log isn't kept: it would be
    taken for the whole."""
    unpacked = bytearray()
    try:
        with gzip.open(io.BytesIO(data)) as file:
            while len(unpacked) <= MOST and (piece := file.read(1 << 20)):
                unpacked += piece
    except EOFError:
        raise ValueError(say("torn", lang)) from None
    except (OSError, zlib.error):
        raise ValueError(say("no_text", lang)) from None
    return bytes(unpacked)


def pieces(text: str) -> Iterator[str]:
    """Cut at the ends of lines, and lines that are longer than a piece where they pause; a key that is begun ends in
    the same piece, unless it is longer than one."""
    start = 0
    while start < len(text):
        end = _end(text, start + PIECE)
        begun = text.rfind(KEY_BEGINS, start, end)
        if begun >= 0 and text.find(KEY_ENDS, begun, end) < 0:
            closed = text.find(KEY_ENDS, end, end + PIECE)
            end = end if closed < 0 else _end(text, closed + len(KEY_ENDS))
        yield text[start:end]
        start = end


def _end(text: str, least: int) -> int:
    most = least + PIECE // 2
    if at := text.find("\n", least, most) + 1:
        return at
    pauses = (text.rfind(mark, least, most) + 1 for mark in PAUSES)
    return next(filter(None, pauses), most) if most < len(text) else len(text)
