"""A real process of the bot: the real engine, lock, beat and file, on a platform that is an HTTP server elsewhere.

``python -m tests.faults.worker DATABASE PLATFORM NOW``: stands by until the file is free, then beats as a started bot
does, with a clock that shows NOW at its start, until its standard input ends or it is killed.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp

from bot.app import build
from bot.card import Card
from bot.chat import ChatError, Message, Place, Platform, Reaction
from bot.settings import Settings
from storage.lock import ProcessLock
from tests.usecases.stage import LIBRARY


class ShiftedClock:
    """The machine's clocks, with the wall clock set to another day."""

    def __init__(self, start: datetime) -> None:
        self._off = start - datetime.now(UTC)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._off

    def monotonic(self) -> float:
        return time.monotonic()


class HttpChat:
    """The platform over HTTP; what a broken line may mean is the caller's to say, as in the real ones."""

    platform: Platform = "playground"

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self.session = session

    async def _call(self, verb: str, **asked: Any) -> dict[str, Any]:
        try:
            async with self.session.post(f"{self.url}/{verb}", json=asked) as reply:
                if reply.status == 429:
                    raise ChatError("retry", "ratelimited", float(reply.headers["Retry-After"]))
                if reply.status >= 500:
                    raise ChatError("unsure", f"http_{reply.status}")
                found: dict[str, Any] = await reply.json()
                return found
        except aiohttp.ClientConnectorError:
            raise ChatError("retry", "no_connection") from None
        except aiohttp.ClientError as error:
            raise ChatError("unsure", type(error).__name__) from None

    async def post(self, place: Place, card: Card, key: str) -> Message:
        return Message((await self._call("post", channel=place.channel, key=key, text=card.text))["id"])

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        made = await self._call("post", channel=place.channel, key=key, text=card.text, thread=to.id)
        return Message(made["id"], to.id)

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        await self._call("edit", channel=place.channel, id=message.id, text=card.text)

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        made = await self._call("find", channel=place.channel, key=key)
        return Message(made["id"], thread.id if thread else "") if made["id"] else None

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        await self._call("tell", member=member, text=card.text)

    async def was_told(self, workspace: str, member: str, card: Card, since: datetime) -> bool | None:
        return None

    async def react(self, place: Place, message: Message, emoji: Sequence[str]) -> None:
        return None

    async def reactions(
        self, place: Place, message: Message, emoji: Sequence[str], known: Collection[str] = ()
    ) -> Sequence[Reaction]:
        return ()

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        return ()


async def run(database: str, platform: str, clock: ShiftedClock) -> None:
    app = build(
        Settings(database_url=f"sqlite:///{database}"),
        clock=clock,
        library=LIBRARY,
        beat_every=0.1,
        pictures=False,
    )
    app.outbox.void_leases()
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=3)) as session:
        app.chats["playground"] = HttpChat(platform, session)
        await app.ticker.start()
        await asyncio.to_thread(sys.stdin.read)
        await app.ticker.stop()
    app.close()


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    database, platform, now = sys.argv[1:]
    clock = ShiftedClock(datetime.fromisoformat(now))
    lock = ProcessLock(Path(database))
    lock.wait(lambda: say("standing by"), every=0.05)
    say("running")
    asyncio.run(run(database, platform, clock))


if __name__ == "__main__":
    main()
