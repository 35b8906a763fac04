"""Take today's slot at once instead of waiting for its time."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from bot.drill.calendar import Week, board_instant, closes_at, local_date, next_occurrences
from bot.drill.errors import NoQuestion, SlotTaken
from bot.usecases.meet_member import Met
from bot.usecases.plan_rounds import CATCH_UP, NewKey, plan_round
from bot.usecases.schedules import calendar_of, over_dates, schedule_here
from content.library import Library
from storage import audit, deliveries, rounds
from storage.deliveries import State, Step
from storage.tables import Round


def post_now(tx: Session, met: Met, channel_id: str, library: Library, now: datetime, new_key: NewKey) -> Round:
    """Make today's round due now. Errors: NoSchedule, SlotTaken, NoQuestion.

    On a day without a round one is made; a round that was posted or missed keeps its slot.
    """
    schedule = schedule_here(tx, met.workspace_id, channel_id)
    assert schedule.id is not None
    calendar = calendar_of(tx, schedule)
    today = local_date(now, schedule.zone)
    following = next((m for d, m in next_occurrences(calendar, now, 2) if d != today), None)
    round_ = rounds.on(tx, schedule.id, today)
    if round_ is None:
        if today in over_dates(tx, schedule, calendar, now):
            raise SlotTaken("over")
        round_ = plan_round(tx, schedule, calendar, library, today, now, following, now, new_key)
        if not round_.question_id:
            raise NoQuestion
    else:
        assert round_.id is not None
        delivery = deliveries.of(tx, Step.POST, round_.id)
        if round_.state != "planned" or delivery is None or delivery.state != State.WAITING:
            raise SlotTaken("missed" if round_.state == "missed" else "posted")
        if not round_.question_id:
            raise NoQuestion
        board_at = board_instant(Week.of(today), schedule.board_day, schedule.at, schedule.zone)
        window = timedelta(minutes=schedule.window_minutes)
        round_.posts_at = now
        round_.closes_at = closes_at(now, window, following, [board_at])
        delivery.due_at = now
        delivery.deadline = min(now + CATCH_UP, round_.closes_at)
        delivery.not_before = None
        tx.add(round_)
        tx.add(delivery)
    schedule.plan_at = now
    tx.add(schedule)
    audit.record(tx, met.workspace_id, met.id, now, "now", {"channel": channel_id, "date": today.isoformat()})
    return round_
