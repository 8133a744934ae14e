"""What `/memory` and `/forget` say and do, the same in every channel."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_ops.channels.words import day, say
from hermes_ops.recall.keeper import Keeper, matching
from hermes_ops.recall.kinds import NAMES, named
from hermes_ops.recall.orders import EVERYTHING
from memory import Note

ALL = ("all", "everything", "全部", "所有", "一切")


async def kept(keeper: Keeper, tenant: str, user: str, lang: str, zone: str) -> str:
    """By what a person calls each, on the person's clock, else that of `zone`; a free note by its key, which `/forget`
    takes as well."""
    notes = await keeper.of(tenant, user)
    zone = next((n.value for n in notes if n.key == "zone"), zone)
    lines = [
        say("note", lang, name=_called(n.key, lang), value=n.value, said=n.said, day=day(n.at, zone)) for n in notes
    ]
    return "\n".join(lines) or say("nothing_kept", lang)


def _all(notes: Sequence[Note], lang: str) -> str:
    return ("、" if lang == "zh" else ", ").join(_called(n.key, lang) for n in notes)


def _called(key: str, lang: str) -> str:
    return NAMES[key][lang == "en"] if key in NAMES else key


async def forget(keeper: Keeper, tenant: str, user: str, which: str, lang: str) -> str:
    """`which`: keys, kinds in plain words, what a note says, or all; "" tells what there is."""
    notes = await keeper.of(tenant, user)
    if not notes:
        return say("nothing_kept", lang)
    there = _all(notes, lang)
    if not which:
        return say("forget_what", lang, keys=there)
    keys = _meant(which, notes)
    if not keys:
        return say("no_such_note", lang, which=which[:80], keys=there)
    gone = await keeper.forget(tenant, user, keys)
    return say("forgotten", lang, keys=_all(gone, lang))


def _meant(which: str, notes: Sequence[Note]) -> list[str]:
    if which.casefold() in ALL:
        return matching(notes, EVERYTHING, "")
    words = set(which.replace(",", " ").replace("，", " ").split())
    exact = [n.key for n in notes if n.key in words]
    kinds = [key for kind in named(which) for key in matching(notes, kind, "")]
    return exact or list(dict.fromkeys(kinds)) or matching(notes, "", which)
