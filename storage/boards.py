"""Board rows, and the sums that boards are made of, aggregated by the database.

Only closed rounds count. A board needs its first places, the number of people on it, and one member's
neighbours; none of these ever brings all members into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Table, and_, func, select
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session, col
from sqlmodel import select as model_select

from storage.tables import Answer, Board, Delivery, Member, Round

ANSWER = cast(Table, Answer.__table__)  # type: ignore[attr-defined]
MEMBER = cast(Table, Member.__table__)  # type: ignore[attr-defined]
ROUND = cast(Table, Round.__table__)  # type: ignore[attr-defined]
BOARD = cast(Table, Board.__table__)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Place:
    """One line of a board. Equal points share a rank (1, 2, 2, 4)."""

    rank: int
    member_id: int
    name: str
    points: int
    answered: int
    correct: int


def ensure(tx: Session, schedule_id: int, week: str, posts_at: datetime) -> int:
    """The id of the week's board row, made where there is none."""
    tx.connection().execute(
        insert(BOARD)
        .values(schedule_id=schedule_id, week=week, posts_at=posts_at, message_id="")
        .on_conflict_do_nothing(index_elements=["schedule_id", "week"])
    )
    c = BOARD.c
    return int(tx.connection().execute(select(c.id).where(c.schedule_id == schedule_id, c.week == week)).scalar_one())


def get(tx: Session, board_id: int) -> Board | None:
    return tx.get(Board, board_id)


def _sums(round_ids: Sequence[int], best_rounds: int | None) -> Any:
    """Per member over the rounds: points (of the best N rounds where asked), answers, right answers."""
    a = ANSWER.c
    where = and_(a.round_id.in_(round_ids), a.late.is_(False))
    if best_rounds is None:
        return (
            select(
                a.member_id,
                func.sum(a.points).label("points"),
                func.count().label("answered"),
                func.sum(a.correct).label("correct"),
            )
            .where(where)
            .group_by(a.member_id)
            .subquery("sums")
        )
    order = func.row_number().over(partition_by=a.member_id, order_by=a.points.desc()).label("nth")
    best = select(a.member_id, a.points, a.correct, order).where(where).subquery("best")
    counted = func.sum(best.c.points).filter(best.c.nth <= best_rounds)
    return (
        select(
            best.c.member_id,
            counted.label("points"),
            func.count().label("answered"),
            func.sum(best.c.correct).label("correct"),
        )
        .group_by(best.c.member_id)
        .subquery("sums")
    )


def _ranked(round_ids: Sequence[int], best_rounds: int | None) -> Any:
    sums = _sums(round_ids, best_rounds)
    m = MEMBER.c
    return (
        select(
            func.rank().over(order_by=sums.c.points.desc()).label("rank"),
            sums.c.member_id,
            m.name,
            sums.c.points,
            sums.c.answered,
            sums.c.correct,
        )
        .join(MEMBER, m.id == sums.c.member_id)
        .where(m.hidden.is_(False), m.left_at.is_(None))
        .subquery("ranked")
    )


def first_places(
    tx: Session, round_ids: Sequence[int], *, best_rounds: int | None = None, ranks: int = 5, cap: int = 10
) -> list[Place]:
    """Everybody on the first ``ranks`` ranks, at most ``cap`` lines."""
    if not round_ids:
        return []
    ranked = _ranked(round_ids, best_rounds)
    r = ranked.c
    statement = (
        select(r.rank, r.member_id, r.name, r.points, r.answered, r.correct)
        .where(r.rank <= ranks)
        .order_by(r.rank, func.lower(r.name), r.member_id)
        .limit(cap)
    )
    return [Place(*row) for row in tx.connection().execute(statement)]


def everybody(tx: Session, round_ids: Sequence[int], *, best_rounds: int | None = None) -> list[Place]:
    """The whole board, for small ones and for checks."""
    return first_places(tx, round_ids, best_rounds=best_rounds, ranks=1 << 30, cap=1 << 30)


def neighbours(tx: Session, round_ids: Sequence[int], member_id: int, *, best_rounds: int | None = None) -> list[Place]:
    """The member's line with the one above and the one below; empty where the member is not on the board."""
    if not round_ids:
        return []
    ranked = _ranked(round_ids, best_rounds)
    r = ranked.c
    place = func.row_number().over(order_by=(r.rank, func.lower(r.name), r.member_id)).label("place")
    lines = select(r.rank, r.member_id, r.name, r.points, r.answered, r.correct, place).subquery("lines")
    mine = select(lines.c.place).where(lines.c.member_id == member_id).scalar_subquery()
    statement = (
        select(lines.c.rank, lines.c.member_id, lines.c.name, lines.c.points, lines.c.answered, lines.c.correct)
        .where(lines.c.place.between(mine - 1, mine + 1))
        .order_by(lines.c.place)
    )
    return [Place(*row) for row in tx.connection().execute(statement)]


def ranks_of(
    tx: Session, round_ids: Sequence[int], member_ids: Sequence[int], *, best_rounds: int | None = None
) -> Mapping[int, int]:
    """The ranks these members have on the board of these rounds: what movement is measured from."""
    if not round_ids or not member_ids:
        return {}
    ranked = _ranked(round_ids, best_rounds)
    r = ranked.c
    rows = tx.connection().execute(select(r.member_id, r.rank).where(r.member_id.in_(member_ids)))
    return {row[0]: row[1] for row in rows}


def closed_rounds(tx: Session, schedule_id: int, first: Any, last: Any, now: datetime) -> list[int]:
    """Ids of the schedule's posted rounds with a local date in ``[first, last]`` that are closed by ``now``."""
    c = ROUND.c
    conditions = [c.schedule_id == schedule_id, c.state == "posted", c.closes_at <= now]
    if first is not None:
        conditions.append(c.local_date >= first)
    if last is not None:
        conditions.append(c.local_date <= last)
    return [row[0] for row in tx.connection().execute(select(c.id).where(and_(*conditions)).order_by(c.local_date))]


def move_unposted(tx: Session, schedule_id: int, now: datetime, due: Callable[[str], datetime | None]) -> None:
    """Give boards to come that nobody has begun to send a new time; one that ``due`` has no time for goes."""
    statement = (
        model_select(Board, Delivery)
        .join(Delivery, (col(Delivery.subject_id) == col(Board.id)) & (col(Delivery.step) == "board"))
        .where(
            Board.schedule_id == schedule_id,
            Board.posts_at > now,
            Delivery.state == "waiting",
            Delivery.attempt == 0,
        )
    )
    for board, delivery in tx.exec(statement).all():
        moment = due(board.week)
        if moment is None:
            tx.delete(delivery)
            tx.delete(board)
        else:
            board.posts_at = delivery.due_at = moment
            tx.add(board)
            tx.add(delivery)
    tx.flush()
