"""Rows of rounds and question snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import cast
from weakref import WeakKeyDictionary

from sqlalchemy import Pool, Table, bindparam, func
from sqlalchemy import select as select_core
from sqlmodel import Session, col, select

from content.question import Question, from_plain, to_plain
from storage.tables import Answer, Delivery, QuestionSnapshot, Round, Schedule, Workspace

_R, _S = cast(Table, Round.__table__).c, cast(Table, Schedule.__table__).c  # type: ignore[attr-defined]
_AS_POSTED = (
    select_core(_R.state, _R.fingerprint, _R.closes_at, _R.revealed_at, _S.changed_at)
    .join_from(cast(Table, Round.__table__), cast(Table, Schedule.__table__))  # type: ignore[attr-defined]
    .where(_R.id == bindparam("round_id"))
)
_seen: WeakKeyDictionary[Pool, dict[int, tuple[datetime, Round, Schedule]]] = WeakKeyDictionary()


def posted(tx: Session, round_id: int) -> tuple[Round, Schedule] | None:
    """A posted round with its schedule, to look at only: on the path of every click.

    A round that is being posted counts: who answers it has seen it, also where the platform's word for that is lost.
    What a posted round asks never changes, and a schedule says when it was changed, so both are kept in memory
    and one short statement tells whether they still hold.
    """
    batch = tx.info.get("batch", {})  # clicks that share a transaction share this look too
    if round_id in batch:
        return cast(tuple[Round, Schedule], batch[round_id])
    row = tx.connection().execute(_AS_POSTED, {"round_id": round_id}).one_or_none()
    if row is None or row.state == "missed" or row.fingerprint is None:
        return None
    kept = _seen.setdefault(tx.connection().engine.pool, {})
    found = kept.get(round_id)
    fresh = (row.changed_at, row.closes_at, row.revealed_at)
    if found is None or (found[0], found[1].closes_at, found[1].revealed_at) != fresh:
        round_ = tx.get_one(Round, round_id)
        schedule = tx.get_one(Schedule, round_.schedule_id)
        tx.expunge(round_)
        tx.expunge(schedule)
        if len(kept) >= 1024:
            kept.clear()
        found = kept[round_id] = (row.changed_at, round_, schedule)
    batch[round_id] = found[1], found[2]
    return found[1], found[2]


def is_open(round_: Round, now: datetime) -> bool:
    """Does it take timely answers? Never again once its result began to be shown, whatever the clock says."""
    return now < round_.closes_at and round_.revealed_at is None


def get(tx: Session, round_id: int) -> Round | None:
    return tx.get(Round, round_id)


def on(tx: Session, schedule_id: int, day: date) -> Round | None:
    return tx.exec(select(Round).where(Round.schedule_id == schedule_id, Round.local_date == day)).one_or_none()


def all_of(tx: Session, schedule_id: int) -> Sequence[Round]:
    """Every round of the schedule, by date."""
    return tx.exec(select(Round).where(Round.schedule_id == schedule_id).order_by(col(Round.local_date))).all()


def between(tx: Session, schedule_id: int, first: date, last: date) -> Sequence[Round]:
    """Rounds whose local date lies in ``[first, last]``, by date."""
    statement = (
        select(Round)
        .where(Round.schedule_id == schedule_id, Round.local_date >= first, Round.local_date <= last)
        .order_by(col(Round.local_date))
    )
    return tx.exec(statement).all()


def planned(tx: Session, schedule_id: int) -> Sequence[Round]:
    statement = (
        select(Round)
        .where(Round.schedule_id == schedule_id, Round.state == "planned")
        .order_by(col(Round.posts_at), col(Round.id))
    )
    return tx.exec(statement).all()


def open_round(tx: Session, schedule_id: int, now: datetime) -> Round | None:
    """The posted round that takes answers now: the one posted last, should two overlap.

    Numbers tell which that is; dates do not, where one was posted by a clock that ran ahead.
    """
    statement = (
        select(Round)
        .where(Round.schedule_id == schedule_id, Round.state == "posted", Round.closes_at > now)
        .where(col(Round.revealed_at).is_(None))
        .order_by(col(Round.number).desc())
        .limit(1)
    )
    return tx.exec(statement).one_or_none()


def newest_posted(tx: Session, schedule_id: int) -> Round | None:
    statement = (
        select(Round)
        .where(Round.schedule_id == schedule_id, Round.state == "posted")
        .order_by(col(Round.number).desc())
        .limit(1)
    )
    return tx.exec(statement).one_or_none()


def has_thread(tx: Session, schedule_id: int, thread: str) -> bool:
    """Does this thread hang on a message of one of the schedule's rounds? (On Discord it has the message's id.)"""
    hangs = (col(Round.thread_id) == thread) | (col(Round.message_id) == thread)
    return tx.exec(select(Round.id).where(Round.schedule_id == schedule_id, hangs).limit(1)).first() is not None


def next_number(tx: Session, schedule_id: int) -> int:
    """The number of the schedule's next round to be posted: one more than the highest so far."""
    highest = tx.exec(select(func.max(Round.number)).where(Round.schedule_id == schedule_id)).one()
    return (highest or 0) + 1


def keep(tx: Session, question: Question) -> str:
    """Keep the question as it stands; its fingerprint."""
    fingerprint = question.fingerprint
    if tx.get(QuestionSnapshot, fingerprint) is None:
        tx.add(
            QuestionSnapshot(
                fingerprint=fingerprint, question_id=question.id, version=question.version, plain=to_plain(question)
            )
        )
        tx.flush()
    return fingerprint


_questions: dict[str, Question] = {}


def question_of(tx: Session, fingerprint: str) -> Question:
    """The question as it was when the round was posted, parsed once a process: its content never changes."""
    question = _questions.get(fingerprint)
    if question is None:
        question = from_plain(tx.get_one(QuestionSnapshot, fingerprint).plain)
        if len(_questions) >= 4096:
            _questions.clear()
        _questions[fingerprint] = question
    return question


def unposted_with_delivery(tx: Session, schedule_id: int) -> Sequence[tuple[Round, Delivery]]:
    """Planned rounds that nobody has begun to send, with their delivery: what a changed schedule may plan anew."""
    statement = (
        select(Round, Delivery)
        .join(Delivery, (col(Delivery.subject_id) == col(Round.id)) & (col(Delivery.step) == "post"))
        .where(
            Round.schedule_id == schedule_id,
            Round.state == "planned",
            Delivery.state == "waiting",
            Delivery.attempt == 0,
        )
    )
    return tx.exec(statement).all()


def missed_ahead(tx: Session, now: datetime) -> Sequence[tuple[Round, Delivery]]:
    """Rounds that were given up before their time, by a clock that ran ahead and was set back; none was sent."""
    statement = (
        select(Round, Delivery)
        .join(Delivery, (col(Delivery.subject_id) == col(Round.id)) & (col(Delivery.step) == "post"))
        .where(Round.state == "missed", Round.posts_at > now, Delivery.state == "missed")
    )
    return tx.exec(statement).all()


def answered_count(tx: Session, round_id: int) -> int:
    """How many timely answers the round has."""
    return int(
        tx.exec(
            select(func.count()).select_from(Answer).where(Answer.round_id == round_id, col(Answer.late).is_(False))
        ).one()
    )


def stale(tx: Session, now: datetime) -> Sequence[int]:
    """Open rounds whose message shows another count than they have."""
    counts = (
        select(Answer.round_id, func.count().label("answered"))
        .where(col(Answer.late).is_(False))
        .group_by(col(Answer.round_id))
        .subquery()
    )
    statement = (
        select(Round.id)
        .join(counts, counts.c.round_id == col(Round.id))
        .where(Round.state == "posted", Round.closes_at > now, counts.c.answered != col(Round.shown_count))
    )
    return [round_id for round_id in tx.exec(statement) if round_id is not None]


def where_shown(tx: Session, round_id: int) -> tuple[str, str, str, str, str, int] | None:
    """(platform, workspace, channel, message, thread, schedule) of a posted round's message."""
    statement = (
        select(Round, Schedule, Workspace)
        .join(Schedule, col(Schedule.id) == col(Round.schedule_id))
        .join(Workspace, col(Workspace.id) == col(Schedule.workspace_id))
        .where(Round.id == round_id, Round.state == "posted")
        # A parked channel is asked for nothing; the close shows what it has missed.
        .where(Schedule.channel_state == "", col(Workspace.left_at).is_(None))
    )
    row = tx.exec(statement).one_or_none()
    if row is None:
        return None
    round_, schedule, workspace = row
    assert schedule.id is not None
    return (
        workspace.platform,
        workspace.external_id,
        schedule.channel_id,
        round_.message_id,
        round_.thread_id,
        schedule.id,
    )


def by_message(tx: Session, platform: str, workspace: str, channel: str, message_id: str) -> Round | None:
    """The posted round whose question stands in this message of the channel."""
    statement = (
        select(Round)
        .join(Schedule, col(Schedule.id) == col(Round.schedule_id))
        .join(Workspace, col(Workspace.id) == col(Schedule.workspace_id))
        .where(
            Workspace.platform == platform,
            Workspace.external_id == workspace,
            Schedule.channel_id == channel,
            Round.message_id == message_id,
            Round.state == "posted",
        )
    )
    return tx.exec(statement).first()


def count_shown(tx: Session, round_id: int, count: int) -> None:
    """The message shows this count now."""
    row = tx.get_one(Round, round_id)
    row.shown_count = count
    tx.add(row)
