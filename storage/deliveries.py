"""The ledger: what has to be shown to which channel, who is at it, and what became of it.

One row a message or edit. At most one delivery of a schedule is under way, and they go out in the order of
(due time, rank, id), so a channel never sees a question before the close of the one before it. Only a result
or board that keeps failing lets later ones pass, after ``PATIENCE``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, cast

from sqlalchemy import Select, Table, Update, and_, bindparam, case, func, or_, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session
from sqlmodel import select as model_select

from storage.tables import Delivery, Schedule, Workspace

TABLE = cast(Table, Delivery.__table__)  # type: ignore[attr-defined]
SCHEDULE = cast(Table, Schedule.__table__)  # type: ignore[attr-defined]
WORKSPACE = cast(Table, Workspace.__table__)  # type: ignore[attr-defined]
PATIENCE = timedelta(hours=1)
"""How long later deliveries wait for one that fails: a platform that is down for half an hour mixes nothing up."""

OWN_PATIENCE = timedelta(minutes=10)
"""The same where the fault is in our own code: time alone will not mend it."""

LONGEST_REST = timedelta(hours=1)
"""How long a delivery rests before its next try at most, however long a platform asks for (the outbox keeps to that
itself): one that rests longer was put off by a clock that was set back since."""


class Step(StrEnum):
    """What is shown. The order here is the order at one instant."""

    CLOSE = "close"
    RESULT = "result"
    BOARD = "board"
    POST = "post"
    SEED = "seed"

    @property
    def rank(self) -> int:
        return list(Step).index(self)


class State(StrEnum):
    WAITING = "waiting"
    SENDING = "sending"
    UNSURE = "unsure"
    SENT = "sent"
    FAILED = "failed"
    MISSED = "missed"
    DROPPED = "dropped"


UNREADABLE = "unreadable"
"""How the error of a delivery begins that may have arrived where the platform does not let the bot look."""

UNFINISHED = (State.WAITING, State.SENDING, State.UNSURE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A delivery that one sender holds. ``look_first``: an earlier try may have arrived, so ask the platform."""

    id: int
    schedule_id: int
    step: Step
    subject_id: int
    key: str
    attempt: int
    look_first: bool
    first_sent_at: datetime
    due_at: datetime


def add(
    tx: Session, schedule_id: int, step: Step, subject_id: int, key: str, due_at: datetime, deadline: datetime | None
) -> None:
    """Note that something has to be shown; once per (step, subject), however often it is called."""
    statement = (
        insert(TABLE)
        .values(
            schedule_id=schedule_id,
            step=step.value,
            rank=step.rank,
            subject_id=subject_id,
            key=key,
            due_at=due_at,
            deadline=deadline,
            state=State.WAITING.value,
            attempt=0,
            holder="",
            error="",
        )
        .on_conflict_do_nothing(index_elements=["step", "subject_id"])
    )
    tx.connection().execute(statement)


def of(tx: Session, step: Step, subject_id: int) -> Delivery | None:
    return tx.exec(
        model_select(Delivery).where(Delivery.step == step.value, Delivery.subject_id == subject_id)
    ).one_or_none()


def overdue(tx: Session, now: datetime) -> Sequence[tuple[int, int, str, int, str]]:
    """(id, schedule, step, subject, last error) of waiting deliveries whose deadline has passed."""
    found = tx.connection().execute(_overdue(), {"now": now})
    return [(row[0], row[1], row[2], row[3], row[4]) for row in found]


@cache
def _overdue() -> Select[Any]:
    c = TABLE.c
    return select(c.id, c.schedule_id, c.step, c.subject_id, c.error).where(
        c.state == State.WAITING, c.deadline.is_not(None), c.deadline < bindparam("now", type_=c.due_at.type)
    )


def expire_leases(tx: Session, now: datetime, lease: timedelta) -> None:
    """A sender that did not report in time may or may not have sent: its deliveries are unsure now.

    A lease that ends later than any given now could was given by a clock that was set back since: it would hold
    its channel up for as long as the clock was wrong.
    """
    tx.connection().execute(_expire(), {"now": now, "impossible": now + 2 * lease})


@cache
def _expire() -> Update:
    c = TABLE.c
    over = c.lease_until < bindparam("now", type_=c.due_at.type)
    impossible = c.lease_until > bindparam("impossible", type_=c.due_at.type)
    return (
        update(TABLE)
        .where(c.state.in_((State.SENDING, State.UNSURE)), or_(over, impossible))
        .values(state=State.UNSURE.value, holder="", lease_until=None)
    )


def void_leases(tx: Session, look_at: datetime) -> int:
    """This process is the only one (it holds the lock), so whoever held a lease is dead.

    What it sent may still be on its way, so the platform is not asked before ``look_at``.
    """
    c = TABLE.c
    result = tx.connection().execute(
        update(TABLE)
        .where(c.state.in_((State.SENDING, State.UNSURE)), c.holder != "")
        .values(state=State.UNSURE.value, holder="", lease_until=None, not_before=look_at)
    )
    return result.rowcount


@cache
def _first_in_line() -> Select[Any]:
    """Due deliveries that nobody holds, at most one a schedule. Made once: building it costs more than running it.

    Parameters: ``now``, ``patience`` and ``own_patience`` (now less each), ``put_off`` (now and twice
    ``LONGEST_REST``), ``platforms``, ``most``.
    """
    c = TABLE.c
    now = bindparam("now", type_=c.due_at.type)
    # A result or board that has failed for a while steps aside, also where it may stand already and the platform
    # cannot be asked; a post only where that is forbidden for longer than it could be posted. Keycaps that could not be
    # left at once hold nothing up.
    post_aside = and_(c.step == Step.POST, c.state == State.UNSURE, c.deadline < now, c.error.startswith(UNREADABLE))
    aside = and_(
        c.state.in_((State.WAITING, State.UNSURE)),
        c.step.in_((Step.RESULT, Step.BOARD, Step.CLOSE, Step.SEED)),
        c.attempt > 0,
        or_(
            c.step == Step.SEED,
            c.due_at < bindparam("patience", type_=c.due_at.type),
            and_(c.error == "internal", c.due_at < bindparam("own_patience", type_=c.due_at.type)),
        ),
    )
    queue = (
        select(
            c.id,
            func.row_number()
            .over(
                partition_by=c.schedule_id,
                order_by=(case((or_(aside, post_aside), 1), else_=0), c.due_at, c.rank, c.id),
            )
            .label("place"),
        )
        .where(c.state.in_(UNFINISHED), c.due_at <= now)
        .subquery()
    )
    ours = (
        select(SCHEDULE.c.id)
        .join(WORKSPACE, WORKSPACE.c.id == SCHEDULE.c.workspace_id)
        # Parked: nothing can be shown there, so nothing is asked for.
        .where(SCHEDULE.c.channel_state == "", WORKSPACE.c.left_at.is_(None))
        .where(WORKSPACE.c.platform.in_(bindparam("platforms", expanding=True)))
    )
    busy = select(c.schedule_id).where(c.holder != "", c.state.in_((State.SENDING, State.UNSURE)))
    return (
        select(TABLE)
        .join(queue, queue.c.id == c.id)
        .where(
            queue.c.place == 1,
            c.holder == "",
            c.schedule_id.not_in(busy),
            c.schedule_id.in_(ours),
            or_(c.not_before.is_(None), c.not_before <= now, c.not_before > bindparam("put_off", type_=c.due_at.type)),
        )
        .order_by(c.due_at, c.rank, c.id)
        .limit(bindparam("most"))
    )


def claim(
    tx: Session, now: datetime, lease: timedelta, holder: str, platforms: Sequence[str], limit: int
) -> list[Claim]:
    """Take up to ``limit`` due deliveries, at most one a schedule, each the first in its schedule's order."""
    c = TABLE.c
    values = {
        "now": now,
        "patience": now - PATIENCE,
        "own_patience": now - OWN_PATIENCE,
        "put_off": now + 2 * LONGEST_REST,
        "platforms": list(platforms),
        "most": limit,
    }
    found = tx.connection().execute(_first_in_line(), values)
    claims = []
    for row in found.all():
        look_first = row.state == State.UNSURE
        first_sent_at = row.first_sent_at or now
        tx.connection().execute(
            update(TABLE)
            .where(c.id == row.id)
            .values(
                state=State.UNSURE.value if look_first else State.SENDING.value,
                attempt=row.attempt + 1,
                holder=holder,
                lease_until=now + lease,
                first_sent_at=first_sent_at,
            )
        )
        claims.append(
            Claim(
                id=row.id,
                schedule_id=row.schedule_id,
                step=Step(row.step),
                subject_id=row.subject_id,
                key=row.key,
                attempt=row.attempt + 1,
                look_first=look_first,
                first_sent_at=first_sent_at,
                due_at=row.due_at,
            )
        )
    return claims


def settle(tx: Session, claim: Claim, state: State, **values: Any) -> bool:
    """Report what became of a claim. ``False``: the claim is no longer held (it was given to another sender)."""
    c = TABLE.c
    result = tx.connection().execute(
        update(TABLE)
        .where(
            c.id == claim.id,
            c.attempt == claim.attempt,
            c.state.in_((State.SENDING, State.UNSURE)),
        )
        .values(state=state.value, holder="", lease_until=None, **values)
    )
    return result.rowcount == 1


def finish(tx: Session, delivery_id: int, state: State, error: str = "") -> None:
    """Close a delivery that nobody holds."""
    tx.connection().execute(
        update(TABLE).where(TABLE.c.id == delivery_id).values(state=state.value, holder="", error=error)
    )


def due_posts(tx: Session, schedule_id: int, now: datetime) -> Sequence[tuple[int, int]]:
    """(id, round) of the schedule's posts that are due and surely not sent."""
    c = TABLE.c
    statement = select(c.id, c.subject_id).where(
        c.schedule_id == schedule_id, c.step == Step.POST, c.state == State.WAITING, c.due_at <= now
    )
    return [(row[0], row[1]) for row in tx.connection().execute(statement)]


def revive(tx: Session, schedule_id: int, steps: Sequence[Step], since: datetime) -> int:
    """Deliveries that were refused, due after ``since``, wait to be sent again; how many."""
    c = TABLE.c
    which = (c.schedule_id == schedule_id, c.step.in_(list(steps)), c.state == State.FAILED, c.due_at > since)
    return tx.connection().execute(update(TABLE).where(*which).values(**_AGAIN)).rowcount


def look_again(tx: Session, delivery_id: int) -> None:
    """A delivery that was given up is tried again."""
    tx.connection().execute(update(TABLE).where(TABLE.c.id == delivery_id).values(**_AGAIN))


_AGAIN = {"state": State.UNSURE.value, "holder": "", "lease_until": None, "not_before": None, "error": ""}
"""What was refused is looked up before it is sent again: an earlier try of it may have arrived. ``attempt`` goes on
counting, so that a sender which froze long ago stays fenced off."""


def next_due(tx: Session, after: datetime) -> datetime | None:
    """When the next delivery falls due, may be tried again or loses its lease, after ``after``: for clocks that hop."""
    return tx.connection().execute(_next_due(), {"after": after}).scalar()


@cache
def _next_due() -> Select[Any]:
    c = TABLE.c
    moment = case(
        (c.lease_until.is_not(None), c.lease_until),
        (c.not_before > c.due_at, c.not_before),
        else_=c.due_at,
    )
    later = moment > bindparam("after", type_=c.due_at.type)
    return select(func.min(moment, type_=c.due_at.type)).where(c.state.in_(UNFINISHED), later)


def failed_in_a_row(tx: Session, schedule_id: int, step: Step, since: datetime | None) -> int:
    """How many of the schedule's last posts (results, boards) were refused, back from the newest to the last sent.

    Those that were due before ``since`` do not count: an admin has resumed the schedule after them.
    """
    c = TABLE.c
    which = [c.schedule_id == schedule_id, c.step == step, c.state.in_((State.SENT, State.FAILED))]
    if since is not None:
        which.append(c.due_at > since)
    ended = select(c.state).where(*which).order_by(c.due_at.desc()).limit(10)
    count = 0
    for (state,) in tx.connection().execute(ended):
        if state != State.FAILED:
            break
        count += 1
    return count
