"""Was it X, should it be rolled back, whose change was it: answered from the ranked suspects and the listed changes.

X is a change (its id, sha, version, ticket, or when it was made), a kind of change, a kind of trouble (database,
certificate, pool …) or a service. What speaks for or against it is said. Whether to roll back is never decided here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from orchestrator.contracts import Json
from subagents.changes.chinese import AGAINST, FAMILIES, in_words
from subagents.plain import causes
from subagents.plain.accused import accused
from subagents.plain.kinds import changes_asked, clause
from subagents.plain.seen import Seen
from subagents.plain.troubles import troubles_in
from subagents.plain.words import change, moment, opened, stop, sureness
from subagents.saying import short

NAMED = re.compile(  # what can only be the name of a change
    r"(?<![\w.-])(?:v?\d+\.\d+(?:\.\d+)+(?:[-+][\w.]+)?|[A-Z][A-Z0-9]+-\d+|(?=[a-f]*\d)[0-9a-f]{7,40}|#\d+)(?![\w-])"
)
_TOKEN = re.compile(r"(?<![\w.#-])(?=[\w.-]*\d)[A-Za-z][\w.-]*\w")  # what may be the id of a listed change
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_ENGLISH = {"sql": "the database", "auth": "authentication", "pool": "an exhausted pool"}
_BLAMES = re.compile(
    r"问题|导致|引起|造成|原因|锅|因为|由于|搞|弄|怪|有关"
    r"|\b(?:caus\w+|because|due|fault|blame|responsible|br[eo]ak\w*|kill\w*|trigger\w*|related|was it|is it|is this)\b",
    re.IGNORECASE,
)


def verdict(seen: Seen) -> list[str]:
    """Yes, no, or that it can't be told, of what the question suspects; nothing where it suspects nothing."""
    said = clause(seen.text, "blame")
    names = NAMED.findall(said) or NAMED.findall(seen.text)
    wanted = changes_asked(said)
    rows = _called(seen, said, names, wanted is not None)
    if rows:
        return _of_change(seen, rows[0])
    if names:
        return _unheard_of(seen, names)
    if wanted is not None:
        return _of_kind(seen, wanted)
    if troubles := sorted(troubles_in(said)):
        return _of_trouble(seen, troubles)
    services = accused(said, seen.services)
    return _of_service(seen, services[0]) if services and _BLAMES.search(said) else []


# ── X is a change ─────────────────────────────────────────────────────────────────────────────


def _called(seen: Seen, said: str, names: Sequence[str], as_change: bool) -> list[Json]:
    """The changes that a question names, those of a service it names first; by the time they were made only where it
    speaks of a change."""
    rows = [r for r in _all(seen) if any(is_named(r, n) for n in (*names, *_TOKEN.findall(said)))]
    if not rows and as_change:
        clocks = {(int(h), int(m)) for h, m in _CLOCK.findall(seen.text)}
        zone = ZoneInfo(seen.window.zone)
        local = ((r, moment(r).astimezone(zone)) for r in _all(seen))
        rows = [r for r, at in local if (at.hour, at.minute) in clocks]
    return sorted(rows, key=lambda r: r["service"].casefold() not in seen.text.casefold() if r["service"] else True)


def _all(seen: Seen) -> list[Json]:
    """Every change that was ranked or listed, each once."""
    ranked = seen.ranking[0] if seen.ranking else {"suspects": [], "rejected": []}
    listed = seen.of("list_changes")
    rows = [*ranked["suspects"], *ranked["rejected"], *(listed[0]["changes"] if listed else ())]
    return list({(r["id"], r["at"]): r for r in reversed(rows)}.values())[::-1]


def is_named(row: Json, name: str) -> bool:
    low = name.casefold()
    if low.startswith("#"):
        return low in row["title"].casefold() or row["id"] == low[1:]
    if low in (
        row["id"].casefold(),
        row["id"].partition("@")[0].casefold(),
        row["version"].casefold().removeprefix("v"),
    ):
        return True
    same = row["version"] and low.removeprefix("v") == row["version"].casefold().removeprefix("v")
    return bool(same) or (len(low) >= 7 and row["sha"].casefold().startswith(low))


def _of_change(seen: Seen, row: Json) -> list[str]:
    zh, at = seen.zh, seen.clock.at(moment(row))
    name = f"{change(row, zh)}（{at}）" if zh else f"{change(row, zh)} ({at})"
    if seen.ranking is None:
        return opened(
            "unknown", [f"{name}：{causes.no_trouble(seen)}" if zh else f"{name}: {causes.no_trouble(seen)}"], zh
        )
    data, cite = seen.ranking
    ids = [r["id"] for r in data["suspects"]]
    if row["id"] in ids and seen.best and ids[0] == row["id"]:
        why = "".join(
            f"；{short(in_words(w, zh), 120)}" if zh else f"; {short(w, 120)}" for w in data["suspects"][0]["why"][:1]
        )
        sure = sureness(data["suspects"][0], zh)
        return opened(
            "yes",
            [
                stop(
                    f"最可能就是 {name}，把握{sure}{why}" if zh else f"most likely {name}, confidence {sure}{why}",
                    cite,
                    zh,
                ),
                *causes.taken_back(seen),
            ],
            zh,
        )
    if row["id"] in ids and (seen.best is None):
        text = f"{name} 是可能的起因之一，但没有定论" if zh else f"{name} is one possible cause, but none stands out"
        return opened("unknown", [stop(text, cite, zh), causes.cause(seen)], zh)
    return opened(
        "no",
        [
            stop(
                f"不像是 {name}：{_why_not(seen, row)}" if zh else f"not likely {name}: {_why_not(seen, row)}", cite, zh
            ),
            causes.cause(seen),
        ],
        zh,
    )


def _why_not(seen: Seen, row: Json) -> str:
    assert seen.ranking is not None
    data = seen.ranking[0]
    against = next((r["against"] for r in data["rejected"] if r["id"] == row["id"]), "")
    if not against and moment(row) > datetime.fromisoformat(data["onset_asked"]):
        against = "after_onset"
    if against:
        return AGAINST[against][0 if seen.zh else 1]
    return "另有更可能的" if seen.zh else "another is likelier"


def _unheard_of(seen: Seen, names: Sequence[str]) -> list[str]:
    got, zh = seen.of("list_changes"), seen.zh
    cite = got[1] if got else seen.ranking[1] if seen.ranking else ""
    name = (", ", "、")[zh].join(dict.fromkeys(f"`{n}`" for n in names))
    text = f"查到的变更里没有 {name}" if zh else f"no change that was searched is called {name}"
    return opened("unknown", [stop(text, cite, zh), causes.cause(seen)], zh)


def _of_kind(seen: Seen, kinds: frozenset[str]) -> list[str]:
    best, zh = seen.best, seen.zh
    if seen.ranking is None:
        return opened("unknown", [causes.cause(seen)], zh)
    if best:
        return opened(
            "yes" if not kinds or best["kind"] in kinds else "no", [causes.cause(seen), *causes.taken_back(seen)], zh
        )
    found = seen.ranking[0]["cause"]
    known = found is not None and found["verdict"] == "operational"
    return opened("no" if known or not seen.ranking[0]["suspects"] else "unknown", [causes.cause(seen)], zh)


# ── X is a kind of trouble, or a service ──────────────────────────────────────────────────────


def _of_trouble(seen: Seen, troubles: Sequence[str]) -> list[str]:
    zh, signs = seen.zh, _signs(seen, troubles)
    about = _about_cause(seen)
    if about & set(troubles):
        return opened("yes", [causes.cause(seen), *signs[:2]], zh)
    name = (", ", "、")[zh].join(FAMILIES.get(t, t) if zh else _ENGLISH.get(t, t.replace("_", " ")) for t in troubles)
    if seen.ranking is None and not signs:
        return opened("unknown", [causes.cause(seen)], zh)
    if signs:
        text = (
            f"有{name}方面的迹象，但不足以定为起因"
            if zh
            else f"there are signs of {name}, not enough to call it the cause"
        )
        return opened(
            "unknown", [f"{text}：{signs[0]}" if zh else f"{text}: {signs[0]}", *signs[1:2], causes.cause(seen)], zh
        )
    known = seen.best is not None or bool(about)
    text = f"没有看到{name}方面的迹象" if zh else f"no sign of {name} was seen"
    got = seen.of("patterns") or seen.of("count_errors") or seen.of("suspects")
    return opened("no" if known else "unknown", [stop(text, got[1] if got else "", zh), causes.cause(seen)], zh)


def _about_cause(seen: Seen) -> set[str]:
    """Kinds of trouble that the cause itself speaks of: its title, and what its content can bring."""
    best = seen.best
    if best:
        return set(troubles_in(" ".join((best["title"], *(w.replace("can bring", "") for w in best["why"])))))
    found = seen.ranking[0]["cause"] if seen.ranking else None
    if found and found["verdict"] == "operational":
        return set(troubles_in(f"{found['kind']} {found['title']}"))
    return set()


def _signs(seen: Seen, troubles: Sequence[str]) -> list[str]:
    """What failing lines, alerts and moved metrics say of it."""
    zh, found = seen.zh, []
    if got := seen.of("patterns"):
        for p in got[0]["patterns"]:
            if p["level"] in ("error", "fatal", "warn") and troubles_in(p["template"]) & set(troubles):
                quoted = f"`{short(p['template'].replace('`', ''), 90)}`"
                found.append(
                    stop(
                        f"{p['service']} 的日志 ×{p['n']} {quoted}"
                        if zh
                        else f"logs of {p['service']} ×{p['n']} {quoted}",
                        got[1],
                        zh,
                    )
                )
    for a in seen.alerts[0]:
        if troubles_in(a["name"]) & set(troubles):
            found.append(
                stop(
                    f"告警 {a['name']}（{a['service']}）" if zh else f"alert {a['name']} ({a['service']})",
                    seen.alerts[1],
                    zh,
                )
            )
    if got := seen.of("metric"):
        names = [m for m in got[0]["series"] if troubles_in(m["name"].replace("_", " ")) & set(troubles)]
        for m in names[:1]:
            moved = f"`{m['name']}` {m['before']}{m['unit']} → {m['during']}{m['unit']}"
            found.append(stop(f"{m['service']} {moved}", got[1], zh))
    return found


def _of_service(seen: Seen, service: str) -> list[str]:
    zh = seen.zh
    found = seen.ranking[0]["cause"] if seen.ranking else None
    origin = (seen.best or {}).get("service") or (found or {}).get("first_failing") or ""
    if origin == service:
        return opened("yes", [causes.cause(seen), *causes.taken_back(seen)], zh)
    rows = [r for r in seen.rows("count_errors", "counts")[0] if r["service"] == service]
    cite = seen.rows("count_errors", "counts")[1]
    failing = any(r.get("onset") for r in rows)
    if not cite:
        return opened("unknown", [causes.cause(seen)], zh)
    if failing:
        text = f"{service} 自己也在报错" + (f"，但起点在 {origin}" if origin else "，起点没有定论") if zh else (
            f"{service} fails too, " + (f"but it began at {origin}" if origin else "where it began isn't settled")
        )  # fmt: skip
    else:
        text = f"{service} 的错误没有增多" if zh else f"errors of {service} didn't rise"
    return opened("no" if origin or not failing else "unknown", [stop(text, cite, zh), causes.cause(seen)], zh)
