"""A clock that tests move."""

from __future__ import annotations

import time


class MovingClock:
    """Seconds since 1970: stands still at ``start``, or goes with the real clock where none is given."""

    def __init__(self, start: float | None = None) -> None:
        self._start = start
        self._moved = 0.0

    def __call__(self) -> float:
        return (time.time() if self._start is None else self._start) + self._moved

    def advance(self, seconds: float) -> None:
        """Move by ``seconds``, backwards too: wall clocks do that."""
        self._moved += seconds
