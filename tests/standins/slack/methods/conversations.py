"""conversations.* and users.conversations: channels, who is in them and what was said there."""

from __future__ import annotations

from tests.standins.slack.calls import Call, method
from tests.standins.slack.model import JSON, Channel, Message, SlackError

HISTORY = "channels:history groups:history im:history"
READ = "channels:read groups:read im:read"
PAGING = "cursor limit"
SPAN = "latest oldest inclusive include_all_metadata"


@method("conversations.history", takes=f"channel {SPAN} {PAGING}", scopes=HISTORY)
def history(call: Call) -> JSON:
    channel = _readable(call)
    found = [message for message in channel.messages.values() if not message.thread_ts and _within(call, message)]
    most = 15 if call.core.rates.commercial else 999
    page, metadata = call.page(found[::-1], default=min(100, most), most=999, given=most)
    shown = [_shown(call, channel, message) for message in page]
    more = bool(metadata["next_cursor"])
    body: JSON = {"ok": True, "messages": shown, "has_more": more, "pin_count": 0}
    return body | ({"response_metadata": metadata} if more else {})


@method("conversations.replies", takes=f"channel ts {SPAN} {PAGING}", scopes=HISTORY)
def replies(call: Call) -> JSON:
    channel = _readable(call)
    asked = channel.messages.get(call.need("ts"))
    if asked is None:
        raise SlackError("thread_not_found")
    parent = channel.messages.get(asked.thread_ts or asked.ts, asked)
    inside = [message for message in channel.replies(parent.ts) if _within(call, message)]
    most = 15 if call.core.rates.commercial else 1000
    page, metadata = call.page([parent, *inside], default=999, most=1000, given=most)
    more = bool(metadata["next_cursor"])
    body: JSON = {"ok": True, "messages": [_shown(call, channel, message) for message in page], "has_more": more}
    return body | ({"response_metadata": metadata} if more else {})


def _readable(call: Call) -> Channel:
    channel = call.joined()
    kind = "im" if channel.is_im else "groups" if channel.is_private else "channels"
    if f"{kind}:history" not in call.space.scopes:
        raise SlackError("missing_scope", needed=f"{kind}:history", provided=",".join(call.space.scopes))
    return channel


def _within(call: Call, message: Message) -> bool:
    oldest, latest = float(call.text("oldest") or 0), float(call.text("latest") or "inf")
    ts = float(message.ts)
    return oldest < ts < latest or (call.flag("inclusive") and ts in (oldest, latest))


def _shown(call: Call, channel: Channel, message: Message) -> JSON:
    return message.wire(channel.replies(message.ts), with_metadata=call.flag("include_all_metadata"))


@method("conversations.info", takes="channel include_locale include_num_members", scopes=READ)
def info(call: Call) -> JSON:
    channel = call.channel()
    shown = channel.wire(call.space.bot_user)
    if call.flag("include_num_members"):
        shown["num_members"] = len(channel.members)
    return {"ok": True, "channel": shown}


@method("conversations.list", takes=f"types exclude_archived team_id {PAGING}", scopes=READ)
def list_channels(call: Call) -> JSON:
    return _listed(call, [c for c in call.space.channels.values() if _known(call, c)])


@method("users.conversations", takes=f"user types exclude_archived team_id {PAGING}", scopes=READ)
def of_user(call: Call) -> JSON:
    user = call.text("user") or call.space.bot_user
    return _listed(call, [c for c in call.space.channels.values() if _known(call, c) and user in c.members])


def _known(call: Call, channel: Channel) -> bool:
    types = (call.text("types") or "public_channel").split(",")
    kind = "im" if channel.is_im else "private_channel" if channel.is_private else "public_channel"
    hidden = channel.is_private and call.space.bot_user not in channel.members
    return kind in types and not hidden and not (call.flag("exclude_archived") and channel.is_archived)


def _listed(call: Call, channels: list[Channel]) -> JSON:
    page, metadata = call.page(channels)
    shown = [
        channel.wire(call.space.bot_user) | ({} if channel.is_im else {"num_members": len(channel.members)})
        for channel in page
    ]
    return {"ok": True, "channels": shown, "response_metadata": metadata}


@method("conversations.members", takes=f"channel {PAGING}", scopes=READ)
def members(call: Call) -> JSON:
    page, metadata = call.page(call.channel().members)
    return {"ok": True, "members": page, "response_metadata": metadata}


@method("conversations.join", takes="channel", scopes="channels:join")
def join(call: Call) -> JSON:
    channel = call.channel()
    if channel.is_private:
        raise SlackError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise SlackError("is_archived")
    body: JSON = {"ok": True, "channel": channel.wire(call.space.bot_user)}
    if call.space.bot_user in channel.members:
        return body | {"warning": "already_in_channel", "response_metadata": {"warnings": ["already_in_channel"]}}
    channel.members.append(call.space.bot_user)
    call.accept(call.args, channel=channel.id)
    event: JSON = {"type": "member_joined_channel", "user": call.space.bot_user, "channel": channel.id}
    call.core.caused(call.space, event | {"channel_type": "C", "team": call.space.id})
    return body | {"channel": channel.wire(call.space.bot_user)}


@method("conversations.open", takes="users channel return_im prevent_creation", scopes="im:write")
def open_im(call: Call) -> JSON:
    users = call.need("users").split(",")
    if len(users) > 1:
        raise SlackError("method_not_supported_for_channel_type", ("group messages are not modelled",))
    user = call.space.users.get(users[0])
    if user is None:
        raise SlackError("user_not_found")
    if user.deleted:
        raise SlackError("user_disabled")
    if user.is_bot:
        raise SlackError("cannot_dm_bot")
    known = any(c.is_im and user.id in c.members for c in call.space.channels.values())
    channel = call.core.im(call.space, user.id)
    if not known:
        call.accept(call.args, channel=channel.id)
    shown: JSON = channel.wire(call.space.bot_user) if call.flag("return_im") else {"id": channel.id}
    return {"ok": True, "channel": shown} | ({"no_op": True, "already_open": True} if known else {})
