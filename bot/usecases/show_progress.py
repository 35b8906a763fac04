"""One member's own progress in a channel: points, accuracy, streak, topics. For that member's eyes only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.drill.calendar import Week, local_date
from bot.drill.standings import best_rounds
from bot.drill.streaks import RoundSeen, Streak, excused, streak
from bot.usecases.meet_member import Met
from bot.usecases.schedules import schedule_here
from bot.usecases.submit_answer import LATE
from content.question import Kind
from storage import answers, members, rounds
from storage.tables import Round


@dataclass(frozen=True, slots=True)
class TopicScore:
    topic: str
    answered: int
    right: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Only closed rounds count. ``points`` are hundredths; the week's are those of the board (its best rounds).

    ``answered``, ``right`` and ``topics`` leave cases out: nobody but the member can judge those.
    """

    week_points: int
    points: int
    answered: int
    right: int
    streak: Streak
    topics: tuple[TopicScore, ...]


def show_progress(tx: Session, met: Met, channel_id: str, now: datetime) -> Progress:
    """The member's progress in the channel. Errors: NoSchedule."""
    schedule = schedule_here(tx, met.workspace_id, channel_id)
    assert schedule.id is not None
    pauses = [(pause.starts_at, pause.ends_at) for pause in members.pauses(tx, met.id)]
    this_week = Week.of(local_date(now, schedule.zone))
    seen: list[RoundSeen] = []
    week: list[int] = []
    points = answered = right = 0
    topics: dict[str, list[int]] = {}
    for round_, answer in answers.of_member(tx, met.id, schedule.id):
        if round_.state == "planned":
            continue
        seen.append(
            RoundSeen(
                closes_at=round_.closes_at,
                late_until=round_.closes_at + LATE,
                answered=answer is not None,
                posted=round_.state == "posted",
                excused=excused(round_.posts_at, round_.closes_at, pauses),
            )
        )
        if answer is None or answer.late or now < round_.closes_at:
            continue
        points += answer.points
        if Week.of(round_.local_date) == this_week:
            week.append(answer.points)
        if _is_case(tx, round_):
            continue
        answered += 1
        right += answer.correct
        score = topics.setdefault(round_.topic, [0, 0])
        score[0] += 1
        score[1] += answer.correct
    ordered = sorted(topics.items(), key=lambda item: (item[1][1] / item[1][0], item[0]))
    return Progress(
        best_rounds(week, schedule.best_rounds),
        points,
        answered,
        right,
        streak(seen, now),
        tuple(TopicScore(topic, *score) for topic, score in ordered),
    )


def _is_case(tx: Session, round_: Round) -> bool:
    return round_.fingerprint is not None and rounds.question_of(tx, round_.fingerprint).kind is Kind.CASE
