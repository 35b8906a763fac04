"""End a channel's rest."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.drill.errors import NotPaused
from bot.usecases.meet_member import Met
from bot.usecases.park_schedule import revive_refused, unpark
from bot.usecases.plan_rounds import NewKey, forget_plans, plan_schedule
from bot.usecases.schedules import calendar_of, coming_dates, schedule_here
from bot.usecases.set_schedule import SHOWN_DATES, Saved
from content.library import Library
from storage import audit, schedules


def resume_schedule(tx: Session, met: Met, channel_id: str, library: Library, now: datetime, new_key: NewKey) -> Saved:
    """End the current pause, and what parked the channel; dates that passed meanwhile stay without a round.

    Errors: NoSchedule, NotPaused.
    """
    schedule = schedule_here(tx, met.workspace_id, channel_id)
    assert schedule.id is not None
    pause = schedules.current_pause(tx, schedule.id, now)
    # Where the channel waits the admin says that it can be used again; the next call shows whether it can.
    if not unpark(tx, schedule, now) and pause is None:
        raise NotPaused
    if pause is not None:
        pause.ends_at = now
        tx.add(pause)
        revive_refused(tx, schedule.id, now)
    schedule.changed_at = now
    tx.add(schedule)
    tx.flush()
    forget_plans(tx, schedule, now)
    plan_schedule(tx, schedule, library, now, new_key)
    audit.record(tx, met.workspace_id, met.id, now, "resume", {"channel": channel_id})
    return Saved(schedule, coming_dates(tx, schedule, calendar_of(tx, schedule), now, SHOWN_DATES))
