"""Personal numbers and addresses: mobile phones and identity numbers of China, bank cards, e-mail.

Checksums and prefixes tell them from trace ids, epochs and order numbers; where a shape alone can't (eleven digits
that begin like a mobile number), the name before the number decides. It doesn't know other countries' numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A secret's place; `value`: its canonical form where there are several (a phone number with and without +86)."""

    start: int
    end: int
    value: str = ""


# ── numbers ───────────────────────────────────────────────────────────────────────────────────

_DIGITS = bytes(0x64 if chr(c) in "0123456789" else c for c in range(256))  # every digit → "d"

_MOBILE = r"1(?:3\d|4[5-9]|5[0-35-9]|6[2567]|7[0-8]|8\d|9[0-35-9])(?P<a>[ -]?)\d{4}(?P=a)\d{4}"
_NUMBER = re.compile(
    r"(?:"
    rf"(?P<phone>(?:86[ -]?)?{_MOBILE})"
    r"|(?P<person>[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx])"
    r"|(?P<card>[2-6]\d{3}(?P<b>[ -]?)(?:\d{4}(?P=b)\d{4}(?P=b)\d{4}(?:(?P=b)\d{1,3})?|\d{6}(?P=b)\d{5}))"
    r")(?![\w-]|\.\d)",
    re.ASCII,
)
_START = re.compile(r"[1-8](?<![\w.-][1-8])\d[\d -]{2}", re.ASCII)
_NAMED_ID = re.compile(
    r"(?:(?:id|order|trace|span|no|num|number|seq|serial|offset|size|bytes?|count|total|sum|len|length|txn|lsn|pid|ts"
    r"|time|timestamp|version|duration|elapsed|value|position|revision|counter)[\"'\]]{0,3}\s{0,2}[:=#]?\s{0,2}[\"']?"
    r"|(?:编号|订单|单号|订单号|流水|流水号|序号|工单)[:：为是]?\s?|[}#]\s?|[0-9a-f]{16}[,|\s][\"']?)\Z",
    re.ASCII | re.IGNORECASE,
)
_NAMED_PHONE = re.compile(
    r"(?:phone|mobile|tel|cell)[ _-]?(?:no|num|number)?[\"']{0,2}\s?[:=]?\s?[\"']?\Z", re.IGNORECASE
)
_MEASURED = re.compile(r"\s?(?:bytes|[nmuµ]?s|[KMG]?i?B)\b")


def has_numbers(raw: bytes) -> bool:
    """Whether `numbers` could find any in this text's bytes. Cheap."""
    shape = raw.translate(_DIGITS)
    return b"ddddddddddd" in shape or b"ddd dddd dddd" in shape or b"ddd-dddd-dddd" in shape


def numbers(text: str) -> Iterator[Span]:
    """Phone, identity and card numbers, in order."""
    end = 0
    for start in _START.finditer(text):
        found = _NUMBER.match(text, start.start()) if start.start() >= end else None
        if found is None:
            continue
        digits = found[0].replace(" ", "").replace("-", "")
        if _is_one(found, digits):
            end = found.end()
            yield Span(found.start(), end, digits[-11:] if found["phone"] else digits.upper())


def _is_one(found: re.Match[str], digits: str) -> bool:
    if found["person"]:
        return _identity_checks(digits)
    if found["card"] and not _card_checks(digits):
        return False
    before = found.string[max(0, found.start() - 24) : found.start()]
    if _NAMED_PHONE.search(before):
        return True
    return not _NAMED_ID.search(before) and not _MEASURED.match(found.string, found.end())


def _identity_checks(digits: str) -> bool:
    """GB 11643: weights 2^(17-i) mod 11, the check character from "10X98765432"."""
    total = sum(int(d) * pow(2, 17 - i, 11) for i, d in enumerate(digits[:17]))
    return "10X98765432"[total % 11] == digits[17].upper()


_CARDS = (  # issuer's prefixes, lengths
    (("4",), (16,)),
    (("51", "52", "53", "54", "55", "22", "23", "24", "25", "26", "27"), (16,)),
    (("34", "37"), (15,)),
    (("62",), (16, 17, 18, 19)),
    (("35", "6011", "65"), (16,)),
)


def _card_checks(digits: str) -> bool:
    """A known issuer, its length, and the Luhn sum (ISO/IEC 7812)."""
    if not any(digits.startswith(prefixes) and len(digits) in lengths for prefixes, lengths in _CARDS):
        return False
    doubled = (sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return (sum(int(d) for d in digits[::-2]) + sum(doubled)) % 10 == 0


# ── e-mail ────────────────────────────────────────────────────────────────────────────────────

_DOMAIN = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}([A-Za-z]{2,24})(?![\w@-]|\.[A-Za-z0-9])", re.ASCII)
_LOCAL = re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}\Z", re.ASCII)
_IN_URL = re.compile(r"://[^\s/]{0,150}\Z")
_LOGINS = re.compile(r"root|git|admin|ubuntu|ec2-user|centos|debian|postgres|mysql|redis|deploy|www-data|hadoop|core")
_UNIT = re.compile(r"service|socket|target|timer|mount|slice|scope|local|internal|svc|js|ts|py|sh|json|yaml|md")


def emails(text: str) -> Iterator[Span]:
    """Addresses; not a login at a host (`root@web-1.example.com`, `ssh://user@host`), nor a systemd instance."""
    at = text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at)
        local = _LOCAL.search(text, max(0, at - 65), at) if domain else None
        if domain and local and not _is_login(text, local, domain):
            yield Span(local.start(), domain.end())
        at = text.find("@", at + 1)


def _is_login(text: str, local: re.Match[str], domain: re.Match[str]) -> bool:
    in_url = _IN_URL.search(text, max(0, local.start() - 160), local.start()) is not None
    return in_url or _UNIT.fullmatch(domain[1]) is not None or _LOGINS.fullmatch(local[0]) is not None
