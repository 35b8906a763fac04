"""When a member may be reminded of a round, and what of: rules alone."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

FIRST_HOUR, LAST_HOUR = time(9), time(18)
"""Working hours, Monday to Friday in the member's zone: from the first, before the last."""

PATIENCE = timedelta(hours=2)
"""How long a round waits before it reminds anybody; half of its time where that is shorter."""

LAST_CALL = timedelta(minutes=10)
"""Later than this before close nobody is reminded."""

MOST_IGNORED = 3

Kind = Literal["remind", "pause"]


def in_working_hours(now: datetime, zone: str) -> bool:
    """Is it Monday to Friday, 09:00 to before 18:00, on the clocks of ``zone``?"""
    local = now.astimezone(ZoneInfo(zone))
    return local.isoweekday() <= 5 and FIRST_HOUR <= local.time() < LAST_HOUR


def is_due(posts_at: datetime, closes_at: datetime, now: datetime, zone: str) -> bool:
    """May a member with clocks of ``zone`` be reminded now of a round that they have not answered?"""
    patience = min(PATIENCE, (closes_at - posts_at) / 2)
    return posts_at + patience <= now < closes_at - LAST_CALL and in_working_hours(now, zone)


def next_kind(ignored: int, asked: bool) -> Kind | None:
    """What to send after ``ignored`` reminders in a row without an answer: another one, the question whether to pause,
    or, where that was asked already, nothing."""
    if asked:
        return None
    return "pause" if ignored >= MOST_IGNORED else "remind"
