"""chat.*: messages that stay, and those that only one person sees."""

from __future__ import annotations

from tests.standins.slack.blocks import MESSAGE_TEXT, text_length
from tests.standins.slack.calls import Call, method
from tests.standins.slack.model import JSON, Channel, Ephemeral, Message, SlackError

BODY = "text blocks attachments"
LOOK = "mrkdwn unfurl_links unfurl_media parse link_names"
# Longer text is refused on an edit, although a new message may carry ten times as much.
MOST_TEXT = {"chat.update": 4_000}


@method("chat.postMessage", takes=f"channel thread_ts metadata reply_broadcast {BODY} {LOOK}", scopes="chat:write")
def post_message(call: Call) -> JSON:
    channel = _where(call)
    thread = _thread(call, channel)
    message = Message(
        ts=call.space.next_ts(call.core.clock()),
        channel=channel.id,
        team=call.space.id,
        user=call.space.bot_user,
        text=call.text("text"),
        bot=call.space.bot_id,
        app=call.core.app_id,
        thread_ts=thread,
        metadata=_metadata(call),
    )
    _fill(call, message)
    channel.messages[message.ts] = message
    call.accept(call.args, channel=channel.id, ts=message.ts)
    return {"ok": True, "channel": channel.id, "ts": message.ts, "message": message.wire(with_metadata=True)}


@method(
    "chat.update", takes=f"channel ts metadata reply_broadcast {BODY} parse link_names file_ids", scopes="chat:write"
)
def update(call: Call) -> JSON:
    channel = call.channel()
    if channel.is_archived:
        raise SlackError("is_archived")
    message = call.core.message(call.space, channel.id, call.need("ts"))
    if message.user != call.space.bot_user:
        raise SlackError("cant_update_message")
    # Checked on a draft: what Slack refuses must leave the message as it was.
    draft = Message(message.ts, channel.id, message.team, message.user, message.text)
    draft.blocks, draft.attachments = message.blocks, message.attachments
    draft.text = call.text("text") if "text" in call.args else message.text
    _fill(call, draft)
    message.text, message.blocks, message.attachments = draft.text, draft.blocks, draft.attachments
    if "metadata" in call.args:
        message.metadata = _metadata(call)
    message.edited_ts = f"{call.core.clock():.6f}"
    call.accept(call.args, channel=channel.id, ts=message.ts)
    shown = message.wire(with_metadata=True)
    return {"ok": True, "channel": channel.id, "ts": message.ts, "text": message.text, "message": shown}


@method("chat.delete", takes="channel ts", scopes="chat:write")
def delete(call: Call) -> JSON:
    channel = call.channel()
    message = call.core.message(call.space, channel.id, call.need("ts"))
    if message.user != call.space.bot_user:
        raise SlackError("cant_delete_message")
    remove(channel, message.ts)
    call.accept(call.args, channel=channel.id, ts=message.ts)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def remove(channel: Channel, ts: str) -> None:
    """Take a message away; one that has replies leaves a tombstone, so that its thread still stands."""
    if channel.replies(ts):
        channel.messages[ts].tombstone = True
    else:
        del channel.messages[ts]


@method("chat.postEphemeral", takes=f"channel user thread_ts {BODY} {LOOK}", scopes="chat:write")
def post_ephemeral(call: Call) -> JSON:
    channel = _where(call)
    user = call.need("user")
    if user not in call.space.users:
        raise SlackError("user_not_found")
    if user not in channel.members:
        raise SlackError("user_not_in_channel")
    draft = Message(call.space.next_ts(call.core.clock()), channel.id, call.space.id, user, call.text("text"))
    _fill(call, draft)
    shown = Ephemeral(draft.ts, channel.id, user, draft.text, draft.blocks, call.text("thread_ts"))
    channel.ephemerals[shown.ts] = shown
    call.accept(call.args, channel=channel.id, ts=shown.ts)
    return {"ok": True, "message_ts": shown.ts}


@method("chat.getPermalink", takes="channel message_ts")
def get_permalink(call: Call) -> JSON:
    channel = call.channel()
    message = call.core.message(call.space, channel.id, call.need("message_ts"))
    link = f"https://{call.space.domain}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.thread_ts:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"ok": True, "channel": channel.id, "permalink": link}


def _where(call: Call) -> Channel:
    """The channel to write to: an id, ``#name`` of a public one, or a user's id for a direct message."""
    named = call.need("channel")
    if named in call.space.users:
        if call.space.users[named].deleted or call.space.users[named].is_bot:
            raise SlackError("channel_not_found")
        return call.core.im(call.space, named)
    for channel in call.space.channels.values():
        if not channel.is_private and channel.name == named.removeprefix("#"):
            call.args["channel"] = channel.id
    anywhere = call.method == "chat.postMessage" and "chat:write.public" in call.space.scopes
    channel = call.channel()
    channel = channel if anywhere and not channel.is_private else call.joined()
    if channel.is_archived:
        raise SlackError("is_archived")
    return channel


def _thread(call: Call, channel: Channel) -> str:
    if not (ts := call.text("thread_ts")):
        return ""
    parent = channel.messages.get(ts)
    if parent is None:
        raise SlackError("thread_not_found")
    if parent.thread_ts:
        call.core.violate(call.method, ("thread_ts must be the parent's ts, not a reply's",), call.args)
        return parent.thread_ts
    return ts


def _metadata(call: Call) -> JSON | None:
    given = call.args.get("metadata")
    if given in (None, {}):
        return None
    if not isinstance(given, dict) or set(given) != {"event_type", "event_payload"}:
        raise SlackError(
            "invalid_metadata_format", ("must have event_type and event_payload [json-pointer:/metadata]",)
        )
    payload = given["event_payload"]
    if not isinstance(given["event_type"], str) or not given["event_type"] or not isinstance(payload, dict):
        raise SlackError("invalid_metadata_format", ("event_type: text, event_payload: object",))
    if any(value is None or (isinstance(value, list) and value == []) for value in payload.values()):
        raise SlackError("invalid_metadata_format", ("event_payload holds text, numbers, booleans",))
    if len(str(given)) > 16_000:
        raise SlackError("metadata_too_large")
    return dict(given)


def _fill(call: Call, message: Message) -> None:
    """Check the body and put it into ``message``; blocks and attachments that are not given stay as they are."""
    for key in ("blocks", "attachments"):
        if isinstance(call.args.get(key), str):
            raise SlackError(f"invalid_{key}_format" if key == "blocks" else "invalid_attachments")
    blocks, attachments = call.args.get("blocks"), call.args.get("attachments")
    if blocks is not None:
        call.core.blocks_or_refuse(call.space, blocks, "message")
        message.blocks = call.core.stored(blocks)
    if attachments is not None:
        if len(attachments) > 100:
            raise SlackError("too_many_attachments")
        for n, attachment in enumerate(attachments):
            call.core.blocks_or_refuse(call.space, attachment.get("blocks", []), "message", f"/attachments/{n}/blocks")
        message.attachments = attachments
    if len(message.text) > MOST_TEXT.get(call.method, 40_000):
        raise SlackError("msg_too_long")
    if text_length(message.blocks) > MESSAGE_TEXT:
        raise SlackError("msg_blocks_too_long")
    if not (message.text.strip() or message.blocks or message.attachments):
        raise SlackError("no_text")
    if message.blocks and not message.text.strip():
        call.core.violate(call.method, ("text is missing: notifications and screen readers get nothing",), call.args)
