"""What admins press when something went wrong: *Try again* under a notice, or under what a channel lacks."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.chat import Reply, Say, Tap
from bot.talk.desk import Button, Desk, Planned, Theme, number
from bot.usecases.meet_member import Met
from bot.usecases.retry_delivery import Retried, reopen_channel, retry_delivery


def try_again(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """``retry:delivery``: what was refused. ``reopen:schedule``: the channel that was parked."""
    name, subject = event.action.split(":")[0], number(args[0])

    def decide(tx: Session, met: Met) -> Retried:
        if name == "retry":
            return retry_delivery(tx, met, subject, now)
        return reopen_channel(tx, met, subject, now)

    def then(done: Retried, language: str) -> Reply:
        return desk.wake(Say(desk.cards.retried(done, language)))

    return desk.decide(event, decide, then)


THEME = Theme(buttons={name: Button(try_again, admin=True) for name in ("retry", "reopen")})
