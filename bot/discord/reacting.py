"""Reactions as Discord tells of them, as the engine's events. They come in the order in which they happened.

When a reaction was left, Discord does not say; whoever takes one away comes without a name, which is no matter, since
only what is known of them can be taken away.
"""

from __future__ import annotations

import discord

from bot.chat import Place, Reacted, Who
from bot.drill.keycaps import keycap_of

Cleared = discord.RawReactionClearEvent | discord.RawReactionClearEmojiEvent


def reacted(event: discord.RawReactionActionEvent, me: int) -> Reacted | None:
    """Somebody left an emoji or took it away; ``None`` for bots, the own one among them, and outside of servers."""
    if event.guild_id is None or event.user_id == me or (event.member is not None and event.member.bot):
        return None
    if not event.emoji.is_unicode_emoji():
        return None
    added = event.event_type == "REACTION_ADD"
    if added and event.member is None:
        return None
    name = event.member.display_name if event.member is not None else ""
    who = Who("discord", str(event.guild_id), str(event.user_id), name)
    return Reacted("discord", _place(event), str(event.message_id), keycap_of(event.emoji.name), added, who)


def cleared(event: Cleared) -> Reacted | None:
    """All reactions were taken away, or all of one emoji."""
    if event.guild_id is None:
        return None
    emoji = ""
    if isinstance(event, discord.RawReactionClearEmojiEvent):
        if not event.emoji.is_unicode_emoji():
            return None
        emoji = keycap_of(event.emoji.name)
    return Reacted("discord", _place(event), str(event.message_id), emoji, added=False)


def _place(event: discord.RawReactionActionEvent | Cleared) -> Place:
    return Place(str(event.guild_id), str(event.channel_id))
