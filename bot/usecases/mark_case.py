"""Correct the ticks of one's own case: which points of the rubric the answer really makes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlmodel import Session

from bot.drill.errors import OptedOut, UnknownRound
from bot.usecases.meet_member import Met
from bot.usecases.show_today import Today, show_own_round
from content.grading import SELF_MARKED, grade
from content.question import Kind, Response
from storage import answers


def case_to_mark(tx: Session, met: Met, round_id: int, now: datetime) -> Today:
    """The member's answered case, once its rubric may be seen. Errors: UnknownRound."""
    today = show_own_round(tx, met, round_id, now)
    revealed = today.view.closed or today.view.mode == "instant"
    if today.view.question.kind is not Kind.CASE or today.stored is None or not revealed:
        raise UnknownRound
    return today


def mark_case(tx: Session, met: Met, round_id: int, ticks: Collection[str], now: datetime) -> Today:
    """Keep the member's own ticks: numbers of rubric points from 1; others are nothing. Errors: UnknownRound.

    Any number of times, the last counts. A case gives no points, so nobody's rank changes. OptedOut too.
    """
    if met.opted_out:
        raise OptedOut
    today = case_to_mark(tx, met, round_id, now)
    stored = today.stored
    assert stored is not None
    numbers = [str(number) for number in range(1, len(today.view.question.rubric) + 1) if str(number) in ticks]
    response = Response((SELF_MARKED, *numbers), stored.text)
    graded = grade(today.view.question, response)
    answers.mark(tx, stored.id, response.choices, float(graded.credit), graded.credit == 1)
    return show_own_round(tx, met, round_id, now)
