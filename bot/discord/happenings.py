"""What Discord tells of servers, channels and threads, as the engine's happenings. Nothing here decides anything.

A server that is *unavailable* (an outage of Discord's) was not left: the library tells the two apart, and only what
was left is told on. People who leave are not told of without a privileged intent: see ``leavers``.
"""

from __future__ import annotations

from collections.abc import Iterator

import discord

from bot.chat import Happening, HappeningKind

AnyChannel = discord.abc.GuildChannel | discord.Thread


def joined(guild: discord.Guild) -> Happening:
    """The bot was brought to a server. Who brought it is told only to those who may read the audit log, so the
    server's owner stands for them.
    """
    owner = str(guild.owner_id) if guild.owner_id else ""
    return Happening("discord", str(guild.id), "workspace_joined", name=guild.name or "", member=owner)


def left(guild_id: int) -> Happening:
    """The bot was removed from a server, or the server is gone."""
    return Happening("discord", str(guild_id), "workspace_left")


def deleted(channel: discord.abc.GuildChannel) -> Happening:
    """A channel is gone."""
    return _of(channel, "channel_deleted")


def thread_deleted(thread: discord.RawThreadDeleteEvent) -> Happening:
    """A thread is gone, whether the library knew it or not."""
    return Happening("discord", str(thread.guild_id), "channel_deleted", str(thread.thread_id))


def changed(before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> Iterator[Happening]:
    """Another name, another kind of channel, other permissions."""
    if before.name != after.name:
        yield _of(after, "channel_renamed")
    if before.type != after.type:
        yield _of(after, "channel_converted")
    yield from allowed(before, after)


def allowed(before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> Iterator[Happening]:
    """Is the channel hidden from the bot now, or shown to it again?"""
    could, can = _visible(before), _visible(after)
    if could and not can:
        yield _of(after, "bot_removed")
    elif can and not could:
        yield _of(after, "bot_added")


def thread_changed(before: discord.Thread, after: discord.Thread) -> Iterator[Happening]:
    """Another name; locked and folded away (only moderators can open it again), or open again.

    A thread that is folded away but not locked opens by itself with the next post.
    """
    if before.name != after.name:
        yield _of(after, "channel_renamed")
    was, is_ = (thread.archived and thread.locked for thread in (before, after))
    if was != is_:
        yield _of(after, "channel_archived" if is_ else "channel_unarchived")


def thread_seen(event: discord.RawThreadUpdateEvent) -> Iterator[Happening]:
    """The same for a thread that the library had forgotten, as it does with those that are folded away."""
    workspace, thread, data = str(event.guild_id), str(event.thread_id), event.data
    metadata = data["thread_metadata"]
    shut = metadata["archived"] and metadata.get("locked", False)
    kind: HappeningKind = "channel_archived" if shut else "channel_unarchived"
    yield Happening("discord", workspace, kind, thread, data.get("name") or "")


def _of(channel: AnyChannel, kind: HappeningKind) -> Happening:
    return Happening("discord", str(channel.guild.id), kind, str(channel.id), channel.name or "")


def _visible(channel: discord.abc.GuildChannel) -> bool:
    # Without the bot's own roles (a server that is not there yet) nothing can be said.
    me = channel.guild.me
    return me is None or channel.permissions_for(me).view_channel
