"""Rows of what members dispute."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from storage.tables import Challenge, Member, QuestionSnapshot, Round


def find(tx: Session, round_id: int, member_id: int) -> Challenge | None:
    statement = select(Challenge).where(Challenge.round_id == round_id, Challenge.member_id == member_id)
    return tx.exec(statement).one_or_none()


def put(tx: Session, round_: Round, member_id: int, text: str, now: datetime) -> None:
    """The member's challenge of this round is this text; one that was looked at already is open again."""
    assert round_.id is not None
    assert round_.fingerprint is not None
    row = find(tx, round_.id, member_id) or Challenge(
        round_id=round_.id,
        member_id=member_id,
        question_id=round_.question_id,
        fingerprint=round_.fingerprint,
        text="",
        made_at=now,
    )
    row.text, row.made_at, row.state = text, now, "open"
    tx.add(row)


def every(tx: Session) -> Sequence[tuple[Challenge, QuestionSnapshot, Round, Member]]:
    """All challenges with what they are about, by question and time."""
    statement = (
        select(Challenge, QuestionSnapshot, Round, Member)
        .join(QuestionSnapshot, col(QuestionSnapshot.fingerprint) == col(Challenge.fingerprint))
        .join(Round, col(Round.id) == col(Challenge.round_id))
        .join(Member, col(Member.id) == col(Challenge.member_id))
        .order_by(col(Challenge.question_id), col(Challenge.made_at), col(Challenge.id))
    )
    return tx.exec(statement).all()
