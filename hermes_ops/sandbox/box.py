"""The sandbox as tests and the command hold it: started and stopped.

What a person can do in the chat is in `hands.py`; what the platform can do to a bot are the attributes `faults`,
`link`, `webhook`, `pushes`, `tokens`, `limits`, `rules` and `clock`.
"""

from __future__ import annotations

from types import TracebackType

from hermes_ops.sandbox.hands import Hands
from hermes_ops.sandbox.page.routes import routes
from hermes_ops.sandbox.server import application
from hermes_ops.sandbox.wire import Server


class Sandbox(Hands):
    """A platform on loopback.

    `speed`: how much faster than ours the platform's clock runs. `seed`: of the die for partial faults. `hosts`: names
    besides those of loopback under which requests are let in.
    """

    def __init__(
        self,
        port: int = 0,
        host: str = "127.0.0.1",
        speed: float = 1.0,
        seed: int = 1,
        app_id: str = "cli_sandbox",
        app_secret: str = "sandbox-secret",  # noqa: S107
        bot_name: str = "hermes",
        hosts: list[str] | None = None,
    ) -> None:
        super().__init__(speed, seed, (bot_name, app_id, app_secret))
        self._host, self._port, self._hosts = host, port, hosts or []
        self._server: Server | None = None

    async def start(self) -> Sandbox:
        app = application(self.platform, self._hosts, routes(self))
        self._server = Server(app, self._host, self._port)
        self._port = self._server.port
        self.link.base = f"ws://{self._host}:{self._port}"
        await self._server.start()
        return self

    async def stop(self) -> None:
        self.link.faults.discovery_hangs = False
        await self.pushes.stop()
        if self._server is not None:
            await self._server.stop()

    async def __aenter__(self) -> Sandbox:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def domain(self) -> str:
        """What the SDK calls the domain; also the address of the chat page."""
        return f"http://{self._host}:{self._port}"

    @property
    def app_id(self) -> str:
        return self.app.app_id

    @property
    def app_secret(self) -> str:
        return self.app.secret
