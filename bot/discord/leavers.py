"""Who has left a server. Discord tells of it only with a privileged intent, so those who answered lately are asked for,
one by one, once a day: who is gone leaves the boards.
"""

from __future__ import annotations

import asyncio
import logging

import aiohttp
import discord

from bot.app import App
from bot.chat import Happening
from bot.usecases.active_members import active_members

log = logging.getLogger(__name__)

FIRST = 3_600.0
"""Seconds after the start until the first look."""

EVERY = 86_400.0
BETWEEN = 1.0
"""Seconds between two members: far below Discord's fifty calls a second, which posts need."""

UNKNOWN_MEMBER = 10007


async def watch(app: App, client: discord.Client) -> None:
    """Looks for leavers for as long as the client lives."""
    pause = FIRST
    while True:
        await asyncio.sleep(pause)
        pause = EVERY
        try:
            await sweep(app, client)
        except Exception:
            log.exception("members who left could not be looked for")


async def sweep(app: App, client: discord.Client) -> int:
    """Ask for everybody who answered lately; how many have left. Ends early where Discord cannot be reached."""
    now, left = app.clock.now(), 0
    asked = await asyncio.wrap_future(app.database.read(lambda tx: active_members(tx, "discord", now)))
    for number, (server, member) in enumerate(asked):
        if number:
            await asyncio.sleep(BETWEEN)
        try:
            await client.http.get_member(int(server), int(member))
        except discord.NotFound as error:
            if error.code == UNKNOWN_MEMBER:
                left += 1
                await app.conversation.happened(Happening("discord", server, "member_left", member=member))
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            log.info("looking for members who left ends here: %s", error)
            break
    return left
