"""reactions.*: what the bot and people leave under a message."""

from __future__ import annotations

import re

from tests.standins.slack.calls import Call, method
from tests.standins.slack.model import JSON, Message, SlackError

NAME = re.compile(r"[a-z0-9_+'\-]+(::skin-tone-[2-6])?")


@method("reactions.add", takes="channel timestamp name", scopes="reactions:write")
def add(call: Call) -> JSON:
    message, name = _target(call), _name(call)
    users = message.reactions.setdefault(name, [])
    if call.space.bot_user in users:
        raise SlackError("already_reacted")
    users.append(call.space.bot_user)
    call.accept(call.args, channel=message.channel, ts=message.ts)
    call.core.caused(call.space, event("reaction_added", call.space.bot_user, message, name))
    return {"ok": True}


@method("reactions.remove", takes="channel timestamp name", scopes="reactions:write")
def remove(call: Call) -> JSON:
    message, name = _target(call), _name(call)
    if call.space.bot_user not in message.reactions.get(name, []):
        raise SlackError("no_reaction")
    take_away(message, name, call.space.bot_user)
    call.accept(call.args, channel=message.channel, ts=message.ts)
    call.core.caused(call.space, event("reaction_removed", call.space.bot_user, message, name))
    return {"ok": True}


@method("reactions.get", takes="channel timestamp full", scopes="reactions:read")
def get(call: Call) -> JSON:
    message = _target(call)
    return {"ok": True, "type": "message", "channel": message.channel, "message": message.wire()}


def event(kind: str, user: str, message: Message, name: str) -> JSON:
    item = {"type": "message", "channel": message.channel, "ts": message.ts}
    return {"type": kind, "user": user, "reaction": name, "item": item, "item_user": message.user}


def take_away(message: Message, name: str, user: str) -> None:
    message.reactions[name].remove(user)
    if not message.reactions[name]:
        del message.reactions[name]


def _name(call: Call) -> str:
    name = call.need("name").strip(":")
    if not NAME.fullmatch(name):
        raise SlackError("invalid_name")
    return name


def _target(call: Call) -> Message:
    channel = call.joined()
    if channel.is_archived and call.method != "reactions.get":
        raise SlackError("is_archived")
    return call.core.message(call.space, channel.id, call.need("timestamp"))
