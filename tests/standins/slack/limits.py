"""How often a method may be called: Slack's tiers, per method, workspace and app.

A tier is "n or more a minute"; being strict, exactly n are let through in any 60 s. The special limits are Slack's own
words: one message a second and channel with short bursts, "several hundred" messages a minute and workspace, hundreds
of auth.test a minute. The tier of each method is that of Slack's published table
(``../shared/specs/slack-rate-limit-tiers.json``; a test compares).
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

PER_MINUTE = {"Tier1": 1, "Tier2": 20, "Tier3": 50, "Tier4": 100}

TIERS = {
    "apps.connections.open": "Tier1",
    "chat.update": "Tier3",
    "chat.delete": "Tier3",
    "chat.postEphemeral": "Tier4",
    "conversations.history": "Tier3",
    "conversations.replies": "Tier3",
    "conversations.info": "Tier3",
    "conversations.join": "Tier3",
    "conversations.open": "Tier3",
    "conversations.list": "Tier2",
    "conversations.members": "Tier4",
    "files.getUploadURLExternal": "Tier4",
    "files.completeUploadExternal": "Tier4",
    "files.info": "Tier4",
    "oauth.v2.access": "Tier4",
    "reactions.add": "Tier3",
    "reactions.get": "Tier3",
    "reactions.remove": "Tier2",
    "team.info": "Tier3",
    "users.info": "Tier4",
    "users.list": "Tier2",
    "users.conversations": "Tier2",
    "views.open": "Tier4",
    "views.push": "Tier4",
    "views.update": "Tier4",
    "views.publish": "Tier4",
}
SPECIAL = {"auth.test": 300, "chat.getPermalink": 600, "chat.postMessage": 300}
# A channel takes one message a second; this many may come at once before that is held against the app.
BURST = 3


@dataclass(slots=True)
class Window:
    """At most ``most`` calls in any ``seconds``."""

    most: int
    seconds: float = 60.0
    calls: deque[float] = field(default_factory=deque)

    def wait(self, now: float) -> float:
        """Seconds until a further call is let through; 0 when it may come now."""
        while self.calls and self.calls[0] <= now - self.seconds:
            self.calls.popleft()
        return 0.0 if len(self.calls) < self.most else self.calls[0] + self.seconds - now


@dataclass(slots=True)
class Bucket:
    """One call a second over time, ``BURST`` at once."""

    tokens: float = BURST
    at: float = -math.inf

    def wait(self, now: float) -> float:
        self.tokens = min(float(BURST), self.tokens + max(0.0, now - self.at))
        self.at = now
        return 0.0 if self.tokens >= 1 else 1 - self.tokens


class RateLimits:
    """Counts calls and says how long a caller must wait. Off until switched on, so that tests are fast."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.on = False
        self.commercial = False
        self.overrides: dict[str, int] = {}
        self._windows: dict[tuple[str, str], Window] = {}
        self._channels: dict[tuple[str, str], Bucket] = defaultdict(Bucket)

    def switch(self, *, on: bool, commercial: bool, overrides: dict[str, int]) -> None:
        """Start counting afresh; ``commercial`` is Slack's rule for apps sold outside its Marketplace."""
        self.on, self.commercial, self.overrides = on, commercial, overrides
        self._windows.clear()
        self._channels.clear()

    def per_minute(self, method: str) -> int | None:
        if method in self.overrides:
            return self.overrides[method]
        if self.commercial and method in ("conversations.history", "conversations.replies"):
            return 1
        if method in SPECIAL:
            return SPECIAL[method]
        return PER_MINUTE[TIERS[method]] if method in TIERS else None

    def retry_after(self, team: str, method: str, channel: str) -> int:
        """Whole seconds the caller must wait (Retry-After), or 0 when the call is taken and counted."""
        most = self.per_minute(method)
        if not self.on or most is None:
            return 0
        now = self._clock()
        window = self._windows.setdefault((team, method), Window(most))
        wait = window.wait(now)
        bucket = self._channels[team, channel] if method == "chat.postMessage" else None
        if bucket:
            wait = max(wait, bucket.wait(now))
        if wait > 0:
            return max(1, math.ceil(wait))
        window.calls.append(now)
        if bucket:
            bucket.tokens -= 1
        return 0
