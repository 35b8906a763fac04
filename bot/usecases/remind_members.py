"""Reminders of open rounds: who is to get one now, and what became of it. The rows are the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from bot.drill.reading import known_zone
from bot.drill.reminders import Kind, is_due, next_kind
from storage import answers, members, reminders
from storage.reminders import Candidate

MOST_LOOKED_AT = 2000
"""Candidates that one look brings into memory."""


@dataclass(frozen=True, slots=True)
class Reminding:
    """A reminder for a member; sent by whoever has claimed it, once."""

    kind: Kind
    to: Candidate


def due_reminders(tx: Session, now: datetime, platforms: Sequence[str], most: int) -> list[Reminding]:
    """At most ``most`` reminders that are due; none is anybody's before it is claimed."""
    due: list[Reminding] = []
    seen: set[tuple[int, bool]] = set()
    for stored in reminders.candidates(tx, now, platforms, MOST_LOOKED_AT):
        if len(due) >= most:
            break
        found = replace(stored, zone=known_zone(stored.zone))
        if not is_due(found.posts_at, found.closes_at, now, found.zone or found.channel_zone):
            continue
        since = reminders.since_answer(tx, found.member_id, now)
        kind = next_kind(since.ignored, since.asked)
        # Of two rounds at once only one asks whether to pause.
        if kind is None or (kind == "pause" and (found.member_id, True) in seen):
            continue
        seen.add((found.member_id, kind == "pause"))
        due.append(Reminding(kind, found))
    return due


def claim_reminders(tx: Session, due: Sequence[Reminding], now: datetime) -> list[Reminding]:
    """Write them down before they are sent; those that nobody else took, and that are still wanted, are left."""
    return [
        one
        for one in due
        if answers.find(tx, one.to.round_id, one.to.member_id) is None
        and members.get(tx, one.to.member_id).reminders
        and reminders.claim(tx, one.to.round_id, one.to.member_id, one.kind, now)
    ]


def reminded(tx: Session, reminding: Reminding, now: datetime) -> None:
    """The member was told."""
    reminders.told(tx, reminding.to.round_id, reminding.to.member_id, now)


def not_reminded(tx: Session, reminding: Reminding, error: str, *, again: bool) -> None:
    """They were not told, or nobody knows whether they were. ``again``: surely not, so it may be tried once more."""
    if again:
        reminders.put_back(tx, reminding.to.round_id, reminding.to.member_id)
    else:
        reminders.told(tx, reminding.to.round_id, reminding.to.member_id, None, error)
