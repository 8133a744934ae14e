"""Tools that settings give to a sub-agent, through the whole application: offered, described, withheld."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_ops.app import open_app
from hermes_ops.doctor import toolkit as doctor
from hermes_ops.loading import load
from hermes_ops.testing.script import calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Answer, Incoming
from orchestrator.errors import ConfigError
from tests.e2e.place import folder
from tests.sources.faulty import faulty
from tests.sources.faulty import says as reply
from tests.sources.test_sourcing import AT
from tests.test_settings import Home

ABOUT = "The order database: orders(id, status, at). For counts of orders by status; not for logs."


def settings(place: Path, more: str = "", tool: str = "") -> str:
    with closing(sqlite3.connect(place / "shop.db")) as db:
        db.executescript("CREATE TABLE IF NOT EXISTS orders (id, status); INSERT INTO orders VALUES (1, 'failed')")
        db.commit()
    return (
        f'data_dir = "{place / "data"}"\nzone = "UTC"\n{more}\n[toolkit.shop]\nkind = "sql"\nagent = "logs"\n'
        f'description = "{ABOUT}"\nsqlite = "shop.db"\n{tool}\n'
    )


async def ask(place: Path, server: ScriptedServer, tool: str = "") -> Answer:
    config = place / "config.toml"
    model = f'[model]\nmodel = "scripted"\nbase_url = "{server.url}"\n'
    config.write_text(settings(place, model, tool))
    async with open_app(load({"HERMES_OPS_CONFIG": str(config)}), folder(place / "exported")) as app:
        asked = Incoming("m", "how many orders failed yesterday?", AT, anchored=True)
        return await app.answer(asked, session="s", new=True)


LANES = {
    "ask_alerts": [
        calls(("ask_logs", {"task": "count failed orders", "reason": "it has the orders"})),
        says("1 order failed [L1]."),
    ],
    "count_errors": [
        calls(("query_shop", {"sql": "SELECT status, count(*) AS orders FROM orders GROUP BY status"})),
        says("1 order failed [L1]."),
    ],
}


WITHHELD = {
    "ask_alerts": [*LANES["ask_alerts"][:1], says("I may not read the order database [L1].")],
    "count_errors": [*LANES["count_errors"][:1], says("The database is withheld [L1].")],
}


@pytest.mark.slow
async def test_a_sub_agent_asks_the_database_and_the_answer_cites_it(tmp_path: Path) -> None:
    async with ScriptedServer(LANES) as server:
        answer = await ask(tmp_path, server)
    assert answer.status == "ok"
    assert answer.unverified == ()
    (evidence,) = answer.evidence
    assert (evidence.id, evidence.tool, evidence.result.source) == ("L1", "query_shop", "shop")
    assert evidence.result.query == "SELECT status, COUNT(*) AS orders FROM orders GROUP BY status"
    supervisor = next(b for b in server.requests if "ask_alerts" in str(b["tools"]))
    logs = next(t for t in supervisor["tools"] if t["function"]["name"] == "ask_logs")
    assert ABOUT in logs["function"]["description"]


@pytest.mark.slow
async def test_what_the_model_may_not_see_is_withheld_and_said(tmp_path: Path) -> None:
    async with ScriptedServer(WITHHELD) as server:
        answer = await ask(tmp_path, server, 'egress = ["in-house"]')
    told = [m["content"] for b in server.requests for m in b["messages"] if m["role"] == "tool"]
    assert any("withheld: shop: its egress doesn't allow the model scripted, so it was not asked" in t for t in told)
    assert answer.evidence == ()
    assert "failed | 1" not in str(server.requests)


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("tables = [1]", "toolkit.shop.tables"),
        ('postgres = "postgresql://a:b@c/d"', "must not be written out"),
        ('postgres = { env = "NO" }', "NO"),
        ("timeout = 90", "timeout must be less than or equal to 20"),
        ('permission = "x y"', "permission"),
        ("row = 3", "Did you mean 'rows'"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, tool: str, said: str) -> None:
    home = Home(tmp_path)
    assert said in home.refusal(settings(tmp_path, tool=tool))


def test_an_http_tool_needs_its_paths_and_a_known_agent(tmp_path: Path) -> None:
    home = Home(tmp_path)
    table = f'[toolkit.api]\nkind = "http"\nurl = "http://x"\ndescription = "{ABOUT}"\n'
    assert "agent" in home.refusal(table + 'agent = "metrics"\npaths = ["/a"]\n')
    assert "paths" in home.refusal(table + 'agent = "logs"\n')
    assert "paths" in home.refusal(table + 'agent = "logs"\npaths = ["a"]\n')
    assert "kind" in home.refusal('[toolkit.api]\nkind = "ftp"\n')
    with pytest.raises(ConfigError):
        home.load('[toolkit."a b"]\nkind = "http"\n')


async def test_doctor_tries_each_tool(tmp_path: Path) -> None:
    async with faulty(reply("gone", 404, "text/plain")) as api, faulty(reply("no", 401, "text/plain")) as closed:
        table = f'kind = "http"\nagent = "alerts"\ndescription = "{ABOUT}"\npaths = ["/api"]\n'
        (tmp_path / "text.db").write_text("this is no database, but long enough to be looked at as one" * 20)
        toml = settings(tmp_path, tool='egress = ["a"]') + f'[toolkit.api]\nurl = "{api.url}"\n{table}'
        toml += f'[toolkit.closed]\nurl = "{closed.url}"\n{table}'
        toml += f'[toolkit.text]\nkind = "sql"\nagent = "logs"\ndescription = "{ABOUT}"\nsqlite = "text.db"\n'
        found = {c.name: c async for c in doctor.checks(Home(tmp_path).load(toml).toolkit, ("a", "b"))}
    assert (found["toolkit.shop"].state, found["toolkit.shop"].says) == ("ok", "SQLite answers; for logs")
    assert found["toolkit.shop: egress"].state == "warn"
    assert found["toolkit.api"].state == "ok"
    assert (found["toolkit.closed"].state, "401" in found["toolkit.closed"].says) == ("fail", True)
    assert (found["toolkit.text"].state, "not a database" in found["toolkit.text"].says) == ("fail", True)
