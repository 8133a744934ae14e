"""Who gets into the inspector, and who doesn't: tokens, cookies, guessing, foreign forms."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_ops.loading import load
from hermes_ops.web.inspector.door import ALL_TRIES, COOKIE, PER, SECONDS, TRIES, Door, same_origin
from orchestrator.errors import ConfigError
from tests.web.bench import HERE, TOKEN, opened

PAGES = ("", "/stats", "/costs", "/complaints", "/diff", "/diff?run=a&run=b", "/last", "/last/file", "/last/case")


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_cookie_holds_for_its_time_and_its_token_only() -> None:
    clock = Clock()
    door = Door(TOKEN, clock)
    cookie = door.cookie()
    assert door.knows(cookie)
    assert Door(TOKEN, clock).knows(cookie), "another replica knows it"
    assert not Door("another-token-here", clock).knows(cookie)
    end, rest = cookie.split(".", 1)
    assert not door.knows(f"{int(end) + 1}.{rest}")
    assert not any(map(door.knows, ("", ".", "..", "9" * 12, cookie[:-1], cookie + "0", "é.ü.ß")))
    clock.now += SECONDS
    assert not door.knows(cookie)


def test_who_signed_out_stays_out() -> None:
    door = Door(TOKEN, Clock())
    one, other = door.cookie(), door.cookie()
    door.leave(one)
    assert not door.knows(one)
    assert door.knows(other)


def test_without_a_token_nothing_opens() -> None:
    door = Door("", Clock())
    assert door.shut
    assert not door.opens("")
    assert not door.knows(door.cookie())


def test_guessing_is_slowed_by_address_and_altogether() -> None:
    clock = Clock()
    door = Door(TOKEN, clock)
    for _ in range(TRIES):
        assert door.wait("a") == 0
        door.wrong("a")
    assert 0 < door.wait("a") <= PER
    assert door.wait("b") == 0
    clock.now += PER + 1
    assert door.wait("a") == 0
    for n in range(ALL_TRIES):
        door.wrong(f"address {n}")
    assert door.wait("someone new") > 0


@pytest.mark.parametrize(
    ("headers", "ours"),
    [
        ({"sec-fetch-site": "same-origin", "host": "a"}, True),
        ({"sec-fetch-site": "cross-site", "origin": "http://a", "host": "a"}, False),
        ({"sec-fetch-site": "same-site", "host": "a"}, False),
        ({"origin": "http://a:8321", "host": "a:8321"}, True),
        ({"origin": "https://evil", "host": "a"}, False),
        ({"origin": "null", "host": "a"}, False),
        ({"host": "a"}, False),
        ({}, False),
    ],
)
def test_forms_of_others_are_told_from_ours(headers: dict[str, str], ours: bool) -> None:
    assert same_origin(headers) is ours


async def test_without_a_token_every_page_says_how_to_set_one(home: Path) -> None:
    async with opened(home, token="") as bench:
        for path in PAGES:
            assert "HERMES_OPS_SERVE__TRACE_TOKEN" in await bench.page(path, 404)
        assert (await bench.sign_in("")).status_code == 404


async def test_no_page_opens_without_signing_in(home: Path) -> None:
    async with opened(home) as bench:
        for path in PAGES:
            text = await bench.page(path, 401)
            assert 'name="token"' in text
        bench.http.cookies.set(COOKIE, "9999999999.x.y", path="/traces")
        await bench.page("", 401)


async def test_signing_in_and_out(home: Path) -> None:
    async with opened(home) as bench:
        assert (await bench.sign_in("wrong")).status_code == 401
        answer = await bench.sign_in(to="/traces/stats?days=7")
        assert (answer.status_code, answer.headers["location"]) == (303, "/traces/stats?days=7")
        said = answer.headers["set-cookie"].lower()
        assert all(part in said for part in ("httponly", "samesite=strict", "path=/traces", f"max-age={SECONDS}"))
        await bench.page("", 200)
        kept = bench.http.cookies[COOKIE]
        await bench.http.post("/traces/sign-out", headers=HERE)
        await bench.page("", 401)
        bench.http.cookies.set(COOKIE, kept, path="/traces")
        await bench.page("", 401)


ELSEWHERE = (
    "https://evil",
    "//evil",
    "/traces/../x",
    "/\\evil",
    "/tracesx",
    "/traces/a\r\nX: y",
    "javascript:alert(1)",
)


async def test_signing_in_leads_only_to_our_pages(home: Path) -> None:
    async with opened(home) as bench:
        for to in ELSEWHERE:
            assert (await bench.sign_in(to=to)).headers["location"] == "/traces", to


async def test_guessing_is_refused_even_with_the_right_token(home: Path) -> None:
    async with opened(home) as bench:
        for _ in range(TRIES):
            assert (await bench.sign_in("wrong")).status_code == 401
        answer = await bench.sign_in()
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) > 0
        assert "set-cookie" not in answer.headers


async def test_guesses_that_are_sent_at_once_are_as_few_as_those_one_after_another(home: Path) -> None:
    """Each begins its request, and the token comes when all have."""
    began, go = asyncio.Semaphore(0), asyncio.Event()

    async def held(n: int) -> AsyncIterator[bytes]:
        began.release()
        await go.wait()
        yield f"token=guess{n}".encode()

    async with opened(home) as bench:
        posts = [
            asyncio.create_task(bench.http.post("/traces/sign-in", content=held(n), headers=HERE)) for n in range(40)
        ]
        for _ in posts:
            await began.acquire()
        go.set()
        found = Counter([(await post).status_code for post in posts])
    assert found == {401: TRIES, 429: 40 - TRIES}


@pytest.mark.parametrize("form", [b"a=1&" * 40, b"token=" + b"x" * 10_000, b"\xff\xfe=%zz&token", b""])
async def test_a_form_that_is_none_is_a_wrong_token(home: Path, form: bytes) -> None:
    async with opened(home) as bench:
        assert (await bench.http.post("/traces/sign-in", content=form, headers=HERE)).status_code == 401


async def test_a_form_from_elsewhere_is_refused(home: Path) -> None:
    async with opened(home) as bench:
        await bench.sign_in()
        for headers in ({"Origin": "https://evil"}, {"Sec-Fetch-Site": "cross-site"}, {}):
            for path in ("sign-in", "sign-out"):
                answer = await bench.http.post(f"/traces/{path}", data={"token": TOKEN}, headers=headers)
                assert answer.status_code == 403
        await bench.page("", 200)


async def test_a_link_from_a_chat_comes_back_with_the_cookie(home: Path) -> None:
    async with opened(home) as bench:
        answer = await bench.http.get("/traces/last?x=1", headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.headers["refresh"] == "0; url=/traces/last?x=1"
        assert 'name="token"' not in answer.text


def test_a_token_that_is_short_or_written_out_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least 16 characters"):
        load({"HERMES_OPS_SERVE__TRACE_TOKEN": "short"})
    file = tmp_path / "config.toml"
    file.write_text('[serve]\ntrace_token = "written-out-in-the-file"\n')
    with pytest.raises(ConfigError, match="must not be written out"):
        load({"HERMES_OPS_CONFIG": str(file)})
    file.write_text('[serve]\ntrace_token = { env = "TRACE_TOKEN" }\n')
    settings = load({"HERMES_OPS_CONFIG": str(file), "TRACE_TOKEN": TOKEN})
    assert settings.serve.trace_token is not None
    assert TOKEN not in repr(settings)
