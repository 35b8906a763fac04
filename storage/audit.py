"""What admins did, and what they should hear of. Audit rows are only ever added."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select as select_core
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session, col, delete, select

from storage.tables import AuditRow, Notice, Schedule

_ANY_UNTOLD = select_core(col(Notice.id)).where(col(Notice.told_at).is_(None)).limit(1)


def record(
    tx: Session, workspace_id: int, member_id: int | None, at: datetime, verb: str, detail: dict[str, Any]
) -> None:
    tx.add(AuditRow(workspace_id=workspace_id, member_id=member_id, at=at, verb=verb, detail=detail))


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


def untold(tx: Session) -> Sequence[tuple[Notice, Schedule]]:
    """Notices that nobody was told of, with their schedules, the oldest first."""
    if tx.connection().execute(_ANY_UNTOLD).first() is None:  # asked at every beat
        return []
    statement = (
        select(Notice, Schedule)
        .join(Schedule, col(Schedule.id) == col(Notice.schedule_id))
        .where(col(Notice.told_at).is_(None))
        .order_by(col(Notice.id))
        .limit(500)
    )
    return tx.exec(statement).all()


def told(tx: Session, notice_id: int, at: datetime) -> None:
    row = tx.get_one(Notice, notice_id)
    row.told_at = at
    tx.add(row)
