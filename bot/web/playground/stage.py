"""Where the demo's clock and its visitors meet: who is looking, what the clock does, and the button that lets it go on.

Real seconds only; the demo's own time is the engine's clock. Used from one event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

State = Literal["running", "waiting", "finished"]

LINGER = 5.0
"""Seconds that a page counts as being looked at after its connection ended, or after a page without script was read."""


class Stage:
    """``zone`` is the channel's own. ``seconds`` is a clock that nobody sets."""

    def __init__(self, zone: str, seconds: Callable[[], float] = time.monotonic) -> None:
        self.zone = zone
        self.state: State = "running"
        self.closing = False
        self._seconds = seconds
        self._live: dict[str, int] = {}
        self._seen: dict[str, float] = {}
        self._active: dict[str, float] = {}
        self._asked_on = False
        self._woken = asyncio.Event()

    # --- what the page tells ---------------------------------------------------------------------------------

    @contextmanager
    def looking(self, member: str) -> Iterator[None]:
        """A page of this member is connected."""
        self._live[member] = self._live.get(member, 0) + 1
        try:
            yield
        finally:
            self._live[member] -= 1
            self._seen[member] = self._seconds()

    def saw(self, member: str) -> None:
        """A page was read."""
        self._seen[member] = self._seconds()

    def acted(self, member: str) -> None:
        """The member tapped, typed or sent something."""
        self._seen[member] = self._active[member] = self._seconds()

    def go_on(self) -> None:
        """Somebody wants the clock to go on."""
        self._asked_on = True
        self._woken.set()

    def close(self) -> None:
        """The program stops: pages let go of their connections."""
        self.closing = True
        self._woken.set()

    # --- what the demo asks ----------------------------------------------------------------------------------

    def present(self) -> list[str]:
        """Members that somebody looks through right now."""
        now = self._seconds()
        live = {member for member, count in self._live.items() if count}
        return sorted(live | {member for member, at in self._seen.items() if now - at < LINGER})

    def idle(self, since: float) -> float:
        """Seconds since anybody acted, or since ``since`` (of ``seconds``), whichever is later."""
        return self._seconds() - max([since, *self._active.values()])

    def take_go_on(self) -> bool:
        """Has somebody pressed *go on* since the last call?"""
        asked, self._asked_on = self._asked_on, False
        return asked

    async def rest(self, seconds: float) -> None:
        """Sleep, at most until somebody presses *go on* or the program stops."""
        self._woken.clear()
        if self._asked_on or self.closing:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass
