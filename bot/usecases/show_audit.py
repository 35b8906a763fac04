"""What admins did in the workspace, the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from bot.usecases.meet_member import Met
from storage import audit, schedules
from storage.tables import AuditRow

PAGE = 20


@dataclass(frozen=True, slots=True)
class AuditPage:
    """``rows``: what, and the name of who did it. ``channels``: names by id. ``page`` counts from 1."""

    rows: Sequence[tuple[AuditRow, str]]
    channels: dict[str, str]
    page: int
    more: bool
    zone: str


def show_audit(tx: Session, met: Met, page: int) -> AuditPage:
    """A page of the audit rows of the member's workspace; an empty one where there are no more."""
    page = max(1, min(page, 100_000))
    found = audit.newest(tx, met.workspace_id, (page - 1) * PAGE, PAGE + 1)
    here = schedules.of_workspace(tx, met.workspace_id)
    names = {schedule.channel_id: schedule.channel_name for schedule in here}
    zone = met.zone or (here[0].zone if here else "UTC")
    return AuditPage(found[:PAGE], names, page, len(found) > PAGE, zone)
