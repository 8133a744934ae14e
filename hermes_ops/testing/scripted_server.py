"""An OpenAI-compatible chat server on loopback that says what a script says, and misbehaves when told to.

`async with ScriptedServer([says("hello")]) as server: …` or `python -m hermes_ops.testing.scripted_server --port 8399
--script FILE.json` (a list of steps, or an object of lanes) or `--script package.module:function`. It counts requests
and keeps their bodies; `GET /stats` and `GET /requests` show them. Only the standard library; no TLS, no HTTP/2.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from types import TracebackType

from hermes_ops.testing.script import Fault, Script, Source, Step, Unexpected
from hermes_ops.testing.wire import Quirk, Raw, error, refusal, response
from orchestrator.contracts import Json


class ScriptedServer:
    """`latency`: seconds before each reply; `keep`: whether request bodies are kept. `url` is the base_url."""

    def __init__(
        self,
        script: Source,
        *,
        port: int = 0,
        quirks: Iterable[Quirk] = (),
        latency: float = 0.0,
        keep: bool = True,
    ) -> None:
        self.script = Script(script)
        self.port = port
        self.quirks = frozenset(quirks)
        self.latency = latency
        self.keep = keep
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.count = 0
        self.refused = 0
        self.most_at_once = 0
        self.problems: list[str] = []
        self._open: set[asyncio.Task[None]] = set()
        self._busy = 0
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=1 << 20)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def done(self) -> None:
        """Raises Unexpected for requests nobody foresaw, Leftovers for steps nobody asked for."""
        if self.problems:
            raise Unexpected("; ".join(self.problems))
        self.script.done()

    async def __aenter__(self) -> ScriptedServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        await self.stop()
        if kind is None:
            self.done()

    # ── one connection ────────────────────────────────────────────────────────────────────────

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the server stops
        finally:
            self._open.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer. False: the connection ends here."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *fields = head.rstrip().split("\r\n")
        method, path, _ = line.split(" ", 2)
        headers = {k.lower(): v.strip() for k, _, v in (f.partition(":") for f in fields)}
        data = await reader.readexactly(int(headers.get("content-length", 0)))
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        try:
            raw = await self._answer(method, path.partition("?")[0], headers, data)
        finally:
            self._busy -= 1
        if raw is None:
            return False
        writer.write(_http(raw))
        await writer.drain()
        return not raw.cut

    async def _answer(self, method: str, path: str, headers: dict[str, str], data: bytes) -> Raw | None:
        if method == "GET":
            return self._show(path)
        if not path.endswith("/v1/chat/completions"):
            return error(404, f"{method} {path} is nothing this server knows.")
        body = json.loads(data)
        if (refused := refusal(self.quirks, body)) is not None:
            self.refused += 1
            return refused
        self.count += 1
        if self.keep:
            self.requests.append(body)
            self.headers.append(headers)
        try:
            step = self.script.take(body["messages"], body.get("tools") or [], str(body.get("tool_choice", "auto")))
        except Unexpected as e:
            self.problems.append(str(e))
            return error(400, f"scripted server: {e}", code="scripted_unexpected")
        return await self._play(step, body)

    async def _play(self, step: Step, body: Json) -> Raw | None:
        if pause := step.latency or self.latency:
            await asyncio.sleep(pause)
        if step.fault is Fault.HANG:
            await asyncio.Event().wait()
        return None if step.fault is Fault.DROPPED else response(step, body)

    def _show(self, path: str) -> Raw:
        if path.endswith("/requests"):
            return Raw(200, json.dumps(self.requests, ensure_ascii=False).encode())
        stats = {
            "requests": self.count,
            "refused": self.refused,
            "left": self.script.left(),
            "most_at_once": self.most_at_once,
            "problems": self.problems,
        }
        return Raw(200, json.dumps(stats, ensure_ascii=False).encode())


def _http(raw: Raw) -> bytes:
    """Status line, headers and body. A stream is one chunk with its end; a cut one lacks the end."""
    lines = [f"HTTP/1.1 {raw.status} {HTTPStatus(raw.status).phrase}", f"Content-Type: {raw.kind}"]
    lines += [f"{k}: {v}" for k, v in raw.headers.items()]
    if raw.cut or raw.kind == "text/event-stream":
        head = "\r\n".join([*lines, "Transfer-Encoding: chunked", "", ""]).encode()
        end = b"" if raw.cut else b"0\r\n\r\n"
        return head + f"{len(raw.body):x}\r\n".encode() + raw.body + b"\r\n" + end
    return "\r\n".join([*lines, f"Content-Length: {len(raw.body)}", "", ""]).encode() + raw.body


# ── as a program ──────────────────────────────────────────────────────────────────────────────


def load(name: str) -> Source:
    """A script from FILE.json or package.module:function."""
    if not name.endswith(".json"):
        module, _, function = name.partition(":")
        found: Source = getattr(importlib.import_module(module), function)
        return found
    data = json.loads(Path(name).read_text("utf-8"))
    if isinstance(data, dict):
        return {key: [_step(s) for s in steps] for key, steps in data.items()}
    return [_step(s) for s in data]


def _step(data: Json) -> Step:
    known = dict(data)
    known["calls"] = tuple((name, args) for name, args in data.get("calls", ()))
    if data.get("offers") is not None:
        known["offers"] = tuple(data["offers"])
    if data.get("fault"):
        known["fault"] = Fault(data["fault"])
    if "usage" in data:
        known["usage"] = tuple(data["usage"])
    return Step(**known)


async def _run(args: argparse.Namespace) -> None:
    quirks = [Quirk(q) for q in args.quirk]
    server = ScriptedServer(
        load(args.script), port=args.port, quirks=quirks, latency=args.latency, keep=not args.forget
    )
    await server.start()
    print(server.url, flush=True)
    await asyncio.Event().wait()


def main() -> None:
    p = argparse.ArgumentParser(
        prog="python -m hermes_ops.testing.scripted_server", description="scripted model server"
    )
    p.add_argument("--port", type=int, default=0, help="0 takes a free one; the base URL is printed")
    p.add_argument("--script", required=True, help="FILE.json or package.module:function")
    p.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    p.add_argument("--quirk", action="append", default=[], choices=[q.value for q in Quirk])
    p.add_argument("--forget", action="store_true", help="don't keep request bodies")
    try:
        asyncio.run(_run(p.parse_args()))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
