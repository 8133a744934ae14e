"""Runs a suite's cases through the whole application, several at a time in processes of their own.

Every process has its own data directory and opens each folder once. A case that breaks is a case that failed.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.app import App, open_app
from hermes_ops.evals import made
from hermes_ops.evals.case import Case
from hermes_ops.evals.rates import Outcome
from hermes_ops.evals.score import Check, asked_of, checks
from hermes_ops.settings import ServiceSettings, Settings
from orchestrator.contracts import Incoming
from orchestrator.errors import ConfigError


def run(cases: Sequence[Case], settings: Settings, offline: bool, workers: int = 2) -> list[Outcome]:
    """In the order of the cases. Raises HermesError for what a person has to mend before any case can run."""
    shares = _shares(cases, workers)
    if len(shares) == 1:
        done = _share(shares[0], settings, offline)
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(len(shares), mp_context=context) as pool:
            jobs = [pool.submit(_share, share, settings, offline) for share in shares]
            done = [outcome for job in jobs for outcome in job.result()]
    by_id = {o.id: o for o in done}
    return [by_id[c.id] for c in cases]


def _shares(cases: Sequence[Case], workers: int) -> list[list[Case]]:
    """Cases of one folder stay together, unless there is only one folder."""
    groups: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        groups[_key(case)].append(case)
    lots = list(groups.values()) if len(groups) >= workers else [[c] for c in cases]
    shares = [[c for lot in lots[n::workers] for c in lot] for n in range(workers)]
    return [share for share in shares if share]


def _key(case: Case) -> tuple[object, ...]:
    return case.folder, case.seed, case.variant, case.now, case.catalogue


def _share(cases: Sequence[Case], settings: Settings, offline: bool) -> list[Outcome]:
    with tempfile.TemporaryDirectory(prefix="hermes-ops-eval-") as home:
        own = settings.model_copy(update={"data_dir": Path(home, "data"), "database_url": _url(home)})
        return asyncio.run(_all(cases, own, offline, Path(home, "folders")))


def _url(home: str) -> str:
    return f"sqlite:///{Path(home, 'data', 'hermes-ops.db')}"


async def _all(cases: Sequence[Case], settings: Settings, offline: bool, home: Path) -> list[Outcome]:
    groups: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        groups[_key(case)].append(case)
    done = []
    for group in groups.values():
        folder, ready = _prepared(group, home)
        async with open_app(_told(settings, group[0].catalogue), folder, offline) as app:
            done += [await _one(app, case) for case in ready]
        if not group[0].folder:
            shutil.rmtree(folder)
    return done


def _told(settings: Settings, catalogue: Sequence[str]) -> Settings:
    """With these services beside those of the settings."""
    added = {name: ServiceSettings() for name in catalogue if name not in settings.services}
    return settings.model_copy(update={"services": {**settings.services, **added}})


def _prepared(group: Sequence[Case], home: Path) -> tuple[Path, list[Case]]:
    first = group[0]
    if first.folder:
        folder = Path(first.folder)
        if not folder.is_dir():
            raise ConfigError(f"Case {first.id}: there is no folder {folder}.")
        return folder, list(group)
    folder, truth = made.incident(first, home)
    return folder, [made.filled(case, truth) for case in group]


async def _one(app: App, case: Case) -> Outcome:
    """A case is a conversation of its own."""
    began = time.perf_counter()
    try:
        for asked in _asked(case):
            answer = await app.answer(asked, session=f"eval-{case.id}", new=True)
    except Exception as e:  # whatever it is: the other cases go on, and this one is counted as failed
        broken = Check("answered", False, f"{type(e).__name__}: {e}")
        return Outcome(case.id, case.question, (broken,), time.perf_counter() - began, wanted=case.route)
    took = time.perf_counter() - began
    tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
    asked_agents = tuple(sorted(asked_of(answer)))
    return Outcome(case.id, case.question, checks(case, answer), took, answer.text, asked_agents, case.route, tokens)


def _asked(case: Case) -> Iterator[Incoming]:
    """What was asked before, and the question: all of it at the same moment."""
    at = case.now or datetime.now(UTC)
    for n, text in enumerate((*case.before, case.question)):
        yield Incoming(f"eval-{case.id}-{n}", text, at, case.zone, anchored=case.now is not None)


def with_model(settings: Settings, model: str) -> Settings:
    """The same settings with another model; "" leaves them."""
    if not model:
        return settings
    return settings.model_copy(update={"model": settings.model.model_copy(update={"model": model})})
