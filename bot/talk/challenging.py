"""*Challenge this answer*: by the button in the thread or under a verdict, or typed."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.cards import disputes
from bot.chat import Ask, Command, Reply, Say, Submission, Tap
from bot.talk.desk import Button, Desk, FormTarget, Planned, Theme, number
from bot.usecases.challenge_answer import (
    Disputed,
    challenge_answer,
    look_at_challenge,
    newest_to_challenge,
)
from bot.usecases.meet_member import Met


def open_form(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    round_id = number(args[0])
    return desk.look(event, lambda tx, met: look_at_challenge(tx, met, round_id, now), _ask)


def send_form(desk: Desk, event: Submission, rest: str, now: datetime) -> Planned:
    round_id, text = number(rest), event.values.get("text", "")
    typed = text if isinstance(text, str) else ""
    return desk.decide(event, lambda tx, met: challenge_answer(tx, met, round_id, typed, now), _thank)


def do_challenge(desk: Desk, event: Command, now: datetime) -> Planned:
    """Typed with its text it is kept at once; without, the form opens."""
    text = event.options.get("text", "")
    if not text:
        return desk.look(event, lambda tx, met: newest_to_challenge(tx, met, event.place.channel, now), _ask)

    def keep(tx: Session, met: Met) -> None:
        found = newest_to_challenge(tx, met, event.place.channel, now)
        assert found.round.id is not None
        challenge_answer(tx, met, found.round.id, text, now)

    return desk.decide(event, keep, _thank)


def _ask(disputed: Disputed, language: str) -> Reply:
    return Ask(disputes.form(disputed, language))


def _thank(_: object, language: str) -> Reply:
    return Say(disputes.thanks(language))


THEME = Theme(
    buttons={"challenge": Button(open_form)},
    forms={"challenge": FormTarget(send_form)},
    commands={"challenge": do_challenge},
)
