"""What went wrong with one request, as a sentence for a person; never with a secret in it. Knows no product."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from subagents.sources import SourceError
from subagents.web.site import Site

SAID = 300  # characters of a server's own words
HTML = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
CONNECTING: tuple[tuple[frozenset[str], str, str, bool], ...] = (  # exception names, the sentence, kind, worth a try
    (frozenset({"ClientConnectorCertificateError", "ClientConnectorSSLError"}),
     "its certificate or TLS isn't accepted ({why}). {advice}", "denied", False),
    (frozenset({"ClientConnectorDNSError"}),
     "its host isn't known ({why}). Check this source's url.", "unreachable", False),
    (frozenset({"ClientProxyConnectionError", "ClientHttpProxyError"}),
     "its proxy can't be used ({why}). Check this source's proxy.", "unreachable", False),
    (frozenset({"ClientConnectorError"}),
     "it can't be reached ({why}). Check that it runs, and this source's url.", "unreachable", True),
)  # fmt: skip
TLS: tuple[tuple[str, str], ...] = (  # what OpenSSL calls it, and what to do about it
    (r"mismatch|not valid for", "Check this source's url: the certificate is for another name."),
    (r"expired|not yet valid", "It has to be renewed there, or the clock here set."),
    (r"WRONG_VERSION|HTTP_REQUEST|UNKNOWN_PROTOCOL", "Check whether this source's url is http or https."),
    (r"ALERT|HANDSHAKE", "Check this source's cert and key."),
    (r"issuer|self.signed|verify the first", "Check this source's ca."),
    (r"", "Check this source's ca, cert and verify."),
)
UNUSABLE: tuple[tuple[str, str], ...] = (  # of the PEM files
    (r"KEY_VALUES_MISMATCH", "its key doesn't belong to its cert."),
    (r"NO_CERTIFICATE|NO_START_LINE|\bPEM\b", "its {what} holds none in PEM form."),
    (r"", "its {what} can't be used: {why}."),
)
CUT = {  # with no answer at all, by the scheme that was spoken
    "https": " If it asks for a client's certificate, give this source's cert and key.",
    "http": " If it speaks TLS, write https in this source's url.",
}
PASSING = frozenset({429, 502, 503, 504})


class Refused(SourceError):
    """The server answered, and not with 2xx. `said`: its own words; `wait`: seconds it asks us to wait, if it does."""

    def __init__(
        self, source: str, message: str, kind: str, status: int, said: str, wait: float | None, own: bool
    ) -> None:
        super().__init__(source, message, kind)
        self.status, self.said, self.wait, self.own = status, said, wait, own

    @property
    def passing(self) -> bool:
        """Another try may help: a gateway's page, not an error that the server itself words."""
        return self.status == 429 or (self.status in PASSING and not self.own)


class Broken(SourceError):
    """The connection failed or broke off. `dead`: nothing answered, so another call would cost as much again."""

    def __init__(self, source: str, message: str, kind: str, dead: bool, passing: bool = False) -> None:
        super().__init__(source, message, kind)
        self.dead, self.passing = dead, passing


def refused(site: Site, status: int, body: bytes, place: str, retry_after: str) -> Refused:
    text = body.decode("utf-8", "replace")
    said, own = _words(site, text)
    wait = seconds(retry_after)
    quoted = f": {said}" if said else ""
    if status in (401, 403, 407):
        who = "the proxy refuses us" if status == 407 else "it refuses us"
        what, kind = f"{who} ({status}){quoted}. Check this source's token, user and rights.", "denied"
    elif status == 404:
        what, kind = f"it has nothing at {place} (404){quoted}. Check this source's url.", "bad_answer"
    elif status == 429:
        asks = f"; it asks to wait {wait:.0f} s" if wait is not None else ""
        what, kind = f"it gets too many requests (429){asks}{quoted}.", "unreachable"
    elif status >= 500:
        what, kind = f"it failed itself ({status}) at {place}{quoted}.", "unreachable"
    elif 300 <= status < 400:
        what, kind = f"it redirects ({status}) again and again, or to nowhere, at {place}.", "bad_answer"
    else:
        what, kind = f"it doesn't accept the request ({status}) at {place}{quoted}.", "bad_query"
    return Refused(site.name, _ended(what), kind, status, said, wait, own)


def elsewhere(site: Site, target: str) -> SourceError:
    """A redirect to a host that isn't allowed."""
    said = clean(site, target.split("?")[0])
    return SourceError(
        site.name, f"it redirects to {said}, which isn't allowed. Check this source's url.", "bad_answer"
    )


def broken(site: Site, error: Exception, seconds: float) -> Broken:
    """From an exception of the HTTP library (by what it derives from, so that this module doesn't import it)."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    why = clean(site, _reason(error))
    if isinstance(error, asyncio.TimeoutError):
        return Broken(site.name, f"no answer within {seconds:g} s.", "timeout", True)
    if isinstance(error, ssl.SSLError):
        kinds.add("ClientConnectorSSLError")
    for names, said, kind, passing in CONNECTING:
        if kinds & names:
            why = (why or type(error).__name__).rstrip(".")
            return Broken(site.name, said.format(why=why, advice=_advice(TLS, why)), kind, True, passing)
    if "ClientPayloadError" in kinds:
        return Broken(site.name, "its answer broke off half way.", "bad_answer", False, passing=True)
    silent = "ServerDisconnectedError" in kinds or getattr(error, "errno", None) == errno.ECONNRESET
    more = CUT[site.url.partition(":")[0]] if silent else ""
    said = f"the connection was cut ({why or type(error).__name__}).{more}"
    return Broken(site.name, said, "unreachable", False, passing=True)


def unusable(site: Site, what: str, error: OSError) -> SourceError:
    """Of the file of a certificate or key; `what`: the setting that names it."""
    why = getattr(error, "reason", None) or error.strerror or str(error)
    said = _advice(UNUSABLE, str(error)).format(what=what, why=clean(site, why))
    return SourceError(site.name, said, "denied")


def encrypted(site: Site) -> SourceError:
    return SourceError(site.name, "its key is encrypted: give one without a pass phrase.", "denied")


def _advice(table: tuple[tuple[str, str], ...], why: str) -> str:
    return next(said for words, said in table if re.search(words, why))


def _reason(error: Exception) -> str:
    """ "127.0.0.1:9090: Connection refused" of what the HTTP library words at more length."""
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    said = str(error)
    if isinstance(cause, ssl.SSLError):  # its number is OpenSSL's own
        said = getattr(cause, "verify_message", "") or getattr(cause, "reason", "") or str(cause)
    elif isinstance(cause, OSError) and cause.errno:
        said = os.strerror(cause.errno) if cause.errno > 0 else cause.strerror or said
    host, port = getattr(error, "host", None), getattr(error, "port", None)
    return f"{host}:{port}: {said}" if host and said != str(error) else said


def no_json(site: Site, text: str, place: str) -> SourceError:
    """An answer that should be JSON and isn't."""
    if HTML.match(text):
        what = f"{place} answered with a web page instead of JSON. Check this source's url, or what stands before it."
    elif text.lstrip()[:1] in ("{", "["):
        what = f"{place} answered with JSON that is broken or only half there."
    else:
        said = clean(site, text)[:80]
        what = f"{place} answered with something that is no JSON ({said!r})." if said else f"{place} answered nothing."
    return SourceError(site.name, what, "bad_answer")


def too_big(site: Site, place: str, most: int) -> SourceError:
    what = f"the answer of {place} is larger than {most >> 20} MiB. Narrow the window or the scope."
    return SourceError(site.name, what, "bad_answer")


def clean(site: Site, text: str) -> str:
    """One line, shortened, without control characters and without this site's secrets."""
    for secret in site.secrets():
        text = text.replace(secret, "***")
    text = re.sub(r"://[^/\s@]+@", "://***@", text)
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()[:SAID]


def seconds(retry_after: str) -> float | None:
    """Of a Retry-After header: seconds, or a date."""
    try:
        if re.fullmatch(r"\d+(\.\d+)?", retry_after.strip()):
            return float(retry_after)
        return max((parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _words(site: Site, text: str) -> tuple[str, bool]:
    """The server's own sentence, and whether it is one (and not a gateway's page)."""
    if HTML.match(text):
        return "", False
    try:
        body = json.loads(text)
    except ValueError:
        return clean(site, text), False
    while isinstance(body, dict):
        body = next((body[k] for k in ("error", "message", "msg", "reason", "title", "detail") if body.get(k)), "")
    return clean(site, body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)), True


def _ended(sentence: str) -> str:
    return re.sub(r"\.{2,}$", ".", sentence)
