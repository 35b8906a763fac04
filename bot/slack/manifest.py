"""The app manifest: what Slack has to know about the app, with the fewest scopes it can do its work with."""

from __future__ import annotations

from typing import Any

from bot.settings import Settings
from bot.slack.entrance import PATH

SCOPES = {
    "chat:write": "post the question, its result and the board, and keep the count up to date",
    "commands": "hear /drill",
    "files:write": "upload the pictures of results and boards",
    "users:read": "know a member's name, language and time zone, and whether they are an admin",
    "im:write": "tell an admin privately when a post failed",
    "channels:read": "see whether it is in a public channel, and hear when one is renamed or archived",
    "groups:read": "the same for a private channel",
    "channels:history": "look up, after a lost reply, whether a message was posted in a public channel",
    "groups:history": "the same in a private channel",
}
"""Every scope with what it is needed for."""

EVENTS = ("app_uninstalled", "tokens_revoked")


def manifest(settings: Settings) -> dict[str, Any]:
    """The manifest to paste at https://api.slack.com/apps: Socket Mode, or HTTP where a public address is set."""
    over_http = bool(settings.public_url) and settings.slack_app_token is None
    address = {"request_url": settings.public_url + PATH} if over_http else {}
    url = {"url": settings.public_url + PATH} if over_http else {}
    return {
        "_metadata": {"major_version": 1, "minor_version": 1},
        "display_information": {
            "name": "Team Drills",
            "description": "One good question a day for engineering teams",
            "background_color": "#1c2330",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": True,
            },
            "bot_user": {"display_name": "Team Drills", "always_online": True},
            "slash_commands": [
                {
                    "command": "/drill",
                    "description": "Today's question, your progress, the board; admins set drills up",
                    "usage_hint": "today | answer C | me | board | setup | help",
                    "should_escape": False,
                    **url,
                }
            ],
        },
        "oauth_config": {"scopes": {"bot": sorted(SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS), **address},
            "interactivity": {"is_enabled": True, **address},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not over_http,
            "token_rotation_enabled": False,
        },
    }
