"""What several verbs need of a schedule: its calendar, its workspace, its place."""

from __future__ import annotations

from datetime import date, datetime
from random import Random

from sqlmodel import Session

from bot.chat import Place
from bot.drill.calendar import Calendar, Pause, Week, local_date, next_occurrences
from bot.drill.errors import DateGone, NoRoundThen, NoSchedule
from bot.drill.selection import Asked, Candidate, Choice, choose, topics_for
from content.library import Library
from content.question import Kind
from storage import boards, rounds, schedules
from storage.tables import Round, Schedule


def calendar_of(tx: Session, schedule: Schedule) -> Calendar:
    """When the channel drills, from the schedule's rows."""
    assert schedule.id is not None
    days = schedules.dates(tx, schedule.id)
    return Calendar(
        weekdays=frozenset(schedule.weekdays),
        at=schedule.at,
        zone=schedule.zone,
        country=schedule.country,
        holidays=frozenset(d.day for d in days if d.kind in ("holiday", "skip")),
        extra_dates=frozenset(d.day for d in days if d.kind == "extra"),
        pauses=tuple(Pause(p.starts_at, p.ends_at) for p in schedules.pauses(tx, schedule.id)),
    )


def coming_dates(
    tx: Session, schedule: Schedule | None, calendar: Calendar, now: datetime, count: int
) -> tuple[tuple[date, datetime], ...]:
    """The next ``count`` dates that will have a round: not those whose slot was taken ahead of its time."""
    if schedule is None or schedule.id is None:
        return tuple(next_occurrences(calendar, now, count))
    today = local_date(now, calendar.zone)
    begun = [r for r in rounds.all_of(tx, schedule.id) if r.state != "planned" or r.posts_at <= now]
    taken = {r.local_date for r in begun if r.local_date >= today} | over_dates(tx, schedule, calendar, now)
    found = next_occurrences(calendar, now, count + len(taken))
    return tuple((day, moment) for day, moment in found if day not in taken)[:count]


def over_dates(tx: Session, schedule: Schedule, calendar: Calendar, now: datetime) -> set[date]:
    """Dates from today on whose week has its board already: a round on them would be on no board.

    There are some only where a channel moved to a zone that is behind the one it came from.
    """
    assert schedule.id is not None
    today = local_date(now, calendar.zone)
    weeks = boards.begun_weeks(tx, schedule.id, Week.of(today).label, now)
    return {day for week in weeks for day in Week.from_label(week).dates() if day >= today}


def place_of(tx: Session, schedule: Schedule) -> Place:
    return Place(schedules.workspace_of(tx, schedule).external_id, schedule.channel_id)


def schedule_by_id(tx: Session, workspace_id: int, schedule_id: int) -> Schedule:
    """The schedule that a button speaks of, in the person's own workspace, or ``NoSchedule``."""
    schedule = tx.get(Schedule, schedule_id)
    if schedule is None or schedule.workspace_id != workspace_id:
        raise NoSchedule
    return schedule


def round_to_come(tx: Session, schedule: Schedule, day: date | None, now: datetime) -> Round:
    """The planned round of a date (the next one where none is named) that can still be changed.

    Errors: DateGone, NoRoundThen.
    """
    assert schedule.id is not None
    if day is None:
        coming = [r for r in rounds.planned(tx, schedule.id) if r.posts_at > now]
        if not coming:
            raise NoRoundThen(None)
        return coming[0]
    found = rounds.on(tx, schedule.id, day)
    if day < local_date(now, schedule.zone) or (
        found is not None and (found.state != "planned" or found.posts_at <= now)
    ):
        raise DateGone(day)
    if found is None:
        raise NoRoundThen(day)
    return found


def schedule_here(tx: Session, workspace_id: int, channel_id: str) -> Schedule:
    """The channel's schedule, or ``NoSchedule``."""
    schedule = schedules.of_channel(tx, workspace_id, channel_id)
    if schedule is None:
        raise NoSchedule
    return schedule


def candidates_of(schedule: Schedule, library: Library, topics: tuple[str, ...]) -> list[Candidate]:
    """Questions that fit the schedule's kinds, difficulty and languages, in ``topics`` (all where empty)."""
    found = library.select(
        topics=topics,
        kinds=frozenset(Kind(kind) for kind in schedule.kinds),
        difficulty=(schedule.easiest, schedule.hardest),
        languages=tuple(schedule.languages),
    )
    return [Candidate(question.id, question.topic) for question in found]


def choose_question(tx: Session, schedule: Schedule, library: Library, round_: Round) -> Choice | None:
    """The question for ``round_``: the admin's own, else chosen from its date and the schedule's seed, the same
    whenever it is asked."""
    assert schedule.id is not None
    pins = schedules.pins(tx, schedule.id)
    pinned = pins.pop(round_.local_date, "")
    if pinned and library.get(pinned) is not None:
        return Choice(pinned, used_up=False)
    per_weekday = {int(weekday): topics for weekday, topics in schedule.weekday_topics.items()}
    topics = topics_for(round_.local_date, schedule.topics, per_weekday)
    asked = [
        Asked(other.question_id, other.topic, other.local_date)
        for other in rounds.all_of(tx, schedule.id)
        if other.question_id and other.id != round_.id and other.state != "missed"
    ]
    known = {other.question_id for other in asked}
    asked += [  # what is promised to a date to come is not asked before it
        Asked(question_id, question.topic, day)
        for day, question_id in pins.items()
        if day > round_.local_date and question_id not in known and (question := library.get(question_id)) is not None
    ]
    rng = Random(f"{schedule.seed}:{round_.local_date.isoformat()}")  # noqa: S311 — a draw, not a secret
    return choose(candidates_of(schedule, library, topics), asked, topics, rng)
