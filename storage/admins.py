"""Rows of the people and roles to whom a workspace's admins delegate the drills."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import or_
from sqlmodel import Session, col, select

from storage.tables import DrillAdmin, Member


def delegated(tx: Session, workspace_id: int, member: str, roles: Sequence[str]) -> bool:
    """Are the drills delegated to this member, or to one of their roles? Ids are the platform's own."""
    a = DrillAdmin
    named = (col(a.kind) == "member") & (col(a.external_id) == member)
    held = (col(a.kind) == "role") & col(a.external_id).in_(list(roles))
    return tx.exec(select(a.id).where(a.workspace_id == workspace_id, or_(named, held)).limit(1)).first() is not None


def delegates(tx: Session, workspace_id: int) -> Sequence[str]:
    """The platform's ids of the members to whom the drills are delegated by name, the first named first."""
    which = (DrillAdmin.workspace_id == workspace_id, DrillAdmin.kind == "member")
    return tx.exec(select(DrillAdmin.external_id).where(*which).order_by(col(DrillAdmin.id))).all()


def all_of(tx: Session, workspace_id: int) -> Sequence[DrillAdmin]:
    """The workspace's delegates, the first first."""
    return tx.exec(select(DrillAdmin).where(DrillAdmin.workspace_id == workspace_id).order_by(col(DrillAdmin.id))).all()


def add(
    tx: Session, workspace_id: int, kind: str, external_id: str, name: str, made_by: int | None, now: datetime
) -> bool:
    """Delegate to this member or role; ``False`` where that was so already."""
    known = _one(tx, workspace_id, kind, external_id)
    if known is not None:
        return False
    row = DrillAdmin(
        workspace_id=workspace_id, kind=kind, external_id=external_id, name=name, made_by=made_by, made_at=now
    )
    tx.add(row)
    tx.flush()
    return True


def remove(tx: Session, workspace_id: int, kind: str, external_id: str) -> bool:
    """Take it back; ``False`` where it was not so."""
    known = _one(tx, workspace_id, kind, external_id)
    if known is None:
        return False
    tx.delete(known)
    tx.flush()
    return True


def _one(tx: Session, workspace_id: int, kind: str, external_id: str) -> DrillAdmin | None:
    a = DrillAdmin
    return tx.exec(
        select(a).where(a.workspace_id == workspace_id, a.kind == kind, a.external_id == external_id)
    ).one_or_none()


def named(tx: Session, workspace_id: int, name: str) -> Sequence[Member]:
    """Members of the workspace who are known by this name or id."""
    wanted = name.casefold()
    rows = tx.exec(select(Member).where(Member.workspace_id == workspace_id, col(Member.left_at).is_(None))).all()
    return [row for row in rows if wanted in (row.name.casefold(), row.external_id.casefold())]
