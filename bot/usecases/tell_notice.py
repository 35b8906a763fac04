"""Tell admins what they should hear: each notice to one person, the one who set the schedule up or the next who can.

A notice is taken before it is sent, and one that was taken by a process that died is looked for before it is sent
again, so that nobody is told twice where the platform lets the bot look. What no admin could be reached with stands
under *status*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from storage import admins, audit, members, schedules
from storage.tables import Member, Notice, Schedule, Workspace

TAKEN_FOR = timedelta(seconds=60)
"""How long a process may take to tell one; after that nobody knows whether it did."""

UNTOLD_FOR = timedelta(days=14)
"""How long *status* shows what no admin was told."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Notices of one kind, told together to one admin. ``detail["dates"]``: ISO dates of missed rounds.

    ``look_since``: it may have been told at or after this moment.
    """

    notice_ids: tuple[int, ...]
    code: str
    detail: dict[str, Any]
    channel: str
    platform: str
    workspace: str
    member: str
    language: str
    look_since: datetime | None = None


def tellings(tx: Session, now: datetime) -> list[Telling]:
    """Notices that nobody was told of yet; rounds missed for one reason are told in one message, not in a burst.

    ``member`` is ``""`` where nobody is left who could be told.
    """
    groups: dict[tuple[int, str, str, str], list[tuple[Notice, Schedule]]] = {}
    for notice, schedule in audit.untold(tx, now - TAKEN_FOR):
        assert schedule.id is not None
        apart = str(notice.detail.get("reason", "")) if notice.code == "missed" else notice.subject
        groups.setdefault((schedule.id, notice.code, apart, str(notice.taken_at or notice.state)), []).append(
            (notice, schedule)
        )
    return [_telling(tx, group) for group in groups.values()]


def _telling(tx: Session, group: list[tuple[Notice, Schedule]]) -> Telling:
    _, schedule = group[0]
    workspace = schedules.workspace_of(tx, schedule)
    tried = {member for notice, _ in group for member in notice.tried}
    person, language = next(
        (found for found in _candidates(tx, schedule, workspace) if found[0] not in tried), ("", "")
    )
    newest = max((notice for notice, _ in group), key=lambda n: (str(n.detail.get("date", "")), n.id))
    dates = sorted(n.detail["date"] for n, _ in group if "date" in n.detail)
    detail = {**newest.detail, "dates": dates, "schedule": schedule.id}
    return Telling(
        tuple(n.id for n, _ in group if n.id is not None),
        newest.code,
        detail,
        f"#{schedule.channel_name}" if schedule.channel_name else schedule.channel_id,
        workspace.platform,
        workspace.external_id,
        person,
        language,
        next((notice.taken_at or notice.made_at for notice, _ in group if notice.state == "telling"), None),
    )


def _candidates(tx: Session, schedule: Schedule, workspace: Workspace) -> Iterator[tuple[str, str]]:
    """(id, language) of those who may be told: who set it up, those who run drills for the admins, who invited us."""
    if schedule.made_by is not None:
        maker = members.get(tx, schedule.made_by)
        if maker.left_at is None and maker.forgotten_at is None:
            yield maker.external_id, _language(maker)
    assert workspace.id is not None
    for external_id in (*admins.delegates(tx, workspace.id), workspace.inviter):
        known = members.by_external_id(tx, workspace.id, external_id)
        if external_id and (known is None or known.left_at is None):
            yield external_id, _language(known) if known else ""


def _language(member: Member) -> str:
    return member.chosen_language or member.language


def take(tx: Session, telling: Telling, now: datetime) -> bool:
    """Take it before it is sent. ``False``: somebody else did, or it was taken back."""
    return audit.take(tx, telling.notice_ids, "telling" if telling.member else "unreached", now, now - TAKEN_FOR)


def mark_told(tx: Session, telling: Telling, now: datetime) -> None:
    """The admin was told."""
    audit.told(tx, telling.notice_ids, now)


def mark_refused(tx: Session, telling: Telling, *, personal: bool) -> None:
    """They take no messages: the next admin is told (``personal``); or nobody can be told at all now."""
    audit.refused(tx, telling.notice_ids, telling.member, "" if personal else "unreached")


def mark_untold(tx: Session, telling: Telling) -> None:
    """The platform was not ready: the same again later."""
    audit.put_back(tx, telling.notice_ids)


def untold_of(tx: Session, schedule: Schedule, now: datetime) -> Sequence[tuple[str, dict[str, Any]]]:
    """(code, detail) of what no admin is known to have been told of lately, for *status*."""
    assert schedule.id is not None
    found = audit.unreached(tx, schedule.id, now - UNTOLD_FOR)
    return [(n.code, {**n.detail, "dates": [n.detail["date"]] if "date" in n.detail else []}) for n in found]
