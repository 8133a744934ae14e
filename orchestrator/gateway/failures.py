"""What went wrong with one request, in our words: sorts, sentences for people, and how long it is worth going on.

Wordings are those of providers' public error references and of open servers. It knows no HTTP library.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.contracts import Json
from orchestrator.errors import ContextTooLong, ModelError
from orchestrator.gateway.endpoint import Endpoint

# kind → how often it is tried again. Everything else isn't.
AGAIN: Mapping[str, int] = {"network": 3, "server": 3, "rate": 3, "broken": 1, "timeout": 1}

_CONTEXT = re.compile(
    r"context[_ ](length|window|size)|maximum (context|input|model) length|max(imum)? (prompt|input) (length|tokens)"
    r"|exceed(s|ed|ing)?( the)?( model)?( max\w*)?( message)? token|token limit|too many (input )?tokens"
    r"|(prompt|input|request) (is )?too (long|large)|range of input length|input token count|too large for model"
    r"|longer than the maximum|prompt 超长|输入.{0,8}(超长|过长)|上下文.{0,6}(超|长度)",
    re.I,
)
_MODERATION = re.compile(
    r"content[_ ]?(filter|policy|management)|data_?inspection|inappropriate content|content exists risk|high risk"
    r"|sensitive ?(content|information|words?)|sensitivecontentdetected|moderation"
    r"|不安全或敏感|敏感(内容|信息|词)|违规|new_sensitive",
    re.I,
)
_QUOTA = re.compile(r"insufficient[_ ](quota|balance|credit)|arrearage|current quota|overdue|欠费|余额不足", re.I)
_MODEL = re.compile(r"\bmodel\b[^.]{0,80}\b(not exist|not found|unknown)|model_not_found|模型不存在", re.I)
_SECRET = re.compile(r"\b(?:sk|ak|key)-[\w\-*]{6,}|(?<=Bearer )\S+", re.I)
_QUERY = re.compile(r"(https?://)(?:[^\s/@]*@)?([^\s?]+)\?[^\s\"']+")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error answer of a server. `text`: its message, code, parameter, in one line, without secrets."""

    status: int
    text: str
    retry_after: float | None = None


class Failure(Exception):
    """One request failed. `kind`: network, timeout, server, rate, broken, auth, model, quota, moderation, context,
    refused; `text` a clause for people; `retry_after` seconds, when the server said."""

    def __init__(self, kind: str, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.kind, self.text, self.retry_after = kind, text, retry_after


def describe(body: Json) -> str:
    """The words of an error body, in any of the shapes that servers use; never the request that some echo."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            detail = inner.get("detail")
            parts = [inner.get(k) for k in ("message", "msg", "code", "type", "param")]
            parts += [detail] if isinstance(detail, str) else [_detail(d) for d in detail or ()]
            return " ".join(str(p) for p in parts if p)[:2000]
        return str(inner)[:2000]
    if isinstance(body, list):
        return " ".join(describe(b) for b in body)[:2000]
    return re.sub(r"<[^>]*>|\s+", " ", str(body or ""))[:500].strip()


def _detail(d: Json) -> str:
    if not isinstance(d, dict):
        return str(d)
    return f"{'.'.join(str(p) for p in d.get('loc') or ())} {d.get('msg') or ''}"


def clean(text: str, key: str) -> str:
    """No key, no credentials and no query of an address; one line."""
    text = text.replace(key, "***") if len(key) > 3 else text
    text = _QUERY.sub(r"\1\2?…", _SECRET.sub("***", text))
    return " ".join(text.split())


# Read from the top: (kind, statuses or None for any, words or None for any).
_RULES: tuple[tuple[str, frozenset[int] | None, re.Pattern[str] | None], ...] = (
    ("quota", frozenset({402}), None),
    ("quota", None, _QUOTA),
    ("moderation", frozenset({400, 403, 413, 422, 451, 500}), _MODERATION),
    ("auth", frozenset({401, 403}), None),
    ("context", frozenset({400, 422, 500}), _CONTEXT),
    ("context", frozenset({413}), None),
    ("rate", frozenset({429}), None),
    ("server", frozenset({408, 409}), None),
    ("refused", frozenset({404}), re.compile("tool", re.I)),
    ("model", frozenset({400, 404}), _MODEL),
    ("address", frozenset({301, 302, 303, 307, 308, 404, 405}), None),
    ("refused", frozenset({*range(400, 500), 501}), None),
    ("server", None, None),
)


def classify(refusal: Refusal) -> Failure:
    """The sort of an error answer: the first rule whose status and words fit."""
    text = refusal.text if len(refusal.text) <= 300 else refusal.text[:300] + "…"
    kind = next(
        kind
        for kind, statuses, words in _RULES
        if (statuses is None or refusal.status in statuses) and (words is None or words.search(refusal.text))
    )
    return Failure(kind, f"HTTP {refusal.status}: {text}", refusal.retry_after)


_SENTENCES = {
    "context": "The request is longer than {where} takes ({why}); shorten the history.",
    "auth": "The model server refused the key for {where} ({why}); check {key}.",
    "model": "There is no such model as {where} ({why}); check HERMES_OPS_MODEL.",
    "address": "Nothing answers chat completions at {place} ({why}); check HERMES_OPS_BASE_URL.",
    "quota": "The account for {where} has no quota left ({why}); top it up or use another model.",
    "moderation": "The content filter of {where} refused this ({why}); use another model or ask otherwise.",
    "network": "{place} can't be reached ({why}); check HERMES_OPS_BASE_URL and the network.",
    "timeout": "{where} sent nothing for {timeout:g} s; raise the model's timeout or use a faster one.",
    "rate": "{where} gets too many requests ({why}); wait, or lower the calls per minute.",
    "server": "{where} is failing ({why}); try again later or use another model.",
    "broken": "{where} gave no usable reply: {why}; try again or use another model.",
    "refused": "{where} refused the request ({why}); check the model's profile and extra_body.",
}


def sentence(failure: Failure, at: Endpoint) -> ModelError:
    """The failure as the error that leaves the gateway: what is wrong, where, what to do next."""
    why = failure.text.rstrip(". ")
    text = _SENTENCES[failure.kind].format(
        where=f"{at.model} at {at.place}", why=why, place=at.place, key=at.key_name, timeout=at.timeout
    )
    long = failure.kind == "context"
    return ContextTooLong(text) if long else ModelError(text, failure.kind, retry=failure.kind in AGAIN)
