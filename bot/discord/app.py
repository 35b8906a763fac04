"""Discord's edge: the gateway client, its commands and buttons, started under supervision."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import aiohttp
import discord
import yarl
from discord import app_commands

from bot.app import App
from bot.chat import Reacted
from bot.commands import nearest
from bot.discord import happenings, inbound, leavers, reacting
from bot.discord.chat import DiscordChat
from bot.discord.inbound import AnyInteraction, Spot
from bot.discord.outbound import PREFIX
from bot.discord.pace import Pace
from bot.discord.register import register
from bot.discord.replies import Replies
from bot.discord.seats import Seats
from bot.discord.slash import groups
from bot.discord.suggest import Suggesting
from bot.discord.views import ActionButton
from bot.discord.wording import Chinese
from bot.drill.errors import UnknownCommand
from bot.settings import DISCORD_API, Settings, SettingsFault
from bot.usecases.known_workspaces import known_workspaces

log = logging.getLogger(__name__)

FIRST_TRY = 20.0
"""Seconds that the start waits for Discord before it goes on without (and keeps trying)."""

LONGEST_PAUSE = 300.0
CALM = 600.0
"""Seconds of connection after which earlier failures are forgotten."""

PARTING = 3.0
"""Seconds that replies under way have at the end."""

REFUSED_LOGIN = (
    "DRILLS_DISCORD_TOKEN: Discord refuses this token; copy the current one from Bot → Reset Token of your application "
    "(docs/discord.md)."
)
MISSING_INTENTS = (
    "Discord refuses the connection because of privileged intents; this bot asks for none, so the token belongs to an "
    "application that something else has changed: make a new application (docs/discord.md)."
)


LATELY = timedelta(days=3)
"""How long ago the bot may have been brought to a server for its start to catch up on that."""


def intents() -> discord.Intents:
    """What Discord shall tell us: servers with their channels, and reactions. What people write is none of it."""
    return discord.Intents(guilds=True, guild_reactions=True)


class Tree(app_commands.CommandTree["DrillClient"]):
    """Commands; one that Discord still shows but we no longer have is answered like a mistyped one."""

    async def on_error(self, interaction: AnyInteraction, error: app_commands.AppCommandError, /) -> None:
        log.warning("a command could not be run: %s", error)
        name = error.name if isinstance(error, app_commands.CommandNotFound) else ""
        await self.client.replies.mistake(interaction, UnknownCommand(name[:40], nearest(name)))


class DrillClient(discord.AutoShardedClient):
    """discord.py's client for this product. Everything is started in ``setup_hook``; ``on_ready`` starts nothing.

    ``pace`` says how often it may begin a session.
    """

    def __init__(self, app: App, pace: Pace | None = None, **options: Any) -> None:
        # An operator need not be warned at every start that a bot which never speaks cannot.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        super().__init__(
            intents=intents(),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            max_ratelimit_timeout=30.0,
            **options,
        )
        self._app = app
        self._pace = pace or Pace()
        self._under_way: set[asyncio.Task[None]] = set()
        self._watching: asyncio.Task[None] | None = None
        self.chat = DiscordChat(self)
        self.replies = Replies(app.conversation, Seats(app.database, self))
        self.tree = Tree(self)
        self.on_set_up: Callable[[], None] = lambda: None
        self.registers = True
        """Whether the commands are told to Discord at log-in: once a process is enough."""
        self._shield()

    async def setup_hook(self) -> None:
        """Logged in, not yet connected: posting works from here on, however long the servers take to come."""
        self.add_dynamic_items(ActionButton)
        for group in groups(self._on_command, Suggesting(self._app).all()):
            self.tree.add_command(group)
        await self.tree.set_translator(Chinese())
        self._app.chats["discord"] = self.chat
        self._watching = asyncio.create_task(leavers.watch(self._app, self))
        if self.registers:
            await self._register()
        self.on_set_up()

    async def _register(self) -> None:
        try:
            await register(self.tree, self)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            # The commands of the last start still work; buttons and posts do in any case.
            log.error("the commands could not be registered with Discord: %s", error)

    # --- the connection --------------------------------------------------------------------------------------

    def _shield(self) -> None:
        """An event that the library cannot read shall not end the connection of every server."""
        parsers = self._connection.parsers
        for name in parsers.keys() - {"READY", "RESUMED"}:
            parsers[name] = partial(_parse, name, parsers[name])

    async def launch_shards(self) -> None:
        """Connect, unless Discord says that too many sessions were begun: then when it allows more."""
        _, gateway, given = await self.http.get_bot_gateway()
        limits = discord.SessionStartLimits(**given)
        # Where the library begins a session anew it would go to an address of its own.
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
        if limits.remaining < (self.shard_count or 1):
            pause = limits.reset_after / 1000
            log.error("Discord allows no more sessions for %.0f s; waiting (was the bot restarted in a loop?)", pause)
            await asyncio.sleep(pause)
        await super().launch_shards()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Called before each session is begun (not before one is resumed)."""
        pause = self._pace.wait(asyncio.get_running_loop().time())
        if pause:
            log.warning("Discord: too many sessions were begun lately; the next in %.0f s", pause)
            await asyncio.sleep(pause)
        await super().before_identify_hook(shard_id, initial=initial)

    # --- servers and channels --------------------------------------------------------------------------------

    async def on_ready(self) -> None:
        """Catch up on what happened to servers while the bot was away. Comes again after each lost session."""
        known = await asyncio.wrap_future(self._app.database.read(lambda tx: known_workspaces(tx, "discord")))
        here = {str(guild.id): guild for guild in self.guilds}
        for server in known.active - here.keys():
            if await self._is_gone(int(server)):
                await self._app.conversation.happened(happenings.left(int(server)))
        for server, guild in here.items():
            if server in known.left or (
                server not in known.active and _came_since(guild, self._app.clock.now() - LATELY)
            ):
                await self._app.conversation.happened(happenings.joined(guild))

    async def _is_gone(self, server: int) -> bool:
        """Asked of Discord itself, since a session may begin before it knows all servers."""
        try:
            await self.http.get_guild(server, with_counts=False)
        except (discord.NotFound, discord.Forbidden):
            return True
        except (discord.DiscordException, aiohttp.ClientError, OSError):
            return False
        return False

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self._app.conversation.happened(happenings.joined(guild))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self._app.conversation.happened(happenings.left(guild.id))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self._app.conversation.happened(happenings.deleted(channel))

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        for happening in happenings.changed(before, after):
            await self._app.conversation.happened(happening)

    async def on_raw_thread_delete(self, thread: discord.RawThreadDeleteEvent) -> None:
        await self._app.conversation.happened(happenings.thread_deleted(thread))

    async def on_raw_thread_update(self, event: discord.RawThreadUpdateEvent) -> None:
        if event.thread is None:  # else the library tells what changed
            for happening in happenings.thread_seen(event):
                await self._app.conversation.happened(happening)

    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        for happening in happenings.thread_changed(before, after):
            await self._app.conversation.happened(happening)

    # --- reactions -------------------------------------------------------------------------------------------

    async def on_raw_reaction_add(self, event: discord.RawReactionActionEvent) -> None:
        await self._on_reaction(reacting.reacted(event, self._me))

    async def on_raw_reaction_remove(self, event: discord.RawReactionActionEvent) -> None:
        await self._on_reaction(reacting.reacted(event, self._me))

    async def on_raw_reaction_clear(self, event: discord.RawReactionClearEvent) -> None:
        await self._on_reaction(reacting.cleared(event))

    async def on_raw_reaction_clear_emoji(self, event: discord.RawReactionClearEmojiEvent) -> None:
        await self._on_reaction(reacting.cleared(event))

    async def _on_reaction(self, event: Reacted | None) -> None:
        """Discord tells nothing twice: what cannot be stored now is made up for when the round closes."""
        if event is not None:
            await self._app.conversation.reacted(event)

    @property
    def _me(self) -> int:
        return self.user.id if self.user else 0

    # --- what people do --------------------------------------------------------------------------------------

    async def on_button(self, interaction: AnyInteraction, action: str) -> None:
        """A button of ours was pressed."""
        await self._track(self.replies.button(interaction, action))

    async def on_interaction(self, interaction: AnyInteraction) -> None:
        """Forms (which may have been opened by another process), and buttons that are none of ours."""
        data: Any = interaction.data or {}
        custom_id = str(data.get("custom_id", ""))
        if interaction.type is discord.InteractionType.modal_submit and custom_id.startswith(PREFIX):
            values = inbound.values(data.get("components", ()))
            await self._track(self.replies.form(interaction, custom_id.removeprefix(PREFIX), values))
        elif interaction.type is discord.InteractionType.modal_submit or (
            interaction.type is discord.InteractionType.component and not _is_ours(custom_id)
        ):
            await self._track(self.replies.stranger(interaction))

    async def close(self) -> None:
        """Close the connection when the replies under way are given."""
        if self._under_way and not self.is_closed():
            await asyncio.wait(self._under_way, timeout=PARTING)
        if self._watching is not None:
            self._watching.cancel()
        if self._app.chats.get("discord") is self.chat:
            del self._app.chats["discord"]
        await super().close()

    async def _on_command(
        self, interaction: AnyInteraction, name: str, options: dict[str, str], elsewhere: Spot | None
    ) -> None:
        await self._track(self.replies.command(interaction, name, options, elsewhere))

    async def _track(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await task


def _parse(name: str, parse: Callable[[Any], None], data: Any) -> None:
    try:
        parse(data)
    except Exception:
        log.exception("an event of Discord's (%s) could not be read; it is left out", name)


def _came_since(guild: discord.Guild, moment: datetime) -> bool:
    joined = guild.me.joined_at if guild.me else None
    return joined is not None and joined > moment


def _is_ours(custom_id: str) -> bool:
    """Will the registered button answer it?"""
    return ActionButton.__discord_ui_compiled_template__.fullmatch(custom_id) is not None


class Running:
    """The bot on Discord: connects, and connects again, until it is stopped or Discord refuses for good."""

    def __init__(self, app: App, token: str, first_pause: float = 1.0) -> None:
        self._app = app
        self._token = token
        self._first_pause = first_pause
        self._client: DrillClient | None = None
        self._tried = asyncio.Event()
        self._stopping = False
        self._registered = False
        self._pace = Pace()
        self._task: asyncio.Task[None] | None = None
        self.fault: SettingsFault | None = None
        self.says = "Discord: not reached yet; trying again until it answers."

    async def start(self) -> None:
        """Begin. Raises ``SettingsFault`` where Discord refuses the token at once."""
        self._task = asyncio.create_task(self._supervise())
        tried = asyncio.create_task(self._tried.wait())
        await asyncio.wait({tried, self._task}, timeout=FIRST_TRY, return_when=asyncio.FIRST_COMPLETED)
        tried.cancel()
        if self.fault is not None:
            await self.stop()
            raise self.fault

    async def stop(self) -> None:
        """Close cleanly; replies under way are given first."""
        self._stopping = True
        if self._client is not None:
            await self._client.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _supervise(self) -> None:
        loop = asyncio.get_running_loop()
        failures = 0
        while not self._stopping:
            began = loop.time()
            await self._once()
            self._tried.set()
            if self._stopping or self.fault is not None:
                return
            failures = 1 if loop.time() - began > CALM else failures + 1
            pause = min(self._first_pause * 2 ** (failures - 1), LONGEST_PAUSE)
            log.warning("Discord: connecting again in %.0f s", pause)
            await asyncio.sleep(pause)

    async def _once(self) -> None:
        """One life of a client: until it is closed, fails, or is refused."""
        client = self._client = DrillClient(self._app, self._pace)
        client.registers = not self._registered
        client.on_set_up = lambda: self._set_up(client)
        try:
            async with client:
                await client.start(self._token)
        except discord.LoginFailure:
            self._refuse(REFUSED_LOGIN)
        except discord.PrivilegedIntentsRequired:
            self._refuse(MISSING_INTENTS)
        except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
            if isinstance(error, discord.ConnectionClosed) and error.code == 4004:
                self._refuse(REFUSED_LOGIN)
            else:
                log.warning("Discord: the connection failed: %s", error)
        except Exception:
            log.exception("Discord: the client ended by a fault")

    def _set_up(self, client: DrillClient) -> None:
        name = client.user.name if client.user else "?"
        self.says = f"Discord: logged in as {name}."
        self._registered = True
        log.info(self.says)
        self._tried.set()

    def _refuse(self, sentence: str) -> None:
        self.fault = SettingsFault(sentence)
        log.error(sentence)


async def start_discord(app: App, settings: Settings) -> Running:
    """Start the bot with ``settings.discord_token``; ``says`` tells what became of it.

    An unreachable Discord is no fault: it is tried again until it answers. Raises ``SettingsFault`` for a token that
    Discord refuses.
    """
    if settings.discord_token is None:
        raise SettingsFault("DRILLS_DISCORD_TOKEN: set it to the token of your bot (docs/discord.md).")
    if settings.discord_api_url != DISCORD_API:
        # The library has no other way to be told; the gateway's address comes from there.
        discord.http.Route.BASE = settings.discord_api_url
    running = Running(app, settings.discord_token.get_secret_value())
    await running.start()
    return running
