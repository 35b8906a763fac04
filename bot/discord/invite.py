"""What the bot needs in a server, and the link that asks for exactly that."""

from __future__ import annotations

from urllib.parse import urlencode

RIGHTS = {
    "View Channel": 1 << 10,
    "Send Messages": 1 << 11,
    "Attach Files": 1 << 15,
    "Read Message History": 1 << 16,
    "Create Public Threads": 1 << 35,
    "Send Messages in Threads": 1 << 38,
}
"""Discord's permissions by the name that its settings show, with their bits (discord.com/developers, Permissions).

History is read to find out whether a post whose reply was lost arrived.
"""


def invite_url(application_id: int) -> str:
    """The link to open in a browser: adds the bot with its commands and the fewest permissions it needs."""
    asked = {"client_id": application_id, "scope": "bot applications.commands", "permissions": sum(RIGHTS.values())}
    return f"https://discord.com/oauth2/authorize?{urlencode(asked)}"
