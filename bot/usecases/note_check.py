"""Note what a platform says is missing in a channel: park it, tell an admin once, or take the trouble back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from bot.chat import Place
from bot.drill.trouble import CURES, cure
from bot.usecases.park_schedule import park, unpark
from storage import audit, schedules
from storage.tables import Schedule

CHECK_EVERY = timedelta(hours=20)
"""A channel is looked at once a day, shortly before its drill; a parked one as often, to see whether it is back."""

CHECK_AHEAD = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Look:
    """A channel that should be looked at now."""

    schedule_id: int
    platform: str
    place: Place
    reactions: bool


def due_looks(tx: Session, now: datetime, platforms: Sequence[str], most: int) -> list[Look]:
    """Channels whose drill comes soon, and parked ones, that were not looked at for a day."""
    found = schedules.to_check(tx, now, now - CHECK_EVERY, now + CHECK_AHEAD, platforms, most)
    return [
        Look(s.id, w.platform, Place(w.external_id, s.channel_id), s.reactions) for s, w in found if s.id is not None
    ]


def note_check(tx: Session, schedule_id: int, lacks: Sequence[str], now: datetime, *, tell: bool = True) -> bool:
    """Store the answer; ``True`` where there is something to send or to tell. An admin hears of each set once."""
    schedule = schedules.get(tx, schedule_id)
    known = [name for name in lacks if name in CURES]
    parking = next((name for name in known if CURES[name].parks), "")
    schedule.checked_at = now
    tx.add(schedule)
    if parking:
        return park(tx, schedule, CURES[parking].parks, now, parking)
    changed = unpark(tx, schedule, now)
    schedule.trouble, schedule.checked_at = known, now
    tx.add(schedule)
    return _tell(tx, schedule, known, now, tell) or changed


def note_saved(tx: Session, schedule: Schedule, lacks: Sequence[str], now: datetime) -> None:
    """An admin saves the schedule and sees what is missing: nobody else is told; it is looked at before the drill."""
    if not any(cure(name).parks for name in lacks):
        unpark(tx, schedule, now)
    schedule.trouble, schedule.checked_at = list(lacks), None
    tx.add(schedule)


def _tell(tx: Session, schedule: Schedule, known: Sequence[str], now: datetime, tell: bool) -> bool:
    assert schedule.id is not None
    grave = sorted(set(known) - {"shared"})
    if not grave:
        audit.forget_code(tx, schedule.id, "check")
        return False
    if tell:
        audit.notice(tx, schedule.id, "check", ",".join(grave), {"cures": grave}, now)
    return tell
