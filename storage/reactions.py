"""Rows of the keycaps that members leave under a round."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from storage.tables import Member, ReactionMark


def of(tx: Session, round_id: int, member_id: int) -> Sequence[ReactionMark]:
    """The member's marks, also those taken away."""
    statement = select(ReactionMark).where(ReactionMark.round_id == round_id, ReactionMark.member_id == member_id)
    return tx.exec(statement).all()


def find(tx: Session, round_id: int, member_id: int, option: str) -> ReactionMark | None:
    statement = select(ReactionMark).where(
        ReactionMark.round_id == round_id, ReactionMark.member_id == member_id, ReactionMark.option == option
    )
    return tx.exec(statement).one_or_none()


def of_round(tx: Session, round_id: int, option: str | None = None) -> Sequence[ReactionMark]:
    """All marks of the round, or those of one option, also those taken away."""
    statement = select(ReactionMark).where(ReactionMark.round_id == round_id).order_by(col(ReactionMark.id))
    if option is not None:
        statement = statement.where(ReactionMark.option == option)
    return tx.exec(statement).all()


def put(tx: Session, old: ReactionMark | None, round_id: int, member_id: int, option: str, at: datetime | None) -> None:
    """The mark is there, and it is the newest one."""
    if old is not None:
        tx.delete(old)
        tx.flush()
    tx.add(ReactionMark(round_id=round_id, member_id=member_id, option=option, at=at))
    tx.flush()


def known_people(tx: Session, workspace_id: int) -> Sequence[str]:
    """The platform's ids of everybody whom the workspace's rows know: people all of them."""
    return tx.exec(select(Member.external_id).where(Member.workspace_id == workspace_id)).all()
