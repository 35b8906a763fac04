"""Let a channel's drills wait while nothing can be shown there, and go on when it can."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from bot.drill.trouble import CURES, ChannelState
from bot.usecases.claim_deliveries import miss
from bot.usecases.plan_rounds import forget_plans
from storage import audit, deliveries
from storage.deliveries import Step
from storage.tables import Schedule

STILL_WORTH_SHOWING = timedelta(days=14)
"""A result or board that was refused is shown after all when it is not older than this."""


def park(
    tx: Session, schedule: Schedule, state: ChannelState, now: datetime, reason: str = "", delivery_id: int = 0
) -> bool:
    """Ask the channel for nothing until it can be used again; an admin is told once. ``False``: it is known already.

    ``reason``: the cure to tell, where it says more than the state. ``delivery_id``: the delivery that met with it.
    """
    if schedule.channel_state in (state, "deleted"):
        return False
    assert schedule.id is not None
    schedule.channel_state = state
    schedule.trouble = [reason] if reason in CURES else []
    schedule.checked_at = now
    tx.add(schedule)
    if state == "deleted":
        tx.flush()
        forget_plans(tx, schedule, now)
    detail = {"state": state, "reason": reason or state, "delivery": delivery_id}
    audit.notice(tx, schedule.id, "parked", f"{state}:{now.isoformat()}", detail, now)
    return True


def unpark(tx: Session, schedule: Schedule, now: datetime) -> bool:
    """The channel can be used again: on with the next date. ``False``: it was not parked.

    Posts that fell due meanwhile are missed with the reason, so that there is no burst; closes, results and boards
    that waited are shown.
    """
    state = schedule.channel_state
    if not state:
        return False
    assert schedule.id is not None
    miss_due(tx, schedule, state, now)
    schedule.channel_state = ""
    schedule.trouble = []
    schedule.checked_at = None
    if state == "deleted":
        schedule.changed_at = now  # no dates were planned meanwhile
    schedule.plan_at = now
    tx.add(schedule)
    audit.take_back_untold(tx, schedule.id, "parked")
    revive_refused(tx, schedule.id, now)
    return True


def miss_due(tx: Session, schedule: Schedule, reason: str, now: datetime) -> None:
    """Posts of the schedule that are due and that nobody is sending are missed, for this reason."""
    assert schedule.id is not None
    for delivery_id, subject_id in deliveries.due_posts(tx, schedule.id, now):
        miss(tx, delivery_id, schedule.id, Step.POST, subject_id, reason, now, tell=False)


def revive_refused(tx: Session, schedule_id: int, now: datetime) -> int:
    """Closes, results and boards that were refused lately wait to be shown again; how many."""
    return deliveries.revive(tx, schedule_id, (Step.CLOSE, Step.RESULT, Step.BOARD), now - STILL_WORTH_SHOWING)
