"""Which question a round asks, and the order of its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from bot.drill.ordering import keeps_order
from content.question import Question

__all__ = ["Asked", "Candidate", "Choice", "choose", "order_options", "topics_for"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that fits the schedule: its kinds, difficulty and languages."""

    question_id: str
    topic: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question the channel was asked, or will be: rounds planned ahead belong here too."""

    question_id: str
    topic: str
    on: date


@dataclass(frozen=True, slots=True)
class Choice:
    """The question for a round. ``used_up``: every candidate had been asked, this one returns."""

    question_id: str
    used_up: bool


def topics_for(day: date, rotation: Sequence[str], per_weekday: Mapping[int, Sequence[str]]) -> tuple[str, ...]:
    """The topics of ``day``: those of its weekday (ISO 1..7) where it has a set of its own, else the rotation."""
    return tuple(per_weekday.get(day.isoweekday()) or rotation)


def choose(
    candidates: Sequence[Candidate], asked: Sequence[Asked], topics: Sequence[str], rng: Random
) -> Choice | None:
    """A question for the next round, or None where no candidate lies in ``topics``.

    ``topics`` are in rotation order, and one named twice comes twice as often; empty means all, by name. The
    topic after the last one asked that still has an unasked question gives it, drawn by ``rng``. Once every
    candidate was asked the least recently asked returns.
    """
    order = tuple(topics) or tuple(sorted({c.topic for c in candidates}))
    fitting = {c.question_id: c.topic for c in candidates if c.topic in order}
    if not fitting:
        return None
    history = sorted(asked, key=lambda a: a.on)
    last_asked = {a.question_id: a.on for a in history}
    fresh = sorted(q for q in fitting if q not in last_asked)
    if not fresh:
        return Choice(min(fitting, key=lambda q: (last_asked[q], q)), used_up=True)
    place = _place_in_rotation(history, order)
    for step in range(1, len(order) + 1):
        topic = order[(place + step) % len(order)]
        if unasked := [q for q in fresh if fitting[q] == topic]:
            return Choice(rng.choice(unasked), used_up=False)
    raise AssertionError("a fresh candidate lies in one of the topics")


def _place_in_rotation(history: Sequence[Asked], order: Sequence[str]) -> int:
    """The index of the rotation that the channel's last question took; −1 before the first.

    Walked through from the start, since a topic that stands in the rotation twice does not tell its place.
    Questions of other topics (another weekday's, or of a rotation since changed) leave the place alone.
    """
    place = -1
    for asked in history:
        for step in range(1, len(order) + 1):
            if order[(place + step) % len(order)] == asked.topic:
                place = (place + step) % len(order)
                break
    return place


def order_options(question: Question, rng: Random) -> tuple[str, ...]:
    """Option keys in the order the round shows them, shuffled once for everyone.

    All keep the file's place where the author said so, in true/false, and where ``keeps_order`` sees that the
    options are ordered numbers or speak of one another. Empty for kinds without options.
    """
    keys = [option.key for option in question.choices] if question.kind.is_choice else []
    if not keeps_order(question):
        rng.shuffle(keys)
    return tuple(keys)
