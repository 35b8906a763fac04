"""The demo's team: made-up members with their skill and habits, and what each of them would answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from bot.cards import number_text
from bot.web.playground.chat import Person
from content.question import Kind, Question, Response


@dataclass(frozen=True, slots=True)
class Teammate:
    """``skill``: how often they are right at level 3. ``after``: minutes after the post, earliest and latest.

    ``skips``: how often they do not answer in time, and ``late`` how often they then come in the evening.
    """

    person: Person
    skill: float
    after: tuple[int, int]
    skips: float = 0.0
    late: float = 0.0


TEAM = (
    Teammate(Person("mira", "Mira", "en", admin=True), 0.82, (4, 22)),
    Teammate(Person("tomas", "Tomás", "en"), 0.62, (20, 130), 0.08, 0.5),
    Teammate(Person("xiaolin", "小林", "zh"), 0.86, (35, 110), 0.05, 0.5),
    Teammate(Person("noor", "Noor", "en"), 0.74, (190, 330), 0.05, 0.5),
    Teammate(Person("kofi", "Kofi", "en"), 0.55, (10, 260), 0.35, 0.8),
    Teammate(Person("xiaoyu", "小雨", "zh"), 0.66, (60, 220), 0.1, 0.5),
    Teammate(Person("ines", "Inês", "en"), 0.5, (210, 420), 0.12, 0.5),
    Teammate(Person("sam", "Sam", "en"), 0.45, (30, 470), 0.3, 0.9),
)

STEP_OF_SKILL = 0.09
"""How much less often they are right with each level above 3."""


@dataclass(frozen=True, slots=True, order=True)
class Visit:
    """Somebody comes to a round at ``at``; ``late``: after its close."""

    at: datetime
    member: str
    round_id: int
    message_id: str
    late: bool


def visits(round_id: int, message_id: str, posted: datetime, closes: datetime, seed: str) -> list[Visit]:
    """Who comes to a round, and when; some do not come at all."""
    made = []
    for mate in TEAM:
        rng = Random(f"{seed}:{mate.person.id}:{round_id}")  # noqa: S311 — habits, not secrets
        minutes = rng.uniform(*mate.after)
        at = min(posted + timedelta(minutes=minutes), closes - timedelta(minutes=2))
        late = rng.random() < mate.skips
        if late:
            if rng.random() >= mate.late:
                continue
            at = closes + timedelta(minutes=rng.uniform(40, 200))
        made.append(Visit(at, mate.person.id, round_id, message_id, late))
    return sorted(made)


def mate_of(member: str) -> Teammate:
    return next(mate for mate in TEAM if mate.person.id == member)


def response_of(mate: Teammate, question: Question, seed: str) -> Response:
    """What this teammate would answer: right about as often as their skill says."""
    rng = Random(f"{seed}:{mate.person.id}:{question.id}")  # noqa: S311
    right = rng.random() < mate.skill - STEP_OF_SKILL * (question.difficulty - 3)
    if question.kind.is_choice:
        return Response(_choices(question, right, rng))
    return Response(text=_typed(mate, question, right, rng))


def _choices(question: Question, right: bool, rng: Random) -> tuple[str, ...]:
    key = [option.key for option in question.choices if option.correct]
    wrong = [option.key for option in question.choices if not option.correct]
    if right or not wrong:
        return tuple(key)
    if question.kind is not Kind.MULTIPLE:
        return (rng.choice(wrong),)
    if len(key) > 1 and rng.random() < 0.6:
        return tuple(sorted(rng.sample(key, len(key) - 1)))
    return tuple(sorted([*key[:-1], rng.choice(wrong)]))


def _typed(mate: Teammate, question: Question, right: bool, rng: Random) -> str:
    language = mate.person.language
    if question.kind is Kind.CASE:
        points: Sequence[str] = [point.text.get(language) for point in question.rubric]
        said = points if right else points[: max(1, len(points) // 2)]
        return "\n".join(said) or "…"
    if question.kind is Kind.NUMERIC and question.number is not None:
        number = question.number
        wrong = [mistake.value for mistake in question.mistakes] or [number.value * 2 + 1]
        value = number.value if right else rng.choice(wrong)
        return number_text(value, number.unit if rng.random() < 0.8 else "")
    accepted = question.accept.get(language) or next(iter(question.accept.values()), ())
    if right and accepted:
        return rng.choice(accepted)
    return "不确定" if language == "zh" else "not sure"
