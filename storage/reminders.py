"""Rows of reminders: which were sent, and who is to be sent one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy import delete as delete_core
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session, col, update

from storage.tables import Answer, Member, MemberPause, Reminder, Round, Schedule, Workspace

ACTIVE = timedelta(days=28)
"""Who answered in a channel within this time is reminded of its rounds."""

LONGEST_OPEN = timedelta(days=31)
"""No round is open longer; it bounds the search."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member who wants reminders, and an open round that they have not answered. ``zone`` may be ``""``."""

    round_id: int
    member_id: int
    posts_at: datetime
    closes_at: datetime
    zone: str
    channel_zone: str
    channel: str
    platform: str
    workspace: str
    member: str
    language: str


def candidates(tx: Session, now: datetime, platforms: Sequence[str], limit: int) -> list[Candidate]:
    """From the few who want reminders to the rounds that wait for them: in their workspace, in channels where they
    answered lately and can answer now, none twice, none on a pause.
    """
    r, s, m, w = Round, Schedule, Member, Workspace
    earlier = (
        select(col(Answer.id))
        .join(r_ := Round.__table__.alias("earlier"), r_.c.id == col(Answer.round_id))  # type: ignore[attr-defined]
        .where(
            col(Answer.member_id) == col(m.id), r_.c.schedule_id == col(s.id), col(Answer.answered_at) > now - ACTIVE
        )
    )
    answered = select(col(Answer.id)).where(col(Answer.round_id) == col(r.id), col(Answer.member_id) == col(m.id))
    reminded = select(col(Reminder.id)).where(col(Reminder.round_id) == col(r.id), col(Reminder.member_id) == col(m.id))
    paused = select(col(MemberPause.id)).where(
        col(MemberPause.member_id) == col(m.id),
        or_(col(MemberPause.ends_at).is_(None), col(MemberPause.ends_at) > now),
    )
    statement = (
        select(
            col(r.id),
            col(m.id),
            col(r.posts_at),
            col(r.closes_at),
            col(m.chosen_zone),
            col(m.zone),
            col(s.zone),
            col(s.channel_name),
            col(s.channel_id),
            col(w.platform),
            col(w.external_id),
            col(m.external_id),
            col(m.chosen_language),
            col(m.language),
        )
        .select_from(m)
        .join(w, col(w.id) == col(m.workspace_id))
        .join(s, col(s.workspace_id) == col(w.id))
        .join(r, col(r.schedule_id) == col(s.id))
        .where(
            col(m.reminders).is_(True),
            col(m.opted_out_at).is_(None),
            col(m.left_at).is_(None),
            col(w.left_at).is_(None),
            col(s.channel_state) == "",
            col(w.platform).in_(list(platforms)),
            col(r.state) == "posted",
            col(r.posts_at) > now - LONGEST_OPEN,
            col(r.posts_at) <= now,
            col(r.closes_at) > now,
            col(r.revealed_at).is_(None),
            ~exists(answered),
            ~exists(reminded),
            ~exists(paused),
            exists(earlier),
        )
        .order_by(col(r.closes_at), col(r.id), col(m.id))
        .limit(limit)
    )
    return [
        Candidate(
            int(row[0] or 0), int(row[1] or 0), row[2], row[3], row[4] or row[5], row[6],
            f"#{row[7]}" if row[7] else row[8], row[9], row[10], row[11], row[12] or row[13],
        )
        for row in tx.connection().execute(statement)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Since:
    """Of one member since their last answer: reminders of rounds that are over, and whether they were asked already
    whether reminders should pause.
    """

    ignored: int
    asked: bool


def since_answer(tx: Session, member_id: int, now: datetime) -> Since:
    newest = select(func.max(col(Answer.answered_at))).where(col(Answer.member_id) == member_id).scalar_subquery()
    statement = (
        select(col(Reminder.kind), func.count())
        .join(Round, col(Round.id) == col(Reminder.round_id))
        .where(
            col(Reminder.member_id) == member_id,
            or_(col(Reminder.made_at) > newest, newest.is_(None)),
            or_(col(Reminder.kind) == "pause", and_(col(Reminder.kind) == "remind", col(Round.closes_at) <= now)),
        )
        .group_by(col(Reminder.kind))
    )
    found = {row[0]: row[1] for row in tx.connection().execute(statement)}
    return Since(found.get("remind", 0), "pause" in found)


def claim(tx: Session, round_id: int, member_id: int, kind: str, now: datetime) -> bool:
    """Write down that it is sent, before it is; ``False`` where that was done before."""
    statement = (
        insert(Reminder)
        .values(round_id=round_id, member_id=member_id, kind=kind, made_at=now, error="")
        .on_conflict_do_nothing(index_elements=["round_id", "member_id"])
    )
    return tx.connection().execute(statement).rowcount == 1


def told(tx: Session, round_id: int, member_id: int, at: datetime | None, error: str = "") -> None:
    """What became of it: told at this moment, or why not (known)."""
    which = (col(Reminder.round_id) == round_id, col(Reminder.member_id) == member_id)
    tx.exec(update(Reminder).where(*which).values(told_at=at, error=error))


def put_back(tx: Session, round_id: int, member_id: int) -> None:
    """It was surely not sent: it may be tried again."""
    which = (col(Reminder.round_id) == round_id, col(Reminder.member_id) == member_id, col(Reminder.told_at).is_(None))
    tx.connection().execute(delete_core(Reminder).where(*which))


def begin_anew(tx: Session, member_id: int) -> None:
    """The member wants reminders again: those they ignored do not count any more. Each round still has one at most."""
    tx.exec(update(Reminder).where(col(Reminder.member_id) == member_id).values(kind="past"))
