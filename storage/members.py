"""Rows of workspaces and members."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from storage.tables import Member, MemberPause, Workspace


def workspace(tx: Session, platform: str, external_id: str, name: str, now: datetime) -> Workspace:
    """The workspace's row, made at first sight; a new name is noted."""
    row = tx.exec(
        select(Workspace).where(Workspace.platform == platform, Workspace.external_id == external_id)
    ).one_or_none()
    if row is None:
        row = Workspace(platform=platform, external_id=external_id, name=name, created_at=now)
        tx.add(row)
        tx.flush()
    elif name and row.name != name:
        row.name = name
        tx.add(row)
    return row


def member(
    tx: Session, workspace_id: int, external_id: str, name: str, language: str, zone: str, now: datetime
) -> Member:
    """The member's row, made at first sight; a new name, client language or zone is noted, and a return too."""
    row = tx.exec(
        select(Member).where(Member.workspace_id == workspace_id, Member.external_id == external_id)
    ).one_or_none()
    if row is None:
        row = Member(
            workspace_id=workspace_id, external_id=external_id, name=name, language=language, zone=zone, created_at=now
        )
        tx.add(row)
        tx.flush()
        return row
    fresh = {"name": name or row.name, "language": language or row.language, "zone": zone or row.zone, "left_at": None}
    changed = {field: value for field, value in fresh.items() if getattr(row, field) != value}
    if changed:
        for field, value in changed.items():
            setattr(row, field, value)
        tx.add(row)
    return row


def find(tx: Session, platform: str, workspace: str, external_id: str) -> Member | None:
    """The member's row, if there is one."""
    statement = (
        select(Member)
        .join(Workspace, col(Workspace.id) == col(Member.workspace_id))
        .where(Workspace.platform == platform, Workspace.external_id == workspace, Member.external_id == external_id)
    )
    return tx.exec(statement).one_or_none()


def find_workspace(tx: Session, platform: str, external_id: str) -> int | None:
    return tx.exec(
        select(Workspace.id).where(Workspace.platform == platform, Workspace.external_id == external_id)
    ).one_or_none()


def get(tx: Session, member_id: int) -> Member:
    return tx.get_one(Member, member_id)


def mark_left(tx: Session, workspace_id: int, external_id: str, now: datetime) -> None:
    """The person left the workspace: history stays, current boards do not show them."""
    row = tx.exec(
        select(Member).where(Member.workspace_id == workspace_id, Member.external_id == external_id)
    ).one_or_none()
    if row is not None and row.left_at is None:
        row.left_at = now
        tx.add(row)


def pauses(tx: Session, member_id: int) -> list[MemberPause]:
    return list(tx.exec(select(MemberPause).where(MemberPause.member_id == member_id)))
