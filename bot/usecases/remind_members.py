"""Reminders of open rounds: who is to get one now, and what became of it. The rows are the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.drill.reminders import Kind, is_due, next_kind
from storage import reminders
from storage.reminders import Candidate

MOST_LOOKED_AT = 2000
"""Candidates that one look brings into memory."""


@dataclass(frozen=True, slots=True)
class Reminding:
    """A reminder that was claimed for a member: it is sent by whoever holds this, once."""

    kind: Kind
    to: Candidate


def claim_reminders(tx: Session, now: datetime, platforms: Sequence[str], most: int) -> list[Reminding]:
    """Take at most ``most`` reminders that are due; each is written down before it is sent."""
    taken: list[Reminding] = []
    for found in reminders.candidates(tx, now, platforms, MOST_LOOKED_AT):
        if len(taken) >= most:
            break
        if not is_due(found.posts_at, found.closes_at, now, found.zone or found.channel_zone):
            continue
        since = reminders.since_answer(tx, found.member_id, now)
        kind = next_kind(since.ignored, since.asked)
        if kind is not None and reminders.claim(tx, found.round_id, found.member_id, kind, now):
            taken.append(Reminding(kind, found))
    return taken


def reminded(tx: Session, reminding: Reminding, now: datetime) -> None:
    """The member was told."""
    reminders.told(tx, reminding.to.round_id, reminding.to.member_id, now)


def not_reminded(tx: Session, reminding: Reminding, error: str, *, again: bool) -> None:
    """They were not told, or nobody knows whether they were. ``again``: surely not, so it may be tried once more."""
    if again:
        reminders.put_back(tx, reminding.to.round_id, reminding.to.member_id)
    else:
        reminders.told(tx, reminding.to.round_id, reminding.to.member_id, None, error)
