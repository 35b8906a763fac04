"""Take a member's answer: grade it, store it once, and say what it came to."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlmodel import Session

from bot.drill.errors import EmptyResponse, OptedOut, UnknownOption, UnknownRound, UnreadableResponse
from bot.drill.scoring import points
from bot.usecases.meet_member import Met
from content.grading import Grade, grade
from content.question import Kind, Question, Response
from storage import answers, rounds
from storage.tables import Round, Schedule

MAX_RESPONSE = 4000
"""Characters of a typed answer that are kept."""

LATE = timedelta(hours=24)
"""How long after close an answer is still kept: no points, but it holds the streak."""

Outcome = Literal["final", "recorded", "changed", "again", "late", "feedback"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an answer.

    ``final``: instant mode, graded and stored · ``recorded``/``changed``: together mode, kept until close ·
    ``again``: an earlier answer stands, and this is it · ``late``: kept without points ·
    ``feedback``: too late to be kept. ``revealed``: the member may see the key.
    """

    outcome: Outcome
    round: Round
    schedule: Schedule
    question: Question
    response: Response
    grade: Grade
    points: int
    late: bool
    revealed: bool
    first_ever: bool = False


def submit_answer(tx: Session, met: Met, round_id: int, response: Response, now: datetime) -> Receipt:
    """Record a response that was received at ``now``. Errors: see ``drill.errors``; OptedOut before anything is told
    that would help whoever answers later."""
    if met.opted_out:
        raise OptedOut
    round_, schedule, question = round_for_answer(tx, met, round_id)
    response = _checked(question, response)
    instant = (round_.mode or schedule.mode) == "instant"
    open_ = rounds.is_open(round_, now)
    graded = grade(question, response)
    if graded.read_as is None and question.kind in (Kind.BLANK, Kind.NUMERIC):
        # "3 or 4" is no answer: nothing is used up by it. Where an answer stands for good, that one is shown.
        earlier = answers.find(tx, round_id, met.id)
        if earlier is None or (open_ and not instant):
            raise UnreadableResponse
    earned = points(graded.credit, question.difficulty) if open_ and _scores(question) else 0
    row: dict[str, Any] = {
        "credit": float(graded.credit),
        "points": earned,
        "correct": graded.credit == 1,
        "late": not open_,
        "via": "",
    }
    outcome: Outcome
    first_ever = False
    keeps = now < round_.closes_at + LATE
    if keeps and not answers.has_any(tx, met.id):
        first_ever = True
    if keeps and answers.add(tx, round_id, met.id, response, row, now):
        outcome = "late" if not open_ else "final" if instant else "recorded"
    else:
        earlier = answers.find(tx, round_id, met.id)
        if earlier is None:
            outcome = "feedback"
        elif instant or not open_:
            return _again(round_, schedule, question, earlier, instant, open_)
        elif earlier.response == response and not earlier.via:
            outcome = "recorded"
        else:
            outcome = "recorded" if earlier.response == response else "changed"
            answers.replace(tx, earlier.id, response, row, now)
    revealed = instant or not open_
    return Receipt(
        outcome, round_, schedule, question, response, graded, earned, not open_, revealed, first_ever=first_ever
    )


def round_for_answer(tx: Session, met: Met, round_id: int) -> tuple[Round, Schedule, Question]:
    """The posted round of the member's own workspace, or ``UnknownRound``."""
    found = rounds.posted(tx, round_id)
    if found is None:
        raise UnknownRound
    round_, schedule = found
    if round_.fingerprint is None or schedule.workspace_id != met.workspace_id:
        raise UnknownRound
    return round_, schedule, rounds.question_of(tx, round_.fingerprint)


def _scores(question: Question) -> bool:
    """A case gives no points by default: it counts for the streak and for taking part."""
    return question.kind != "case"


def _checked(question: Question, response: Response) -> Response:
    """The response as it is kept: chosen keys each once and in the question's order, or a text that says something."""
    if not question.kind.is_choice:
        text = response.text.encode("utf-8", "replace").decode()[:MAX_RESPONSE]
        if not any(unicodedata.category(c)[0] in "LNPS" for c in text):  # spaces and invisible characters alone
            raise EmptyResponse
        return Response(text=text)
    if not response.choices:
        raise EmptyResponse
    keys = tuple(option.key for option in question.choices)
    chosen = tuple(key for key in keys if key in response.choices)
    if not set(response.choices) <= set(keys) or (question.kind.is_one_tap and len(chosen) != 1):
        raise UnknownOption(", ".join(sorted(key.upper() for key in keys)))
    return Response(chosen)


def _again(
    round_: Round, schedule: Schedule, question: Question, stored: answers.Stored, instant: bool, open_: bool
) -> Receipt:
    return Receipt(
        "again",
        round_,
        schedule,
        question,
        stored.response,
        grade(question, stored.response),
        stored.points,
        stored.late,
        revealed=instant or not open_,
    )
