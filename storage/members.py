"""Rows of workspaces and members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import Table, bindparam, insert, update
from sqlalchemy import select as select_core
from sqlmodel import Session, col, select

from storage.tables import Member, MemberPause, Workspace

MEMBER = cast(Table, Member.__table__)  # type: ignore[attr-defined]
WORKSPACE = cast(Table, Workspace.__table__)  # type: ignore[attr-defined]

MOST_REMEMBERED = 50_000
"""Members and the like that the writer keeps in memory, so that a click need not look them up."""

# On the path of every click, hence Core statements, made once.
_M, _W = MEMBER.c, WORKSPACE.c
_ADD = insert(MEMBER).returning(_M.id)
_WORKSPACE = select_core(_W.id, _W.name).where(
    _W.platform == bindparam("platform"), _W.external_id == bindparam("workspace")
)


def workspace(tx: Session, platform: str, external_id: str, name: str, now: datetime) -> int:
    """The workspace's id, its row made at first sight; a new name is noted."""
    run = tx.connection().execute
    row = run(_WORKSPACE, {"platform": platform, "workspace": external_id}).one_or_none()
    if row is None:
        values = {"platform": platform, "external_id": external_id, "name": name, "created_at": now}
        return int(run(insert(WORKSPACE).returning(WORKSPACE.c.id), values).scalar_one())
    if name and row.name != name:
        tx.info.get("memory", {}).clear()
        run(update(WORKSPACE).where(WORKSPACE.c.id == row.id).values(name=name))
    return int(row.id)


def add(tx: Session, workspace_id: int, external_id: str, name: str, language: str, zone: str, now: datetime) -> int:
    """A member seen for the first time; their id."""
    values = {
        "workspace_id": workspace_id,
        "external_id": external_id,
        "name": name,
        "language": language,
        "zone": zone,
        "hidden": False,
        "created_at": now,
    }
    return int(tx.connection().execute(_ADD, values).scalar_one())


def note(tx: Session, member_id: int, name: str, language: str, zone: str) -> None:
    """The platform tells another name, client language or zone than before; whoever acts has not left."""
    tx.info.get("memory", {}).clear()
    tx.connection().execute(
        update(MEMBER).where(MEMBER.c.id == member_id).values(name=name, language=language, zone=zone, left_at=None)
    )


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a member, and of their workspace's name."""

    id: int
    workspace_id: int
    name: str
    language: str
    zone: str
    left: bool
    workspace_name: str
    chosen_language: str
    chosen_zone: str
    opted_out: bool
    confirm: bool


_KNOWN = (
    select_core(
        _M.id,
        _M.workspace_id,
        _M.name,
        _M.language,
        _M.zone,
        _M.left_at,
        _W.name,
        _M.chosen_language,
        _M.chosen_zone,
        _M.opted_out_at,
        _M.confirm,
    )
    .join_from(MEMBER, WORKSPACE)
    .where(
        _W.platform == bindparam("platform"),
        _W.external_id == bindparam("workspace"),
        _M.external_id == bindparam("member"),
    )
)


def find(tx: Session, platform: str, workspace: str, external_id: str) -> Known | None:
    """The member as stored, if there is one. On the path of every click, hence a Core statement."""
    memory = tx.info.get("memory", {})
    key = ("member", platform, workspace, external_id)
    if key in memory:
        return cast(Known, memory[key])
    values = {"platform": platform, "workspace": workspace, "member": external_id}
    row = tx.connection().execute(_KNOWN, values).one_or_none()
    if row is None:
        return None
    if len(memory) >= MOST_REMEMBERED:
        memory.clear()
    memory[key] = Known(*row[:5], row[5] is not None, *row[6:9], row[9] is not None, bool(row[10]))
    return cast(Known, memory[key])


def workspaces(tx: Session) -> Sequence[Workspace]:
    """All workspaces the bot was ever in."""
    return tx.exec(select(Workspace).order_by(col(Workspace.id))).all()


def find_workspace(tx: Session, platform: str, external_id: str) -> int | None:
    row = tx.connection().execute(_WORKSPACE, {"platform": platform, "workspace": external_id}).one_or_none()
    return None if row is None else int(row.id)


def get(tx: Session, member_id: int) -> Member:
    return tx.get_one(Member, member_id)


def by_external_id(tx: Session, workspace_id: int, external_id: str) -> Member | None:
    return tx.exec(
        select(Member).where(Member.workspace_id == workspace_id, Member.external_id == external_id)
    ).one_or_none()


def mark_left(tx: Session, workspace_id: int, external_id: str, now: datetime) -> None:
    """The person left the workspace: history stays, current boards do not show them."""
    row = by_external_id(tx, workspace_id, external_id)
    if row is not None and row.left_at is None:
        tx.info.get("memory", {}).clear()
        row.left_at = now
        tx.add(row)


def pauses(tx: Session, member_id: int) -> list[MemberPause]:
    return list(tx.exec(select(MemberPause).where(MemberPause.member_id == member_id)))
