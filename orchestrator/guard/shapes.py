"""The shapes of secrets: one table of rules, each with the literals that announce it. Data for `masking.py`.

A pattern must stay linear on hostile text: runs are possessive (`++`) or bounded, and a run that may begin anywhere is
held to its beginning by a look-behind. It knows shapes only: a bare random word in prose isn't recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` is matched where one of the lower-case `literals` begins; its one group that took part is the secret
    (the whole match where it has none). `before` must match right up to that place (16 characters at most);
    `each` finds several secrets within the match; `keep` says which values are none. `random`: the secret is a long
    run of random letters, so a text where no run has six capitals or digits needn't be searched."""

    literals: tuple[str, ...]
    pattern: str
    before: str = ""
    each: str = ""
    random: bool = False
    keep: Callable[[str], bool] = lambda value: False


# ── what is no secret though it stands where one would ────────────────────────────────────────

_WORDS = (
    r"true|false|null|none|nil|undefined|empty|yes|no|on|off|required|missing|invalid|incorrect|expired|failed|wrong"
    r"|revoked|malformed|expected|unexpected|unknown|error|ok|not|is|was|has|must|cannot|changed|reset|rejected|denied"
    r"|str|string|bytes|int|bool|boolean|optional|any|secretstr|text|varchar|char|hidden|redacted|masked|filtered"
    r"|bearer|basic|digest|token|read|write|and|or|the|a|an|for|from|in|of|to|with"
    r"|错误|无效|失效|过期|已过期|不能|不正确|不对|为空|必填"
)
_NO_SECRET = re.compile(
    rf"(?i:{_WORDS})[.:!]*"
    r"|[*•.xX#?_-]+"  # already hidden by whoever wrote it
    r"|\$\{?[\w.:-]{1,100}\}?|\{\{[^}]{0,100}|%\(?\w{1,100}\)?s?"  # a template's placeholder
    r"|[A-Za-z_][\w.]{0,100}[(\[].{0,200}"  # code that fetches the value
    r"|\[(?:REDACTED|FILTERED|MASKED|HIDDEN)\]?",
    re.ASCII,
)
_COUNT = re.compile(r"\d{1,7}(?:\.\d+)?%?", re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)


def _no_secret(value: str) -> bool:
    return _NO_SECRET.fullmatch(value) is not None


def _no_token(value: str) -> bool:
    """Tokens are counted as well ("token: 512")."""
    return _no_secret(value) or _COUNT.fullmatch(value) is not None


def _no_pwd(value: str) -> bool:
    return _no_secret(value) or value.startswith(("/", "~"))  # the working directory


def _no_digit(value: str) -> bool:
    return _DIGIT.search(value) is None


# ── names with a value ────────────────────────────────────────────────────────────────────────

_VALUE = (
    r"""(?:\\{1,4}["']([^"'\\\n]++)"""  # JSON inside JSON
    r"""|"((?:[^"\\\n]|\\.)++)"""  # the closing quote may have been cut off
    r"""|'((?:[^'\\\n]|\\.)++)"""
    r"""|([^\s"'`&;,)\]}<>\\，。；、）]++(?:,(?![\s\w.-]{0,40}[=:])[^\s"'`&;,)\]}<>\\]++)*+))"""
)
_IS = (
    r"""(?:\\{0,4}["'`]?\]?[ \t]{0,8}(?:=>|:=|={1,2}|[:：]|%3[dD])[ \t]{0,8}"""
    r"""|\\{0,4}["']?\s{0,40},?\s{0,40}\\{0,4}["']?value\\{0,4}["']?\s{0,4}[:=]\s{0,4}"""  # a container's environment
    r"""|>(?=[^\s<]))"""  # an XML element
)
_DASHES = "--(?:[A-Za-z]{1,12}-){0,2}"
_OPTION = rf"\s{{1,4}}(?!-){_VALUE}"


def _named(name: str) -> str:
    return f"(?i:{name}){_IS}{_VALUE}"


_NAMED = (
    Rule(("pass",), _named(r"(?:pass(?:word|wd|phrase|code)|(?<![a-zA-Z])pass)"), keep=_no_secret),
    Rule(("pass",), r"(?i:password is )(\S{0,128}?\d\S*+)", keep=_no_secret),
    Rule(("pwd",), _named("pwd"), keep=_no_pwd),
    Rule(("secret",), f"(?<!<){_named('secret(?:[_-]?(?:access)?[_-]?key|[_-]?id)?')}", keep=_no_token),
    Rule(("token",), _named("token"), keep=_no_token),
    Rule(
        ("key",),
        _named("key(?:[_-]?id)?"),
        before=r"(?i:api|access|secret|private|account|auth|signing|encrypt(?:ion)?|master|storage)[_. -]?",
        keep=_no_token,
    ),
    Rule(
        ("sig",),
        r"""(?i:signature|sign|sig)["']?(?:=|: ?)["']?([A-Za-z0-9%/+=_-]{16,}+)""",
        random=True,
        keep=_no_digit,
    ),
    Rule(("key",), r"(?i:key)=([A-Za-z0-9%/+=_-]{16,}+)", before="[?&]"),
    Rule(
        ("密码", "口令", "密钥", "令牌"),
        rf"""(?:密码|口令|密钥|令牌)\\{{0,4}}["']?\s{{0,4}}(?:是|为|＝|=|：|:)\s{{0,4}}{_VALUE}""",
        keep=_no_secret,
    ),
    Rule(("pass", "secret", "token"), rf"(?i:password|secret|token){_OPTION}", before=_DASHES, keep=_no_secret),
    Rule(("key",), rf"(?i:key){_OPTION}", before=_DASHES + "(?:api|access|secret|private)-", keep=_no_secret),
)

# ── headers and addresses ─────────────────────────────────────────────────────────────────────

_HEADER = r"""\\{0,4}["']?\s{0,8}[:=]\s{0,8}"""
_CARRIED = (
    Rule(
        ("authorization",),
        rf"""(?i:authorization){_HEADER}\\{{0,4}}["']?"""
        r"""(?i:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,4})?([^\s"'\\,<>]{4,}+)""",
        keep=_no_secret,
    ),
    Rule(("bearer ",), r"(?i:bearer )\s{0,4}([A-Za-z0-9._~+/=-]{12,}+)", keep=_no_digit),
    Rule(
        ("cookie",),
        rf"""(?i:cookie){_HEADER}\\{{0,4}}["']?[^\r\n"'\\]++""",
        each=r"(?<![\w.-])(?!(?i:path|domain|expires|max-age|samesite|priority|version)=)[\w.-]{1,100}=([^;\s\"'\\]++)",
        keep=_no_secret,
    ),
    Rule(("://",), r"""://[^\s:/?#@"'<>]{0,128}:([^\s/"']{1,256})@""", keep=_no_secret),
    Rule(("://",), r"://([A-Za-z0-9_-]{20,128})@", random=True, keep=_no_digit),
    Rule(("hook",), r"(?i:hook)s?(?:/\d{5,25})?/([\w-]{16,}+)", keep=_no_digit),
    Rule(("hooks.slack.com/",), r"(?i:hooks\.slack\.com)/[a-z]{5,20}/([\w/]{16,}+)", random=True),
    Rule(("hook.office.com/",), r"(?i:hook\.office\.com)/\w{5,20}/([\w@/-]{16,}+)", random=True),
    Rule(("/bot",), r"/bot(\d{6,12}:[\w-]{30,}+)", random=True),
)

# ── tokens that say what they are ─────────────────────────────────────────────────────────────

_TOKENS = (
    Rule(
        ("-----begin",),
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\s|\\[nr])++[A-Za-z0-9+/=]{16,}+)++)",
    ),
    Rule(("eyj",), r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+){0,3}", random=True),
    Rule(
        ("akia", "asia", "akid", "ltai"),
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|AKID|LTAI)[A-Za-z0-9]{12,}+",
        random=True,
        keep=_no_digit,
    ),
    Rule(
        ("aiza", "ya29.", "gocspx-"),
        r"(?<![\w-])(?:AIza[\w-]{30,}+|ya29\.[\w.-]{20,}+|GOCSPX-[\w-]{20,}+)",
        random=True,
    ),
    Rule(("8q~",), r"8Q~[\w.~-]{31,40}+", before=r"(?<![\w.~-])[\w.~-]{3}", random=True),
    Rule(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{30,}+", random=True),
    Rule(("github_pat_",), r"github_pat_\w{22,}+", random=True),
    Rule(("glpat-", "gldt-", "glrt-"), r"(?<!\w)gl(?:pat|dt|rt)-[\w.-]{20,}+", random=True),
    Rule(("xox", "xapp-"), r"(?<!\w)(?:xox[abeoprs]|xapp)-[\w-]{10,}+", random=True, keep=_no_digit),
    Rule(("sk-",), r"(?<![A-Za-z0-9])sk-[\w-]{20,}+", keep=_no_digit),
    Rule(("sk_", "rk_"), r"(?<![A-Za-z0-9])[sr]k_(?:live|test)_\w{16,}+", random=True),
    Rule(("t-", "u-"), r"(?<![\w.-])[tu]-[A-Za-z0-9._]{20,}+", random=True, keep=_no_digit),
    Rule(("hf_", "npm_"), r"(?<![A-Za-z0-9])(?:hf|npm)_[A-Za-z0-9]{30,}+", random=True),
)

RULES: tuple[Rule, ...] = _NAMED + _CARRIED + _TOKENS
