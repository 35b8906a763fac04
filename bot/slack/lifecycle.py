"""What Slack tells of channels and of the bot's own place in them, as happenings. Pure."""

from __future__ import annotations

from typing import Any

from bot.chat import Happening, HappeningKind
from bot.slack.wording import JSON

_CHANNELS: dict[str, HappeningKind] = {
    "archive": "channel_archived",
    "unarchive": "channel_unarchived",
    "deleted": "channel_deleted",
    "left": "bot_removed",
}
KINDS = frozenset(
    {
        *(f"{kind}_{what}" for kind in ("channel", "group") for what in (*_CHANNELS, "rename")),
        "channel_id_changed",
        "channel_shared",
        "member_joined_channel",
        "member_left_channel",
        "user_change",
    }
)
"""The events that are translated; whatever else comes is none of ours."""


def happening(event: JSON, workspace: str, bot_user: str) -> Happening | None:
    """What the event means to the drills of a channel; ``None`` where it means nothing (somebody else came or went)."""
    kind = str(event.get("type"))
    match kind:
        case "channel_rename" | "group_rename":
            renamed = event.get("channel")
            channel, name = _text(renamed, "id"), _text(renamed, "name")
            return Happening("slack", workspace, "channel_renamed", channel, name) if channel else None
        case "channel_id_changed":
            old, new = _text(event, "old_channel_id"), _text(event, "new_channel_id")
            return Happening("slack", workspace, "channel_converted", old, moved_to=new) if old and new else None
        case "channel_shared":
            return _of_channel("channel_shared", event, workspace)
        case "user_change":
            user = event.get("user")
            gone = isinstance(user, dict) and user.get("deleted") is True and _text(user, "id")
            return Happening("slack", workspace, "member_left", member=_text(user, "id")) if gone else None
        case "member_joined_channel" | "member_left_channel":
            if not bot_user or _text(event, "user") != bot_user:
                return None
            return _of_channel("bot_added" if kind == "member_joined_channel" else "bot_removed", event, workspace)
    found = _CHANNELS.get(kind.partition("_")[2])
    return _of_channel(found, event, workspace) if found and kind in KINDS else None


def inviter(event: JSON, bot_user: str) -> str:
    """Who invited the bot into a channel; ``""`` for anything else."""
    mine = event.get("type") == "member_joined_channel" and bot_user and _text(event, "user") == bot_user
    return _text(event, "inviter") if mine else ""


def _of_channel(kind: HappeningKind, event: JSON, workspace: str) -> Happening | None:
    channel = _text(event, "channel")
    return Happening("slack", workspace, kind, channel) if channel else None


def _text(part: Any, key: str) -> str:
    found = part.get(key) if isinstance(part, dict) else None
    return found.encode("utf-8", "replace").decode().replace("\x00", "")[:200] if isinstance(found, str) else ""
