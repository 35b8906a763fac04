"""Slack's payloads as taps, submissions and commands. Pure; whatever has another shape is ``Unreadable``.

What is trusted: the payload's signature (or the web socket it came through). What is not: every value in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bot.chat import Command, Place, Reacted, Submission, Tap, Who
from bot.commands import parse
from bot.slack.emoji import emoji_of
from bot.slack.wording import JSON

ACTIONS = "drill:"
DIRECT = "D"
"""What the ids of direct messages begin with."""

PLACE = "place"
"""The block of a form in which a channel is chosen."""

NAMELESS = frozenset({"directmessage", "privategroup"})
"""What Slack calls channels whose name it does not tell."""


class Unreadable(Exception):
    """A payload that does not have the shape Slack documents; the text says what is missing, never what it held."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an event came from, and how it can be answered. ``workspace``: the one whose token answers.

    ``view``: the modal it came from. ``home``: it came from the Home tab, which is answered by a modal. ``shared``: it
    came from a message that others see, which no private reply may take the place of. ``chosen``: the channel was
    chosen in the form. ``action``: the button's own, with which it can be tried again.
    """

    workspace: str
    member: str
    channel: str = ""
    thread: str = ""
    trigger: str = ""
    response_url: str = ""
    view: str = ""
    title: str = ""
    fields: tuple[str, ...] = ()
    home: bool = False
    shared: bool = False
    chosen: bool = False
    action: str = ""


def is_readable(body: Any) -> bool:
    """Has the payload what Bolt looks at without asking? What has not is answered before Bolt sees it."""
    if not isinstance(body, dict):
        return False
    match body.get("type"):
        case "block_actions":
            actions = body.get("actions")
            first = actions[0] if isinstance(actions, list) and actions else None
            return _names(first, "action_id") and _has_user(body)
        case "view_submission" | "view_closed":
            view = body.get("view")
            return _names(view, "callback_id") and _names(view, "type") and _has_user(body)
        case "event_callback":
            return _names(body.get("event"), "type")
        case None:
            return "command" not in body or isinstance(body["command"], str)
        case kind:
            return isinstance(kind, str)


def _has_user(body: JSON) -> bool:
    return _names(body.get("user"), "id") and isinstance(body.get("team"), dict | None)


def _names(part: Any, key: str) -> bool:
    return isinstance(part, dict) and isinstance(part.get(key), str)


def tap(body: JSON, workspace: str) -> tuple[Tap, Origin] | None:
    """The button that was pressed, or ``None`` for one that asks nothing of us (a link)."""
    action = body["actions"][0]
    if not _text(action, "action_id").startswith(ACTIONS) or action.get("type") != "button":
        return None
    origin = replace(_origin(body, workspace), action=_text(action, "value"))
    place = Place(workspace, origin.channel) if origin.channel else None
    return Tap(_who(body, workspace), _text(action, "value"), place), origin


def submission(body: JSON, workspace: str) -> tuple[Submission, Origin]:
    """The form that came back."""
    view = _object(body, "view")
    about = _about(view)
    state = _object(_object(view, "state"), "values")
    values = {clean(field): _value(field, given) for field, given in state.items()}
    origin = _origin(body, workspace)
    if PLACE in values:
        origin = replace(origin, channel="".join(values.pop(PLACE)), chosen=True)
    place = Place(workspace, origin.channel) if origin.channel else None
    return Submission(_who(body, workspace), about["form"], values, place), origin


def reacted(event: JSON, workspace: str) -> Reacted | None:
    """The keycap that was left under a message or taken away; ``None`` for any other emoji, and for files."""
    item = _object(event, "item")
    keycap = emoji_of(_text(event, "reaction"))
    if keycap is None or item.get("type") != "message":
        return None
    place = Place(workspace, _text(item, "channel"))
    who = Who("slack", workspace, _text(event, "user"), "")
    added = event.get("type") == "reaction_added"
    return Reacted("slack", place, _text(item, "ts"), keycap, added, who, _moment(_optional(event, "event_ts")))


def opened(event: JSON, workspace: str) -> tuple[Who, str]:
    """Who opened the Home tab, and the hash of what it shows (``""``: nothing was published yet)."""
    view = event.get("view")
    return Who("slack", workspace, _text(event, "user"), ""), _optional(view, "hash") if isinstance(view, dict) else ""


def _moment(stamp: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(stamp), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def typist(body: JSON, workspace: str) -> tuple[Who, Origin]:
    """Who typed a command, and where."""
    member = _text(body, "user_id")
    who = Who("slack", workspace, member, clean(str(body.get("user_name") or "")))
    origin = Origin(
        workspace,
        member,
        channel=_text(body, "channel_id"),
        trigger=_optional(body, "trigger_id"),
        response_url=_optional(body, "response_url"),
    )
    return who, origin


def command(body: JSON, who: Who) -> Command:
    """What was typed. Raises ``UnknownCommand`` or ``WrongInput`` as ``bot.commands.parse`` does."""
    name, options = parse(_unescape(_optional(body, "text")))
    channel_name = _optional(body, "channel_name")
    return Command(
        who,
        Place(who.workspace, _text(body, "channel_id")),
        name,
        options,
        "" if channel_name in NAMELESS else channel_name,
    )


def name_of_channel(channel: Any) -> str:
    """What ``conversations.info`` calls it; ``""`` where it says nothing."""
    return _optional(channel, "name")


def _unescape(text: str) -> str:
    """Slack sends what is typed as message text, with its three control characters escaped."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def clean(text: str) -> str:
    """Text that every store and wire can hold: no halves of characters, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def _origin(body: JSON, workspace: str) -> Origin:
    view = body.get("view")
    about = _about(view) if isinstance(view, dict) else {"form": "", "channel": ""}
    container = body.get("container") if isinstance(body.get("container"), dict) else {}
    assert isinstance(container, dict)
    channel = _optional(body.get("channel"), "id")
    return Origin(
        workspace,
        member=_text(_object(body, "user"), "id"),
        channel=channel or about["channel"],
        thread=_thread(container),
        trigger=_optional(body, "trigger_id"),
        response_url=_optional(body, "response_url"),
        view=_optional(view, "id") if isinstance(view, dict) and view.get("type") != "home" else "",
        home=isinstance(view, dict) and view.get("type") == "home",
        shared=bool(channel) and not channel.startswith(DIRECT) and container.get("is_ephemeral") is not True,
        title=_optional(view.get("title"), "text") if isinstance(view, dict) else "",
        fields=_fields(view) if isinstance(view, dict) else (),
    )


def _thread(container: JSON) -> str:
    """The thread the message stands in; one that begins a thread stands in the channel."""
    thread = _optional(container, "thread_ts")
    return "" if thread == _optional(container, "message_ts") else thread


def _about(view: JSON) -> dict[str, str]:
    """What we wrote into the view ourselves."""
    try:
        about = json.loads(_optional(view, "private_metadata"))
    except ValueError:
        raise Unreadable("the view's private_metadata is not ours") from None
    if not isinstance(about, dict):
        raise Unreadable("the view's private_metadata is not ours")
    return {"form": _text(about, "form"), "channel": _optional(about, "channel")}


def _fields(view: JSON) -> tuple[str, ...]:
    shown = view.get("blocks")
    found = [block for block in shown if isinstance(block, dict)] if isinstance(shown, list) else []
    return tuple(str(block.get("block_id")) for block in found if block.get("type") == "input")


def _value(field: str, given: Any) -> str | tuple[str, ...]:
    """What a field holds: the text, or the values that are chosen."""
    if not isinstance(given, dict) or len(given) != 1:
        raise Unreadable("a field of the view has no single element")
    state = next(iter(given.values()))
    match state:
        case {"type": "plain_text_input"}:
            return clean(_optional(state, "value"))
        case {"selected_options": list(options)}:
            return tuple(_text(option, "value") for option in options)
        case {"selected_conversation": channel}:
            return clean(channel) if isinstance(channel, str) else ""
        case {"selected_option": option}:
            return () if option is None else (_text(option, "value"),)
    raise Unreadable("a field of the view is of no kind that we made")


def _who(body: JSON, workspace: str) -> Who:
    user = _object(body, "user")
    return Who("slack", workspace, _text(user, "id"), clean(_optional(user, "name") or _optional(user, "username")))


def _object(body: Any, key: str) -> JSON:
    found = body.get(key) if isinstance(body, Mapping) else None
    if not isinstance(found, dict):
        raise Unreadable(f"there is no {key}")
    return found


def _text(body: Any, key: str) -> str:
    found = body.get(key) if isinstance(body, Mapping) else None
    if not isinstance(found, str):
        raise Unreadable(f"there is no {key}")
    return clean(found)


def _optional(body: Any, key: str) -> str:
    found = body.get(key) if isinstance(body, Mapping) else None
    return clean(found) if isinstance(found, str) else ""
