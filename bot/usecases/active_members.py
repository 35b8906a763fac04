"""Who answered lately: those of whom a platform that tells of no departure is asked whether they are still there."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from storage.tables import Answer, Member, Workspace

LATELY = timedelta(days=35)
"""A week more than a board counts people as taking part."""


def active_members(tx: Session, platform: str, now: datetime) -> list[tuple[str, str]]:
    """(workspace, member), the platform's own ids, of those who answered lately and have not left as far as we know."""
    statement = (
        select(Workspace.external_id, Member.external_id)
        .join(Member, col(Member.workspace_id) == col(Workspace.id))
        .join(Answer, col(Answer.member_id) == col(Member.id))
        .where(Workspace.platform == platform, col(Workspace.left_at).is_(None), col(Member.left_at).is_(None))
        .where(col(Member.forgotten_at).is_(None), Answer.answered_at >= now - LATELY)
        .distinct()
        .order_by(col(Workspace.external_id), col(Member.external_id))
    )
    return [(workspace, member) for workspace, member in tx.exec(statement).all()]
