"""What Slack said about calls that come too often: such calls rest until then, and no others.

Slack counts by workspace and method (posts also by channel), so one workspace never waits for another.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from bot.chat import ChatError

MOST_REMEMBERED = 10_000


class Rests:
    """``monotonic``: the time in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._until: OrderedDict[Hashable, float] = OrderedDict()

    def check(self, scope: Hashable) -> None:
        """Raises ``ChatError`` (*retry*) while calls of that scope rest: nothing is asked of Slack then."""
        left = self._until.get(scope, 0.0) - self._monotonic()
        if left > 0:
            raise ChatError("retry", "ratelimited", left, "busy")

    def note(self, scope: Hashable, error: ChatError) -> None:
        """Slack refused with a time to wait, perhaps."""
        if error.retry_after and error.outcome == "retry":
            self._until[scope] = self._monotonic() + error.retry_after
            self._until.move_to_end(scope)
            while len(self._until) > MOST_REMEMBERED:
                self._until.popitem(last=False)
