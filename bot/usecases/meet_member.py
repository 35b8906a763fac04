"""Know the person behind an event: their row, made at first sight."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.chat import Who
from storage import members
from storage.tables import Member


@dataclass(frozen=True, slots=True)
class Met:
    """A member as the database knows them, and whether the platform calls them an admin right now."""

    member: Member
    workspace_id: int
    admin: bool

    @property
    def id(self) -> int:
        assert self.member.id is not None
        return self.member.id


def meet_member(tx: Session, who: Who, now: datetime) -> Met:
    """The member behind ``who``; names are kept on one line, without control characters."""
    workspace = members.workspace(tx, who.platform, who.workspace, clean_name(who.workspace_name), now)
    assert workspace.id is not None
    member = members.member(
        tx, workspace.id, who.member, clean_name(who.name) or who.member, who.language, who.zone, now
    )
    return Met(member, workspace.id, who.admin)


def known_member(tx: Session, who: Who, now: datetime) -> Met:
    """The same for looking only: nothing is written, and a stranger gets a row that is not stored (id 0)."""
    row = members.find(tx, who.platform, who.workspace, who.member)
    if row is not None:
        return Met(row, row.workspace_id, who.admin)
    workspace_id = members.find_workspace(tx, who.platform, who.workspace) or 0
    stranger = Member(
        id=0,
        workspace_id=workspace_id,
        external_id=who.member,
        name=clean_name(who.name),
        language=who.language,
        zone=who.zone,
        created_at=now,
    )
    return Met(stranger, workspace_id, who.admin)


def clean_name(name: str) -> str:
    """A name as it may be shown: at most 80 characters, one line, nothing invisible that could forge a text."""
    kept = "".join(c for c in " ".join(name.split()) if c.isprintable())
    return kept[:80].strip()
