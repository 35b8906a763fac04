"""Ask another question on a date to come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random

from sqlmodel import Session

from bot.drill.errors import NoOtherQuestion, WrongInput
from bot.drill.selection import topics_for
from bot.usecases.meet_member import Met
from bot.usecases.schedules import candidates_of, round_to_come
from content.library import Library
from content.question import Question
from storage import audit, rounds, schedules
from storage.tables import Round, Schedule

JUST_ASKED = timedelta(days=14)
"""How long an asked question is not asked again because an admin names it."""


@dataclass(frozen=True, slots=True)
class Swap:
    """A round to come, what it asks now, and what it could ask instead."""

    schedule: Schedule
    round: Round
    now_asked: Question | None
    instead: Question


def propose_swap(
    tx: Session,
    schedule: Schedule,
    day: date | None,
    library: Library,
    now: datetime,
    wanted: str = "",
    after: str = "",
) -> Swap:
    """Another question for the round of ``day``: ``wanted`` (a question's id or a topic), or the one that comes
    after the question ``after`` among those that fit. Nothing is saved.

    The order is drawn from the schedule's seed and the date, so that *another* walks through all of them.
    Errors: DateGone, NoRoundThen, NoOtherQuestion, WrongInput.
    """
    round_ = round_to_come(tx, schedule, day, now)
    current = library.get(round_.question_id) if round_.question_id else None
    named = library.get(wanted) if wanted else None
    if named is not None:
        _check_fits(schedule, named)
        _check_free(tx, schedule, round_, named)
        return Swap(schedule, round_, current, named)
    found = _others(tx, schedule, round_, library, wanted)
    if not found and wanted and not candidates_of(schedule, library, (wanted,)):
        raise WrongInput(
            "to",
            f"No question about {wanted} fits this channel's kinds, difficulty and languages yet; name another topic.",
            f"还没有关于 {wanted} 且符合本频道题型、难度和语言的题目，请换一个主题。",
        )
    if not found:
        raise NoOtherQuestion
    place = found.index(after) + 1 if after in found else 0
    instead = library.get(found[place % len(found)])
    assert instead is not None
    return Swap(schedule, round_, current, instead)


def swap_question(
    tx: Session, met: Met, schedule: Schedule, day: date, question_id: str, library: Library, now: datetime
) -> Swap:
    """The round of ``day`` asks this question, also when the rounds to come are planned anew. Errors: as above."""
    assert schedule.id is not None
    asked = round_to_come(tx, schedule, day, now)
    if asked.question_id == question_id and schedules.pins(tx, schedule.id).get(day) == question_id:
        question = library.get(question_id)  # the button was pressed twice
        if question is not None:
            return Swap(schedule, asked, question, question)
    swap = propose_swap(tx, schedule, day, library, now, wanted=question_id)
    if swap.instead.id != question_id:
        raise NoOtherQuestion
    schedules.pin(tx, schedule.id, day, question_id)
    round_ = swap.round
    round_.question_id, round_.topic, round_.used_up = question_id, swap.instead.topic, False
    tx.add(round_)
    detail = {"channel": schedule.channel_id, "date": day.isoformat(), "question": question_id}
    audit.record(tx, met.workspace_id, met.id, now, "swap", detail)
    return swap


def _others(tx: Session, schedule: Schedule, round_: Round, library: Library, topic: str) -> list[str]:
    """Ids of what fits the date and was not asked nor is promised, in a drawn order; else the longest not asked."""
    assert schedule.id is not None
    per_weekday = {int(weekday): topics for weekday, topics in schedule.weekday_topics.items()}
    topics = (topic,) if topic else topics_for(round_.local_date, schedule.topics, per_weekday)
    fitting = [c.question_id for c in candidates_of(schedule, library, topics) if c.question_id != round_.question_id]
    others = [r for r in rounds.all_of(tx, schedule.id) if r.id != round_.id and r.question_id and r.state != "missed"]
    planned = {r.question_id for r in others if r.state == "planned"} | set(schedules.pins(tx, schedule.id).values())
    asked = {r.question_id: r.local_date for r in others if r.state == "posted"}
    fresh = sorted(q for q in fitting if q not in planned and q not in asked)
    if fresh:
        Random(f"{schedule.seed}:{round_.local_date.isoformat()}:swap").shuffle(fresh)  # noqa: S311 — a draw, no secret
        return fresh
    return sorted((q for q in fitting if q not in planned), key=lambda q: (asked[q], q))


def _check_fits(schedule: Schedule, question: Question) -> None:
    """An admin may name any question that members can read; its kind and level are theirs to choose."""
    missing = [language for language in schedule.languages if not getattr(question.prompt, language[:2], "")]
    if missing:
        raise WrongInput(
            "question",
            f"{question.id} has no text in {', '.join(missing)}, which this channel speaks.",
            f"{question.id} 没有本频道使用的语言：{'、'.join(missing)}。",
        )


def _check_free(tx: Session, schedule: Schedule, round_: Round, question: Question) -> None:
    """A question that is to come, or was asked just now, is not asked twice within days."""
    assert schedule.id is not None
    others = [r for r in rounds.all_of(tx, schedule.id) if r.id != round_.id and r.state != "missed"]
    planned = {r.local_date for r in others if r.state == "planned" and r.question_id == question.id}
    planned |= {day for day, pinned in schedules.pins(tx, schedule.id).items() if pinned == question.id}
    coming = sorted(planned - {r.local_date for r in others if r.state == "posted"} - {round_.local_date})
    lately = [r.local_date for r in others if r.state == "posted" and r.question_id == question.id]
    lately = [day for day in lately if abs(day - round_.local_date) <= JUST_ASKED]
    if coming:
        raise WrongInput(
            "to",
            f"{question.id} is promised to {coming[0]} already; choose another, or swap that one first.",
            f"{question.id} 已安排在 {coming[0]}，请换一道，或先更换那天的题目。",
        )
    if lately:
        raise WrongInput(
            "to",
            f"{question.id} was asked on {lately[-1]}, a short while ago; choose another.",
            f"{question.id} 在 {lately[-1]} 刚刚出过，请换一道。",
        )
