"""Tell admins what they should hear: each notice once, to the person who set the schedule up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from storage import audit, members, schedules


@dataclass(frozen=True, slots=True)
class Telling:
    """A notice with the admin it goes to."""

    notice_id: int
    code: str
    detail: dict[str, Any]
    channel: str
    platform: str
    workspace: str
    member: str
    language: str


def tellings(tx: Session) -> list[Telling]:
    """Notices that nobody was told of yet."""
    found = []
    for notice, schedule in audit.untold(tx):
        assert notice.id is not None
        if schedule.made_by is None:
            continue
        admin = members.get(tx, schedule.made_by)
        workspace = schedules.workspace_of(tx, schedule)
        channel = f"#{schedule.channel_name}" if schedule.channel_name else schedule.channel_id
        found.append(
            Telling(
                notice.id,
                notice.code,
                notice.detail,
                channel,
                workspace.platform,
                workspace.external_id,
                admin.external_id,
                admin.language,
            )
        )
    return found


def mark_told(tx: Session, telling: Telling, now: datetime) -> None:
    audit.told(tx, telling.notice_id, now)
