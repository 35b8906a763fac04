"""A round to come as the channel will see it, for an admin alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from random import Random

from sqlmodel import Session

from bot.drill.errors import NoQuestion
from bot.drill.selection import order_options
from bot.usecases.schedules import round_to_come
from bot.usecases.show_round import RoundView, in_order
from content.library import Library
from storage import rounds
from storage.tables import Round, Schedule


@dataclass(frozen=True, slots=True)
class Preview:
    """``view`` is of a round that is not posted yet: its number and order are what they will be if nothing changes."""

    view: RoundView
    posts_at: datetime


def preview_round(tx: Session, schedule: Schedule, day: date | None, library: Library, now: datetime) -> Preview:
    """The planned round of ``day`` (the next where it is ``None``). Errors: DateGone, NoRoundThen, NoQuestion."""
    assert schedule.id is not None
    planned = round_to_come(tx, schedule, day, now)
    question = library.get(planned.question_id) if planned.question_id else None
    if question is None:
        raise NoQuestion
    before = [r for r in rounds.planned(tx, schedule.id) if r.local_date < planned.local_date]
    seed = Random(f"{schedule.seed}:{planned.local_date}:order")  # noqa: S311 — as when it is posted
    order = list(order_options(question, seed))
    shown = Round(
        **planned.model_dump()
        | {
            "number": rounds.next_number(tx, schedule.id) + len(before),
            "option_order": order,
            "mode": schedule.mode,
            "reactions": schedule.reactions and schedule.mode == "together" and question.kind.is_one_tap,
        }
    )
    return Preview(RoundView(shown, schedule, question, in_order(question, order), 0, False), planned.posts_at)
