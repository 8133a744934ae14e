"""The parts of one sandbox, put together once. Every interface gets this and nothing else."""

from __future__ import annotations

from hermes_ops.sandbox.cards.rules import Rules
from hermes_ops.sandbox.clock import Clock
from hermes_ops.sandbox.faults import Faults
from hermes_ops.sandbox.feed import Feed
from hermes_ops.sandbox.journal import Journal
from hermes_ops.sandbox.limits import Limits
from hermes_ops.sandbox.link import Link
from hermes_ops.sandbox.media import Media
from hermes_ops.sandbox.model import Pressed
from hermes_ops.sandbox.pushes import Pushes
from hermes_ops.sandbox.tokens import Tokens
from hermes_ops.sandbox.webhook import Webhook
from hermes_ops.sandbox.world import World


class Platform:
    """State and services; the names are those of their modules."""

    def __init__(self, speed: float = 1.0, seed: int = 1) -> None:
        self.clock = Clock(speed)
        self.feed = Feed()
        self.journal = Journal(self.clock, self.feed.publish)
        self.world = World(self.clock, self.feed)
        self.tokens = Tokens(self.clock, self.world)
        self.limits = Limits()
        self.faults = Faults(seed)
        self.rules = Rules()
        self.media = Media()
        self.link = Link(self.world, self.journal)
        self.webhook = Webhook(self.journal)
        self.pushes = Pushes(self.clock, self.world, self.journal, self.link, self.webhook)
        self.uuids: dict[tuple[str, str], tuple[float, str]] = {}  # (app, uuid) → (when, message_id)
        self.clicks: dict[str, Pressed] = {}  # callback token → the press
