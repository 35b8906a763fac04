"""Make the schedules what a file says: first what would change, then all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Any, Literal

from sqlmodel import Session

from bot.drill.calendar import instant, local_date
from bot.usecases.export_schedules import admins_pause, begun_dates, export_schedules, plain_pause, plain_plan
from bot.usecases.meet_member import clean_name
from bot.usecases.park_schedule import revive_refused
from bot.usecases.plan_rounds import NewKey, forget_plans, plan_schedule
from bot.usecases.set_schedule import Plan, columns_of, fitting_questions
from content.library import Library
from storage import audit, members, schedules
from storage.tables import Schedule, SchedulePause

What = Literal["new", "changed", "same", "missing"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A channel as the file has it. ``paused``: ``"no"``, ``"yes"``, or ``until`` when. ``questions``: those that are
    chosen for a date.
    """

    platform: str
    workspace: str
    channel: str
    name: str
    plan: Plan
    days_off: tuple[date, ...] = ()
    skipped: tuple[date, ...] = ()
    extra: tuple[date, ...] = ()
    questions: Mapping[date, str] = field(default_factory=dict)
    paused: date | datetime | Literal["yes", "no"] = "no"
    least: int = 5

    @property
    def place(self) -> tuple[str, str, str]:
        return self.platform, self.workspace, self.channel


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one channel; ``fields``: name → (before, after). ``missing``: it has no place in the file, and
    would be paused with ``prune``.
    """

    what: What
    place: tuple[str, str, str]
    name: str
    fields: Mapping[str, tuple[str, str]]


def differences(tx: Session, wanted: Sequence[Wanted], now: datetime) -> list[Change]:
    """What applying the file would change, in the file's order, then what it does not speak of.

    Dates of the file that are over by now change nothing.
    """
    now_there, reachable = _there(tx, now, left=True), _there(tx, now, left=False)
    changes = []
    for one in wanted:
        before = now_there.get(one.place)
        reachable.pop(one.place, None)
        after = _plain(coming(tx, one, now), now)
        fields = {
            name: (_shown(before.get(name) if before else None), _shown(value))
            for name, value in after.items()
            if name != "name" and (before is None or _shown(before.get(name)) != _shown(value))
        }
        what: What = "new" if before is None else "changed" if fields else "same"
        changes.append(Change(what, one.place, one.name or (before or {}).get("name", ""), fields))
    for place, channel in reachable.items():
        stops = {} if _rests(tx, place, now) else {"paused": (str(channel["paused"]), "yes")}
        changes.append(Change("missing", place, str(channel["name"]), stops))
    return changes


def _rests(tx: Session, place: tuple[str, str, str], now: datetime) -> bool:
    """Is the channel paused until somebody resumes it?"""
    workspace_id = members.find_workspace(tx, *place[:2])
    schedule = schedules.of_channel(tx, workspace_id, place[2]) if workspace_id is not None else None
    pause = schedules.current_pause(tx, schedule.id, now) if schedule is not None and schedule.id is not None else None
    return pause is not None and pause.ends_at is None


def _there(tx: Session, now: datetime, *, left: bool) -> dict[tuple[str, str, str], dict[str, Any]]:
    found = export_schedules(tx, now, left=left)
    return {
        (w["platform"], w["id"], channel["id"]): channel | {"least": w["least"]}
        for w in found
        for channel in w["channels"]
    }


def coming(tx: Session, one: Wanted, now: datetime) -> Wanted:
    """Without the dates that are over or begun: files in git grow old, and what was done on a date stays."""
    today = local_date(now, one.plan.zone)
    workspace_id = members.find_workspace(tx, one.platform, one.workspace)
    schedule = schedules.of_channel(tx, workspace_id, one.channel) if workspace_id is not None else None
    over = begun_dates(tx, schedule, now) if schedule is not None else set()

    def left(days: Iterable[date]) -> tuple[date, ...]:
        return tuple(day for day in days if day >= today and day not in over)

    questions = {day: one.questions[day] for day in left(one.questions)}
    return replace(
        one, days_off=left(one.days_off), skipped=left(one.skipped), extra=left(one.extra), questions=questions
    )


def unknown_workspaces(tx: Session, wanted: Sequence[Wanted]) -> set[tuple[str, str]]:
    """Workspaces of the file in which the bot was never seen."""
    places = {(one.platform, one.workspace) for one in wanted}
    return {place for place in places if members.find_workspace(tx, *place) is None}


def unfit(wanted: Sequence[Wanted], library: Library) -> list[Wanted]:
    """Channels whose plan no question of the bank fits, on one of their days at least."""
    return [one for one in wanted if not fitting_questions(one.plan, library)]


def unknown_questions(wanted: Sequence[Wanted], library: Library, today: date) -> list[str]:
    """What is wrong with the questions that the file chooses for dates to come, each in a sentence."""
    found: list[str] = []
    for one in wanted:
        dates: dict[str, date] = {}
        for day, question_id in sorted(one.questions.items()):
            if day < today:
                continue
            question = library.get(question_id)
            fault = ""
            if question is None:
                fault = f"the bank has no question {question_id[:60]!r}; correct its id."
            elif missing := [name for name in one.plan.languages if not getattr(question.prompt, name[:2], "")]:
                fault = f"{question_id} has no text in {', '.join(missing)}; name another."
            elif question_id in dates:
                fault = f"{question_id} is for {dates[question_id]} already; name another."
            if fault:
                found.append(f"channel {one.name or one.channel}, {day}: {fault}")
            dates.setdefault(question_id, day)
    return found


def apply_schedules(
    tx: Session,
    wanted: Sequence[Wanted],
    library: Library,
    now: datetime,
    new_key: NewKey,
    new_seed: Callable[[], int],
    *,
    prune: bool = False,
) -> list[Change]:
    """Apply the file in this one transaction; what was done. ``prune``: pause channels that the file leaves out."""
    changes = differences(tx, wanted, now)
    by_place = {one.place: coming(tx, one, now) for one in wanted}
    for change in changes:
        if change.what in ("new", "changed"):
            _apply(tx, by_place[change.place], change, library, now, new_key, new_seed)
        elif change.what == "missing" and change.fields and prune:
            _pause(tx, change, now)
    return changes


def _apply(
    tx: Session,
    one: Wanted,
    change: Change,
    library: Library,
    now: datetime,
    new_key: NewKey,
    new_seed: Callable[[], int],
) -> None:
    workspace_id = members.find_workspace(tx, one.platform, one.workspace)
    assert workspace_id is not None, "the file was checked"
    schedule = schedules.of_channel(tx, workspace_id, one.channel)
    if schedule is None:
        schedule = Schedule(
            workspace_id=workspace_id,
            channel_id=one.channel,
            seed=new_seed(),
            created_at=now,
            changed_at=now,
            plan_at=now,
            **columns_of(one.plan),
        )
    for name, value in columns_of(one.plan).items():
        setattr(schedule, name, value)
    schedule.channel_name = clean_name(one.name) or schedule.channel_name
    schedule.told_used_up = False
    schedule.changed_at = now
    tx.add(schedule)
    tx.flush()
    assert schedule.id is not None
    schedules.set_least(tx, workspace_id, one.least)
    _set_dates(tx, schedule, one, now)
    _set_questions(tx, schedule, one, now)
    _set_pause(tx, schedule, one, now)
    tx.flush()
    forget_plans(tx, schedule, now)
    plan_schedule(tx, schedule, library, now, new_key)
    detail = {"actor": "file", "channel": one.channel, "changed": sorted(change.fields), "plan": asdict(one.plan)}
    audit.record(tx, workspace_id, None, now, "apply", detail)


def _set_dates(tx: Session, schedule: Schedule, one: Wanted, now: datetime) -> None:
    """The dates of the file and no others; those that are over or begun stay as they were."""
    assert schedule.id is not None
    today, over = local_date(now, schedule.zone), begun_dates(tx, schedule, now)
    kinds = dict.fromkeys(one.days_off, "holiday") | dict.fromkeys(one.skipped, "skip")
    kinds |= dict.fromkeys(one.extra, "extra")
    for row in list(schedules.dates(tx, schedule.id)):
        if row.day >= today and row.day not in over and row.day not in kinds:
            schedules.set_date(tx, schedule.id, row.day, None)
    for day, kind in kinds.items():
        schedules.set_date(tx, schedule.id, day, kind)


def _set_questions(tx: Session, schedule: Schedule, one: Wanted, now: datetime) -> None:
    assert schedule.id is not None
    today, over = local_date(now, schedule.zone), begun_dates(tx, schedule, now)
    for day in schedules.pins(tx, schedule.id):
        if day >= today and day not in over and day not in one.questions:
            schedules.unpin(tx, schedule.id, day)
    for day, question_id in one.questions.items():
        schedules.pin(tx, schedule.id, day, question_id)


def _set_pause(tx: Session, schedule: Schedule, one: Wanted, now: datetime) -> None:
    """The file's pause in place of the one that stands. One that the bot made itself ends by ``resume`` alone."""
    assert schedule.id is not None
    current = admins_pause(tx, schedule, now)
    if one.paused == "no":
        if current is not None:
            current.ends_at = now
            tx.add(current)
            revive_refused(tx, schedule.id, now)
        return
    ends = _end(one.paused, schedule.zone)
    if ends is not None and ends <= now:
        return
    pause = current or SchedulePause(schedule_id=schedule.id, starts_at=now, reason="file")
    pause.ends_at = ends
    tx.add(pause)


def _end(paused: date | datetime | str, zone: str) -> datetime | None:
    """When the pause is over: after the whole of its last day."""
    if isinstance(paused, datetime):
        return paused
    return instant(paused + timedelta(days=1), time(), zone) if isinstance(paused, date) else None


def _pause(tx: Session, change: Change, now: datetime) -> None:
    platform, workspace, channel = change.place
    workspace_id = members.find_workspace(tx, platform, workspace)
    schedule = schedules.of_channel(tx, workspace_id, channel) if workspace_id is not None else None
    if schedule is None or schedule.id is None:
        return
    pause = schedules.current_pause(tx, schedule.id, now)
    pause = pause or SchedulePause(schedule_id=schedule.id, starts_at=now, reason="file")
    pause.ends_at = None
    tx.add(pause)
    tx.flush()
    forget_plans(tx, schedule, now)
    schedule.changed_at = schedule.plan_at = now
    tx.add(schedule)
    audit.record(tx, schedule.workspace_id, None, now, "pause", {"actor": "file", "channel": channel, "until": None})


def _plain(one: Wanted, now: datetime) -> dict[str, Any]:
    days = {"days_off": one.days_off, "skipped": one.skipped, "extra": one.extra}
    ends = _end(one.paused, one.plan.zone)
    rest = one.paused != "no" and (ends is None or ends > now)
    pause = SchedulePause(schedule_id=0, starts_at=now, ends_at=ends) if rest else None
    return {
        "name": one.name,
        **plain_plan(one.plan),
        **{name: [day.isoformat() for day in sorted(found)] for name, found in days.items()},
        "questions": {day.isoformat(): one.questions[day] for day in sorted(one.questions)},
        "paused": plain_pause(pause, one.plan.zone),
        "least": str(one.least),
    }


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {text}" for name, text in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value or "")
