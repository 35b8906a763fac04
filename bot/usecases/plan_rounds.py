"""Plan ahead: for every schedule the next rounds with their questions, their boards, and what must be sent when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

from sqlmodel import Session

from bot.drill.calendar import LOOK_AHEAD, Calendar, Week, board_instant, closes_at, next_occurrences, occurrences
from bot.usecases.schedules import calendar_of, choose_question, over_dates
from content.library import Library
from storage import audit, boards, deliveries, rounds, schedules
from storage.deliveries import State, Step
from storage.tables import Round, Schedule

AHEAD = 5
"""How many rounds to come are planned, so that *status* shows them with their questions."""

CATCH_UP = timedelta(hours=4)
"""How late a post may go out; after that the round is *missed*."""

NewKey = Callable[[], str]
"""Makes the name (≤ 25 ASCII characters) by which a platform recognises one delivery for ever."""


def plan_rounds(tx: Session, library: Library, now: datetime, new_key: NewKey) -> int:
    """Plan every schedule that needs it; how many rounds were planned.

    Dates that passed while the bot was down are planned as well: whether they can still be posted is
    decided by their deadline, so that none is missed in silence (of the last ``LOOK_AHEAD``: where more are
    gone, a clock was wrong).
    """
    take_back_what_is_to_come(tx, now)
    latest = now + LOOK_AHEAD
    return sum(plan_schedule(tx, schedule, library, now, new_key) for schedule in schedules.to_plan(tx, now, latest))


def take_back_what_is_to_come(tx: Session, now: datetime) -> None:
    """Where the clock ran ahead and was set back, dates to come were given up as missed: they are promised again.

    What was posted meanwhile stays posted; its date has its round.
    """
    for round_, delivery in rounds.missed_ahead(tx, now):
        round_.state, round_.reason, delivery.state, delivery.error = "planned", "", State.WAITING.value, ""
        tx.add(round_)
        tx.add(delivery)
        audit.take_back(tx, round_.schedule_id, "missed", str(round_.id))
        schedules.get(tx, round_.schedule_id).plan_at = now
    for board in boards.dropped_ahead(tx, now):
        board.state, board.attempt, board.error = State.WAITING.value, 0, ""
        tx.add(board)
    tx.flush()


def plan_schedule(tx: Session, schedule: Schedule, library: Library, now: datetime, new_key: NewKey) -> int:
    """Plan one schedule up to ``AHEAD`` rounds from now; how many rounds were planned."""
    assert schedule.id is not None
    calendar = calendar_of(tx, schedule)
    known = rounds.all_of(tx, schedule.id)
    taken = {round_.local_date: round_ for round_ in known}
    schedule.changed_at = min(schedule.changed_at, now)  # later only by a clock that was set back since
    start = max([schedule.changed_at, now - LOOK_AHEAD, *(r.posts_at for r in known if r.posts_at <= now)])
    over = over_dates(tx, schedule, calendar, now)
    upcoming = [found for found in next_occurrences(calendar, now, AHEAD + 1 + len(over)) if found[0] not in over]
    del upcoming[AHEAD + 1 :]
    dates = [*(found for found in occurrences(calendar, start, now) if found[0] not in over), *upcoming]
    planned = 0
    for (day, moment), following in zip(dates, [*(m for _, m in dates[1:]), None], strict=False):
        if following is None and len(upcoming) > AHEAD:
            continue
        if day not in taken:
            plan_round(tx, schedule, calendar, library, day, moment, following, now, new_key)
            planned += 1
        elif taken[day].state == "planned" and not taken[day].question_id and moment > now:
            fill_question(tx, schedule, library, taken[day])  # there was none, or it seemed too late for one
    # The next round's own time is the moment at which one more has to be planned.
    schedule.plan_at = upcoming[0][1] if upcoming else now + timedelta(days=1)
    tx.add(schedule)
    return planned


def plan_round(
    tx: Session,
    schedule: Schedule,
    calendar: Calendar,
    library: Library,
    day: date,
    moment: datetime,
    following: datetime | None,
    now: datetime,
    new_key: NewKey,
) -> Round:
    """Plan the round of one local date: its question, its close, its post and its week's board.

    A date that is too late to be posted asks nothing: it takes no question from those to come.
    """
    assert schedule.id is not None
    week = Week.of(day)
    board_at = board_instant(week, schedule.board_day, schedule.at, schedule.zone)
    round_ = Round(
        schedule_id=schedule.id,
        local_date=day,
        posts_at=moment,
        closes_at=closes_at(moment, timedelta(minutes=schedule.window_minutes), following, [board_at]),
        question_id="",
        topic="",
        option_order=[],
    )
    deadline = min(moment + CATCH_UP, round_.closes_at)
    if now <= deadline:
        fill_question(tx, schedule, library, round_)
    tx.add(round_)
    tx.flush()
    assert round_.id is not None
    deliveries.add(tx, schedule.id, Step.POST, round_.id, new_key(), moment, deadline)
    board_id = boards.ensure(tx, schedule.id, week.label, board_at)
    deliveries.add(tx, schedule.id, Step.BOARD, board_id, new_key(), board_at, None)
    return round_


def fill_question(tx: Session, schedule: Schedule, library: Library, round_: Round) -> bool:
    """Choose the round's question; ``False`` where none fits (tried again when the round is due)."""
    choice = choose_question(tx, schedule, library, round_)
    question = library.get(choice.question_id) if choice else None
    if choice is None or question is None:
        return False
    round_.question_id = question.id
    round_.topic = question.topic
    round_.used_up = choice.used_up
    return True


def forget_plans(tx: Session, schedule: Schedule, now: datetime) -> None:
    """The schedule changed: rounds to come that nobody has begun to send, and boards to come, are planned anew.

    Rounds that are due already stay as they are: their date was promised before the change.
    """
    assert schedule.id is not None
    for round_, delivery in rounds.unposted_with_delivery(tx, schedule.id):
        if round_.posts_at > now:
            tx.delete(delivery)
            tx.delete(round_)
    tx.flush()
    boards.move_unposted(tx, schedule.id, now, lambda week: _board_time(tx, schedule, week))


def _board_time(tx: Session, schedule: Schedule, label: str) -> datetime | None:
    """When the board of a week is due under the changed schedule: never before its posted rounds are closed."""
    assert schedule.id is not None
    week = Week.from_label(label)
    kept = rounds.between(tx, schedule.id, week.monday, week.sunday)
    if not kept:
        return None
    return max(
        [
            board_instant(week, schedule.board_day, schedule.at, schedule.zone),
            *(r.closes_at for r in kept if r.state in ("planned", "posted")),  # planned: due, on its way
        ]
    )
