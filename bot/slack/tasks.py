"""Work that goes on after Slack was acknowledged: kept track of, logged when it fails, finished before the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from bot.chat import ChatError

log = logging.getLogger(__name__)
T = TypeVar("T")


class Tasks:
    """The running tasks of this platform."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run ``work`` beside everything else."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def finish(self, within: float) -> None:
        """Wait ``within`` seconds for what runs, then cancel the rest."""
        running = list(self._running)
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=within)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A refusal by the platform says all it has to say; a fault of ours needs its trace.
            log.warning("a task failed: %s", error, exc_info=None if isinstance(error, ChatError) else error)
