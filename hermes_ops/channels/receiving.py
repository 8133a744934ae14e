"""What is said of files that came without a question: which they are, how long, what they hold, from when to when."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from hermes_ops.channels.base import Prepared
from hermes_ops.channels.words import say
from hermes_ops.pictures import is_picture
from subagents.folder import files
from subagents.folder.folder import dated, survey_all
from subagents.folder.index import Index
from subagents.folder.records import Row
from subagents.folder.work import Pool

KEPT = timedelta(minutes=30)  # for the next question of that person there
SAMPLE = 2 << 20  # bytes of a log that are looked at
MOST = 8  # files
KINDS = {
    "log": "log", "openmetrics": "metrics", "series": "metrics", "csv": "metrics", "point": "metrics",
    "gitlog": "changes", "alert": "alerts", "change": "changes", "span": "traces",
}  # fmt: skip


def received(prepared: Prepared, lang: str) -> str:
    """Blocks: it looks into the files that were kept. What could not be kept is said by the notes."""
    asked = prepared.asked
    read = [Path(file.path) for file in asked.attachments if not is_picture(file)]
    surveys = _surveys(read[0].parent) if read else {}
    named = [_one(path, surveys.get(path.name, {}), asked.zone, lang) for path in read]
    pictures = sum(map(is_picture, asked.attachments))
    named += [say("picture", lang) + (f" × {pictures}" if pictures > 1 else "")] if pictures else []
    comma = "、" if lang == "zh" else ", "
    what = say("received", lang, what=comma.join(named), minutes=round(KEPT.total_seconds() / 60)) if named else ""
    return "\n".join(filter(None, (what, *prepared.notes)))


def _surveys(place: Path) -> dict[str, Row]:
    """By file name, as a folder's files are recognised."""
    pool, index = Pool(), Index(None, str)
    try:
        found = survey_all(list(files.listing(place)), pool, index, "", full=SAMPLE)
        return {Path(file.path).name: row for file, row in dated(found, pool, index, "")[1]}
    finally:
        pool.close()


def _one(path: Path, row: Row, zone: str, lang: str) -> str:
    """ "app.log（1,204 行，日志，14:00–15:00）"."""
    with path.open("rb") as file:
        ends = [(piece.count(b"\n"), piece[-1:]) for piece in iter(lambda: file.read(1 << 20), b"")]
    lines = sum(n for n, _ in ends) + bool(ends and ends[-1][1] != b"\n")
    comma = "，" if lang == "zh" else ", "
    about = [say("lines", lang, n=lines), say(f"kind_{_kind(row)}", lang), _span(row, zone)]
    return say("received_one", lang, name=path.name, about=comma.join(filter(None, about)))


def _kind(row: Row) -> str:
    held = Counter(KINDS.get(one["kind"], "none") for one in row.get("rows", ()))
    return KINDS.get(row.get("kind", "")) or next((kind for kind, _ in held.most_common(1)), "none")


def _span(row: Row, zone: str) -> str:
    """By the person's clock; of times that state no offset as they stand there."""
    if not row or row["since"] is None:
        return ""
    clock: tzinfo = ZoneInfo(zone) if row["zoned"] else UTC
    since, until = (datetime.fromtimestamp(row[end], clock) for end in ("since", "until"))
    first, last = f"{since:%m-%d %H:%M}", f"{until:%m-%d %H:%M}"
    last = last.removeprefix(f"{since:%m-%d }")
    return first if first.endswith(last) else f"{first}–{last}"
