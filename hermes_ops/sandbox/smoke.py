"""Compares a real tenant with the sandbox: makes the same calls there, and prints which rule answered differently.

    FEISHU_APP_SECRET=… python -m hermes_ops.sandbox.smoke https://open.feishu.cn APP_ID CHAT_ID

It posts a few messages into the chat, which must have the bot in it, and recalls them. It uses only the standard
library: the file can be copied to where nothing of ours is installed.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
SECRET = "FEISHU_APP_SECRET"  # noqa: S105  the name of a variable


@dataclass
class Tenant:
    """A platform, real or not, and what was sent to it."""

    domain: str
    app_id: str
    secret: str
    chat: str
    token: str = ""
    sent: list[str] = field(default_factory=list)

    def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """The answer's JSON, whatever its status."""
        headers = {"Content-Type": "application/json; charset=utf-8"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.domain}/open-apis{path}", data, headers, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
                found: Json = json.load(answer)
        except urllib.error.HTTPError as e:
            with e:
                found = json.load(e)
        return found

    def send(self, msg_type: str, content: Any, **more: Any) -> Json:
        body = {"receive_id": self.chat, "msg_type": msg_type, "content": json.dumps(content), **more}
        answer = self.call("POST", "/im/v1/messages?receive_id_type=chat_id", body)
        if answer["code"] == 0:
            self.sent.append(answer["data"]["message_id"])
        return answer

    def card(self, *elements: Json) -> Json:
        return self.send("interactive", {"schema": "2.0", "body": {"elements": list(elements)}})

    def entity(self, *elements: Json) -> str:
        card = {"schema": "2.0", "config": {"streaming_mode": True}, "body": {"elements": list(elements)}}
        made = self.call("POST", "/cardkit/v1/cards", {"type": "card_json", "data": json.dumps(card)})
        return str(made.get("data", {}).get("card_id", ""))

    def write(self, card_id: str, sequence: int) -> Json:
        path = f"/cardkit/v1/cards/{card_id}/elements/md/content"
        return self.call("PUT", path, {"content": "hello", "sequence": sequence})


TEXT = {"tag": "markdown", "content": "hello", "element_id": "md"}
TABLE = {"tag": "table", "columns": [{"name": "a"}], "rows": [{"a": "x"}]}
Rule = tuple[str, Callable[[Tenant], Json], int, str]
RULES: tuple[Rule, ...] = (
    ("a text", lambda t: t.send("text", {"text": "hello"}), 0, ""),
    ("a card", lambda t: t.card(TEXT), 0, ""),
    (
        "unknown receive_id",
        lambda t: Tenant(t.domain, "", "", "oc_nothing", t.token).send("text", {"text": "x"}),
        230001,
        "",
    ),
    ("content that is no JSON object", lambda t: t.send("text", "x"), 230001, ""),
    ("a uuid of 51 characters", lambda t: t.send("text", {"text": "x"}, uuid="x" * 51), 99992402, ""),
    ("an unknown property", lambda t: t.card({**TEXT, "font": "big"}), 230099, "200621"),
    ("a tag of version 1", lambda t: t.card({"tag": "note", "elements": []}), 230099, "200861"),
    (
        "a picture by address",
        lambda t: t.card({**TEXT, "content": "![x](https://example.com/a.png)"}),
        230099,
        "200570",
    ),
    ("201 elements", lambda t: t.card(*[{"tag": "hr"}] * 201), 230099, "11310"),
    ("four tables", lambda t: t.card(*[TABLE] * 4), 230099, "11310"),
    ("a card over 30 KB", lambda t: t.card({**TEXT, "content": "x" * 31_000}), 230025, ""),
    ("an unknown reaction", lambda t: react(t, "typing"), 231001, ""),
    ("a reaction", lambda t: react(t, "Typing"), 0, ""),
    ("sequence 0", lambda t: t.write(t.entity(TEXT), 0), 300317, ""),
    ("streaming", lambda t: t.write(t.entity(TEXT), 1), 0, ""),
    ("an unknown entity", lambda t: t.write("1", 1), 200740, ""),
)


def react(t: Tenant, emoji: str) -> Json:
    path = f"/im/v1/messages/{t.sent[0] if t.sent else 'om_none'}/reactions"
    return t.call("POST", path, {"reaction_type": {"emoji_type": emoji}})


def compare(t: Tenant) -> Iterator[tuple[str, str, str, bool]]:
    """(rule, what the sandbox answers, what this platform answers, whether they agree), one by one."""
    answer = t.call("POST", "/auth/v3/tenant_access_token/internal", {"app_id": t.app_id, "app_secret": t.secret})
    t.token = str(answer.get("tenant_access_token", ""))
    if not t.token:
        raise SystemExit(
            f"No token for {t.app_id}: {answer.get('code')} {answer.get('msg')}. Check the app id and secret."
        )
    for name, ask, code, inner in RULES:
        answer = ask(t)
        good = answer["code"] == code and inner in str(answer.get("msg"))
        yield name, f"{code} {inner}".strip(), f"{answer['code']} {answer.get('msg', '')}", good
    for message_id in t.sent:
        t.call("DELETE", f"/im/v1/messages/{message_id}")


def main(arguments: list[str]) -> int:
    """Prints a line for each rule; 1 when any differs."""
    if len(arguments) != 3 or not os.environ.get(SECRET):
        print(f"{SECRET}=… python -m hermes_ops.sandbox.smoke DOMAIN APP_ID CHAT_ID", file=sys.stderr)
        return 2
    domain, app_id, chat = arguments
    different = 0
    for name, expected, got, good in compare(Tenant(domain.rstrip("/"), app_id, os.environ[SECRET], chat)):
        different += not good
        print(f"{'same     ' if good else 'DIFFERENT'}  {name}: {got}" + ("" if good else f"   (sandbox: {expected})"))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
