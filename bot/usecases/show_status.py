"""What the channel gets next, for admins: the schedule, its pause, the next rounds with their questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlmodel import Session

from bot.usecases.meet_member import Met
from bot.usecases.schedules import schedule_here
from bot.usecases.show_dates import Dates, show_dates
from bot.usecases.tell_notice import untold_of
from content.library import Library
from content.question import Question
from storage import rounds, schedules
from storage.tables import Round, Schedule, SchedulePause


@dataclass(frozen=True, slots=True)
class Status:
    """``parked``: why the channel is asked for nothing. ``dates``: those that differ from the week. ``untold``: what no
    admin is known to have been told. ``swapped``: dates to come whose question an admin chose."""

    schedule: Schedule
    pause: SchedulePause | None
    open: Round | None
    coming: tuple[tuple[Round, Question | None], ...]
    posted: int
    missed: int
    parked: str = ""
    untold: Sequence[tuple[str, dict[str, Any]]] = ()
    dates: Dates | None = None
    swapped: tuple[date, ...] = ()


def show_status(tx: Session, met: Met, channel_id: str, library: Library, now: datetime) -> Status:
    """The state of the channel's schedule. Errors: NoSchedule."""
    schedule = schedule_here(tx, met.workspace_id, channel_id)
    assert schedule.id is not None
    every = rounds.all_of(tx, schedule.id)
    pins = schedules.pins(tx, schedule.id)
    coming = [r for r in every if r.state == "planned"][:5]
    return Status(
        schedule,
        schedules.current_pause(tx, schedule.id, now),
        rounds.open_round(tx, schedule.id, now),
        tuple((r, library.get(r.question_id) if r.question_id else None) for r in coming),
        sum(r.state == "posted" for r in every),
        sum(r.state == "missed" for r in every),
        "left" if schedules.workspace_of(tx, schedule).left_at else schedule.channel_state,
        untold_of(tx, schedule, now),
        show_dates(tx, schedule, now),
        tuple(r.local_date for r in coming if pins.get(r.local_date) == r.question_id),
    )
