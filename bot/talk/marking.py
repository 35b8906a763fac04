"""Members correct the ticks of their case."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.cards import cases
from bot.chat import Ask, Reply, Submission, Tap
from bot.drill import errors
from bot.talk.answering import own_verdict
from bot.talk.desk import Button, Desk, FormTarget, Planned, Theme, number
from bot.usecases.mark_case import case_to_mark, mark_case
from bot.usecases.meet_member import Met
from bot.usecases.show_today import Today


def open_ticks(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    round_id = number(args[0])

    def then(today: Today, language: str) -> Reply:
        assert today.stored is not None
        return Ask(cases.ticks_form(today.view.question, today.stored.response, round_id, language))

    return desk.look(event, lambda tx, met: case_to_mark(tx, met, round_id, now), then)


def send_ticks(desk: Desk, event: Submission, rest: str, now: datetime) -> Planned:
    round_id = number(rest)
    ticks: set[str] = set()
    for name, value in event.values.items():
        if name.startswith("ticks"):
            ticks |= set(value if isinstance(value, tuple) else (value,))

    def decide(tx: Session, met: Met) -> Today:
        if not met.id:
            raise errors.UnknownRound
        return mark_case(tx, met, round_id, ticks, now)

    def then(today: Today, language: str) -> Reply:
        return own_verdict(desk, today, language, now)

    return desk.decide(event, decide, then)


THEME = Theme(buttons={"ticks": Button(open_ticks)}, forms={"ticks": FormTarget(send_ticks)})
