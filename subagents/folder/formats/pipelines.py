"""What tools of delivery say of their runs: Jenkins' builds, GitHub's workflow runs, Argo CD's history, GitLab's
deployments, Spinnaker's executions, Helm's history, Kubernetes' replica sets, Terraform's runs. Each is a deploy (of
Terraform a change of configuration); of Jenkins and GitHub, which run anything, what says by its name that it delivers.
A run that failed, was cancelled or never began is kept with that word as its "outcome": it changed nothing.

Sources: Jenkins' remote API (`builds[number,result,timestamp,fullDisplayName,actions]`), GitHub's `actions/runs` and
`gh run list --json`, Argo CD's `RevisionHistory`, GitLab's deployments API, Spinnaker's
`/applications/{app}/pipelines`, `helm history -o json`, `kubectl get replicasets -o json` (a replica set is made when
the pods' template changes; which revision of its Deployment it is stands in `deployment.kubernetes.io/revision`),
Terraform Cloud's runs API (JSON:API of type "runs"; what it links to stands in `included`, by id).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from subagents.folder import keys, times
from subagents.folder.formats import words
from subagents.folder.formats.deploys import of_ref, version
from subagents.folder.records import Doc, Row

Item = Mapping[str, Any]
_DELIVERS = re.compile(
    r"deploy|release|rollout|publish|promote|prod|发布|上线|部署|(?<![a-z])cd(?![a-z])", re.IGNORECASE
)
_OF_RUN = ("status", "source", "is-destroy", "has-changes", "resource-additions", "resource-changes",
           "resource-destructions")  # fmt: skip
_CHART = re.compile(r"-v?(?=\d+\.)")


def _deploy(at: object, service: str, title: str, author: str, **more: str) -> list[Row]:
    began = times.parse(at)
    if began is None:
        return []
    row = {"version": "", "sha": "", "environment": "", "body": "", "outcome": "", **more}
    named = {"id": row.pop("id", "") or f"{service or 'deploy'}@{times.iso(began)}", "service": service, "title": title}
    return [{"kind": "change", "change": "deploy", "at": began, "until": None, "author": author, "tags": [],
             **named, **row}]  # fmt: skip


def _jenkins(item: Item, around: Item) -> list[Row]:
    title = keys.text(item, "fulldisplayname", "displayname") or keys.text(around, "fulldisplayname")
    job = title.rsplit(" #", 1)[0] or keys.text(item, "url")
    if not _DELIVERS.search(job):
        return []
    causes = (dict(c) for a in _objects(item.get("actions")) for c in _objects(a.get("causes")))
    author = next((who for c in causes if (who := keys.text(c, "userid", "username"))), "")
    number, body = keys.text(item, "number"), f"result: {item['result']}"
    return _deploy(
        item["timestamp"],
        job,
        title,
        author,
        id=f"{job}#{number}",
        version=number,
        body=body,
        outcome=words.undone(item),
    )


def _workflow(item: Item, around: Item) -> list[Row]:
    workflow = keys.text(item, "workflowname") or keys.text(item, "name")
    if not _DELIVERS.search(workflow):
        return []
    title, number = keys.text(item, "displaytitle") or workflow, keys.text(item, "databaseid", "id")
    at, body = keys.pick(item, ("updatedat", "createdat")), f"{workflow}: {keys.text(item, 'conclusion', 'status')}"
    service, sha = words.named(item, "repository"), keys.text(item, "headsha")
    return _deploy(
        at,
        service,
        title,
        words.named(item, "actor"),
        id=number,
        sha=sha,
        body=body,
        outcome=words.undone({"status": keys.text(item, "conclusion", "status")}),
    )


def _replicas(item: Item, around: Item) -> list[Row]:
    meta, pods = item["metadata"], item["spec"]["template"]["spec"]
    labels, owners = meta.get("labels") or {}, _objects(meta.get("ownerReferences"))
    owner = next((str(o.get("name", "")) for o in owners if o.get("kind") == "Deployment"), "")
    service = owner or str(meta["name"]).removesuffix(f"-{labels.get('pod-template-hash', '')}")
    images = [str(c.get("image", "")) for c in pods.get("containers") or ()]
    tag = images[0].rpartition("/")[2].partition("@")[0].partition(":")[2] if images else ""
    revision = keys.text(meta.get("annotations") or {}, "deploymentkubernetesiorevision")
    named = {"id": f"{service}#{revision}" if revision else str(meta["name"]), "version": version(tag)}
    title = f"{service} {tag}".strip()
    return _deploy(meta["creationTimestamp"], service, title, "", body=", ".join(images), **named)


def _argo(item: Item, around: Item) -> list[Row]:
    service, sha = keys.text(around, "object"), keys.text(item, "revision")
    source = item.get("source") or {}
    body = ", ".join(f"{k}: {source[k]}" for k in ("repoURL", "path", "targetRevision") if source.get(k))
    author = words.named(item, "initiatedby")
    return _deploy(item["deployedAt"], service, f"{service} {sha[:12]}".strip(), author, sha=sha, body=body)


def _gitlab(item: Item, around: Item) -> list[Row]:
    run = item["deployable"]
    commit, project = run.get("commit") or {}, run.get("project") or {}
    title = str(commit.get("title") or run.get("name") or "")
    service = keys.text(project, "name") or keys.text(around, *words.SERVICE)
    at = run.get("finished_at") or item.get("updated_at") or item.get("created_at")
    return _deploy(
        at,
        service,
        title,
        words.named(item, "user"),
        id=keys.text(item, "id"),
        version=of_ref(item),
        sha=keys.text(item, "sha"),
        environment=words.named(item, "environment"),
        body=keys.text(item, "status"),
        outcome=words.undone(item),
    )


def _spinnaker(item: Item, around: Item) -> list[Row]:
    trigger = item.get("trigger") or {}
    at, app = keys.pick(item, ("starttime", "buildtime")), keys.text(item, "application")
    title, author = f"{app} {keys.text(item, 'name')}".strip(), words.named(trigger, "user")
    body = f"status: {keys.text(item, 'status')}"
    return _deploy(at, app, title, author, id=keys.text(item, "id"), body=body, outcome=words.undone(item))


def _helm(item: Item, around: Item) -> list[Row]:
    name, *rest = _CHART.split(keys.text(item, "chart"), maxsplit=1)
    number = "".join(rest)
    service = keys.text(item, "name", "release") or name
    title = f"{service} {number}: {keys.text(item, 'description')}".strip()
    return _deploy(
        item["updated"],
        service,
        title,
        "",
        id=f"{service}#{item['revision']}",
        version=number,
        outcome=words.undone(item),
    )


def _terraform(item: Item, around: Item) -> list[Row]:
    """It takes effect when it was applied. Whose it is, its message may say (`pay: …`), else the workspace's name."""
    run, named = item["attributes"], around.get("included") or {}
    stamps, links = run.get("status-timestamps") or {}, item.get("relationships") or {}
    who, where = (_linked(links, key, named) for key in ("created-by", "workspace"))
    body = ", ".join(f"{k}: {run[k]}" for k in _OF_RUN if run.get(k) not in (None, "", False))
    at, title = stamps.get("applied-at") or run.get("created-at"), str(run.get("message") or item["id"])
    rows = _deploy(at, "", title, who, id=str(item["id"]), body=body, outcome=words.undone(run), within=where)
    return [{**row, "change": "config"} for row in rows]


def _linked(links: Item, key: str, named: Item) -> str:
    """The name of what a JSON:API record links to, where it came along, else its id."""
    target = (links.get(key) or {}).get("data") or {}
    return str(named.get(str(target.get("id"))) or target.get("id") or "")


_TOLD: tuple[tuple[Callable[[Item], bool], Callable[[Item, Item], list[Row]]], ...] = (
    (lambda i: {"number", "result", "timestamp", "url"} <= i.keys() and "/job/" in str(i["url"]), _jenkins),
    (lambda i: {"conclusion", "status"} <= i.keys() and ("headSha" in i or "head_sha" in i), _workflow),
    (lambda i: i.get("kind") == "ReplicaSet" and {"metadata", "spec"} <= i.keys(), _replicas),
    (lambda i: {"deployedAt", "revision"} <= i.keys(), _argo),
    (lambda i: isinstance(i.get("deployable"), Mapping) and "environment" in i, _gitlab),
    (lambda i: "application" in i and isinstance(i.get("stages"), list) and "trigger" in i, _spinnaker),
    (lambda i: {"revision", "updated", "chart"} <= i.keys(), _helm),
    (lambda i: i.get("type") == "runs" and isinstance(i.get("attributes"), Mapping) and "id" in i, _terraform),
)


def _objects(value: Any) -> Iterator[Item]:
    return (v for v in value or () if isinstance(v, Mapping)) if isinstance(value, list) else iter(())


def matches(item: Item) -> bool:
    return any(fits(item) for fits, _ in _TOLD)


def read(item: Item, around: Item) -> list[Row]:
    return next(reader for fits, reader in _TOLD if fits(item))(item, around)


RUN = Doc("delivery run", "change", matches, read)
