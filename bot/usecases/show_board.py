"""The board of a week, a month or all time, from closed rounds alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from sqlmodel import Session

from bot.drill.calendar import Month, Week, local_date
from bot.usecases.meet_member import Met
from bot.usecases.schedules import schedule_here
from storage import boards, schedules
from storage.boards import Place
from storage.tables import Schedule

Period = Literal["week", "month", "all"]

ACTIVE = timedelta(days=28)
"""Who answered in this stretch, its last day included, is counted among "N of M took part"."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One line. ``movement``: places up (+) or down (−) against the period before; ``None`` is new."""

    place: Place
    movement: int | None


@dataclass(frozen=True, slots=True)
class BoardView:
    """``first`` and ``last`` are local dates (all time: none). ``nearby``: the asking member and their neighbours."""

    schedule: Schedule
    period: Period
    label: str
    first: date | None
    last: date | None
    lines: tuple[BoardLine, ...]
    took_part: int
    active: int
    rounds: int
    nearby: tuple[Place, ...] = ()


def show_board(tx: Session, met: Met, channel_id: str, period: Period, now: datetime) -> BoardView:
    """The running board of the channel for the member who asks. Errors: NoSchedule."""
    schedule = schedule_here(tx, met.workspace_id, channel_id)
    today = local_date(now, schedule.zone)
    if period == "week":
        view = week_board(tx, schedule, Week.of(today), now)
    elif period == "month":
        month = Month.of(today)
        before = month.previous()
        view = _view(tx, schedule, period, month.label, (month.first, month.last), (before.first, before.last), now)
    else:
        view = _view(tx, schedule, period, "", None, None, now)
    ids = _round_ids(tx, schedule, (view.first, view.last), now)
    nearby = boards.neighbours(tx, ids, met.id, best_rounds=_best(schedule, period))
    shown = {line.place.member_id for line in view.lines}
    if met.id in shown:
        nearby = []
    return BoardView(
        view.schedule,
        view.period,
        view.label,
        view.first,
        view.last,
        view.lines,
        view.took_part,
        view.active,
        view.rounds,
        tuple(nearby),
    )


def week_board(tx: Session, schedule: Schedule, week: Week, now: datetime) -> BoardView:
    """The board of one ISO week as it stands at ``now``: a function of answers and week bounds alone."""
    before = week.previous()
    return _view(tx, schedule, "week", week.label, (week.monday, week.sunday), (before.monday, before.sunday), now)


def posted_board(tx: Session, board_id: int, now: datetime) -> BoardView:
    """The board of a board row."""
    board = boards.get(tx, board_id)
    assert board is not None
    return week_board(tx, schedules.get(tx, board.schedule_id), Week.from_label(board.week), now)


def _best(schedule: Schedule, period: Period) -> int | None:
    return schedule.best_rounds if period == "week" else None


def _round_ids(tx: Session, schedule: Schedule, span: tuple[date | None, date | None], now: datetime) -> list[int]:
    assert schedule.id is not None
    return boards.closed_rounds(tx, schedule.id, span[0], span[1], now)


def _view(
    tx: Session,
    schedule: Schedule,
    period: Period,
    label: str,
    span: tuple[date, date] | None,
    before: tuple[date, date] | None,
    now: datetime,
) -> BoardView:
    assert schedule.id is not None
    best = _best(schedule, period)
    first, last = span or (None, None)
    ids = _round_ids(tx, schedule, (first, last), now)
    sheet = boards.first_places(tx, ids, best_rounds=best)
    today = local_date(now, schedule.zone)
    until = min(last, today) if last else today
    since = until - ACTIVE + timedelta(days=1)
    recent = _round_ids(tx, schedule, (since, until), now)
    earlier: Mapping[int, int] = {}
    if before is not None:
        earlier = boards.ranks_of(
            tx, _round_ids(tx, schedule, before, now), [p.member_id for p in sheet.places], best_rounds=best
        )
    lines = tuple(BoardLine(p, earlier[p.member_id] - p.rank if p.member_id in earlier else None) for p in sheet.places)
    return BoardView(
        schedule,
        period,
        label,
        first,
        last,
        lines,
        sheet.people,
        boards.active_people(tx, schedule.workspace_id, recent),
        len(ids),
    )
