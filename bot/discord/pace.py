"""How often the bot may begin a session with Discord: 1,000 times a day, else Discord resets its token."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Pace:
    """A bucket of starts: ``burst`` at once, then one every ``every`` seconds. 100 and 120 s: at most 820 a day."""

    burst: float = 100.0
    every: float = 120.0
    _left: float = 100.0
    _seen: float | None = None

    def __post_init__(self) -> None:
        self._left = self.burst

    def wait(self, now: float) -> float:
        """Seconds to wait before the next start, which is counted. ``now`` is monotonic, in seconds."""
        if self._seen is not None:
            self._left = min(self.burst, self._left + max(0.0, now - self._seen) / self.every)
        self._seen = now
        self._left -= 1
        return max(0.0, -self._left * self.every)
