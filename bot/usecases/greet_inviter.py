"""Greet the person who brought the bot into a workspace: once ever, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from storage import members, schedules
from storage.tables import Workspace


@dataclass(frozen=True, slots=True)
class Greeting:
    """A greeting that was claimed. ``channels``: where drills run already; ``language`` ``""``: not known."""

    workspace_id: int
    platform: str
    workspace: str
    member: str
    language: str
    channels: tuple[str, ...]


def greetings_wait(tx: Session, platforms: Sequence[str]) -> bool:
    """Is there somebody to greet?"""
    return tx.exec(select(Workspace.id).where(*_waiting(platforms)).limit(1)).first() is not None


def claim_greetings(tx: Session, now: datetime, platforms: Sequence[str], most: int) -> list[Greeting]:
    """Take at most ``most`` greetings; each is written down before it is sent."""
    rows = tx.exec(select(Workspace).where(*_waiting(platforms)).order_by(col(Workspace.id)).limit(most)).all()
    return [_claim(tx, row, now) for row in rows]


def _claim(tx: Session, row: Workspace, now: datetime) -> Greeting:
    assert row.id is not None
    row.greeted_at = now
    tx.add(row)
    known = members.by_external_id(tx, row.id, row.inviter)
    language = (known.chosen_language or known.language) if known else ""
    channels = tuple(
        f"#{s.channel_name}" if s.channel_name else s.channel_id for s in schedules.of_workspace(tx, row.id)
    )
    return Greeting(row.id, row.platform, row.external_id, row.inviter, language, channels)


def not_greeted(tx: Session, greeting: Greeting) -> None:
    """They were surely not told: they may be greeted later."""
    row = tx.get_one(Workspace, greeting.workspace_id)
    row.greeted_at = None
    tx.add(row)


def _waiting(platforms: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    return (
        col(Workspace.inviter) != "",
        col(Workspace.greeted_at).is_(None),
        col(Workspace.left_at).is_(None),
        col(Workspace.platform).in_(list(platforms)),
    )
