"""Take dates out of a channel's schedule or put them in: holidays of its own, make-up days, a skipped round."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal

from sqlmodel import Session

from bot.drill.calendar import instant, local_date
from bot.drill.errors import DateGone
from bot.usecases.meet_member import Met
from bot.usecases.plan_rounds import NewKey, forget_plans, plan_schedule
from bot.usecases.schedules import calendar_of, coming_dates
from bot.usecases.set_schedule import SHOWN_DATES, Saved
from content.library import Library
from storage import audit, rounds, schedules
from storage.tables import Schedule

Kind = Literal["holiday", "skip", "extra"]


def set_dates(
    tx: Session,
    met: Met,
    schedule: Schedule,
    days: Sequence[date],
    kind: Kind | None,
    verb: str,
    library: Library,
    now: datetime,
    new_key: NewKey,
) -> Saved:
    """``kind`` for these dates (``None``: as the week has them), and the rounds to come planned anew.

    All of them or none. Errors: DateGone for a date that is over, or whose round has begun.
    """
    assert schedule.id is not None
    today = local_date(now, schedule.zone)
    for day in days:
        round_ = rounds.on(tx, schedule.id, day)
        begun = round_ is not None and (round_.state != "planned" or round_.posts_at <= now)
        too_late = kind == "extra" and instant(day, schedule.at, schedule.zone) <= now
        if day < today or begun or too_late:
            raise DateGone(day)
    for day in days:
        schedules.set_date(tx, schedule.id, day, kind)
    schedule.changed_at = now
    tx.add(schedule)
    tx.flush()
    forget_plans(tx, schedule, now)
    plan_schedule(tx, schedule, library, now, new_key)
    detail = {"channel": schedule.channel_id, "dates": [day.isoformat() for day in days], "off": kind is None}
    audit.record(tx, met.workspace_id, met.id, now, verb, detail)
    return Saved(schedule, coming_dates(tx, schedule, calendar_of(tx, schedule), now, SHOWN_DATES))
