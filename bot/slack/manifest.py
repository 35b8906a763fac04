"""The app manifest: what Slack has to know about the app, with the fewest scopes it can do its work with.

The tables below say of each method that is called and of each event that is heard which scope lets us, after Slack's
reference (docs.slack.dev/reference/methods and /events); a test holds them against the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.slack.paths import BACK, EVENTS_PATH

SCOPES = {
    "channels:history": "look up, after a lost reply, whether a message was posted in a public channel",
    "channels:read": "see whether it is in a public channel, and hear when one is renamed, archived or shared",
    "chat:write": "post the question, its result and the board, and keep the count up to date",
    "commands": "hear /drill",
    "files:write": "upload the pictures of results and boards",
    "groups:history": "the same look-up in a private channel",
    "groups:read": "the same sight of a private channel",
    "im:history": "look up, after a lost reply, whether a person was told something already; reads nothing else there",
    "im:write": "tell somebody privately: an admin that a post failed, a member what they asked to be reminded of",
    "reactions:read": "count keycaps where a channel answers with them",
    "reactions:write": "leave the keycaps that people tap there",
    "users:read": "know a member's name, language and time zone, and whether they are an admin",
}
"""Every scope with what it is needed for."""

_EITHER_HISTORY = ("channels:history", "groups:history", "im:history")
_EITHER_READ = ("channels:read", "groups:read")

METHODS: dict[str, tuple[str, ...]] = {
    "apps.connections.open": (),
    "auth.revoke": (),
    "auth.test": (),
    "chat.delete": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.update": ("chat:write",),
    "conversations.history": _EITHER_HISTORY,
    "conversations.info": _EITHER_READ,
    "conversations.open": ("im:write",),
    "conversations.replies": _EITHER_HISTORY,
    "files.completeUploadExternal": ("files:write",),
    "files.getUploadURLExternal": ("files:write",),
    "oauth.v2.access": (),
    "reactions.add": ("reactions:write",),
    "reactions.get": ("reactions:read",),
    "users.info": ("users:read",),
    "views.open": (),
    "views.publish": (),
    "views.push": (),
    "views.update": (),
}
"""The methods that may be called, each with our scopes that let it be (by the kind of channel).

``apps.connections.open`` takes the app-level token with ``connections:write``, which no manifest can hold.
"""

EVENTS: dict[str, tuple[str, ...]] = {
    "app_home_opened": (),
    "app_uninstalled": (),
    "channel_archive": ("channels:read",),
    "channel_deleted": ("channels:read",),
    "channel_id_changed": (),
    "channel_left": ("channels:read",),
    "channel_rename": ("channels:read",),
    "channel_shared": _EITHER_READ,
    "channel_unarchive": ("channels:read",),
    "channel_unshared": _EITHER_READ,
    "group_archive": ("groups:read",),
    "group_deleted": ("groups:read",),
    "group_left": ("groups:read",),
    "group_rename": ("groups:read",),
    "group_unarchive": ("groups:read",),
    "member_joined_channel": _EITHER_READ,
    "member_left_channel": _EITHER_READ,
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
    "tokens_revoked": (),
    "user_change": ("users:read",),
}
"""The events that are heard, each with our scopes that let them come."""


@dataclass(frozen=True, slots=True)
class Shape:
    """``url``: the server's public address (``""``: none). ``socket``: events come by Socket Mode. ``rotation``: tokens
    end after twelve hours and are renewed; only where the app is installed by OAuth, and never to be undone at Slack.
    """

    url: str = ""
    socket: bool = True
    rotation: bool = False

    def __post_init__(self) -> None:
        if not self.socket and not self.url:
            raise ValueError("Without Socket Mode Slack needs an address to send to: give --http https://….")
        if self.rotation and not self.url:
            raise ValueError("Tokens that rotate come by OAuth, which needs an address: set DRILLS_PUBLIC_URL.")


def manifest(shape: Shape) -> dict[str, Any]:
    """The manifest to paste at https://api.slack.com/apps."""
    address = {} if shape.socket else {"request_url": shape.url + EVENTS_PATH}
    command_url = {} if shape.socket else {"url": shape.url + EVENTS_PATH}
    back = {"redirect_urls": [shape.url + BACK]} if shape.url else {}
    return {
        "_metadata": {"major_version": 1, "minor_version": 1},
        "display_information": {
            "name": "Team Drills",
            "description": "One good question a day for engineering teams",
            "background_color": "#1c2330",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": True,
            },
            "bot_user": {"display_name": "Team Drills", "always_online": True},
            "slash_commands": [
                {
                    "command": "/drill",
                    "description": "Today's question, your progress, the board; admins set drills up",
                    "usage_hint": "today | answer C | me | board | setup | help",
                    "should_escape": True,
                    **command_url,
                }
            ],
        },
        "oauth_config": {**back, "scopes": {"bot": sorted(SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": sorted(EVENTS), **address},
            "interactivity": {"is_enabled": True, **address},
            # Each workspace installs for itself: an organisation's one token would reach all of them.
            "org_deploy_enabled": False,
            "socket_mode_enabled": shape.socket,
            "token_rotation_enabled": shape.rotation,
        },
    }


def explained() -> str:
    """Every scope with its reason, and what it lets the app do, as lines for a terminal."""
    lines = []
    for scope, why in SCOPES.items():
        uses = [name for table in (METHODS, EVENTS) for name, needs in table.items() if scope in needs]
        lines += [f"{scope}: {why}", *([f"    {', '.join(uses)}"] if uses else [])]
    lines += ["", "app-level token (Socket Mode alone), made by hand:", "connections:write: open the socket"]
    return "\n".join(lines)
