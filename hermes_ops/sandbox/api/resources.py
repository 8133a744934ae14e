"""Pictures and files, up and down. Source: protocol, 5 and 9."""

from __future__ import annotations

import json

from hermes_ops.sandbox.api import messages
from hermes_ops.sandbox.api.call import Answer, Bytes, Call, Route
from hermes_ops.sandbox.errors import Refusal, invalid_field
from hermes_ops.sandbox.media import DOWNLOAD_BYTES, KINDS
from hermes_ops.sandbox.model import Message
from hermes_ops.sandbox.multipart import Part
from hermes_ops.sandbox.platform import Platform

UPLOAD = ("im:resource:upload", "im:resource")


def image(p: Platform, call: Call) -> Answer:
    """POST /im/v1/images"""
    if _field(call, "image_type") not in ("message", "avatar"):
        raise invalid_field("image_type", _field(call, "image_type"), "image_type is message or avatar")
    part = _part(call, "image")
    return {"image_key": p.media.image(call.app, part.data, part.filename or "").key}


def file(p: Platform, call: Call) -> Answer:
    """POST /im/v1/files"""
    if _field(call, "file_type") not in KINDS:
        raise invalid_field("file_type", _field(call, "file_type"), f"file_type is one of {sorted(KINDS)}")
    name = _field(call, "file_name")
    if not name:
        raise invalid_field("file_name", name, "file_name is required")
    return {"file_key": p.media.file(call.app, _part(call, "file").data, name).key}


def own_image(p: Platform, call: Call) -> Answer:
    """GET /im/v1/images/:image_key: only what the app itself has uploaded."""
    blob = p.media.blobs.get(call.path["image_key"])
    if blob is None or blob.owner is not call.app:
        raise Refusal(234008, "The app is not the resource sender.")
    return Bytes(blob.data, blob.mime, blob.name)


def resource(p: Platform, call: Call) -> Answer:
    """GET …/resources/:file_key: a picture or file that is in the message."""
    kind = call.one_of("type", frozenset({"image", "file"}))
    message, key = messages.found(p, call), call.path["file_key"]
    blob = p.media.blobs.get(key)
    if blob is None or key not in keys(message):
        raise Refusal(234003, "File not in message.")
    if message.msg_type == "sticker" or message.card is not None:
        raise Refusal(234043, "Unsupported message type.")
    if blob.kind != kind:
        raise Refusal(234003, "File not in message.")
    if len(blob.data) > DOWNLOAD_BYTES:
        raise Refusal(234037, "Downloaded file size exceeds limit.")
    return Bytes(blob.data, blob.mime, blob.name)


def keys(message: Message) -> set[str]:
    """The keys of pictures and files in the message."""
    found: set[str] = set()
    queue: list[object] = [message.card.json if message.card else json.loads(message.content)]
    while queue:
        node = queue.pop()
        if isinstance(node, dict):
            found |= {v for k, v in node.items() if k in ("image_key", "file_key", "img_key") and isinstance(v, str)}
            queue += node.values()
        elif isinstance(node, list):
            queue += node
    return found


def _part(call: Call, name: str) -> Part:
    if name not in call.parts:
        raise Refusal(234001, f"Invalid request param: {name} is missing.")
    return call.parts[name]


def _field(call: Call, name: str) -> str:
    return call.parts[name].data.decode("utf-8", "replace") if name in call.parts else ""


ROUTES = (
    Route("POST", "/im/v1/images", image, UPLOAD),
    Route("POST", "/im/v1/files", file, UPLOAD),
    Route("GET", "/im/v1/images/:image_key", own_image, ("im:resource",)),
    Route("GET", "/im/v1/messages/:message_id/resources/:file_key", resource, ("im:resource", *messages.READ)),
)
