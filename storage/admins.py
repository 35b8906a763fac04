"""Rows of the people and roles to whom a workspace's admins delegate the drills."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_
from sqlmodel import Session, col, select

from storage.tables import DrillAdmin


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
