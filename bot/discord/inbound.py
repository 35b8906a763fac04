"""Discord's interactions as the engine's events. Nothing here decides anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import discord

from bot.chat import Command, Place, Submission, Tap, Who
from bot.texts import language_of

AnyInteraction = discord.Interaction[Any]
Values = dict[str, str | tuple[str, ...]]


def who(interaction: AnyInteraction) -> Who:
    """The person behind an interaction; admin is who may manage the server, as Discord says at this very use."""
    rights = interaction.permissions
    return Who(
        platform="discord",
        workspace=str(interaction.guild_id or ""),
        member=str(interaction.user.id),
        name=interaction.user.display_name,
        workspace_name=(interaction.guild.name if interaction.guild else "") or "",
        language=str(interaction.locale),
        admin=rights.manage_guild or rights.administrator,
    )


def place(interaction: AnyInteraction) -> Place:
    """The channel; what is said in a thread belongs to the channel that the thread hangs in."""
    channel = interaction.channel
    channel_id = channel.parent_id if isinstance(channel, discord.Thread) else interaction.channel_id
    return Place(str(interaction.guild_id or ""), str(channel_id or ""))


def channel_name(interaction: AnyInteraction) -> str:
    channel = interaction.channel
    if isinstance(channel, discord.Thread):
        return channel.parent.name if channel.parent else ""
    return getattr(channel, "name", None) or ""


def can_hold_threads(interaction: AnyInteraction) -> bool:
    """Is it a channel whose messages can have threads? A forum, a voice or a stage channel is not."""
    channel = interaction.channel
    if isinstance(channel, discord.Thread):
        return channel.parent is None or isinstance(channel.parent, discord.TextChannel)
    return isinstance(channel, discord.TextChannel)


def tap(interaction: AnyInteraction, action: str) -> Tap:
    """A button. ``read:12:`` without a language means the reader's own."""
    if re.fullmatch(r"read:\d+:", action):
        action += language_of(str(interaction.locale))
    return Tap(who(interaction), action, place(interaction))


def command(interaction: AnyInteraction, name: str, options: Mapping[str, str]) -> Command:
    return Command(who(interaction), place(interaction), name, dict(options), channel_name(interaction))


def submission(interaction: AnyInteraction, form: str, values: Values) -> Submission:
    return Submission(who(interaction), form, values, place(interaction))


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
