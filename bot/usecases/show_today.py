"""The channel's open round for one member, with what they have answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.drill.errors import NoRoundToday, UnknownRound
from bot.usecases.meet_member import Met
from bot.usecases.schedules import schedule_here
from bot.usecases.show_round import RoundView, show_round
from storage import answers, rounds, schedules
from storage.answers import Stored


@dataclass(frozen=True, slots=True)
class Today:
    """``stored``: the member's answer so far, if any."""

    view: RoundView
    stored: Stored | None


def show_today(tx: Session, met: Met, channel_id: str, now: datetime) -> Today:
    """The open round here. Errors: NoSchedule, NoRoundToday."""
    schedule = schedule_here(tx, met.workspace_id, channel_id)
    assert schedule.id is not None
    round_ = rounds.open_round(tx, schedule.id, now)
    if round_ is None or round_.id is None:
        raise NoRoundToday
    return Today(show_round(tx, round_.id, now), answers.find(tx, round_.id, met.id))


def show_own_round(tx: Session, met: Met, round_id: int, now: datetime) -> Today:
    """A round of the member's workspace by its id, open or closed. Errors: UnknownRound."""
    round_ = rounds.get(tx, round_id)
    if round_ is None or round_.state == "missed" or round_.fingerprint is None:
        raise UnknownRound
    if schedules.get(tx, round_.schedule_id).workspace_id != met.workspace_id:
        raise UnknownRound
    return Today(show_round(tx, round_id, now), answers.find(tx, round_id, met.id))
