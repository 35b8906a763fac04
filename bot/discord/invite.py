"""What the bot needs in a server, why, and the link that asks for exactly that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Right:
    """A permission: its name in Discord's settings, its bit (discord.com/developers, Permissions), and its use."""

    name: str
    bit: int
    why: str
    always: bool = True
    """Needed for every drill, not for one way of answering alone."""


VIEW = Right("View Channel", 1 << 10, "see the channels in which drills stand; without it Discord refuses every call")
SEND = Right("Send Messages", 1 << 11, "post the daily question and the board; in a forum, open a round's post")
ATTACH = Right("Attach Files", 1 << 15, "show boards and results as pictures")
HISTORY = Right(
    "Read Message History", 1 << 16, "find its own message when the connection broke while it was sent, and who reacted"
)
OPEN = Right("Create Public Threads", 1 << 35, "open the thread in which a round's answer is discussed")
IN_THREADS = Right("Send Messages in Threads", 1 << 38, "post the answer into that thread, and drills in threads")
REACT = Right("Add Reactions", 1 << 6, "put the keycaps 1️⃣ 2️⃣ … under a question, where reactions are on", always=False)

ASKED = (VIEW, SEND, OPEN, IN_THREADS, ATTACH, HISTORY, REACT)
"""All that the link asks for."""

RIGHTS = {right.name: right.bit for right in ASKED if right.always}
"""What every channel with drills needs, by the name that Discord's settings show."""

NOTHING: tuple[Right, ...] = ()
_CALLS: dict[str, tuple[Right, ...]] = {
    "POST /channels/{}/messages": (VIEW, SEND, IN_THREADS, ATTACH),
    "PATCH /channels/{}/messages/{}": (VIEW, ATTACH),
    "GET /channels/{}/messages": (VIEW, HISTORY),
    "GET /channels/{}/messages/{}": (VIEW, HISTORY),
    "POST /channels/{}/messages/{}/threads": (VIEW, OPEN),
    "POST /channels/{}/threads": (VIEW, SEND, ATTACH),
    "GET /channels/{}/threads/archived/public": (VIEW, HISTORY),
    "PUT /channels/{}/messages/{}/reactions/{}/@me": (VIEW, HISTORY, REACT),
    "GET /channels/{}/messages/{}/reactions/{}": (VIEW, HISTORY),
    "GET /channels/{}": (VIEW,),
    "PATCH /channels/{}": (VIEW, IN_THREADS),
    "GET /guilds/{}": NOTHING,
    "GET /guilds/{}/members/{}": NOTHING,
    "GET /guilds/{}/threads/active": NOTHING,
    "POST /users/@me/channels": NOTHING,
    "GET /users/@me": NOTHING,
    "GET /oauth2/applications/@me": NOTHING,
    "GET /gateway/bot": NOTHING,
    "GET /applications/{}/commands": NOTHING,
    "PUT /applications/{}/commands": NOTHING,
    "POST /interactions/{}/{}/callback": NOTHING,
    "POST /webhooks/{}/{}": NOTHING,
    "PATCH /webhooks/{}/{}/messages/@original": NOTHING,
}
"""Every call that the bot makes, and the permissions it needs there (discord.com/developers, by resource)."""

_PATTERNS = [(re.compile(re.escape(call).replace(r"\{\}", "[^/]+")), rights) for call, rights in _CALLS.items()]


def needed(method: str, path: str) -> tuple[Right, ...] | None:
    """The permissions that a call needs; ``None`` for one that the bot has no business to make."""
    return next((rights for pattern, rights in _PATTERNS if pattern.fullmatch(f"{method} {path}")), None)


def invite_url(application_id: int) -> str:
    """The link to open in a browser: adds the bot with its commands and the fewest permissions it needs."""
    rights = sum(right.bit for right in ASKED)
    asked = {"client_id": application_id, "scope": "bot applications.commands", "permissions": rights}
    return f"https://discord.com/oauth2/authorize?{urlencode(asked)}"


def explanation() -> str:
    """What the link asks for, a line each."""
    width = max(len(right.name) for right in ASKED)
    scopes = {"bot": "join the server", "applications.commands": "offer its commands there"}
    lines = [f"{right.name:<{width}}  {right.why}" for right in ASKED]
    return "\n".join([*(f"{name:<{width}}  {why}" for name, why in scopes.items()), *lines])
