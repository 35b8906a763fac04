"""Can drills live in a channel? Reckoned from its overwrites, the server's roles and the bot's own, as Discord does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

VIEW = 1 << 10
SEND = 1 << 11
ATTACH = 1 << 15
HISTORY = 1 << 16
REACT = 1 << 6
OPEN_THREADS = 1 << 35
SEND_IN_THREADS = 1 << 38
ADMINISTRATOR = 1 << 3
EVERYTHING = (1 << 53) - 1

DIRECT, GROUP_DIRECT = 1, 3
THREADS = (10, 11, 12)
FORUM = 15
WITH_THREADS = (0, 5)
"""Types of channels in which a message can have a thread: text and announcement channels."""

Json = Mapping[str, Any]


def lacks(
    channel: Json, guild: Json | None, member: Json | None, *, parent: Json | None = None, reactions: bool = False
) -> list[str]:
    """What is missing, as names of cures (``bot/drill/trouble.py``). ``member`` is the bot itself.

    ``parent``: the channel that a thread hangs in, whose permissions it has.
    """
    kind = channel.get("type", 0)
    if kind in (DIRECT, GROUP_DIRECT) or guild is None or member is None:
        return ["direct"]
    if kind not in (*THREADS, FORUM, *WITH_THREADS):
        return ["no-text"]
    has = permissions((parent or channel).get("permission_overwrites") or (), guild, member)
    if not has & VIEW:
        return ["view"]
    metadata = channel.get("thread_metadata") or {}
    if metadata.get("archived") and metadata.get("locked"):
        return ["locked"]
    wanted = {**_posting(kind), "files": ATTACH, "history": HISTORY}
    if reactions:
        wanted["react"] = REACT
    return [cure for cure, bits in wanted.items() if has & bits != bits]


def _posting(kind: int) -> dict[str, int]:
    """What posting needs: in a forum and in a thread nothing has to be opened under a message."""
    if kind in THREADS:
        return {"threads": SEND_IN_THREADS}
    return {"send": SEND, "threads": SEND_IN_THREADS if kind == FORUM else OPEN_THREADS | SEND_IN_THREADS}


def permissions(overwrites: Sequence[Json], guild: Json, member: Json) -> int:
    """The member's permissions in the channel, as bits (discord.com/developers, Permissions: the documented order)."""
    me, everyone = str((member.get("user") or {}).get("id", "")), str(guild["id"])
    if me and me == str(guild.get("owner_id")):
        return EVERYTHING
    mine = {everyone, *(str(role) for role in member.get("roles") or ())}
    base = 0
    for role in guild.get("roles") or ():
        if str(role["id"]) in mine:
            base |= int(role["permissions"])
    if base & ADMINISTRATOR:
        return EVERYTHING
    by_id = {str(overwrite["id"]): overwrite for overwrite in overwrites}
    base = _apply(base, [by_id[everyone]] if everyone in by_id else [])
    base = _apply(base, [by_id[role] for role in mine - {everyone} if role in by_id])
    return _apply(base, [by_id[me]] if me in by_id else [])


def _apply(base: int, overwrites: Sequence[Json]) -> int:
    deny = allow = 0
    for overwrite in overwrites:
        deny |= int(overwrite.get("deny") or 0)
        allow |= int(overwrite.get("allow") or 0)
    return (base & ~deny) | allow
