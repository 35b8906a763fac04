"""Let a channel rest, until a moment or until further notice."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.drill.errors import AlreadyPaused
from bot.usecases.meet_member import Met
from bot.usecases.plan_rounds import forget_plans
from bot.usecases.schedules import schedule_here
from storage import audit, schedules
from storage.tables import Schedule, SchedulePause


def pause_schedule(tx: Session, met: Met, channel_id: str, until: datetime | None, now: datetime) -> Schedule:
    """Pause the channel's schedule from now on. Errors: NoSchedule, AlreadyPaused."""
    schedule = schedule_here(tx, met.workspace_id, channel_id)
    assert schedule.id is not None
    if schedules.current_pause(tx, schedule.id, now) is not None:
        raise AlreadyPaused
    rest(tx, schedule, until, "asked", now)
    detail = {"channel": channel_id, "until": until.isoformat() if until else None}
    audit.record(tx, met.workspace_id, met.id, now, "pause", detail)
    return schedule


def rest(tx: Session, schedule: Schedule, until: datetime | None, reason: str, now: datetime) -> None:
    """No rounds from ``now`` to ``until``; what was planned in between is planned anew."""
    assert schedule.id is not None
    tx.add(SchedulePause(schedule_id=schedule.id, starts_at=now, ends_at=until, reason=reason))
    tx.flush()
    forget_plans(tx, schedule, now)
    schedule.changed_at = now
    schedule.plan_at = now
    tx.add(schedule)
