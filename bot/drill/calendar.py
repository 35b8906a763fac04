"""When a channel drills: local dates and wall times made into instants, and the bounds of weeks and months.

Local dates come first, instants follow from them (a library that steps from instant to instant loses a day
or counts one twice when clocks change). All instants given and taken are UTC-aware.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from bot.drill.reading import check_country, check_zone, parse_time, parse_weekdays

__all__ = [
    "LOOK_AHEAD",
    "Calendar",
    "Month",
    "Pause",
    "Week",
    "board_instant",
    "check_country",
    "check_zone",
    "closes_at",
    "day_exists",
    "holidays_of",
    "instant",
    "is_drill_date",
    "local_date",
    "next_occurrences",
    "occurrences",
    "parse_time",
    "parse_weekdays",
    "working_weekends_of",
]

LOOK_AHEAD = timedelta(days=400)
"""How far ``next_occurrences`` looks: a yearly extra date is still found, an empty calendar ends."""

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Pause:
    """A stretch without rounds, half open: ``start`` is inside, ``end`` is not. ``end`` None: until further notice."""

    start: datetime
    end: datetime | None

    def holds(self, moment: datetime) -> bool:
        """Whether ``moment`` lies inside."""
        return self.start <= moment and (self.end is None or moment < self.end)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The days and the time of a channel's schedule."""

    weekdays: frozenset[int]  # ISO: 1 Monday … 7 Sunday
    at: time  # local wall time
    zone: str  # IANA name
    country: str = ""  # of the ``holidays`` package, "CN" or with a subdivision "DE-BY"; "" = none
    holidays: frozenset[date] = frozenset()  # dates the admin took out
    extra_dates: frozenset[date] = frozenset()  # make-up days: they win over weekday and holiday, not over a pause
    pauses: tuple[Pause, ...] = ()


# --- instants ---------------------------------------------------------------------------------------------------


def instant(day: date, at: time, zone: str) -> datetime:
    """The moment (UTC) at which clocks in ``zone`` show ``at`` on ``day``.

    A time that exists twice is taken the first time; one that does not exist moves to the first valid instant
    after the gap. Where the whole day was skipped (Pacific/Apia, 2011-12-30) that is the start of the next day:
    such a day has no round, see ``day_exists``.
    """
    place = ZoneInfo(zone)
    wanted = datetime.combine(day, at.replace(tzinfo=None, fold=0))
    # PEP 495: without a gap, fold=0 is the first of two. In a gap, fold=0 reckons with the offset before it,
    # which gives a moment after the change, and fold=1 one before it.
    moment = wanted.replace(tzinfo=place).astimezone(UTC)
    if moment.astimezone(place).replace(tzinfo=None) == wanted:
        return moment
    return _change_between(wanted.replace(tzinfo=place, fold=1).astimezone(UTC), moment, place)


def _change_between(before: datetime, after: datetime, place: ZoneInfo) -> datetime:
    """The first whole second with the offset of ``after``; clocks change on whole seconds."""
    low, high = before.replace(microsecond=0), after.replace(microsecond=0)
    old = low.astimezone(place).utcoffset()
    while high - low > _SECOND:
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        if middle.astimezone(place).utcoffset() == old:
            low = middle
        else:
            high = middle
    return high


def local_date(moment: datetime, zone: str) -> date:
    """The date on the wall in ``zone``. Raises ``ValueError`` for a time without a zone of its own."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone; give the moment in UTC.")
    return moment.astimezone(ZoneInfo(zone)).date()


def day_exists(day: date, zone: str) -> bool:
    """False for the few dates that a zone skipped whole when it crossed the date line."""
    return local_date(instant(day, time(0), zone), zone) == day


# --- drill dates ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def holidays_of(country: str, year: int) -> frozenset[date]:
    """Public holidays, days in lieu included, of ``country`` ("CN", "DE-BY", "" = none) in ``year``."""
    if not country:
        return frozenset()
    from holidays import country_holidays  # slow to import: only those who keep holidays pay for it

    code, _, subdivision = country.partition("-")
    table = country_holidays(code, subdiv=subdivision or None, years=year)
    return frozenset(day for day in table if day.year == year)


@lru_cache(maxsize=512)
def working_weekends_of(country: str, year: int) -> frozenset[date]:
    """Weekend days that ``country`` declared working days (调休), known to the ``holidays`` package.

    They are for an admin to take over into ``extra_dates``; the calendar never adds them by itself.
    """
    if not country:
        return frozenset()
    from holidays import country_holidays

    code, _, subdivision = country.partition("-")
    table = country_holidays(code, subdiv=subdivision or None, years=year)
    return frozenset(day for day in getattr(table, "weekend_workdays", ()) if day.year == year)


def is_drill_date(calendar: Calendar, day: date) -> bool:
    """Whether ``day`` has a round. A pause is judged at the planned instant."""
    return _planned(calendar, day) is not None


def _planned(calendar: Calendar, day: date) -> datetime | None:
    if day not in calendar.extra_dates:
        if day.isoweekday() not in calendar.weekdays or day in calendar.holidays:
            return None
        if day in holidays_of(calendar.country, day.year):
            return None
    if not day_exists(day, calendar.zone):
        return None
    moment = instant(day, calendar.at, calendar.zone)
    return None if any(pause.holds(moment) for pause in calendar.pauses) else moment


def occurrences(calendar: Calendar, after: datetime, until: datetime) -> Iterator[tuple[date, datetime]]:
    """Each drill date with its planned instant in ``(after, until]``: one a date, strictly increasing."""
    day = local_date(after, calendar.zone)
    # One date more: clocks that go back over midnight show the old date again after the new one's instant.
    last = local_date(until, calendar.zone) + _DAY
    while day <= last:
        moment = _planned(calendar, day)
        if moment is not None and after < moment <= until:
            yield day, moment
        day += _DAY


def next_occurrences(calendar: Calendar, after: datetime, count: int) -> list[tuple[date, datetime]]:
    """The first ``count`` occurrences after ``after``; fewer where ``LOOK_AHEAD`` holds fewer."""
    found: list[tuple[date, datetime]] = []
    if count < 1:
        return found
    for occurrence in occurrences(calendar, after, after + LOOK_AHEAD):
        found.append(occurrence)
        if len(found) == count:
            break
    return found


# --- weeks and months -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class Week:
    """An ISO week, of local dates. Weeks sort by time."""

    year: int  # the ISO year: 2024-12-30 lies in 2025-W01
    number: int

    @classmethod
    def of(cls, day: date) -> Week:
        """The week that ``day`` lies in."""
        iso = day.isocalendar()
        return cls(iso.year, iso.week)

    @classmethod
    def from_label(cls, label: str) -> Week:
        """The week of a label that ``Week.label`` wrote."""
        year, number = label.split("-W")
        return cls(int(year), int(number))

    @property
    def monday(self) -> date:
        """The first date."""
        return date.fromisocalendar(self.year, self.number, 1)

    @property
    def sunday(self) -> date:
        """The last date."""
        return date.fromisocalendar(self.year, self.number, 7)

    @property
    def label(self) -> str:
        """As ISO 8601 writes it: ``2026-W49``."""
        return f"{self.year:04d}-W{self.number:02d}"

    def next(self) -> Week:
        """The week after."""
        return Week.of(self.sunday + _DAY)

    def previous(self) -> Week:
        """The week before."""
        return Week.of(self.monday - _DAY)

    def dates(self) -> tuple[date, ...]:
        """Its seven dates."""
        return tuple(self.monday + n * _DAY for n in range(7))


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A calendar month, of local dates. Months sort by time."""

    year: int
    number: int

    @classmethod
    def of(cls, day: date) -> Month:
        """The month that ``day`` lies in."""
        return cls(day.year, day.month)

    @property
    def first(self) -> date:
        """The first date."""
        return date(self.year, self.number, 1)

    @property
    def last(self) -> date:
        """The last date."""
        return self.next().first - _DAY

    @property
    def label(self) -> str:
        """As ISO 8601 writes it: ``2026-12``."""
        return f"{self.year:04d}-{self.number:02d}"

    def next(self) -> Month:
        """The month after."""
        return Month(self.year + self.number // 12, self.number % 12 + 1)

    def previous(self) -> Month:
        """The month before."""
        return Month.of(self.first - _DAY)

    def dates(self) -> tuple[date, ...]:
        """All its dates."""
        return tuple(self.first + n * _DAY for n in range((self.last - self.first).days + 1))


def board_instant(week: Week, board_day: int, at: time, zone: str) -> datetime:
    """When the board of ``week`` is posted: on ``board_day`` (ISO 1..7) of the week after it, at ``at``."""
    if not 1 <= board_day <= 7:
        raise ValueError(f"Board day {board_day} is no weekday; give 1 (Monday) to 7 (Sunday).")
    return instant(week.next().dates()[board_day - 1], at, zone)


def closes_at(
    posts_at: datetime, window: timedelta, next_round_at: datetime | None, boards: Iterable[datetime]
) -> datetime:
    """When a round planned for ``posts_at`` closes: the earliest of the end of its window, the channel's next
    planned round and the boards, of those after ``posts_at`` (at one instant the order is close, board, post)."""
    if window <= timedelta(0):
        raise ValueError(f"A window of {window} closes a round before it opens; give at least a minute.")
    ends = [posts_at + window, *boards]
    if next_round_at is not None:
        ends.append(next_round_at)
    return min(end for end in ends if end > posts_at)
