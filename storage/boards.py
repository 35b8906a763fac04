"""Board rows, and the sums that boards are made of, aggregated by the database.

Only closed rounds count. A board needs its first places, the number of people on it, and one member's
neighbours; none of these ever brings all members into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import CTE, Table, and_, case, exists, func, or_, select
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session, col
from sqlmodel import select as model_select

from storage.tables import Answer, Board, Delivery, Member, Round

ANSWER = cast(Table, Answer.__table__)  # type: ignore[attr-defined]
MEMBER = cast(Table, Member.__table__)  # type: ignore[attr-defined]
ROUND = cast(Table, Round.__table__)  # type: ignore[attr-defined]
DELIVERY = cast(Table, Delivery.__table__)  # type: ignore[attr-defined]
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


def _sums(round_ids: Sequence[int], best_rounds: int | None) -> CTE:
    """Per shown member over the rounds: points (of the best N rounds where asked), answers, right answers.

    One pass over an index that holds all it needs. Who is hidden or has left is a short list, so leaving
    them out costs less than looking every member up.
    """
    a, m = ANSWER.c, MEMBER.c
    gone = select(m.id).where(or_(m.hidden.is_(True), m.left_at.is_not(None)))
    where = and_(a.round_id.in_(round_ids), a.late.is_(False), a.member_id.not_in(gone))
    if best_rounds is None:
        sums = (
            select(
                a.member_id,
                func.sum(a.points).label("points"),
                func.count().label("answered"),
                func.sum(a.correct).label("correct"),
            )
            .where(where)
            .group_by(a.member_id)
        )
    else:
        nth = func.row_number().over(partition_by=a.member_id, order_by=a.points.desc()).label("nth")
        best = select(a.member_id, a.points, a.correct, nth).where(where).subquery("best")
        sums = select(
            best.c.member_id,
            func.sum(case((best.c.nth <= best_rounds, best.c.points), else_=0)).label("points"),
            func.count().label("answered"),
            func.sum(best.c.correct).label("correct"),
        ).group_by(best.c.member_id)
    return sums.cte("sums").prefix_with("MATERIALIZED")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The head of a board and how many people are on it."""

    places: tuple[Place, ...]
    people: int


def first_places(
    tx: Session, round_ids: Sequence[int], *, best_rounds: int | None = None, ranks: int = 5, cap: int = 10
) -> Sheet:
    """Everybody on the first ``ranks`` ranks, at most ``cap`` lines, and the number of people on the board."""
    if not round_ids:
        return Sheet((), 0)
    sums = _sums(round_ids, best_rounds)
    s = sums.c
    people = select(func.count()).select_from(sums).scalar_subquery()
    statement = (
        select(s.member_id, s.points, s.answered, s.correct, people).order_by(s.points.desc(), s.member_id).limit(cap)
    )
    rows = tx.connection().execute(statement).all()
    if not rows:
        return Sheet((), 0)
    names = _names(tx, [row[0] for row in rows])
    places: list[Place] = []
    for number, row in enumerate(rows, 1):
        rank = places[-1].rank if places and places[-1].points == row[1] else number
        if rank > ranks:
            break
        places.append(Place(rank, row[0], names[row[0]], row[1], row[2], row[3]))
    places.sort(key=lambda p: (p.rank, p.name.casefold(), p.member_id))
    return Sheet(tuple(places), rows[0][4])


def everybody(tx: Session, round_ids: Sequence[int], *, best_rounds: int | None = None) -> tuple[Place, ...]:
    """The whole board, for small ones and for checks."""
    return first_places(tx, round_ids, best_rounds=best_rounds, ranks=1 << 30, cap=1 << 30).places


def neighbours(tx: Session, round_ids: Sequence[int], member_id: int, *, best_rounds: int | None = None) -> list[Place]:
    """The member's line with the one above and the one below; empty where the member is not on the board."""
    if not round_ids:
        return []
    sums = _sums(round_ids, best_rounds)
    s = sums.c
    run = tx.connection().execute
    columns = (s.member_id, s.points, s.answered, s.correct)
    mine = run(select(*columns).where(s.member_id == member_id)).one_or_none()
    if mine is None:
        return []
    before = or_(s.points > mine[1], and_(s.points == mine[1], s.member_id < member_id))
    after = or_(s.points < mine[1], and_(s.points == mine[1], s.member_id > member_id))
    above = run(select(*columns).where(before).order_by(s.points, s.member_id.desc()).limit(1)).one_or_none()
    below = run(select(*columns).where(after).order_by(s.points.desc(), s.member_id).limit(1)).one_or_none()
    rows = [row for row in (above, mine, below) if row is not None]
    names = _names(tx, [row[0] for row in rows])
    better = {row[1]: run(select(func.count()).select_from(sums).where(s.points > row[1])).scalar_one() for row in rows}
    return [Place(1 + better[row[1]], row[0], names[row[0]], row[1], row[2], row[3]) for row in rows]


def ranks_of(
    tx: Session, round_ids: Sequence[int], member_ids: Sequence[int], *, best_rounds: int | None = None
) -> Mapping[int, int]:
    """The ranks these members have on the board of these rounds: what movement is measured from."""
    if not round_ids or not member_ids:
        return {}
    sums = _sums(round_ids, best_rounds)
    mine, other = sums.alias("mine"), sums.alias("other")
    better = select(func.count()).select_from(other).where(other.c.points > mine.c.points).scalar_subquery()
    rows = tx.connection().execute(
        select(mine.c.member_id, 1 + better).select_from(mine).where(mine.c.member_id.in_(member_ids))
    )
    return {row[0]: row[1] for row in rows}


def active_people(tx: Session, workspace_id: int, round_ids: Sequence[int]) -> int:
    """How many members answered one of these rounds: the M of "N of M took part"."""
    if not round_ids:
        return 0
    a, m = ANSWER.c, MEMBER.c
    answered = exists(select(a.id).where(a.member_id == m.id, a.round_id.in_(round_ids)))
    statement = (
        select(func.count())
        .select_from(MEMBER)
        .where(m.workspace_id == workspace_id, m.hidden.is_(False), m.left_at.is_(None), answered)
    )
    return int(tx.connection().execute(statement).scalar_one())


def _names(tx: Session, member_ids: Sequence[int]) -> dict[int, str]:
    m = MEMBER.c
    names: dict[int, str] = {}
    for start in range(0, len(member_ids), 500):
        part = member_ids[start : start + 500]
        names |= {row[0]: row[1] for row in tx.connection().execute(select(m.id, m.name).where(m.id.in_(part)))}
    return names


def closed_rounds(tx: Session, schedule_id: int, first: Any, last: Any, now: datetime) -> list[int]:
    """Ids of the schedule's posted rounds with a local date in ``[first, last]`` that are closed by ``now``."""
    c = ROUND.c
    conditions = [c.schedule_id == schedule_id, c.state == "posted", c.closes_at <= now]
    if first is not None:
        conditions.append(c.local_date >= first)
    if last is not None:
        conditions.append(c.local_date <= last)
    return [row[0] for row in tx.connection().execute(select(c.id).where(and_(*conditions)).order_by(c.local_date))]


def dropped_ahead(tx: Session, now: datetime) -> Sequence[Delivery]:
    """Boards that were thought empty before their time, by a clock that ran ahead and was set back."""
    statement = model_select(Delivery).where(
        Delivery.step == "board", Delivery.state == "dropped", Delivery.due_at > now
    )
    return tx.exec(statement).all()


def begun_weeks(tx: Session, schedule_id: int, first_week: str, now: datetime) -> frozenset[str]:
    """The weeks from ``first_week`` on whose board was due and is made or begun: they take no more rounds.

    One that a clock which ran ahead made before its time counts for nothing here: its week is still to come.
    """
    c, d = BOARD.c, DELIVERY.c
    statement = (
        select(c.week)
        .join(DELIVERY, and_(d.subject_id == c.id, d.step == "board"))
        .where(
            c.schedule_id == schedule_id,
            c.week >= first_week,
            c.posts_at <= now,
            or_(d.state != "waiting", d.attempt > 0),
        )
    )
    return frozenset(row[0] for row in tx.connection().execute(statement))


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
