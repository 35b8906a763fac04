"""The simulation's own calendar: which dates should have a round, reckoned without the product's rules.

It walks over dates with ``zoneinfo`` alone and looks for the instant minute by minute, so that a fault in
``bot.drill.calendar`` cannot hide in the count of what was expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from holidays import country_holidays

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Regime:
    """What the schedule said from ``since`` on (UTC, when the admin was told that it is saved)."""

    since: datetime
    weekdays: frozenset[int]
    at: time
    zone: str
    country: str
    board_day: int
    best: int | None


@dataclass(frozen=True, slots=True)
class Rest:
    """The channel rested: ``[start, end)``."""

    start: datetime
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Slot:
    """A date that should have a round, and when (UTC)."""

    day: date
    at: datetime


@cache
def first_instant(day: date, at: time, zone: str) -> datetime | None:
    """When clocks show ``at`` on ``day`` for the first time, or the first moment after where they skip it."""
    place = ZoneInfo(zone)
    wall = datetime.combine(day, at)
    noon = datetime.combine(day, time(12), UTC)
    offsets = {(noon + n * timedelta(hours=1)).astimezone(place).utcoffset() or timedelta() for n in range(-40, 41)}
    tries = sorted(wall.replace(tzinfo=UTC) - offset for offset in offsets)
    for moment in tries:
        if moment.astimezone(place).replace(tzinfo=None) == wall:
            return moment
    moment = tries[0]
    while moment.astimezone(place).replace(tzinfo=None) < wall:
        moment += MINUTE
    return moment if moment.astimezone(place).date() == day else None


@cache
def _holidays(country: str, year: int) -> frozenset[date]:
    return frozenset(country_holidays(country, years=year)) if country else frozenset()


def expected_slots(
    regimes: Sequence[Regime], rests: Sequence[Rest], extra: Sequence[datetime], end: datetime
) -> list[Slot]:
    """Every round that should have been, up to ``end``: the regimes' dates, less the rests, plus rounds asked for.

    ``extra``: when an admin asked for a round at once; it takes that local date's slot.
    """
    found: dict[date, datetime] = {}
    asked = [(moment, _regime_at(regimes, moment)) for moment in extra]
    for moment, regime in asked:
        day = moment.astimezone(ZoneInfo(regime.zone)).date()
        if day not in found:
            found[day] = moment
    for regime, following in zip(regimes, [*regimes[1:], None], strict=True):
        until = min(following.since, end) if following else end
        day = regime.since.astimezone(ZoneInfo(regime.zone)).date()
        while day <= until.astimezone(ZoneInfo(regime.zone)).date():
            due = _due(regime, day)
            if due is not None and regime.since < due <= until and day not in found and not _resting(rests, due):
                found[day] = due
            day += DAY
    return [Slot(day, at) for day, at in sorted(found.items(), key=lambda item: item[1])]


def board_due(regime: Regime, monday: date) -> datetime:
    """When the board of the week that begins on ``monday`` should be posted."""
    due = first_instant(monday + timedelta(days=6 + regime.board_day), regime.at, regime.zone)
    assert due is not None
    return due


def _due(regime: Regime, day: date) -> datetime | None:
    if day.isoweekday() not in regime.weekdays or day in _holidays(regime.country, day.year):
        return None
    return first_instant(day, regime.at, regime.zone)


def _resting(rests: Sequence[Rest], moment: datetime) -> bool:
    return any(rest.start <= moment and (rest.end is None or moment < rest.end) for rest in rests)


def _regime_at(regimes: Sequence[Regime], moment: datetime) -> Regime:
    return [regime for regime in regimes if regime.since <= moment][-1]


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A change of the zone's clocks: ``wall`` is a time of day that does not exist, or exists twice, on ``day``."""

    day: date
    wall: time


def clock_changes(zone: str, first: date, last: date) -> list[ClockChange]:
    """The changes in a stretch of dates, each with a time in the midst of the gap or fold."""
    place = ZoneInfo(zone)
    found = []
    moment = datetime.combine(first, time(), UTC)
    before = moment.astimezone(place).utcoffset() or timedelta()
    while moment.date() <= last:
        moment += 15 * MINUTE
        after = moment.astimezone(place).utcoffset() or timedelta()
        if after != before:
            # Between the two readings of the clock at the change lie the times that are skipped or repeated.
            midst = (moment + before).replace(tzinfo=None) + (after - before) / 2
            found.append(ClockChange(midst.date(), midst.time().replace(second=0, microsecond=0)))
        before = after
    return found
