"""Clocks. The engine is handed one; nothing else in the product asks what time it is."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """``now`` is UTC and may jump when somebody sets the wall clock; ``monotonic`` (seconds) never does."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class HandClock:
    """A clock that moves only when told to: for the demo, the simulation and tests."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._ran = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._ran

    def forward(self, by: timedelta) -> None:
        """Let ``by`` pass: both clocks move."""
        self._now += by
        self._ran += by.total_seconds()

    def move_to(self, moment: datetime) -> None:
        """Let time pass until ``moment`` (never backwards: use ``set`` for a jump of the wall clock)."""
        if moment > self._now:
            self.forward(moment - self._now)

    def set(self, moment: datetime) -> None:
        """Somebody set the wall clock: ``now`` jumps, ``monotonic`` does not."""
        self._now = moment.astimezone(UTC)
