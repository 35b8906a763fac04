"""One person's home: today's questions, how they stand, what they set; for admins the channels and what comes there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from bot.usecases.change_settings import MySettings, show_settings
from bot.usecases.meet_member import Met
from bot.usecases.show_progress import Progress, show_progress
from bot.usecases.show_round import show_round
from bot.usecases.show_today import Today
from content.library import Library
from content.question import Question
from storage import answers, rounds, schedules
from storage.tables import Round, Schedule, SchedulePause

LATELY = timedelta(days=28)
"""Who answered in a channel within this time belongs to it."""

COMING = 5


@dataclass(frozen=True, slots=True)
class Mine:
    """A channel the member answers in. ``today``: its open round with what they answered, if one is open."""

    schedule: Schedule
    today: Today | None
    progress: Progress


@dataclass(frozen=True, slots=True)
class Run:
    """A channel that an admin looks after, with the rounds to come."""

    schedule: Schedule
    pause: SchedulePause | None
    coming: tuple[tuple[Round, Question | None], ...]


@dataclass(frozen=True, slots=True)
class Home:
    """``mine`` is empty for somebody who has not answered lately; ``run`` for whoever is no admin."""

    mine: tuple[Mine, ...]
    settings: MySettings
    run: tuple[Run, ...]
    admin: bool


def show_home(tx: Session, met: Met, admin: bool, library: Library, now: datetime) -> Home:
    """Everything the member's home shows; nothing of anybody else. ``admin``: they may run the drills."""
    here = schedules.of_workspace(tx, met.workspace_id)
    mine = tuple(_mine(tx, met, schedule, now) for schedule in here if _answers_in(tx, met, schedule, now))
    run = tuple(_run(tx, schedule, library, now) for schedule in here) if admin else ()
    return Home(mine, show_settings(tx, met, now), run, admin)


def _answers_in(tx: Session, met: Met, schedule: Schedule, now: datetime) -> bool:
    assert schedule.id is not None
    return answers.answered_since(tx, met.id, schedule.id, now - LATELY)


def _mine(tx: Session, met: Met, schedule: Schedule, now: datetime) -> Mine:
    assert schedule.id is not None
    open_ = rounds.open_round(tx, schedule.id, now)
    today = None
    if open_ is not None and open_.id is not None:
        today = Today(show_round(tx, open_.id, now), answers.find(tx, open_.id, met.id))
    return Mine(schedule, today, show_progress(tx, met, schedule.channel_id, now))


def _run(tx: Session, schedule: Schedule, library: Library, now: datetime) -> Run:
    assert schedule.id is not None
    coming = [r for r in rounds.planned(tx, schedule.id) if r.posts_at > now][:COMING]
    asked = tuple((r, library.get(r.question_id) if r.question_id else None) for r in coming)
    return Run(schedule, schedules.current_pause(tx, schedule.id, now), asked)
