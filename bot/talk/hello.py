"""What the person who brought the bot presses under its greeting: a sample question, and what it can do."""

from __future__ import annotations

from datetime import datetime

from bot.chat import Reply, Say, Tap
from bot.drill import errors
from bot.talk.desk import Button, Desk, Planned, Theme
from bot.texts import language_of
from content.question import Kind, Question


def press(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """``hello:sample-en``, ``hello:help-zh``: in the language that the button itself speaks."""
    what, _, spoken = args[0].partition("-")
    if what not in ("sample", "help"):
        raise errors.UnknownRound
    spoken = language_of(spoken)
    sample = _sample(desk) if what == "sample" else None

    def then(_: None, language: str) -> Reply:
        if sample is None:
            return Say(desk.cards.help(True, spoken))
        return Say(desk.cards.sample(sample, spoken))

    return desk.look(event, lambda tx, met: None, then)


def _sample(desk: Desk) -> Question:
    """An easy question of the bank, the same for everybody: shown without its answer, since it may be asked yet."""
    questions = sorted(desk.library, key=lambda q: (q.kind is not Kind.SINGLE, q.difficulty, q.id))
    if not questions:
        raise errors.NoQuestion
    return questions[0]


THEME = Theme(buttons={"hello": Button(press)})
