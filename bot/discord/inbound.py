"""Discord's interactions as the engine's events. Nothing here decides anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import discord

from bot.chat import Who
from bot.texts import language_of

AnyInteraction = discord.Interaction[Any]
Values = dict[str, str | tuple[str, ...]]

HOLDING = frozenset({"text", "news", "forum", "public_thread", "private_thread", "news_thread"})
"""Kinds of channels in which drills can stand."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A channel or thread as an interaction tells of it; ``parent`` is the channel that a thread hangs in."""

    id: str
    name: str
    kind: discord.ChannelType
    parent: str = ""
    in_forum: bool = False

    @property
    def holds_drills(self) -> bool:
        return self.kind.name in HOLDING


def who(interaction: AnyInteraction) -> Who:
    """The person behind an interaction; admin is who may manage the server, as Discord says at this very use.

    Discord tells nobody's time zone. Roles are ids, taken as they were sent: the cache may not know the server yet.
    """
    rights = interaction.permissions
    return Who(
        platform="discord",
        workspace=str(interaction.guild_id or ""),
        member=str(interaction.user.id),
        name=interaction.user.display_name,
        workspace_name=(interaction.guild.name if interaction.guild else "") or "",
        language=str(interaction.locale),
        admin=rights.manage_guild or rights.administrator,
        roles=tuple(map(str, getattr(interaction.user, "_roles", ()))),
    )


def spot(interaction: AnyInteraction) -> Spot:
    """Where the interaction stands."""
    channel = interaction.channel
    name = getattr(channel, "name", None) or ""
    if isinstance(channel, discord.Thread):
        in_forum = isinstance(channel.parent, discord.ForumChannel)
        return Spot(str(channel.id), name, channel.type, str(channel.parent_id), in_forum)
    return Spot(str(interaction.channel_id or ""), name, channel.type if channel else discord.ChannelType.private)


def channels(interaction: AnyInteraction) -> tuple[str, ...]:
    """The ids of the channels that may be meant, the nearest first."""
    here = spot(interaction)
    return tuple(filter(None, (here.id, here.parent)))


def own_language(action: str, language: str) -> str:
    """``read:12:`` without a language means the reader's own."""
    return action + language_of(language) if re.fullmatch(r"read:\d+:", action) else action


def values(components: Iterable[Mapping[str, Any]]) -> Values:
    """What was filled in, by field: text, or the tuple of what was chosen."""
    found: Values = {}
    for component in components:
        if isinstance(component.get("component"), dict):
            found |= values((component["component"],))
        elif isinstance(component.get("components"), list):
            found |= values(component["components"])
        elif "custom_id" in component:
            found[str(component["custom_id"])] = _value(component)
    return found


def _value(component: Mapping[str, Any]) -> str | tuple[str, ...]:
    if component.get("type") == discord.ComponentType.text_input.value:
        return str(component.get("value") or "")
    chosen = component.get("values")
    if isinstance(chosen, list):
        return tuple(str(value) for value in chosen)
    value = component.get("value")
    return (str(value),) if value is not None else ()
