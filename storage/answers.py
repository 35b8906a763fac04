"""Rows of answers. The answer path uses Core statements: the ORM costs many times more per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Table, bindparam, delete, update
from sqlalchemy import select as select_core
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session, col, select

from content.question import Response
from storage.tables import Answer, Round

TABLE = cast(Table, Answer.__table__)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it stands."""

    id: int
    choices: tuple[str, ...]
    text: str
    credit: float
    points: int
    correct: bool
    late: bool
    changes: int
    via: str = ""

    @property
    def response(self) -> Response:
        return Response(self.choices, self.text)


_C = TABLE.c
_FIND = select_core(_C.id, _C.choices, _C.text, _C.credit, _C.points, _C.correct, _C.late, _C.changes, _C.via).where(
    _C.round_id == bindparam("round"), _C.member_id == bindparam("member")
)
_ANY = select_core(_C.id).where(_C.member_id == bindparam("member")).limit(1)
_ADD = insert(TABLE).on_conflict_do_nothing(index_elements=["round_id", "member_id"])


def find(tx: Session, round_id: int, member_id: int) -> Stored | None:
    row = tx.connection().execute(_FIND, {"round": round_id, "member": member_id}).one_or_none()
    return None if row is None else Stored(row[0], tuple(row[1]), *row[2:])


def add(tx: Session, round_id: int, member_id: int, response: Response, grade: dict[str, Any], at: datetime) -> bool:
    """Store the member's first answer; ``False`` when there is one already (a double tap, a second device)."""
    values = {
        "round_id": round_id,
        "member_id": member_id,
        "choices": list(response.choices),
        "text": response.text,
        "changes": 0,
        "first_at": at,
        "answered_at": at,
        **grade,
    }
    return tx.connection().execute(_ADD, values).rowcount == 1


def replace(tx: Session, answer_id: int, response: Response, grade: dict[str, Any], at: datetime) -> None:
    """The member changed their mind before close."""
    tx.connection().execute(
        update(TABLE)
        .where(TABLE.c.id == answer_id)
        .values(
            choices=list(response.choices), text=response.text, changes=TABLE.c.changes + 1, answered_at=at, **grade
        )
    )


def mark(tx: Session, answer_id: int, choices: Sequence[str], credit: float, correct: bool) -> None:
    """The member corrected the ticks of their case: the answer itself, its time and its points stay."""
    tx.connection().execute(
        update(TABLE).where(TABLE.c.id == answer_id).values(choices=list(choices), credit=credit, correct=correct)
    )


def take_away(tx: Session, answer_id: int, member_id: int) -> None:
    """The member withdrew their answer."""
    tx.connection().execute(delete(TABLE).where(TABLE.c.id == answer_id))
    tx.info.get("memory", {}).pop(("answered", member_id), None)


def of_round(tx: Session, round_id: int) -> Sequence[Answer]:
    """The timely answers of a round."""
    return tx.exec(
        select(Answer).where(Answer.round_id == round_id, col(Answer.late).is_(False)).order_by(col(Answer.id))
    ).all()


def answered_since(tx: Session, member_id: int, schedule_id: int, since: datetime) -> bool:
    """Did the member answer a round of the schedule at or after ``since``?"""
    statement = (
        select_core(_C.id)
        .join(Round, col(Round.id) == _C.round_id)
        .where(_C.member_id == member_id, col(Round.schedule_id) == schedule_id, _C.answered_at >= since)
        .limit(1)
    )
    return tx.connection().execute(statement).first() is not None


def has_any(tx: Session, member_id: int) -> bool:
    memory = tx.info.get("memory", {})
    if ("answered", member_id) in memory:
        return True
    found = tx.connection().execute(_ANY, {"member": member_id}).first() is not None
    if found:
        memory["answered", member_id] = True
    return found


def of_member(tx: Session, member_id: int, schedule_id: int) -> Sequence[tuple[Round, Answer | None]]:
    """Every round of the schedule with the member's answer to it, if any, by date."""
    statement = (
        select(Round, Answer)
        .join(Answer, (col(Answer.round_id) == col(Round.id)) & (col(Answer.member_id) == member_id), isouter=True)
        .where(Round.schedule_id == schedule_id)
        .order_by(col(Round.local_date))
    )
    return tx.exec(statement).all()
