"""Take dates out of a channel's schedule or put them in: holidays of its own, make-up days, a skipped round."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal

from sqlmodel import Session

from bot.drill.calendar import instant, is_drill_date, local_date
from bot.drill.errors import DateGone, NoRoundThen, WrongInput
from bot.usecases.meet_member import Met
from bot.usecases.plan_rounds import NewKey, forget_plans, plan_schedule
from bot.usecases.schedules import calendar_of, coming_dates
from bot.usecases.set_schedule import SHOWN_DATES, Saved
from content.library import Library
from storage import audit, rounds, schedules
from storage.tables import Schedule

Kind = Literal["holiday", "skip", "extra"]

_NONE_SUCH = {
    "holiday": ("is no holiday of this channel's own", "不是本频道自己的假期"),
    "skip": ("is not skipped", "没有被跳过"),
    "extra": ("is no extra date", "不是加题日"),
}


def set_dates(
    tx: Session,
    met: Met,
    schedule: Schedule,
    days: Sequence[date],
    kind: Kind | None,
    verb: Kind,
    library: Library,
    now: datetime,
    new_key: NewKey,
) -> Saved:
    """``kind`` for these dates (``None``: as the week has them), and the rounds to come planned anew.

    All of them or none; what is taken back is what the same verb did, not another. Errors: DateGone for a date that is
    over, or whose round has begun; NoRoundThen where there is none to skip; WrongInput where nothing can be taken back.
    """
    assert schedule.id is not None
    calendar = calendar_of(tx, schedule)
    today = local_date(now, schedule.zone)
    for day in days:
        round_ = rounds.on(tx, schedule.id, day)
        begun = round_ is not None and (round_.state != "planned" or round_.posts_at <= now)
        too_late = kind == "extra" and instant(day, schedule.at, schedule.zone) <= now
        if day < today or begun or too_late:
            raise DateGone(day)
        if kind == "skip" and not is_drill_date(calendar, day):
            raise NoRoundThen(day)
    if kind is None:
        days = _own(tx, schedule.id, days, verb)
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


def kind_of(tx: Session, schedule: Schedule, day: date) -> str:
    """What an admin made of the date, ``""`` where it is as the week has it."""
    assert schedule.id is not None
    return next((row.kind for row in schedules.dates(tx, schedule.id) if row.day == day), "")


def _own(tx: Session, schedule_id: int, days: Sequence[date], verb: Kind) -> list[date]:
    """Those of the dates that the verb set."""
    set_before = {row.day for row in schedules.dates(tx, schedule_id) if row.kind == verb}
    found = [day for day in days if day in set_before]
    if not found:
        en, zh = _NONE_SUCH[verb]
        raise WrongInput(
            "date",
            f"{days[0]} {en}, so there is nothing to take back; /drill holiday lists the dates.",
            f"{days[0]} {zh}，没有可以收回的；/drill holiday 会列出日期。",
        )
    return found
