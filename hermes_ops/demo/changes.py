"""Changes that people make in a generated incident: deploys with commit and diff, configuration, flags, tickets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from hermes_ops.demo import names
from hermes_ops.demo.faults import Edit, Fault


@dataclass(frozen=True, slots=True)
class Deed:
    """One change. `kind`: commit | deploy | config | flag | ticket; `sha`: of the commit it is or carries."""

    kind: str
    id: str
    service: str
    at: datetime
    title: str
    who: str
    sha: str = ""
    version: str = ""
    key: str = ""
    old: str = ""
    new: str = ""
    file: str = ""
    diff: str = ""
    body: str = ""
    until: datetime | None = None


def sha(rng: Random) -> str:
    return f"{rng.getrandbits(160):040x}"


def diff(file: str, before: tuple[str, ...], after: tuple[str, ...]) -> str:
    old, new = [f"-{line}" for line in before], [f"+{line}" for line in after]
    return "\n".join([f"--- a/{file}", f"+++ b/{file}", f"@@ -12,{len(old)} +12,{len(new)} @@", *old, *new])


def shipped(rng: Random, service: str, edit: Edit, at: datetime) -> tuple[Deed, Deed]:
    """A commit and the deploy that carries it; which version that is, only the whole story tells."""
    who, mark, number = rng.choice(names.PEOPLE), sha(rng), rng.randint(200, 999)
    title, file = f"{service}: {edit.title} (#{number})", f"{service}/{edit.file}"
    merged = at - timedelta(seconds=rng.randint(40, 400))
    patch = diff(file, edit.before, edit.after)
    commit = Deed("commit", mark, service, merged, title, who, mark, file=file, diff=patch)
    return commit, Deed("deploy", str(rng.randint(10_000, 99_999)), service, at, title, who, mark)


def deeds(rng: Random, cause: str, fault: Fault, service: str, flag: str, at: datetime) -> tuple[Deed, ...]:
    """What brings the fault: the thing that is to blame comes last."""
    who = rng.choice(names.PEOPLE)
    if cause == "flag":
        name = f"flg-{rng.randint(1000, 9999)}"
        return (Deed("flag", name, service, at, flag, who, key=flag, old="off", new="on"),)
    edit = fault.edit
    assert edit is not None, "a fault that a deploy or a setting brings has its change"
    if cause == "deploy":
        return shipped(rng, service, edit, at)
    name = f"cfg-{rng.randint(1000, 9999)}"
    old, new = (line.partition("=")[2].strip().strip('"') for line in (edit.before[0], edit.after[0]))
    return (Deed("config", name, service, at, edit.title, who, key=edit.key, old=old, new=new),)


def undoing(rng: Random, done: tuple[Deed, ...], at: datetime) -> tuple[Deed, ...]:
    """The change is taken back: a revert is deployed, a flag or setting put back."""
    last, who = done[-1], rng.choice(names.PEOPLE)
    if last.kind != "deploy":
        mark = f"{last.id.partition('-')[0]}-{rng.randint(1000, 9999)}"
        return (Deed(last.kind, mark, last.service, at, last.title, who, key=last.key, old=last.new, new=last.old),)
    first, mark = done[0], sha(rng)
    lines = first.diff.splitlines()
    head, body = lines[:3], lines[3:]
    turned = [f"-{line[1:]}" for line in body if line[0] == "+"] + [f"+{line[1:]}" for line in body if line[0] == "-"]
    said, why = f'Revert "{first.title}"', f"This reverts commit {first.sha}."
    merged, patch = at - timedelta(seconds=30), "\n".join([*head, *turned])
    commit = Deed("commit", mark, first.service, merged, said, who, mark, file=first.file, diff=patch, body=why)
    return commit, Deed("deploy", str(rng.randint(10_000, 99_999)), first.service, at, said, who, mark)
