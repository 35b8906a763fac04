"""A round as people see it: the question with its count, and after close the result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from content.question import Option, Question
from storage import answers, rounds, schedules
from storage.tables import Round, Schedule


@dataclass(frozen=True, slots=True)
class RoundView:
    """A posted round, with its options in the order everybody sees."""

    round: Round
    schedule: Schedule
    question: Question
    options: tuple[Option, ...]
    answered: int
    closed: bool

    @property
    def mode(self) -> str:
        """The answer mode it was posted with: a change of the schedule never changes the rule of an open round."""
        return self.round.mode or self.schedule.mode

    @property
    def letters(self) -> dict[str, str]:
        """Option key → letter as shown."""
        return {option.key: "ABCDEFGHIJ"[place] for place, option in enumerate(self.options)}


@dataclass(frozen=True, slots=True)
class ResultView:
    """A closed round. ``chosen``: option key → how many chose it; ``None`` where there are fewer answers than the
    workspace's ``least``: it would tell who chose what.
    """

    view: RoundView
    right: int
    chosen: dict[str, int] | None
    least: int = 5


def show_round(tx: Session, round_id: int, now: datetime) -> RoundView:
    """The round as it stands; its question must have been fixed (posting has begun)."""
    round_ = rounds.get(tx, round_id)
    assert round_ is not None
    assert round_.fingerprint is not None
    question = rounds.question_of(tx, round_.fingerprint)
    return RoundView(
        round_,
        schedules.get(tx, round_.schedule_id),
        question,
        in_order(question, round_.option_order),
        rounds.answered_count(tx, round_id),
        not rounds.is_open(round_, now),
    )


def in_order(question: Question, order: list[str]) -> tuple[Option, ...]:
    """The question's options in the round's order."""
    by_key = {option.key: option for option in question.choices}
    return tuple(by_key[key] for key in order) if question.kind.is_choice else ()


def show_result(tx: Session, round_id: int, now: datetime) -> ResultView:
    """What came of a closed round: never who, only how many."""
    view = show_round(tx, round_id, now)
    given = answers.of_round(tx, round_id)
    least = schedules.workspace_of(tx, view.schedule).least_shown
    chosen: dict[str, int] | None = None
    if view.options and len(given) >= least:
        counts = Counter(key for answer in given for key in answer.choices)
        chosen = {option.key: counts[option.key] for option in view.options}
    return ResultView(view, sum(answer.correct for answer in given), chosen, least)
