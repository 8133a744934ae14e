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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from hermes_ops import pictures
from hermes_ops.channels.words import say
from orchestrator.contracts import Attachment
from subagents.folder.codings import coding

PLACE = "attachments"  # in the data directory
MOST = 30 << 20  # bytes of a file, unpacked
HEAD, PIECE = 64 << 10, 64 << 10
LONGEST_NAME = 80  # characters
PAUSES = ",;& \t"  # the surest first
LONGEST = 86_400.0  # seconds: what is older was left behind by a process that died
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"  # of a private key, which is masked as a whole


def place_of(root: Path, message: str) -> Path:
    """The directory of a message's files."""
    return root / re.sub(r"\W", "_", message)


def leave(place: Path) -> list[Path]:
    """Takes a message's files out of the way, so that its place is free at once; gives what is to be removed."""
    left = []
    for path in (place, _gallery(place)):
        with suppress(OSError):
            left.append(path.rename(path.with_name(f"left-{uuid4().hex}")))
    return left


def remove(left: Iterable[Path]) -> None:
    """Blocks; never raises."""
    for path in left:
        shutil.rmtree(path, ignore_errors=True)


def sweep(root: Path) -> None:
    """Lets go of what nobody came back for. Blocks; never raises."""
    with suppress(OSError):
        for left in root.iterdir():
            if time.time() - left.stat().st_mtime > LONGEST:
                remove([left])


def keep(place: Path, name: str, data: bytes, mask: Callable[[str], str], lang: str) -> Attachment:
    """Blocks. `place`: its directory, made where there is none. Raises ValueError, with the reason, for what can't be
    read, and OSError."""
    text = _text(data, lang)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.touch()  # tried again after a day, it is young again
    clean = _clean(name)
    path = place / clean
    with path.open("w", encoding="utf-8") as file:
        for piece in pieces(text):
            file.write(mask(piece))
    return Attachment(clean, "text/plain", str(path))


def distinct(names: Sequence[str]) -> list[str]:
    """What files of these names are kept as: with their number, where two of them would be kept as the same."""
    kept = [_clean(name) for name in names]
    alone = len({name.casefold() for name in kept}) == len(kept)
    return kept if alone else [f"{n}-{name[6 - LONGEST_NAME :]}" for n, name in enumerate(kept)]


def _clean(name: str) -> str:
    """Its last part, as a file may be called anywhere; unpacked, it isn't `.gz` any more."""
    flat = re.sub(r"(?:\.gz)+$", "", re.sub(r"[^\w.-]", "_", Path(name).name))
    return flat[-LONGEST_NAME:].lstrip(".") or "file"


def keep_picture(place: Path, n: int, data: bytes, lang: str) -> Attachment:
    """Beside its directory, which is read as a folder. What it is, its bytes tell, not its name. Raises and blocks as
    `keep`."""
    kind = pictures.kind_of(data)
    if not kind:
        raise ValueError(say("no_picture", lang))
    if len(data) > pictures.LARGEST:
        raise ValueError(say("too_large", lang, mb=pictures.LARGEST >> 20))
    gallery = _gallery(place)
    gallery.mkdir(parents=True, exist_ok=True, mode=0o700)
    gallery.touch()
    path = gallery / f"picture-{n + 1}.{kind.removeprefix('image/')}"
    path.write_bytes(data)
    return Attachment(path.name, kind, str(path))


def _gallery(place: Path) -> Path:
    return place.with_name(f"{place.name}-pictures")


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
