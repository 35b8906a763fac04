"""The beat: APScheduler calls the outbox every second; a monotonic watchdog beats beside it.

The beat decides nothing, so it may come late, twice or not at all. APScheduler waits out a wall clock that
was set back; the watchdog measures with a clock that nobody can set and beats itself when that happens.
"""

from __future__ import annotations

import asyncio
import logging
import time

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from bot.outbox import Outbox

log = logging.getLogger(__name__)


class Ticker:
    """Beats every ``every`` seconds. ``wake`` asks for a beat at once."""

    def __init__(self, outbox: Outbox, every: float = 1.0) -> None:
        self.outbox = outbox
        self.every = every
        self.beats = 0
        self.failures = 0
        self._beating = asyncio.Lock()
        self._woken = asyncio.Event()
        self._last = time.monotonic()
        self._scheduler = AsyncIOScheduler(timezone="UTC")
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False

    async def start(self) -> None:
        """Begin to beat, on the running loop."""
        await self.outbox.find_stale()
        self._scheduler.add_job(
            self.beat,
            IntervalTrigger(seconds=self.every),
            max_instances=1,
            coalesce=True,
            misfire_grace_time=None,
        )
        self._scheduler.start()
        self._tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self._on_wake())]
        self.wake()

    async def stop(self) -> None:
        """Stop beating and let a beat that is under way finish."""
        self._stopping = True
        if self._scheduler.running:
            self._scheduler.pause()
        # Shutting down or cancelling would cut a beat off in the middle of a send: whoever holds the lock or
        # waits for it goes first.
        async with self._beating:
            pass
        await self.outbox.letters.rest()
        await asyncio.sleep(0)
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def wake(self) -> None:
        """Beat at once; safe to call from the loop's thread only."""
        self._woken.set()

    async def beat(self) -> int:
        """One beat; never two at a time. A failing beat is logged and the next one tries again."""
        async with self._beating:
            if self._stopping:
                return 0
            self._last = time.monotonic()
            self.beats += 1
            try:
                return await self.outbox.beat()
            except Exception:
                self.failures += 1
                log.exception("a beat failed; the next one tries again")
                return 0

    async def _on_wake(self) -> None:
        while True:
            await self._woken.wait()
            self._woken.clear()
            await self.beat()

    async def _watch(self) -> None:
        patience = max(5 * self.every, 3.0)
        while True:
            await asyncio.sleep(patience / 2)
            late = time.monotonic() - self._last
            if late > patience and not self._beating.locked():
                log.warning("no beat for %.1f s (was the clock set back?): the watchdog beats", late)
                await self.beat()
