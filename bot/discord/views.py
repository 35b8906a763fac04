"""The button that outlives every process: whatever it means stands in its custom id."""

from __future__ import annotations

import re
from typing import Any, Protocol, Self, cast

import discord

from bot.discord.outbound import PREFIX


class Hearer(Protocol):
    """The client, as the button sees it."""

    async def on_button(self, interaction: discord.Interaction[Any], action: str) -> None: ...


class ActionButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=re.escape(PREFIX) + r"(?P<action>[\s\S]+)"):
    """Registered once at start; the library makes one for each press, of a message of any age."""

    def __init__(self, item: discord.ui.Button[Any], action: str) -> None:
        super().__init__(item)
        self.action = action

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        return cls(cast("discord.ui.Button[Any]", item), match["action"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await cast(Hearer, interaction.client).on_button(interaction, self.action)
