"""TLS as companies have it: their own authority, client certificates, and what is wrong with one of them at night.

Real certificates by the `openssl` command and a real TLS server on loopback; skipped where the command isn't there.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import struct
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from subagents.gaps import worded
from subagents.sources import SourceError
from subagents.web import Site, Web

HERE = "subjectAltName=IP:127.0.0.1"
MADE = (("good", HERE, "30"), ("other", "subjectAltName=DNS:other.example", "30"), ("old", HERE, "-1"),
        ("client", "extendedKeyUsage=clientAuth", "30"))  # fmt: skip
CUT = "the connection was cut (Server disconnected). If it asks for a client's certificate, give this source's cert"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ca.pem, which signed NAME.pem and NAME.key of `MADE`; enc.key: the client's with a pass phrase."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the command openssl")
    at = tmp_path_factory.mktemp("tls")

    def run(*args: str) -> None:
        subprocess.run(["openssl", *args], check=True, capture_output=True, cwd=at, timeout=30)

    new = ("-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    run("req", *new, "-x509", "-keyout", "ca.key", "-subj", "/CN=ours", "-days", "30", "-out", "ca.pem")
    for name, extension, days in MADE:
        (at / "ext").write_text(extension)
        run("req", *new, "-keyout", f"{name}.key", "-subj", f"/CN={name}", "-out", f"{name}.csr")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "ext")
        run("x509", "-req", "-in", f"{name}.csr", *signed, "-days", days, "-out", f"{name}.pem")
    run("ec", "-in", "client.key", "-aes128", "-passout", "pass:secret", "-out", "enc.key")
    return at


@asynccontextmanager
async def served(place: Path, name: str, asks: bool = False) -> AsyncIterator[int]:
    """The port of a server with that certificate ("": without TLS); `asks`: for a client's certificate."""
    context = None
    if name:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place / f"{name}.pem", place / f"{name}.key")
        if asks:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(place / "ca.pem")

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"fine": True})

    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def asked(place: Path, port: int, scheme: str = "https", **files: Any) -> Any:
    """With settings' files named as they lie in `place`."""
    given: dict[str, Any] = {k: str(place / v) if isinstance(v, str) else v for k, v in files.items()}
    client = Web()
    try:
        return await client.at(Site("prod", f"{scheme}://127.0.0.1:{port}", timeout=10.0, **given)).json("api")
    finally:
        await client.aclose()


async def test_an_authority_of_ones_own_and_a_clients_certificate_are_accepted(place: Path) -> None:
    async with served(place, "good") as port:
        assert await asked(place, port, ca="ca.pem") == {"fine": True}
        assert await asked(place, port, verify=False) == {"fine": True}
    async with served(place, "good", asks=True) as port:
        assert await asked(place, port, ca="ca.pem", cert="client.pem", key="client.key") == {"fine": True}


@pytest.mark.parametrize(
    ("server", "asks", "files", "said", "advice"),
    [
        ("good", False, {}, "local issuer certificate", "Check this source's ca."),
        ("other", False, {"ca": "ca.pem"}, "certificate is not valid for '127.0.0.1')", "Check this source's url: the"),
        ("old", False, {"ca": "ca.pem"}, "certificate has expired", "It has to be renewed there"),
        ("", False, {"ca": "ca.pem"}, "WRONG_VERSION_NUMBER", "this source's url is http or https."),
        ("good", True, {"ca": "ca.pem"}, CUT, "cert and key."),
        ("good", True, {"ca": "ca.pem", "cert": "client.pem", "key": "good.key"}, "its key doesn't belong to", "cert."),
        ("good", True, {"ca": "ca.pem", "cert": "client.pem"}, "its cert or key holds none in PEM form", "."),
        ("good", True, {"ca": "ca.pem", "cert": "client.pem", "key": "enc.key"}, "is encrypted", "without a pass phr"),
        ("good", False, {"ca": "ext"}, "its ca holds none in PEM form", "."),
        ("good", False, {"ca": "gone.pem"}, "its ca can't be used: No such file or directory", "."),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_one_sentence_that_names_the_setting(
    place: Path, server: str, asks: bool, files: dict[str, str], said: str, advice: str
) -> None:
    async with served(place, server, asks) as port:
        with pytest.raises(SourceError) as e:
            await asked(place, port, **files)
    text = str(e.value)
    assert text.startswith("prod: ")
    assert said in text
    assert advice in text
    assert text.endswith(".")
    assert ".)" not in text
    assert str(place) not in text
    chinese = worded(text, "zh")
    assert chinese.startswith("prod：")
    assert "Check" not in chinese
    assert "its " not in chinese


async def test_a_port_that_speaks_tls_is_guessed_where_http_was_written(place: Path) -> None:
    async with served(place, "good") as port:
        with pytest.raises(SourceError, match=r"If it speaks TLS, write https in this source's url\."):
            await asked(place, port, scheme="http")


async def test_a_connection_that_is_reset_gets_the_same_advice(place: Path) -> None:
    """Some servers close with a reset where they were spoken to otherwise than they expect."""

    async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async with await asyncio.start_server(reset, "127.0.0.1", 0) as server:
        with pytest.raises(SourceError, match=r"connection was cut .*If it speaks TLS, write https"):
            await asked(place, server.sockets[0].getsockname()[1], scheme="http")
