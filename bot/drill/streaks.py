"""Streaks, folded over a channel's rounds: no counter is kept, so none can be wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

FREEZES = 2
"""Freezes a member begins with, and the most they can hold."""

ANSWERS_PER_FREEZE = 10


@dataclass(frozen=True, slots=True)
class RoundSeen:
    """One round of the channel, from one member's side. Times are UTC-aware."""

    closes_at: datetime
    late_until: datetime  # an answer before this moment still keeps the streak
    answered: bool  # right or wrong, in time or late
    posted: bool  # False: the bot failed to post it
    excused: bool  # the member was on their pause


@dataclass(frozen=True, slots=True)
class Streak:
    """Consecutive rounds answered. ``freezes`` are still held, ``used_freezes`` were spent on misses."""

    current: int = 0
    longest: int = 0
    freezes: int = FREEZES
    used_freezes: int = 0


def excused(posts_at: datetime, closes_at: datetime, pauses: Iterable[tuple[datetime, datetime | None]]) -> bool:
    """Was the member on a pause at some moment while the round was open? Pauses are half-open, without an end where
    they still last: who goes away unanswered, or comes back to a round that began without them, misses nothing."""
    return any(start < closes_at and (end is None or posts_at < end) for start, end in pauses)


def streak(rounds: Iterable[RoundSeen], now: datetime) -> Streak:
    """The member's streak at ``now`` over the channel's rounds, oldest first.

    It starts with the first answer: rounds before it are a joiner's and do not count. A miss spends a freeze
    once its late period is over, and without one the streak starts again from nothing. Rounds that are still
    open or in their late period, that the bot failed to post, or that fell into the member's pause neither
    break it nor count, unless they were answered. A round a freeze was spent on does not count either.
    """
    current = longest = used = answers = 0
    held = FREEZES
    for seen in rounds:
        if seen.answered:
            answers += 1
            current += 1
            longest = max(longest, current)
            if answers % ANSWERS_PER_FREEZE == 0:
                held = min(held + 1, FREEZES)
        elif answers == 0 or not seen.posted or seen.excused or now < seen.late_until:
            continue
        elif held:
            held -= 1
            used += 1
        else:
            current = 0
    return Streak(current, longest, held, used)
