"""Was it X, should it be rolled back, whose change was it: answered from the ranked suspects and the listed changes.

X is a change (its id, sha, version, ticket, or when it was made), a kind of change, a kind of trouble (database,
certificate, pool …) or a service. What speaks for or against it is said. Whether to roll back is never decided here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from orchestrator.contracts import Json
from subagents.changes.chinese import AGAINST, FAMILIES, OPEN, in_words
from subagents.changes.picked import named as by_name
from subagents.plain import causes
from subagents.plain.accused import accused
from subagents.plain.kinds import changes_asked, clause
from subagents.plain.named import NAMED, called, known
from subagents.plain.seen import Seen
from subagents.plain.troubles import troubles_in
from subagents.plain.words import change, moment, opened, stop, sureness
from subagents.saying import short

_ENGLISH = {"sql": "the database", "auth": "authentication", "pool": "an exhausted pool"}
_BLAMES = re.compile(
    r"问题|导致|引起|造成|原因|锅|因为|由于|搞|弄|怪|有关"
    r"|\b(?:caus\w+|because|due|fault|blame|responsible|br[eo]ak\w*|kill\w*|trigger\w*|related|was it|is it|is this)\b",
    re.IGNORECASE,
)


def rollback(seen: Seen) -> list[str]:
    """The grounds for a person's decision, with what is known of the change that is named."""
    lines, rows = causes.rollback(seen), called(seen, seen.text) if NAMED.search(seen.text) else []
    if not rows or seen.ranking is None or (seen.best and rows[0]["id"] == seen.best["id"]):
        return lines
    zh, row, cite = seen.zh, rows[0], seen.ranking[1]
    name, why = f"{change(row, zh)}（{seen.clock.at(moment(row))}）" if zh else change(row, zh), _why_not(seen, row)
    said = f"不像是 {name}引起的：{why}" if zh else f"It is not likely {name}: {why}"
    return [lines[0], stop(said, cite, zh), *lines[1:]]


def verdict(seen: Seen) -> list[str]:
    """Yes, no, or that it can't be told, of what the question suspects; nothing where it suspects nothing."""
    said = clause(seen.text, "blame")
    names = NAMED.findall(said) or NAMED.findall(seen.text)
    wanted = changes_asked(said)
    rows = called(seen, said) or (called(seen, seen.text) if wanted is not None else [])
    if rows:
        return _of_change(seen, rows[0])
    if people := [r for r in known(seen) if r["author"] and by_name(r["author"], said)]:
        return _of_change(seen, _suspected(seen, people))
    if names:
        return _unheard_of(seen, names)
    if wanted is not None:
        return _of_kind(seen, wanted)
    if troubles := sorted(troubles_in(said)):
        return _of_trouble(seen, troubles)
    services = accused(said, seen.services)
    return _of_service(seen, services[0]) if services and _BLAMES.search(said) else []


# ── X is a change ─────────────────────────────────────────────────────────────────────────────


def _suspected(seen: Seen, rows: Sequence[Json]) -> Json:
    """Of one person's changes the likeliest, else the latest."""
    ids = [r["id"] for r in seen.ranking[0]["suspects"]] if seen.ranking else []
    return min(rows, key=lambda r: (ids.index(r["id"]) if r["id"] in ids else len(ids), -moment(r).timestamp()))


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
        return opened("yes", [_likeliest(seen, name), *causes.taken_back(seen)], zh)
    if row["id"] in ids and seen.best is None and not seen.operational:
        text = f"{name} 是可能的起因之一，但没有定论" if zh else f"{name} is one possible cause, but none stands out"
        return opened("unknown", [stop(text, cite, zh), causes.cause(seen)], zh)
    against = next((r["against"] for r in data["rejected"] if r["id"] == row["id"]), "")
    if against in OPEN and seen.best is None:
        text = f"{name}：{AGAINST[against][0]}" if zh else f"{name}: {AGAINST[against][1]}"
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


def _likeliest(seen: Seen, name: str) -> str:
    assert seen.ranking is not None
    (data, cite), zh = seen.ranking, seen.zh
    top = data["suspects"][0]
    why = "".join(f"；{short(in_words(w, zh), 120)}" if zh else f"; {short(w, 120)}" for w in top["why"][:1])
    sure = sureness(top, zh)
    said = f"最可能就是 {name}，把握：{sure}{why}" if zh else f"most likely {name}, confidence {sure}{why}"
    return stop(said, cite, zh)


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
        others = [s for s in accused(seen.text, seen.services) if s != best["service"]]  # "was it the deploy of cart?"
        return opened(
            "yes" if (not kinds or best["kind"] in kinds) and not others else "no",
            [causes.cause(seen), *causes.taken_back(seen)],
            zh,
        )
    none = not seen.ranking[0]["suspects"] and not seen.broken
    return opened("no" if seen.operational or none else "unknown", [causes.cause(seen)], zh)


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
