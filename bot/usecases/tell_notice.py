"""Tell admins what they should hear: each notice once, to the person who set the schedule up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from storage import audit, members, schedules
from storage.tables import Notice, Schedule


@dataclass(frozen=True, slots=True)
class Telling:
    """Notices of one kind, told together to one admin. ``detail["dates"]``: ISO dates of missed rounds."""

    notice_ids: tuple[int, ...]
    code: str
    detail: dict[str, Any]
    channel: str
    platform: str
    workspace: str
    member: str
    language: str


def tellings(tx: Session) -> list[Telling]:
    """Notices that nobody was told of yet; rounds missed for one reason are told in one message, not in a burst."""
    groups: dict[tuple[int, str, str], list[tuple[Notice, Schedule]]] = {}
    for notice, schedule in audit.untold(tx):
        if schedule.made_by is None or schedule.id is None:
            continue
        apart = str(notice.detail.get("reason", "")) if notice.code == "missed" else notice.subject
        groups.setdefault((schedule.id, notice.code, apart), []).append((notice, schedule))
    return [_telling(tx, group) for group in groups.values()]


def _telling(tx: Session, group: list[tuple[Notice, Schedule]]) -> Telling:
    notice, schedule = group[0]
    assert schedule.made_by is not None
    admin = members.get(tx, schedule.made_by)
    workspace = schedules.workspace_of(tx, schedule)
    dates = sorted(n.detail["date"] for n, _ in group if "date" in n.detail)
    return Telling(
        tuple(n.id for n, _ in group if n.id is not None),
        notice.code,
        {**notice.detail, "dates": dates},
        f"#{schedule.channel_name}" if schedule.channel_name else schedule.channel_id,
        workspace.platform,
        workspace.external_id,
        admin.external_id,
        admin.language,
    )


def mark_told(tx: Session, telling: Telling, now: datetime) -> None:
    """The admin was told, or cannot be reached."""
    for notice_id in telling.notice_ids:
        audit.told(tx, notice_id, now)
