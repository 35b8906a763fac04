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


def clean_name(name: str) -> str:
    """A name as it may be shown: at most 80 characters, one line, nothing invisible that could forge a text."""
    kept = "".join(c for c in " ".join(name.split()) if c.isprintable())
    return kept[:80].strip()
