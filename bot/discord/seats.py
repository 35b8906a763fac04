"""Who acts, and for which channel: in a channel, in a thread, in a forum, in a direct message."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import discord

from bot.chat import Command, Place, Submission, Tap, Who
from bot.discord import inbound
from bot.discord.checks import ADMINISTRATOR, permissions
from bot.discord.inbound import AnyInteraction, Spot, Values
from bot.discord.slash import SETS_ELSEWHERE
from bot.drill.errors import UnknownRound, WrongInput
from bot.usecases.channel_days import channel_meant, channel_with_drills
from storage.database import Database

MANAGE_SERVER = 1 << 5

NO_PLACE = WrongInput(
    "channel",
    "Drills need a text channel, a forum or a thread; use /drill setup in one, or name it with channel.",
    "每日一题需要文字频道、论坛频道或子区；请在其中使用 /drill setup，或用 channel 选项指定。",
)


@dataclass(frozen=True, slots=True)
class Seat:
    """A person and the channel that they speak of. ``workspace`` is named by a direct message's buttons alone."""

    who: Who
    place: Place
    channel_name: str = ""
    workspace: str = ""

    def tap(self, action: str) -> Tap:
        return Tap(self.who, inbound.own_language(action, self.who.language), self.place)

    def command(self, name: str, options: dict[str, str]) -> Command:
        return Command(self.who, self.place, name, options, self.channel_name)

    def submission(self, form: str, values: Values) -> Submission:
        return Submission(self.who, form, values, self.place)


class Seats:
    """Finds out what an interaction does not say by itself."""

    def __init__(self, database: Database, client: discord.Client) -> None:
        self._database = database
        self._client = client

    async def of(self, interaction: AnyInteraction) -> Seat:
        """The person, in the channel whose drills they see: a thread's own, else those of its channel."""
        here, who = inbound.spot(interaction), inbound.who(interaction)
        channel = here.id
        if here.parent:
            wanted = (here.id, here.parent)
            look = partial(channel_with_drills, platform=who.platform, workspace=who.workspace, channels=wanted)
            found = await asyncio.wrap_future(self._database.read(look))
            channel = found or here.parent
        return Seat(who, Place(who.workspace, channel), here.name if channel == here.id else "")

    async def for_command(self, interaction: AnyInteraction, name: str, elsewhere: Spot | None) -> Seat:
        """The same for a command; one that sets drills up may do that in another channel, or in a thread.

        Raises ``WrongInput`` where no drills can stand.
        """
        if name not in SETS_ELSEWHERE:
            return await self.of(interaction)
        here, who = elsewhere or inbound.spot(interaction), inbound.who(interaction)
        if not here.holds_drills:
            raise NO_PLACE
        channel, name = here.id, here.name
        if here.parent and elsewhere is None:
            meant = channel_meant(who.platform, who.workspace, here.id, here.parent, in_forum=here.in_forum)
            channel = await asyncio.wrap_future(self._database.read(meant))
        return Seat(who, Place(who.workspace, channel), name if channel == here.id else self._name(channel))

    async def at(self, interaction: AnyInteraction, channel: str) -> Seat:
        """The person, for a channel that a button or form names; it must be one of this server's.

        Raises ``UnknownRound`` for any other.
        """
        who = inbound.who(interaction)
        if not re.fullmatch(r"\d{1,20}", channel, re.ASCII):
            raise UnknownRound
        if channel in inbound.channels(interaction):
            here = inbound.spot(interaction)
            return Seat(who, Place(who.workspace, channel), here.name if channel == here.id else self._name(channel))
        try:
            found: Any = await self._client.http.get_channel(int(channel))
        except (discord.NotFound, discord.Forbidden):
            raise UnknownRound from None
        if str(found.get("guild_id")) != who.workspace:
            raise UnknownRound
        return Seat(who, Place(who.workspace, channel), str(found.get("name") or ""))

    async def by_message(self, interaction: AnyInteraction, workspace: str, *, as_admin: bool) -> Seat:
        """The person behind a button in a direct message, as their server knows them now.

        Raises ``UnknownRound`` for whoever is not in it (any more).
        """
        user, server = interaction.user, int(workspace)
        try:
            member: Any = await self._client.http.get_member(server, user.id)
            guild: Any = await self._client.http.get_guild(server, with_counts=False) if as_admin else None
        except (discord.NotFound, discord.Forbidden):
            raise UnknownRound from None
        rights = permissions((), guild, member) if guild else 0
        who = replace(
            inbound.who(interaction),
            workspace=workspace,
            name=member.get("nick") or user.display_name,
            admin=bool(rights & (MANAGE_SERVER | ADMINISTRATOR)),
            roles=tuple(str(role) for role in member.get("roles") or ()),
        )
        return Seat(who, Place(workspace, ""), workspace=workspace)

    def _name(self, channel: str) -> str:
        return getattr(self._client.get_channel(int(channel)), "name", None) or ""
