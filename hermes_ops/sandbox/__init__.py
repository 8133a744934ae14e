"""A loopback server that speaks the Feishu (Lark) platform's protocol to an unmodified SDK.

One builds and tests bots with it, without a tenant.

    async with Sandbox() as box:                          # speed=60 makes a platform minute out of each second
        run_bot(domain=box.domain, app_id=box.app_id, app_secret=box.app_secret)
        await box.connected()                             # the bot's long connection is there
        asked = await box.say("alice", box.group, "支付为什么慢", mention_bot=True)
        [answer] = await box.answered(asked)              # Message: .msg_type .content .card.json .thread_id .parent
        click = await box.click("alice", answer, "停止")  # Click: .code .toast .changed
        assert box.journal.calls("/reply", code=0)        # every exchange; box.journal.of("frame"), .wait(…)

People: `alice`, `bob`, `carol` (by user_id or name). Chats: `box.group`, `box.topics` (a topic group),
`box.p2p("alice")`. Also `box.post` (any kind of message, also of another bot: `box.add_app("告警", [box.group])`),
`paste`, `send_file`, `send_image`, `recall`, `react`, `read`, `forward`, `push` (any event), `messages`, `answers`,
`deliveries`, `until`.

The platform's doings: `box.clock.advance(600)`; `box.faults.page/refuse/reset/lose/slow(path, …)`;
`box.tokens.revoke()`, `.life`; `await box.link.drop(code=1000)`, `.cut()`, `.deafen()`, `.bury()`, `.faults.…`;
`box.pushes.copies = 2`, `.held = []` then `.release(backwards=True)`, `.again(delivery)`; `box.limits.on`, `.quota`;
`box.app.webhook = url` with `encrypt_key`, `verification_token`; `box.app.scopes`, `.events`, `.callbacks`.

It never imports the SDK. docs/SANDBOX.md lists each rule with its source and how sure it is.
"""

from __future__ import annotations

from hermes_ops.sandbox.box import Sandbox
from hermes_ops.sandbox.clicks import Click
from hermes_ops.sandbox.model import App, Chat, Message, Person
from hermes_ops.sandbox.pushes import Delivery

__all__ = ["App", "Chat", "Click", "Delivery", "Message", "Person", "Sandbox"]
