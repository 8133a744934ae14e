"""The Feishu channel put together from settings: the only place that knows all of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from platformdirs import user_state_path

from hermes_ops.channels.base import Intake
from hermes_ops.channels.feishu.brought import Brought
from hermes_ops.channels.feishu.channel import FeishuChannel
from hermes_ops.channels.feishu.clicks import Clicks
from hermes_ops.channels.feishu.identity import Identity
from hermes_ops.channels.feishu.incoming import Incomings
from hermes_ops.channels.feishu.quotes import Fetcher
from hermes_ops.channels.feishu.rest import Api
from hermes_ops.channels.feishu.tally import Tally
from hermes_ops.channels.keeping import PLACE
from hermes_ops.settings import FeishuSettings, Settings
from hermes_ops.zones import machine_zone
from memory import Posts
from memory.hold import Hold, hold_file
from orchestrator.errors import ConfigError

TAKEN = "Another process is connected as this Feishu app already; two would steal each other's messages. End it first."


def make(settings: Settings, posts: Posts, mask: Callable[[str], str]) -> FeishuChannel:
    """Raises ConfigError for what is missing."""
    s = settings.feishu
    check(s)
    secret = s.app_secret.get_secret_value() if s.app_secret else ""
    tally = Tally(posts)
    api = Api(s.app_id, secret, s.domain, s.proxy, tally)
    zone = settings.zone or machine_zone()

    brought, sees = Brought(posts), settings.model.sees

    def incomings(intake: Intake, identity: Identity) -> Incomings:
        clicks = Clicks(s, posts, intake, mask)
        return Incomings(s, intake, identity, clicks, brought, mask, zone, settings.language, sees)

    fetcher = Fetcher(posts, brought, settings.data_dir / PLACE, mask, sees)
    return FeishuChannel(s, posts, api, incomings, fetcher, tally)


def check(s: FeishuSettings) -> None:
    if not s.app_id or s.app_secret is None:
        raise ConfigError("feishu.app_id and feishu.app_secret are needed: the console of your app has both.")
    if not (s.owner or s.users or s.chats):
        raise ConfigError(
            "Nobody would be answered: set feishu.owner to your open_id, or list feishu.users or feishu.chats "
            '("*" for all of them).'
        )
    if s.mode == "webhook" and not (s.encrypt_key or s.verification_token):
        raise ConfigError("feishu.mode webhook needs feishu.encrypt_key or feishu.verification_token.")


def only_one(s: FeishuSettings) -> Hold:
    """One process an app on this machine, whatever its database. Raises StoreError where there is another."""
    mark = sha256(s.domain.encode()).hexdigest()[:8]
    name = f"feishu-{re.sub(r'[^A-Za-z0-9_-]', '_', s.app_id)}-{mark}.lock"
    return hold_file(Path(user_state_path("hermes-ops")) / name, TAKEN)
