"""What `/memory` and `/forget` say and do, the same in every channel."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_ops.channels.words import say
from hermes_ops.recall.keeper import Keeper, matching
from hermes_ops.recall.kinds import named
from hermes_ops.recall.orders import EVERYTHING
from memory import Note

ALL = ("all", "everything", "全部", "所有", "一切")


async def kept(keeper: Keeper, tenant: str, user: str, lang: str) -> str:
    notes = await keeper.of(tenant, user)
    lines = [say("note", lang, name=n.key, value=n.value, said=n.said, day=f"{n.at:%Y-%m-%d}") for n in notes]
    return "\n".join(lines) or say("nothing_kept", lang)


async def forget(keeper: Keeper, tenant: str, user: str, which: str, lang: str) -> str:
    """`which`: keys, kinds in plain words, what a note says, or all; "" tells what there is."""
    notes = await keeper.of(tenant, user)
    if not notes:
        return say("nothing_kept", lang)
    there = ", ".join(n.key for n in notes)
    if not which:
        return say("forget_what", lang, keys=there)
    keys = _meant(which, notes)
    if not keys:
        return say("no_such_note", lang, which=which[:80], keys=there)
    gone = await keeper.forget(tenant, user, keys)
    return say("forgotten", lang, keys=", ".join(n.key for n in gone))


def _meant(which: str, notes: Sequence[Note]) -> list[str]:
    if which.casefold() in ALL:
        return matching(notes, EVERYTHING, "")
    words = set(which.replace(",", " ").replace("，", " ").split())
    exact = [n.key for n in notes if n.key in words]
    kinds = [key for kind in named(which) for key in matching(notes, kind, "")]
    return exact or list(dict.fromkeys(kinds)) or matching(notes, "", which)
