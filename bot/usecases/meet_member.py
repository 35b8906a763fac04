"""Know the person behind an event: their row, made at first sight."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.chat import Who
from storage import members


@dataclass(frozen=True, slots=True)
class Met:
    """A member as the database knows them, and whether the platform calls them an admin right now.

    ``id`` 0 is a stranger who only looks. ``language`` is the client's locale, ``zone`` an IANA name, or ``""``.
    """

    id: int
    workspace_id: int
    admin: bool
    language: str = ""
    zone: str = ""


def meet_member(tx: Session, who: Who, now: datetime) -> Met:
    """The member behind ``who``; names are kept on one line, without control characters."""
    name, workspace_name = clean_name(who.name) or who.member, clean_name(who.workspace_name)
    known = members.find(tx, who.platform, who.workspace, who.member)
    if known is None:
        workspace_id = members.workspace(tx, who.platform, who.workspace, workspace_name, now)
        member_id = members.add(tx, workspace_id, who.member, name, who.language, who.zone, now)
        return Met(member_id, workspace_id, who.admin, who.language, who.zone)
    language, zone = who.language or known.language, who.zone or known.zone
    if known.left or (name, language, zone) != (known.name, known.language, known.zone):
        members.note(tx, known.id, name, language, zone)
    if workspace_name and workspace_name != known.workspace_name:
        members.workspace(tx, who.platform, who.workspace, workspace_name, now)
    return Met(known.id, known.workspace_id, who.admin, language, zone)


def known_member(tx: Session, who: Who) -> Met:
    """The same for looking only: nothing is written, and a stranger has no row (id 0)."""
    known = members.find(tx, who.platform, who.workspace, who.member)
    if known is not None:
        return Met(known.id, known.workspace_id, who.admin, known.language, known.zone)
    workspace_id = members.find_workspace(tx, who.platform, who.workspace) or 0
    return Met(0, workspace_id, who.admin, who.language, who.zone)


def clean_name(name: str) -> str:
    """A name as it may be shown: at most 80 characters, one line, nothing invisible that could forge a text."""
    kept = "".join(c for c in " ".join(name.split()) if c.isprintable())
    return kept[:80].strip()
