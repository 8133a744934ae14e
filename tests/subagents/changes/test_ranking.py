from __future__ import annotations

from datetime import timedelta
from typing import Any

from subagents.cause.relations import on_paper, taken_back
from subagents.changes.ranking import Symptom, bundled, live, rank, suspects, tied
from subagents.sources import Change
from subagents.topology import Topology
from tests.subagents.rig import at

SHA, OTHER = "1a2b3c4d" * 5, "9f8e7d6c" * 5
SHOP = Topology([("web", "cart"), ("cart", "pay"), ("pay", "ledger")])


def change(kind: str, service: str, clock: str, id: str = "7", **more: Any) -> Change:
    return Change(id, kind, service, at(clock), more.pop("title", "tune it"), **more)  # type: ignore[arg-type]


def symptom(*services: str, onset: str = "13:03", environment: str = "") -> Symptom:
    return Symptom(at(onset), services or ("pay", "cart"), SHOP, environment)


DEPLOY = change("deploy", "pay", "13:02:10", version="2.4.1", sha=SHA)


def against(changes: list[Change], *services: str, **more: str) -> dict[str, str]:
    return {r.change.id: r.against for r in rank(changes, symptom(*services, **more))}


def test_a_deploy_carries_its_commits_and_they_dont_stand_alone():
    commit = change("commit", "pay", "13:01", SHA)
    free = change("commit", "pay", "13:00", OTHER)
    assert bundled([commit, DEPLOY, free]) == [(DEPLOY, (commit,)), (free, ())]
    short = change("deploy", "pay", "13:02", "8", sha=SHA[:8])
    assert bundled([commit, short]) == [(short, (commit,))]


def test_the_nearest_change_of_the_failing_service_leads():
    early = change("deploy", "pay", "12:10", "6", version="2.4.0")
    other = change("deploy", "search", "12:59", "5", version="5.1.0")
    ranked = rank([early, other, DEPLOY], symptom())
    assert [r.change.id for r in suspects(ranked)] == ["7", "6"]
    assert against([other]) == {"5": "unlinked"}, "nobody says whether the two have to do with each other"
    assert len(tied(ranked)) == 1


def test_what_failed_or_was_cancelled_changed_nothing():
    assert against([change("deploy", "pay", "13:01", outcome="failed")]) == {"7": "not_done"}
    assert suspects(rank([change("deploy", "pay", "13:01", outcome="canceled")], symptom())) == []


def test_what_came_after_the_onset_is_out_but_for_the_width_of_a_bin():
    assert against([change("deploy", "pay", "13:10")]) == {"7": "after_onset"}
    assert against([change("deploy", "pay", "13:04")]) == {"7": ""}


def test_documents_and_tests_change_nothing_that_runs():
    assert on_paper(change("commit", "pay", "13:00", files=("docs/a.md", "pay/tests/test_x.py", "README.md")), ())
    assert not on_paper(change("commit", "pay", "13:00", files=("docs/a.md", "pay/config.toml")), ())
    assert on_paper(change("commit", "pay", "13:00", title="docs(pay): tidy"), ())
    docs = change("deploy", "pay", "13:00", title="docs: tidy")
    assert on_paper(docs, ())
    assert not on_paper(docs, [change("commit", "pay", "12:58", title="fix: the pool")])
    assert against([change("commit", "pay", "13:00", OTHER, files=("docs/a.md",))]) == {OTHER: "docs_only"}


def test_what_it_depends_on_counts_less_the_further_away():
    pay, ledger = change("deploy", "pay", "13:02", "1"), change("deploy", "ledger", "13:02", "2")
    ranked = rank([ledger, pay], symptom("cart"))
    assert [(r.change.id, r.near, r.calls) for r in ranked] == [("1", "cart", 1), ("2", "cart", 2)]
    assert against([change("deploy", "web", "13:02")], "cart") == {"7": "other_service"}, "a caller is no dependency"


def test_two_alike_are_a_tie():
    flag = change("flag", "pay", "13:01:30", "f")
    assert len(tied(rank([DEPLOY, flag], symptom()))) == 2


def test_planned_work_counts_while_it_goes_on():
    over = change("ticket", "pay", "03:00", "t", until=at("03:35"))
    going = change("ticket", "pay", "10:00", "t", until=at("14:00"))
    assert against([over]) == {"t": "ended_before"}
    assert against([going]) == {"t": ""}


def test_another_environment_is_out():
    def of(environment: str) -> dict[str, str]:
        return against([change("deploy", "pay", "13:02", environment=environment)], environment="prod-sh")

    assert of("staging") == {"7": "other_environment"}
    assert of("production") == of("prod") == of("") == {"7": ""}


def test_a_change_that_was_taken_back_weighs_more_and_says_by_what():
    revert = change("deploy", "pay", "13:47", "9", version="2.4.2", title="Revert the pool change")
    [first, *_] = rank([DEPLOY, revert], symptom())
    assert first.back == revert
    assert first.score > rank([DEPLOY], symptom())[0].score
    named = change("commit", "search", "13:50", OTHER, reverts=SHA[:10], title="back out")
    assert taken_back(DEPLOY, (), [named], at("13:03")) == named
    unrelated = change("deploy", "search", "13:47", "9", title="Revert the index")
    assert taken_back(DEPLOY, (), [unrelated], at("13:03")) is None


def test_a_commit_without_a_service_belongs_to_what_its_paths_name():
    assert against([change("commit", "", "13:01", OTHER, files=("pay/pool.toml",))]) == {OTHER: ""}
    assert against([change("commit", "", "13:01", OTHER, files=("lib/x.py",))]) == {OTHER: "unknown_service"}


def test_long_before_is_no_suspect():
    old = change("deploy", "pay", "03:00")
    assert against([old], onset="13:03") == {"7": "too_far"}
    assert suspects(rank([old], symptom())) == []
    assert old.at + timedelta(hours=10) < at("13:03")


def test_where_nobody_names_an_environment_the_one_that_users_see_is_meant():
    trial = change("deploy", "pay", "13:02:30", "8", version="2.5.0", environment="staging")
    live_ = change("deploy", "pay", "13:02:10", version="2.4.1", environment="prod-eu")
    assert live([trial, DEPLOY]) == ""
    meant = live([trial, live_])
    assert meant == "prod-eu"
    assert against([trial, live_], environment=meant) == {"7": "", "8": "other_environment"}
