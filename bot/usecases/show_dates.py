"""The dates that were taken out of a channel's schedule or put in, and the public holidays to come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlmodel import Session

from bot.drill.calendar import holidays_of, local_date, working_weekends_of
from storage import schedules
from storage.tables import Schedule

SHOWN = 12


@dataclass(frozen=True, slots=True)
class Dates:
    """From today on, each in order. ``public``: of the country whose calendar is kept; ``make_up``: the weekends that
    the country works, which an admin may put in."""

    schedule: Schedule
    holidays: tuple[date, ...]
    skipped: tuple[date, ...]
    extra: tuple[date, ...]
    public: tuple[date, ...]
    make_up: tuple[date, ...]


def show_dates(tx: Session, schedule: Schedule, now: datetime) -> Dates:
    """The dates to come that differ from the week."""
    assert schedule.id is not None
    today = local_date(now, schedule.zone)
    rows = sorted((row for row in schedules.dates(tx, schedule.id) if row.day >= today), key=lambda row: row.day)

    def of(kind: str) -> tuple[date, ...]:
        return tuple(row.day for row in rows if row.kind == kind)

    years = (today.year, (today + timedelta(days=120)).year)
    public = sorted({day for year in years for day in holidays_of(schedule.country, year) if day >= today})
    weekends = sorted({day for year in years for day in working_weekends_of(schedule.country, year) if day >= today})
    make_up = tuple(day for day in weekends if day not in of("extra"))
    return Dates(schedule, of("holiday"), of("skip"), of("extra"), tuple(public[:SHOWN]), make_up[:SHOWN])
