"""The beat goes on: when its scheduler sleeps, when a beat fails, when beats come too often, until a stop is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo

import apscheduler.schedulers.base
import pytest

from bot.card import Card
from bot.chat import Message, Place
from tests.faults.ledger import at
from tests.usecases.stage import Stage


async def until(true: Callable[[], bool], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 — what is waited for has no event of its own
            await asyncio.sleep(0.01)


def test_the_watchdog_beats_when_the_scheduler_waits_out_a_clock_that_was_set_back(
    drill: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """APScheduler reckons with the wall clock: set back an hour, it sleeps for an hour."""
    behind = timedelta(0)

    class Wall(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) - behind

    monkeypatch.setattr(apscheduler.schedulers.base, "datetime", Wall)
    ticker = drill.app.ticker
    ticker.every = 0.05

    async def live() -> None:
        nonlocal behind
        await ticker.start()
        await until(lambda: ticker.beats >= 3)
        behind = timedelta(hours=1)
        await asyncio.sleep(0.3)
        asleep = ticker.beats
        (job,) = ticker._scheduler.get_jobs()
        assert job.next_run_time - Wall.now(job.next_run_time.tzinfo) > timedelta(minutes=59)
        drill.clock.move_to(at("2026-12-01 09:30"))
        await until(lambda: ticker.beats > asleep)
        await until(lambda: len([w for w in drill.chat.log if w.kind == "post"]) == 2)
        await ticker.stop()

    asyncio.run(live())


def test_a_beat_that_fails_is_counted_and_the_next_one_works(drill: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = True
    beat = drill.app.outbox.beat

    async def sometimes() -> int:
        if failing:
            raise RuntimeError("on purpose")
        return await beat()

    monkeypatch.setattr(drill.app.outbox, "beat", sometimes)
    ticker = drill.app.ticker
    ticker.every = 0.02

    async def live() -> None:
        nonlocal failing
        await ticker.start()
        await until(lambda: ticker.failures >= 3)
        failing = False
        drill.clock.move_to(at("2026-12-01 09:30"))
        await until(lambda: len([w for w in drill.chat.log if w.kind == "post"]) == 2)
        await ticker.stop()

    asyncio.run(live())


def test_beats_and_wakes_at_the_same_moment_send_once(drill: Stage) -> None:
    drill.clock.move_to(at("2026-12-01 09:30"))
    ticker = drill.app.ticker

    async def live() -> None:
        for _ in range(5):
            ticker.wake()
        await asyncio.gather(*(ticker.beat() for _ in range(20)))

    asyncio.run(live())
    assert [w.kind for w in drill.chat.log if w.kind in ("post", "reply")] == ["post", "reply", "post"]


def test_stopping_lets_the_send_that_is_under_way_come_to_its_end(
    drill: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the next process has nothing to look up."""
    post, begun = drill.chat.post, asyncio.Event()

    async def slow(place: Place, card: Card, key: str) -> Message:
        begun.set()
        await asyncio.sleep(0.3)
        return await post(place, card, key)

    monkeypatch.setattr(drill.chat, "post", slow)
    drill.clock.move_to(at("2026-12-01 09:30"))

    async def live() -> None:
        await drill.app.ticker.start()
        await begun.wait()
        await drill.app.ticker.stop()

    asyncio.run(live())
    assert [r.local_date.day for r in drill.rounds("posted")] == [30, 1]


def test_no_thread_or_task_of_the_beat_is_left_after_a_stop(drill: Stage) -> None:
    async def live() -> set[str]:
        await drill.app.ticker.start()
        await until(lambda: drill.app.ticker.beats >= 1)
        await drill.app.ticker.stop()
        await asyncio.sleep(0.05)
        return {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}

    assert asyncio.run(live()) == set()
