"""Can drills live in a channel? Read from ``conversations.info`` and from the scopes named in Slack's headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

NEEDED = ("chat:write", "files:write")
NEEDED_FOR_REACTIONS = ("reactions:read", "reactions:write")


def lacks(channel: Mapping[str, Any], scopes: Sequence[str] | None, *, reactions: bool = False) -> list[str]:
    """What is missing, as names of cures (``bot/drill/trouble.py``), the gravest first. No ``scopes``: not known."""
    if channel.get("is_im") or channel.get("is_mpim"):
        return ["direct"]
    if channel.get("is_archived"):
        return ["archived"]
    found = []
    if not channel.get("is_member"):
        found.append("uninvited")
    if channel.get("is_read_only") or channel.get("is_thread_only"):
        found.append("restricted")
    if channel.get("is_non_threadable"):
        found.append("threads")
    history = "groups:history" if channel.get("is_private") else "channels:history"
    if scopes is not None:
        if not {*NEEDED, history} <= set(scopes):
            found.append("scope")
        if reactions and not set(NEEDED_FOR_REACTIONS) <= set(scopes):
            found.append("react")
    if channel.get("is_ext_shared") or channel.get("is_pending_ext_shared"):
        found.append("shared")
    return found


def scopes_of(headers: Mapping[str, str] | None) -> list[str] | None:
    """The scopes that the token has, from the headers of any answer; ``None`` where they are not told."""
    for name, value in (headers or {}).items():
        if name.lower() == "x-oauth-scopes":
            return [scope.strip() for scope in value.split(",") if scope.strip()]
    return None
