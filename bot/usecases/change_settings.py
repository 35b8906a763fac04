"""What a member sets for themselves: language, zone, boards, pauses, confirmation, reminders, recording."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from sqlmodel import Session

from bot.drill.calendar import instant
from bot.drill.errors import WrongInput
from bot.usecases.meet_member import Met
from storage import members, reminders
from storage.tables import Member, MemberPause

UTC_ZONE = "UTC"
"""Where a member's zone is not known, their days are those of this one."""

Away = date | Literal["off", "open"]
"""The last day of a pause, or its end now, or no end until they come back."""


@dataclass(frozen=True, slots=True)
class MySettings:
    """What is set. ``language`` and ``zone`` are ``""`` where their client decides; ``client_…`` is what it says.

    ``away``: they are on a pause, until ``away_until`` (``None``: until they come back).
    """

    language: str = ""
    client_language: str = ""
    zone: str = ""
    client_zone: str = ""
    hidden: bool = False
    confirm: bool = False
    reminders: bool = False
    opted_out: bool = False
    away: bool = False
    away_until: datetime | None = None

    @property
    def local_zone(self) -> str:
        """The zone their days are reckoned in."""
        return self.zone or self.client_zone or UTC_ZONE

    @property
    def asks_zone(self) -> bool:
        """Does something that is set need a zone that nobody has told yet?"""
        return not self.zone and not self.client_zone and (self.reminders or self.away_until is not None)


@dataclass(frozen=True, slots=True)
class Changes:
    """What a member wants otherwise; ``None`` leaves it. ``language`` and ``zone``: ``""`` lets the client decide."""

    language: str | None = None
    zone: str | None = None
    hidden: bool | None = None
    away: Away | None = None
    confirm: bool | None = None
    reminders: bool | None = None
    recording: bool | None = None


def show_settings(tx: Session, met: Met, now: datetime) -> MySettings:
    """What the member has set; a stranger has set nothing."""
    if not met.id:
        return MySettings(client_language=met.language, client_zone=met.zone)
    row = members.get(tx, met.id)
    running = _running(tx, met.id, now)
    return MySettings(
        row.chosen_language,
        row.language,
        row.chosen_zone,
        row.zone,
        row.hidden,
        row.confirm,
        row.reminders,
        row.opted_out_at is not None,
        bool(running),
        running[0].ends_at if running else None,
    )


def change_settings(tx: Session, met: Met, changes: Changes, now: datetime) -> MySettings:
    """Set it, all or nothing. Errors: WrongInput (a pause that is over already)."""
    row = members.get(tx, met.id)
    if changes.language is not None:
        row.chosen_language = changes.language
    if changes.zone is not None:
        row.chosen_zone = changes.zone
    if changes.hidden is not None:
        row.hidden = changes.hidden
    if changes.confirm is not None:
        row.confirm = changes.confirm
    if changes.reminders is not None:
        _remind(tx, row, changes.reminders)
    if changes.recording is not None:
        _record(row, changes.recording, now)
    if changes.away is not None:
        _go(tx, row, changes.away, now)
    tx.add(row)
    tx.flush()
    return show_settings(tx, met, now)


def _remind(tx: Session, row: Member, wanted: bool) -> None:
    assert row.id is not None
    row.reminders = wanted
    if wanted:  # what was ignored before is over: it begins anew
        reminders.begin_anew(tx, row.id)


def _record(row: Member, wanted: bool, now: datetime) -> None:
    if wanted:
        row.opted_out_at = None
    elif row.opted_out_at is None:
        row.opted_out_at, row.reminders = now, False


def _go(tx: Session, row: Member, away: Away, now: datetime) -> None:
    assert row.id is not None
    running = _running(tx, row.id, now)
    if away == "off":
        for pause in running:
            if pause.starts_at >= now:
                tx.delete(pause)
            else:
                pause.ends_at = now
                tx.add(pause)
        return
    until = None
    if isinstance(away, date):
        until = instant(away + timedelta(days=1), datetime.min.time(), row.chosen_zone or row.zone or UTC_ZONE)
        if until <= now:
            raise WrongInput(
                "pause",
                f"{away} is over already; give a day to come.",
                f"{away} 已经过去，请给一个将来的日期。",
            )
    pause = running[0] if running else MemberPause(member_id=row.id, starts_at=now)
    pause.ends_at = until
    tx.add(pause)


def _running(tx: Session, member_id: int, now: datetime) -> list[MemberPause]:
    """Pauses that are not over, which is one at most."""
    return [pause for pause in members.pauses(tx, member_id) if pause.ends_at is None or pause.ends_at > now]
