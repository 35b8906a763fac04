"""What admins did, and what they should hear of. Audit rows are only ever added."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, or_
from sqlalchemy import select as select_core
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session, col, delete, select, update

from storage.tables import AuditRow, Member, Notice, Schedule, Workspace

_WAITING = (col(Notice.told_at).is_(None), col(Notice.state).in_(("", "telling")))
_ANY_WAITING = select_core(col(Notice.id)).where(*_WAITING).limit(1)


def _free(before: datetime) -> ColumnElement[bool]:
    """Nobody is at it: it waits, or it was taken before that moment (or by a process that is known to be dead)."""
    taken = col(Notice.taken_at)
    return or_(col(Notice.state) == "", taken.is_(None), taken < before)


def record(
    tx: Session, workspace_id: int, member_id: int | None, at: datetime, verb: str, detail: dict[str, Any]
) -> None:
    tx.add(AuditRow(workspace_id=workspace_id, member_id=member_id, at=at, verb=verb, detail=detail))


def newest(tx: Session, workspace_id: int, skip: int, count: int) -> Sequence[tuple[AuditRow, str]]:
    """What was done in the workspace, the newest first, with the name of who did it (``""``: nobody in person)."""
    statement = (
        select(AuditRow, Member.name)
        .join(Member, col(Member.id) == col(AuditRow.member_id), isouter=True)
        .where(AuditRow.workspace_id == workspace_id)
        .order_by(col(AuditRow.id).desc())
        .offset(skip)
        .limit(count)
    )
    return [(row, name or "") for row, name in tx.exec(statement)]


def notice(tx: Session, schedule_id: int, code: str, subject: str, detail: dict[str, Any], at: datetime) -> None:
    """Something an admin should hear; the same (code, subject) is noted once."""
    statement = (
        insert(Notice)
        .values(schedule_id=schedule_id, code=code, subject=subject, detail=detail, made_at=at)
        .on_conflict_do_nothing(index_elements=["schedule_id", "code", "subject"])
    )
    tx.connection().execute(statement)


def take_back(tx: Session, schedule_id: int, code: str, subject: str) -> None:
    """What was noted turned out not to be so."""
    which = (col(Notice.schedule_id) == schedule_id, col(Notice.code) == code, col(Notice.subject) == subject)
    tx.exec(delete(Notice).where(*which))


def take_back_untold(tx: Session, schedule_id: int, code: str) -> None:
    """It is over before anyone was told."""
    which = (col(Notice.schedule_id) == schedule_id, col(Notice.code) == code, col(Notice.told_at).is_(None))
    tx.exec(delete(Notice).where(*which, col(Notice.state) == ""))


def untold(tx: Session, before: datetime) -> Sequence[tuple[Notice, Schedule]]:
    """Notices that nobody was told of, with their schedules, the oldest first."""
    if tx.connection().execute(_ANY_WAITING).first() is None:  # asked at every beat
        return []
    statement = (
        select(Notice, Schedule)
        .join(Schedule, col(Schedule.id) == col(Notice.schedule_id))
        .join(Workspace, col(Workspace.id) == col(Schedule.workspace_id))
        .where(*_WAITING, _free(before), col(Workspace.left_at).is_(None))
        .order_by(col(Notice.id))
        .limit(500)
    )
    return tx.exec(statement).all()


def told(tx: Session, notice_ids: Sequence[int], at: datetime) -> None:
    tx.exec(update(Notice).where(col(Notice.id).in_(notice_ids)).values(told_at=at, state="told"))


def take(tx: Session, notice_ids: Sequence[int], state: str, now: datetime, before: datetime) -> bool:
    """Take notices that wait; ``False`` and nothing taken where not all of them do."""
    which = (col(Notice.id).in_(notice_ids), *_WAITING, _free(before))
    if tx.connection().execute(select_core(func.count()).where(*which)).scalar_one() != len(notice_ids):
        return False
    tx.exec(update(Notice).where(*which).values(state=state, taken_at=now))
    return True


def void_taken(tx: Session) -> None:
    """Whoever had taken notices is dead: they may have been told, or not."""
    tx.exec(update(Notice).where(col(Notice.state) == "telling").values(taken_at=None))


def put_back(tx: Session, notice_ids: Sequence[int]) -> None:
    """They were surely told to nobody: they wait again."""
    which = (col(Notice.id).in_(notice_ids), col(Notice.state) == "telling")
    tx.exec(update(Notice).where(*which).values(state="", taken_at=None))


def refused(tx: Session, notice_ids: Sequence[int], member: str, state: str) -> None:
    """This person takes no messages; the notices go on in ``state``."""
    for notice in tx.exec(select(Notice).where(col(Notice.id).in_(notice_ids))).all():
        notice.tried = [*notice.tried, member]
        notice.state, notice.taken_at = state, None
        tx.add(notice)


def unreached(tx: Session, schedule_id: int, since: datetime) -> Sequence[Notice]:
    """Notices made after ``since`` that nobody could be told."""
    statement = (
        select(Notice)
        .where(Notice.schedule_id == schedule_id, Notice.made_at > since, col(Notice.told_at).is_(None))
        .where(col(Notice.state) == "unreached")
        .order_by(col(Notice.id))
        .limit(10)
    )
    return tx.exec(statement).all()


def forget_code(tx: Session, schedule_id: int, code: str) -> None:
    """All notices of one kind are over: should it come again, it is told again."""
    tx.exec(delete(Notice).where(col(Notice.schedule_id) == schedule_id, col(Notice.code) == code))
