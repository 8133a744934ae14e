"""GitHub's web hooks that tell of changes: deployment, deployment_status, release, push (branches and tags).

A deployment and its statuses are one change, which took effect when its status became success. (Source: GitHub's
"Webhook events and payloads"; the event stands in `X-GitHub-Event`.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from hermes_ops.hooks.heard import Beside, Change, Delivery, Unreadable, moment, table, text
from hermes_ops.hooks.pushed import commits, tag
from hermes_ops.hooks.settings import ChangeHook
from orchestrator.contracts import Json

RANKS = {"success": 2, "failure": 2, "error": 2, "in_progress": 1, "queued": 1, "pending": 1}
WITHDRAWN = ("deleted", "unpublished")
Body = dict[str, Json]


def read(said: Delivery, hook: ChangeHook, now: datetime) -> list[Change]:
    body = table(said.body)
    event = said.event or _guess(body)
    reader = EVENTS.get(event)
    if reader is None:
        raise Beside(f"the event {event or '?'} tells of no change")
    if not body.get("repository"):
        raise Unreadable(f"It has no `repository`, as GitHub's {event} has.")
    return reader(body, hook, now)


def _guess(body: Body) -> str:
    """Without its header, as in a body that was kept in a file."""
    inner = (name for name in ("deployment_status", "deployment", "release") if name in body)
    return next(inner, "push" if "ref" in body and "commits" in body else "")


def _repository(body: Body) -> str:
    return text(table(body["repository"]).get("full_name"))


def _deployment(body: Body, hook: ChangeHook, now: datetime) -> list[Change]:
    deployment, status = table(body.get("deployment")), table(body.get("deployment_status"))
    state = text(status.get("state")) or "created"
    if state not in (*RANKS, "created"):
        raise Beside(f"the status {state} changes nothing")
    ref, sha, name = text(deployment.get("ref")), text(deployment.get("sha")), _repository(body)
    environment = text(status.get("environment")) or text(deployment.get("environment"))
    told = moment(status.get("created_at")) or moment(deployment.get("created_at"))
    title = text(deployment.get("description")) or f"deploy {ref or sha[:8]} to {environment}"
    return [
        Change(
            id=f"{name} deployment {text(deployment.get('id'))}",
            kind="deploy",
            service="",
            at=told,
            title=title if state == "success" else f"{title} ({state.replace('_', ' ')})",
            rank=RANKS.get(state, 0),
            repository=name,
            author=text(table(deployment.get("creator")).get("login")),
            version=ref if re.search(r"\d", ref) and not sha.startswith(ref) else "",
            sha=sha,
            environment=environment,
            body=text(status.get("description")),
            link=text(status.get("target_url")) or text(deployment.get("url")),
        )
    ]


def _release(body: Body, hook: ChangeHook, now: datetime) -> list[Change]:
    release, action, name = table(body.get("release")), text(body.get("action")), _repository(body)
    if release.get("draft"):
        raise Beside("a draft is no release yet")
    gone, version = action in WITHDRAWN, text(release.get("tag_name"))
    title = text(release.get("name")) or version
    return [
        Change(
            id=f"{name} release {version}{' withdrawn' if gone else ''}",
            kind="release",
            service="",
            at=now if gone else moment(release.get("published_at")) or moment(release.get("created_at")),
            title=f"release {title} {'withdrawn' if gone else ''}".strip(),
            rank=1,
            repository=name,
            author=text(table(release.get("author")).get("login")),
            version=version,
            body=text(release.get("body")),
            link=text(release.get("html_url")),
        )
    ]


def _push(body: Body, hook: ChangeHook, now: datetime) -> list[Change]:
    repository, name, ref = table(body["repository"]), _repository(body), text(body.get("ref"))
    if body.get("deleted"):
        raise Beside(f"{ref} was deleted, which changes nothing that runs")
    if ref.startswith("refs/tags/"):
        pusher = text(table(body.get("pusher")).get("name"))
        return [tag(name, ref, text(body.get("after")), pusher, moment(repository.get("pushed_at")))]
    main = text(repository.get("default_branch")) or text(repository.get("master_branch"))
    return commits(name, ref, main, body.get("commits"), hook)


EVENTS: Mapping[str, Callable[[Body, ChangeHook, datetime], list[Change]]] = {
    "deployment": _deployment,
    "deployment_status": _deployment,
    "release": _release,
    "push": _push,
}
