"""What every call has in common: tokens, scopes, limits, faults, the journal, unknown calls, foreign hosts."""

from __future__ import annotations

import time

import httpx2
import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.raw import Api, connected

ISSUE = "/auth/v3/tenant_access_token/internal"


async def issue(api: Api, **body: str) -> tuple[int, dict[str, object]]:
    got = await api.http.post(ISSUE, content=httpx2.Request("POST", "http://x", json=body).content)  # no Content-Type
    return got.status_code, got.json()


async def test_a_token_is_the_same_until_half_an_hour_is_left(box: Sandbox, api: Api) -> None:
    right = {"app_id": box.app_id, "app_secret": box.app_secret}
    box.clock.advance(7200 * 2)
    _, first = await issue(api, **right)
    assert (first["code"], first["expire"], str(first["tenant_access_token"])[:2]) == (0, 7200, "t-")
    box.clock.advance(5000)
    _, same = await issue(api, **right)
    assert same["tenant_access_token"] == first["tenant_access_token"]
    assert 2190 <= int(str(same["expire"])) <= 2200
    box.clock.advance(500)
    _, new = await issue(api, **right)
    assert new["tenant_access_token"] != first["tenant_access_token"]
    for token in (first, new):
        api.token = str(token["tenant_access_token"])
        assert (await api("GET", "/bot/v3/info")).code == 0, "both are good"
    box.clock.advance(1801)
    api.token = str(first["tenant_access_token"])
    assert (await api("GET", "/bot/v3/info")).code == 99991663


async def test_wrong_credentials(box: Sandbox, api: Api) -> None:
    assert (await issue(api, app_id=box.app_id, app_secret="wrong"))[1]["code"] == 10014
    assert (await issue(api, app_id="cli_nobody", app_secret="wrong"))[1]["code"] == 10003
    box.app.enabled = False
    assert (await issue(api, app_id=box.app_id, app_secret=box.app_secret))[1]["code"] == 99991662


async def test_addresses_and_tokens_of_older_documents_are_served(box: Sandbox, api: Api) -> None:
    for path in (f"{ISSUE}/", "/auth/v3/app_access_token/internal", "/auth/v3/app_access_token/internal/"):
        got = (await api.http.post(path, json={"app_id": box.app_id, "app_secret": box.app_secret})).json()
        api.token = got.get("app_access_token") or got["tenant_access_token"]
        assert (await api("GET", "/bot/v3/info/")).body["bot"]["open_id"] == box.app.open_id


async def test_a_faults_path_may_be_named_whole(box: Sandbox, api: Api) -> None:
    for path in ("/open-apis/bot/v3/info", "/bot/v3", ""):
        fault = box.faults.page(path)
        assert (await api.http.get("/bot/v3/info")).status_code == 502
        assert fault.met == 1


@pytest.mark.parametrize(("token", "code"), [("", 99991661), ("x", 99991671), ("u-x", 99991668), ("t-x", 99991663)])
async def test_tokens_that_are_none(api: Api, token: str, code: int) -> None:
    api.token = token
    refused = await api("GET", "/bot/v3/info")
    assert (refused.status, refused.code) == (400, code)
    assert refused.body["error"]["log_id"] == refused.headers["X-Tt-Logid"]


async def test_a_revoked_token_is_refused_and_a_new_one_is_good(box: Sandbox, api: Api) -> None:
    assert box.tokens.revoke() >= 1
    assert (await api("GET", "/bot/v3/info")).code == 99991663
    api.token, _ = box.tokens.issue(box.app_id, box.app_secret)
    assert (await api("GET", "/bot/v3/info")).body["bot"]["open_id"] == box.app.open_id


async def test_a_missing_scope_is_named(box: Sandbox, api: Api) -> None:
    box.app.scopes = {"im:message:send_as_bot"}
    assert (await api.send(box.group)).code == 0
    refused = await api("GET", f"/im/v1/chats/{box.group.chat_id}")
    assert refused.code == 99991672
    assert "im:chat:readonly" in [v["subject"] for v in refused.body["error"]["permission_violations"]]
    assert (await api("POST", "/cardkit/v1/cards", {"type": "card_json", "data": "{}"})).code == 99991672


async def test_five_a_second_in_a_chat_of_all_bots_together(box: Sandbox, api: Api) -> None:
    async with Api(box, box.add_app("second", [box.group])) as second:
        codes = [(await (api if n % 2 else second).send(box.group)).code for n in range(6)]
        assert codes == [0] * 5 + [230020]
        assert (await api.send(box.topics)).code == 0, "another chat has room"
    box.limits.on = False
    assert (await api.send(box.group)).code == 0


async def test_five_changes_a_second_of_a_message(box: Sandbox, api: Api) -> None:
    sent = (await api.send(box.group)).data["message_id"]
    body = {"msg_type": "text", "content": '{"text": "x"}'}
    codes = [(await api("PUT", f"/im/v1/messages/{sent}", body)).code for _ in range(6)]
    assert codes == [0] * 5 + [230020]


async def test_fifty_a_second_of_an_app(box: Sandbox, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.sandbox.limits.PER_APP", 3)
    chats = [box.add_group(str(n)) for n in range(4)]
    answers = [await api.send(chat) for chat in chats]
    assert [a.code for a in answers] == [0, 0, 0, 99991400]
    assert answers[3].status == 429
    assert answers[3].headers["x-ogw-ratelimit-reset"] == "1"


async def test_the_month_s_calls(box: Sandbox, api: Api) -> None:
    box.limits.quota = 2
    assert [(await api("GET", "/bot/v3/info")).code for _ in range(3)] == [0, 0, 99991403]
    assert box.limits.calls[box.app_id] == 3


async def test_a_page_of_a_gateway_and_an_empty_answer(box: Sandbox, api: Api) -> None:
    headers = {"Authorization": f"Bearer {api.token}"}
    box.faults.page("/bot/v3/info", status=502, times=1)
    got = await api.http.get("/bot/v3/info", headers=headers)
    assert (got.status_code, "<html>" in got.text) == (502, True)
    box.faults.page("/bot/v3/info", status=200, body="")
    got = await api.http.get("/bot/v3/info", headers=headers)
    assert (got.status_code, got.content) == (200, b"")
    assert (await api("GET", "/bot/v3/info")).code == 0


async def test_a_lost_answer_has_stored_and_a_reset_has_not(box: Sandbox, api: Api) -> None:
    box.faults.reset("/im/v1/messages")
    with pytest.raises(httpx2.TransportError):
        await api.send(box.group, uuid="a")
    assert box.messages(box.group) == []
    box.faults.lose("/im/v1/messages")
    with pytest.raises(httpx2.TransportError):
        await api.send(box.group, uuid="a")
    [stored] = box.messages(box.group)
    assert (await api.send(box.group, uuid="a")).data["message_id"] == stored.message_id
    assert len(box.messages(box.group)) == 1


async def test_a_code_on_demand_with_headers_and_a_slow_answer(box: Sandbox, api: Api) -> None:
    box.faults.refuse("/bot", 99991400, status=429, headers={"x-ogw-ratelimit-reset": "7"})
    refused = await api("GET", "/bot/v3/info")
    assert (refused.code, refused.headers["x-ogw-ratelimit-reset"]) == (99991400, "7")
    box.faults.slow("/bot", 0.2)
    began = time.monotonic()
    await api("GET", "/bot/v3/info")
    assert time.monotonic() - began >= 0.2


async def test_a_share_of_the_calls_fails_and_the_die_is_seeded(box: Sandbox, api: Api) -> None:
    fault = box.faults.refuse("/bot", 2200, times=None, share=0.3)
    codes = [(await api("GET", "/bot/v3/info")).code for _ in range(60)]
    assert 5 < codes.count(2200) < 35
    assert fault.met == codes.count(2200)
    box.faults.clear()
    assert (await api("GET", "/bot/v3/info")).code == 0


async def test_unknown_calls_are_answered_as_the_gateway_does_and_noted(box: Sandbox, api: Api) -> None:
    for method, path in (("GET", "/im/v1/nothing"), ("PUT", "/bot/v3/info"), ("POST", "/im/v2/messages")):
        got = await api.http.request(method, path)
        assert (got.status_code, got.text) == (404, "404 page not found")
    assert len(box.journal.of("odd")) == 3


async def test_bodies_are_read_whatever_they_say_they_are(box: Sandbox, api: Api) -> None:
    body = b'{"receive_id": "%s", "msg_type": "text", "content": "{\\"text\\": \\"x\\"}"}' % box.group.chat_id.encode()
    headers = {"Authorization": f"Bearer {api.token}", "Content-Type": "text/plain"}
    path = "/im/v1/messages?receive_id_type=chat_id"
    assert (await api.http.post(path, content=body, headers=headers)).json()["code"] == 0
    assert (await api.http.post(path, content=b"{", headers=headers)).json()["code"] == 9499
    assert (await api.http.post(path, content=b"[]", headers=headers)).json()["code"] == 9499


async def test_every_call_is_in_the_journal_without_secrets(box: Sandbox, api: Api) -> None:
    await issue(api, app_id=box.app_id, app_secret=box.app_secret)
    await api.send(box.group)
    [call] = box.journal.calls("/im/v1/messages", "POST", code=0)
    assert call.data["body"]["msg_type"] == "text"
    assert call.data["query"] == {"receive_id_type": "chat_id"}
    assert call.data["log_id"]
    async with connected(box):
        pass
    written = "".join(str(e.data) for e in box.journal)
    assert box.app_secret not in written
    assert api.token not in written


async def test_other_hosts_are_refused(box: Sandbox) -> None:
    async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
        got = await http.get(box.domain + "/open-apis/bot/v3/info", headers={"Host": "evil.example"})
    assert got.status_code == 400
