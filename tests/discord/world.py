"""A Discord server in memory, with the real app, the real client, and people who press and type."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import discord
import simcord
from simcord.components import walk_components

from bot.app import App, build
from bot.clock import HandClock
from bot.discord.app import DrillClient
from bot.settings import Settings
from content.library import Library
from content.question import Question
from tests.discord.contract import check_requests

START = datetime(2026, 1, 1, 8, 0, tzinfo=UTC)
"""A Thursday; the channel's first round is due at 09:30 UTC."""


class World:
    """What a test needs: the clock, the channel, people, and what stands where."""

    def __init__(self, env: Any, database: str, library: Library, clock: HandClock, app: App) -> None:
        self.env = env
        self.app = app
        self.clock = clock
        self.library = library
        self.database = database
        self.locales: dict[str, str] = {}
        env.backend.subscribers.insert(0, self._speak)
        self.guild = env.create_guild(name="Team")
        self.channel = self.guild.create_text_channel("drills")
        managers = self.guild.create_role("Managers", permissions=discord.Permissions(manage_guild=True))
        self.admin = self.guild.add_member(env.create_user("ann"), roles=[managers])
        self.ben = self.guild.add_member(env.create_user("ben"))

    def person(self, name: str, locale: str = "en-US") -> Any:
        person = self.guild.add_member(self.env.create_user(name))
        self.locales[str(person.id)] = locale
        return person

    def _speak(self, event: str, payload: Any) -> None:
        """Gives each person's interactions the locale of their client."""
        if event == "INTERACTION_CREATE":
            person = (payload.get("member") or payload)["user"]["id"]
            payload["locale"] = self.locales.get(person, "en-US")

    async def setup(self, channel: Any = None, **options: str) -> None:
        """The admin sets the channel up by options and saves."""
        given = {"days": "mon-sun", "time": "09:30", "zone": "UTC", **options}
        shown = await self.admin.slash(channel or self.channel, "drill-admin setup", **given)
        saved = await self.admin.click(shown.response, label="Save")
        assert saved.response is not None

    async def until(self, moment: datetime) -> None:
        """Time passes until ``moment``; everything due by then is done."""
        by = moment - self.clock.now()
        self.clock.forward(by)
        await self.env.advance_time(by.total_seconds())
        await self.beat()

    async def at(self, day: int, hour: int, minute: int = 0, second: int = 1) -> None:
        await self.until(datetime(2026, 1, day, hour, minute, second, tzinfo=UTC))

    async def beat(self) -> None:
        await self.app.outbox.beat()
        await self.env.settle()

    async def restart(self) -> None:
        """A new process: another app and another client on the same file."""
        await self.env.settle()
        self.app.close()
        self.app = build_app(self.database, self.library, self.clock)
        await self.env.restart_bot(DrillClient(self.app))
        self.app.outbox.void_leases()

    def posts(self, channel: Any = None) -> list[discord.Message]:
        """What everybody sees in a channel (or thread), oldest first."""
        return [m for m in (channel or self.channel).history() if not m.flags.ephemeral and m.components]

    @property
    def threads(self) -> list[Any]:
        return list(self.channel.threads)


def texts(message: Any) -> str:
    """Everything a message shows as text."""
    components = raw_components(message)
    return "\n".join(c["content"] for c in walk_components(components) if c["type"] == 10)


def buttons(message: Any) -> list[str]:
    """The labels of a message's buttons."""
    components = raw_components(message)
    return [c["label"] for c in walk_components(components) if c["type"] == 2]


def lose_replies(w: World, lost: Callable[[Any], bool], error: Exception) -> list[str]:
    """From now on Discord carries out what ``lost`` picks, once, but its reply does not arrive."""
    http = w.env.bot.http
    real = http.request
    done: list[str] = []

    async def request(route: Any, **options: Any) -> Any:
        answer = await real(route, **options)
        if lost(route) and not done:
            done.append(route.path)
            raise error
        return answer

    http.request = request
    return done


def raw_components(message: Any) -> list[dict[str, Any]]:
    """A message's components, as Discord has them."""
    if isinstance(message, simcord.ResponseMessage):
        return message.components
    return [component.to_dict() for component in message.components]


def build_app(database: str, library: Library, clock: HandClock) -> App:
    settings = Settings(database_url=database)
    return build(settings, clock=clock, library=library, rng=Random(7))


@asynccontextmanager
async def world(tmp_path: Path, questions: Sequence[Question], *, check_errors: bool = True) -> AsyncIterator[World]:
    """A world with these questions, not set up yet. At the end every request is held against Discord's schema."""
    clock = HandClock(datetime(2026, 1, 1, tzinfo=UTC))
    library = Library.of(questions)
    database = f"sqlite:///{tmp_path}/drills.db"
    app = build_app(database, library, clock)
    made: World | None = None
    try:
        async with simcord.run(DrillClient(app), check_errors=check_errors, shard_count=1) as env:
            made = World(env, database, library, clock, app)
            clock.move_to(START)
            await env.advance_time((START - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds())
            yield made
            check_requests(env.http_requests)
    finally:
        (made.app if made else app).close()
