"""GitLab's web hooks that tell of changes: deployment, release, push, tag push.

A deployment is told with each of its states; it took effect with success. (Source: GitLab's "Webhook events"; the body
says what it is in `object_kind`.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from hermes_ops.hooks.heard import Beside, Change, Delivery, Unreadable, moment, table, text
from hermes_ops.hooks.pushed import commits, tag
from hermes_ops.hooks.settings import ChangeHook
from orchestrator.contracts import Json

RANKS = {"success": 2, "failed": 2, "canceled": 2, "running": 1, "created": 0}
ZERO = re.compile(r"0+")
Body = dict[str, Json]


def read(said: Delivery, hook: ChangeHook, now: datetime) -> list[Change]:
    body = table(said.body)
    kind = text(body.get("object_kind"))
    if not kind:
        raise Unreadable("It has no `object_kind`, as GitLab's bodies have; is this the right hook for it?")
    reader = EVENTS.get(kind)
    if reader is None:
        raise Beside(f"the event {kind} tells of no change")
    return reader(body, hook, now)


def _project(body: Body) -> str:
    return text(table(body.get("project")).get("path_with_namespace"))


def _deployment(body: Body, hook: ChangeHook, now: datetime) -> list[Change]:
    state, ref, name = text(body.get("status")), text(body.get("ref")), _project(body)
    if state not in RANKS:
        raise Beside(f"the status {state} changes nothing")
    environment, sha = text(body.get("environment")), text(body.get("commit_url")).rpartition("/")[2]
    title = f"deploy {ref or text(body.get('short_sha'))} to {environment}"
    user = table(body.get("user"))
    return [
        Change(
            id=f"{name} deployment {text(body.get('deployment_id'))}",
            kind="deploy",
            service="",
            at=moment(body.get("status_changed_at"), hook.zone),
            title=title if state == "success" else f"{title} ({state})",
            rank=RANKS[state],
            repository=name,
            author=text(user.get("username")) or text(user.get("name")),
            version=ref if re.search(r"\d", ref) else "",
            sha=sha or text(body.get("short_sha")),
            environment=environment,
            body=text(body.get("commit_title")),
            link=text(body.get("deployable_url")),
        )
    ]


def _release(body: Body, hook: ChangeHook, now: datetime) -> list[Change]:
    version, action, name = text(body.get("tag")), text(body.get("action")), _project(body)
    gone, commit = action == "delete", table(body.get("commit"))
    title = text(body.get("name")) or version
    return [
        Change(
            id=f"{name} release {version}{' withdrawn' if gone else ''}",
            kind="release",
            service="",
            at=now if gone else moment(body.get("released_at"), hook.zone) or moment(body.get("created_at"), hook.zone),
            title=f"release {title} {'withdrawn' if gone else ''}".strip(),
            rank=1,
            repository=name,
            author=text(table(commit.get("author")).get("name")),
            version=version,
            sha=text(commit.get("id")),
            body=text(body.get("description")),
            link=text(body.get("url")),
        )
    ]


def _push(body: Body, hook: ChangeHook, now: datetime) -> list[Change]:
    name, ref, after = _project(body), text(body.get("ref")), text(body.get("after"))
    if ZERO.fullmatch(after):
        raise Beside(f"{ref} was deleted, which changes nothing that runs")
    if ref.startswith("refs/tags/"):
        return [tag(name, ref, text(body.get("checkout_sha")) or after, text(body.get("user_username")), None)]
    return commits(name, ref, text(table(body.get("project")).get("default_branch")), body.get("commits"), hook)


EVENTS: Mapping[str, Callable[[Body, ChangeHook, datetime], list[Change]]] = {
    "deployment": _deployment,
    "release": _release,
    "push": _push,
    "tag_push": _push,
}
