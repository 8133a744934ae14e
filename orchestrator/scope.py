"""What a question is about: environment and services, found in the words of a Chinese or English question.

The catalogue is the one source of truth for names; without settings it is learnt from the data. Explicit words count
first, then the thread's scope, then the person's preference, for environment and services each; nothing at all means
everything. A name that isn't known, or means two services, is returned with the nearest ones: never a guess, but where
it is one slip away from a known name, which `why` then tells. It deliberately doesn't know sources, settings files or
the window.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches

from orchestrator.contracts import Scope

_AFFIX = re.compile(r"(?:[-_.]?(?:services?|svc|server|app|api|ms))$", re.IGNORECASE)
_USUAL = {  # other words for the usual environments; an environment "prod-sh" is meant by those of "prod"
    "prod": ("production", "生产", "线上"),
    "staging": ("stage", "预发布", "预发"),
    "test": ("testing", "测试", "qa"),
    "dev": ("development", "开发"),
}
_PLAIN = {"test", "testing", "测试", "dev", "development", "开发", "qa", "stage"}  # unless 环境 is said
_ALL = re.compile(r"(?:所有|全部)的?服务|各个?服务|全站|\b(?:all|every|any) services?\b", re.IGNORECASE)
_EXCEPT = re.compile(r"(?:除了?|除去|不含|不包括|\b(?:except|excluding|other than|besides)(?: for)?)\s?$", re.I)
_NOT = re.compile(r"(?:(?<!是)不是|而非|\bnot|\brather than|\binstead of)\s?$", re.I)
_PLUS = re.compile(r"加上|连同|一起看|一并|\b(?:add|plus|along with|together with)\b", re.I)
_WORD = r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+){0,8}"
_TAIL = r"(?:[-_](?:service|svc)|-[0-9a-f]{7,10}-[a-z0-9]{5}|-\d{1,3})?"  # what a pod's name adds to its service's
_COMPOUND = r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*)+"
_CALLED = re.compile(
    rf"(?<![A-Za-z0-9_-])(?P<before>{_WORD})[`'\"”」]?\s?(?:服务|微服务|应用)|(?:服务|service(?![A-Za-z]|['’]s\b))\s?[`'\"“「]?(?P<after>{_WORD})"
    rf"|(?<![A-Za-z0-9_-])(?P<en>{_WORD})\s(?:service|svc)(?![A-Za-z])"
    rf"|(?<![A-Za-z0-9_./-])(?P<named>{_WORD}[-_](?:service|svc|server|api))(?![A-Za-z0-9_/-])",
    re.IGNORECASE,
)
_OWNED = re.compile(  # what only a service has; a compound name may own what other things have too
    rf"(?<![A-Za-z0-9_.-])(?P<measured>{_WORD})\s?(?:服务)?的(?:可用率|可用性|可用度|成功率|健康)"
    rf"|\b(?:availability|uptime|success rate)\s(?:of|for)\s(?:the\s)?(?P<of>{_WORD})"
    rf"|(?<![A-Za-z0-9_.-])(?P<owner>{_COMPOUND})\s?的(?:错误|报错|告警|报警|日志|延迟)"
    rf"|\b(?:errors?|alerts?|logs?|latency)\s(?:of|for|from)\s(?:the\s)?(?P<holder>{_COMPOUND})",
    re.IGNORECASE,
)
_NO_OWNER = """ api apis app apps application applications april august cache clients cluster clusters component
components critical customers data database databases december disk endpoint endpoints environment everything february
friday frontend fatal host hosts hour http https info instance instances january july june kubernetes march memory
midnight minute monday month morning network next night node nodes noon november october past platform pods prod
production queue region saturday september server servers service services site something staging sunday system systems
these those thursday tuesday users warning website wednesday week zone """.replace("\n", " ")
_PARTS = re.compile(
    r"(?:^|[-_.])(?:and|by|for|in|no|non|not|of|on|only|or|out|per|re|so|the|to|un|up)(?:[-_.]|$)", re.I
)
_NO_NAME = """ a all an and any are at be been being by can could did do does each every for from had has have how if in
into is it its last many more most my new no not now of on one or other our per same should since some that the their
them these this those to today two up was web were what when where which who why will with would yesterday your account
after alert alerts availability backend before between call calls change changed changes
customer degradation degraded dependencies deploy deployed deployment deployments desk discovery down downstream during
error errors fail failed failing fails failure failures fast first graph health healthy here incident incidents
internal issue issues key latency level list log logged logging logs main map mesh metrics name names outage outages
owner owners problem problems release releases restart restarted restarts running single slow slower status team
topology unavailable unhealthy unstable upstream went """.replace("\n", " ")
_ENDINGS = ("s", "es", "ed", "d", "r", "er", "ers", "ing", "ly", "al")
_NEAR = 0.85  # difflib's ratio at which a word is a misspelt name


@dataclass(frozen=True, slots=True)
class Service:
    """`short`: forms made from a learnt name (order for ts-order-service), weaker than the aliases people chose."""

    name: str
    aliases: tuple[str, ...] = ()
    team: str = ""
    depends_on: tuple[str, ...] = ()
    tier: str = ""
    environment: str = ""
    short: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    services: tuple[Service, ...] = ()
    environments: tuple[Environment, ...] = ()

    def learnt(self, names: Iterable[str]) -> Catalogue:
        """This catalogue with the services that the data names and it doesn't know yet."""
        known = {_key(word) for s in self.services for word in (s.name, *s.aliases)}
        new = list({_key(n): n for n in names if n.strip() and _key(n) not in known}.values())
        prefixes = [n.split("-")[0] + "-" for n in new if "-" in n]
        shared = next((p for p in set(prefixes) if prefixes.count(p) >= 3 and prefixes.count(p) * 2 > len(new)), "")
        services = (Service(n, short=_core(n, shared)) for n in sorted(new))
        return replace(self, services=(*self.services, *services))


@dataclass(frozen=True, slots=True)
class Resolved:
    """`unknown`: each name that was meant but isn't known or is two services', with the nearest known ones."""

    scope: Scope
    unknown: tuple[tuple[str, tuple[str, ...]], ...] = ()


def resolve(text: str, catalogue: Catalogue, former: Scope | None = None, preferred: Scope | None = None) -> Resolved:
    """The scope of a question: its own words first, then `former` (the thread's), then `preferred`."""
    forms = _service_forms(catalogue)
    spans = _meant(text, list(_found(text, forms)))
    services = tuple(dict.fromkeys(next(iter(names)) for _, _, names in spans if len(names) == 1))
    unknown = [(text[a:b], tuple(sorted(names))) for a, b, names in spans if len(names) > 1]
    places = [(a, b, n) for a, b, n in _found(text, _environment_forms(catalogue)) if _is_place(text, a, b)]
    unknown += [(text[a:b], tuple(sorted(names))) for a, b, names in places if len(names) > 1]
    environment = next((next(iter(names)) for _, _, names in places if len(names) == 1), "")
    taken = [(a, b) for a, b, _ in (*spans, *places)]
    strangers = list(_strangers(text, forms, taken))
    slips = [(word, near[0]) for word, near in strangers if near and _one_slip(_key(word), _key(near[0]))]
    services = tuple(dict.fromkeys((*services, *(name for _, name in slips))))
    unknown += [s for s in strangers if s[0] not in dict(slips)]
    said = " ".join(text[a:b] for a, b, _ in sorted(spans + places, key=lambda x: x[0]))
    why = [_reading(text[a:b], names, catalogue) for a, b, names in spans if len(names) == 1]
    why += [f"no service {word!r}: read as {name}" for word, name in slips]
    scope = Scope(environment, services, said, "; ".join(dict.fromkeys(filter(None, why))))
    if former and services and _PLUS.search(text):
        scope = replace(scope, services=tuple(dict.fromkeys((*former.services, *services))))
    settled = services or unknown or _ALL.search(text)
    return Resolved(_inherit(scope, bool(settled), former, preferred), tuple(dict.fromkeys(unknown)))


def say(scope: Scope) -> str:
    """As an answer prints it: "prod-sh · checkout, payment"; "all" where nothing narrows it."""
    return " · ".join(filter(None, (scope.environment, ", ".join(scope.services)))) or "all"


def _inherit(scope: Scope, settled: bool, *others: Scope | None) -> Scope:
    """Fills what wasn't said; `settled`: services were named (or all, or a name nobody knows), so none are added."""
    whys = [scope.why] if scope.why else []
    for label, other in zip(("the thread", "preference"), others, strict=True):
        if other and other.environment and not scope.environment:
            scope, whys = replace(scope, environment=other.environment), [*whys, f"{other.environment}: from {label}"]
        if other and other.services and not settled and not scope.services:
            scope, whys = replace(scope, services=other.services), [*whys, f"{', '.join(other.services)}: from {label}"]
    return replace(scope, why="; ".join(whys))


def _key(word: str) -> str:
    return re.sub(r"[-_. ]", "", word).lower()


def _shape(word: str) -> str:
    """Lower case, with "-" where the word may be broken: Payment_Gateway, paymentGateway → payment-gateway."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=services?$)|[-_. ]+", "-", word.strip()).strip("-").lower()


def _core(name: str, shared: str) -> tuple[str, ...]:
    core = _AFFIX.sub("", name.removeprefix(shared)).strip("-_.")
    return (core,) if len(core) > 2 and _key(core) != _key(name) else ()


def _service_forms(catalogue: Catalogue) -> dict[str, set[str]]:
    """Each way to write a service (as `_shape` has it) → whom it means. What people chose beats what was made up."""
    forms: dict[str, set[str]] = {}
    for s in catalogue.services:
        for word in (s.name, *s.aliases):
            forms.setdefault(_shape(word), set()).add(s.name)
    short: dict[str, set[str]] = {}
    for s in catalogue.services:
        for word in s.short:
            short.setdefault(_shape(word), set()).add(s.name)
    return {**short, **forms}


def _environment_forms(catalogue: Catalogue) -> dict[str, set[str]]:
    forms: dict[str, set[str]] = {}
    chosen: dict[str, set[str]] = {}
    for e in catalogue.environments:
        first = re.split(r"[-_.]", e.name.lower())[0]
        usual = next(((k, *v) for k, v in _USUAL.items() if first in (k, *v)), ())
        for word in usual:
            forms.setdefault(_shape(word), set()).add(e.name)
        for word in e.aliases:
            chosen.setdefault(_shape(word), set()).add(e.name)
    exact = {_shape(e.name): {e.name} for e in catalogue.environments}
    return {**forms, **chosen, **exact}


def _found(text: str, forms: Mapping[str, set[str]]) -> Iterator[tuple[int, int, set[str]]]:
    """Where forms stand in a text, longest first; case, hyphens and underscores don't matter; words stay whole."""
    words = [re.escape(f).replace(r"\-", "[-_. ]?") for f in sorted(forms, key=len, reverse=True) if f]
    bounded = [rf"(?<![A-Za-z0-9_-]){w}(?={_TAIL}(?![A-Za-z0-9_]|-[A-Za-z0-9]))" if w.isascii() else w for w in words]
    meant = {_key(form): names for form, names in forms.items()}
    for m in re.finditer("|".join(bounded), text, re.IGNORECASE) if bounded else ():
        if not re.match(r"order\sto\b", text[m.start() :], re.IGNORECASE):
            yield m.start(), m.end(), meant[_key(m[0])]


def _meant(text: str, spans: list[tuple[int, int, set[str]]]) -> list[tuple[int, int, set[str]]]:
    """Without what is left out: "all except payment", "not checkout, payment"."""
    left = [s for s in spans if not _EXCEPT.search(text[: s[0]])]
    return [s for s in left if not _NOT.search(text[: s[0]])] or left


def _is_place(text: str, start: int, end: int) -> bool:
    led = text[:start].rstrip().endswith(("在", " in", " on"))
    return led or text[start:end].lower() not in _PLAIN or re.match(r"\s?(?:环境|env)", text[end:], re.I) is not None


def _strangers(
    text: str, forms: Mapping[str, set[str]], taken: list[tuple[int, int]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that nobody knows: called a service, or a misspelling of a known name. Ordinary words aren't ("whcih")."""
    if not forms:
        return
    plain = {*_NO_NAME.split(), *("".join(sorted(w)) for w in _NO_NAME.split() if len(w) > 4)}
    known = {_key(form): sorted(names) for form, names in forms.items()}
    called = {m.span(g): m[g] for m in _CALLED.finditer(text) for g in ("before", "after", "en", "named") if m[g]}
    owners = ((m, g) for m in _OWNED.finditer(text) for g in ("measured", "of", "owner", "holder") if m[g])
    called |= {m.span(g): m[g] for m, g in owners if _is_owner(m[g])}
    near = {m.span(): m[0] for m in re.finditer(_WORD, text) if len(m[0]) > 4 and _misspelt(_key(m[0]), known)}
    for (a, b), word in sorted({**called, **near}.items()):
        if {word.lower(), "".join(sorted(word.lower()))} & plain or any(a < y and x < b for x, y in taken):
            continue
        close = get_close_matches(_key(word), list(known), n=3, cutoff=0.6)
        yield word, tuple(dict.fromkeys(name for form in close for name in known[form]))[:3]


def _is_owner(word: str) -> bool:
    """Whether a word of which something is asked can be a service: not what is always there, nor a phrase."""
    return len(word) > 3 and f" {word.lower()} " not in _NO_OWNER and not _PARTS.search(word)


def _misspelt(word: str, known: Mapping[str, list[str]]) -> bool:
    """One slip away from a known name; not its plural or another word's form of it."""
    if word in known:
        return False
    for form in known:
        long, short = sorted((word, form), key=len, reverse=True)
        if not form.isascii() or word[0] != form[0] or len(long) - len(short) > 2 or len(form) < 5:
            continue
        if long.startswith(short) and long[len(short) :] in _ENDINGS:
            continue
        if SequenceMatcher(None, word, form).ratio() >= _NEAR:
            return True
    return False


def _one_slip(a: str, b: str) -> bool:
    """One letter too many, missing, wrong, or two in each other's place; short words differ by so much anyway."""
    a, b = sorted((a, b), key=len)
    i = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    swapped = a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :]
    return len(a) > 3 and a != b and (swapped or b[i + 1 :] in (a[i:], a[i + 1 :]))


def _reading(word: str, names: set[str], catalogue: Catalogue) -> str:
    """How a form that isn't the name itself was read."""
    name = next(iter(names))
    chosen = {_key(w) for s in catalogue.services if s.name == name for w in (s.name, *s.aliases)}
    if word == name:
        return ""
    return f"{word} = {name}" if _key(word) in chosen else f"{word} = {name}, the only service whose name fits"
