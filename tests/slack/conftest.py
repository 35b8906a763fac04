"""A bot on a temporary database, and a Slack whose clock is the bot's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio

from bot.clock import HandClock
from content.library import Library
from tests.slack.bank import LIBRARY
from tests.slack.many import OLD_KEY, ManyBot
from tests.slack.team import Bot, Way
from tests.standins.slack import SlackStandin

START = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)  # a Monday


@pytest.fixture
def clock() -> HandClock:
    return HandClock(START)


@pytest_asyncio.fixture
async def slack(clock: HandClock) -> AsyncIterator[SlackStandin]:
    """A Slack on the bot's clock; a test that leaves a violation behind fails."""
    async with SlackStandin(clock=lambda: clock.now().timestamp()) as standin:
        yield standin
    assert standin.violations == [], "The app did what Slack refuses or a careful app never does."


Start = Callable[..., Awaitable[Bot]]


@pytest_asyncio.fixture
async def start(slack: SlackStandin, clock: HandClock, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts bots on one database file, one after the other."""
    bots: list[Bot] = []

    async def begin(way: Way = "socket", library: Library = LIBRARY, ping_every: float = 5.0) -> Bot:
        bot = Bot(slack, clock, tmp_path / "drills.db", way, library, Random(len(bots)))
        bot.ping_every = ping_every
        bots.append(bot)
        await bot.begin()
        return bot

    yield begin
    for bot in bots:
        await bot.end()


@pytest_asyncio.fixture
async def bot(start: Start) -> Bot:
    """One bot on Socket Mode."""
    return await start()


@pytest_asyncio.fixture
async def brisk(start: Start) -> Bot:
    """One bot that notices a dead socket within a test."""
    return await start(ping_every=0.2)


HALF_AN_HOUR = timedelta(minutes=30)


StartMany = Callable[..., Awaitable[ManyBot]]


@pytest_asyncio.fixture
async def start_many(slack: SlackStandin, clock: HandClock, tmp_path: Path) -> AsyncIterator[StartMany]:
    """Starts bots that many workspaces install, on one database file; nobody has installed it yet."""
    bots: list[ManyBot] = []
    slack.workspace.revoked = "account_inactive"

    async def begin(way: Way = "http", keys: str = OLD_KEY, public_url: str = "") -> ManyBot:
        bot = ManyBot(slack, clock, tmp_path / "drills.db", way, LIBRARY, Random(len(bots)), keys, public_url)
        bots.append(bot)
        await bot.begin()
        return bot

    yield begin
    for bot in bots:
        await bot.end()


@pytest_asyncio.fixture
async def many(start_many: StartMany) -> ManyBot:
    """One such bot, over HTTP."""
    return await start_many()
