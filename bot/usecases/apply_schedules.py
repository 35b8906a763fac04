"""Make the schedules what a file says: first what would change, then all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Literal

from sqlmodel import Session

from bot.drill.calendar import local_date
from bot.usecases.export_schedules import export_schedules, plain_plan
from bot.usecases.meet_member import clean_name
from bot.usecases.plan_rounds import NewKey, forget_plans, plan_schedule
from bot.usecases.set_schedule import Plan, columns_of, fitting_questions
from content.library import Library
from storage import audit, members, schedules
from storage.tables import Schedule, SchedulePause

What = Literal["new", "changed", "same", "missing"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A channel as the file has it. ``paused``: ``"no"``, ``"yes"``, or ``"until …"`` as it was exported."""

    platform: str
    workspace: str
    channel: str
    name: str
    plan: Plan
    days_off: tuple[date, ...] = ()
    skipped: tuple[date, ...] = ()
    extra: tuple[date, ...] = ()
    paused: str = "no"

    @property
    def place(self) -> tuple[str, str, str]:
        return self.platform, self.workspace, self.channel


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one channel; ``fields``: name → (before, after). ``missing``: it has no place in the file."""

    what: What
    place: tuple[str, str, str]
    name: str
    fields: Mapping[str, tuple[str, str]]


def differences(tx: Session, wanted: Sequence[Wanted]) -> list[Change]:
    """What applying the file would change, in the file's order, then what it does not speak of."""
    now_there = {
        (workspace["platform"], workspace["id"], channel["id"]): channel
        for workspace in export_schedules(tx)
        for channel in workspace["channels"]
    }
    changes = []
    for one in wanted:
        before = now_there.pop(one.place, None)
        after = _plain(one)
        fields = {
            name: (_shown(before.get(name) if before else None), _shown(value))
            for name, value in after.items()
            if name != "name" and (before is None or _shown(before.get(name)) != _shown(value))
        }
        what: What = "new" if before is None else "changed" if fields else "same"
        changes.append(Change(what, one.place, one.name or (before or {}).get("name", ""), fields))
    left = [Change("missing", place, str(channel["name"]), {}) for place, channel in now_there.items()]
    return changes + left


def unknown_workspaces(tx: Session, wanted: Sequence[Wanted]) -> set[tuple[str, str]]:
    """Workspaces of the file in which the bot was never seen."""
    places = {(one.platform, one.workspace) for one in wanted}
    return {place for place in places if members.find_workspace(tx, *place) is None}


def unfit(wanted: Sequence[Wanted], library: Library) -> list[Wanted]:
    """Channels whose plan no question of the bank fits, on one of their days at least."""
    return [one for one in wanted if not fitting_questions(one.plan, library)]


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
    changes = differences(tx, wanted)
    by_place = {one.place: one for one in wanted}
    for change in changes:
        if change.what in ("new", "changed"):
            _apply(tx, by_place[change.place], library, now, new_key, new_seed)
        elif change.what == "missing" and prune:
            _pause(tx, change, now)
    return changes


def _apply(
    tx: Session, one: Wanted, library: Library, now: datetime, new_key: NewKey, new_seed: Callable[[], int]
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
    _set_dates(tx, schedule, one, now)
    _set_pause(tx, schedule, one.paused, now)
    tx.flush()
    forget_plans(tx, schedule, now)
    plan_schedule(tx, schedule, library, now, new_key)
    detail = {"channel": one.channel, "plan": asdict(one.plan)}
    audit.record(tx, workspace_id, None, now, "apply", detail)


def _set_dates(tx: Session, schedule: Schedule, one: Wanted, now: datetime) -> None:
    """The dates of the file and no others; those that are over stay as they were."""
    assert schedule.id is not None
    today = local_date(now, schedule.zone)
    kinds = dict.fromkeys(one.days_off, "holiday") | dict.fromkeys(one.skipped, "skip")
    kinds |= dict.fromkeys(one.extra, "extra")
    for row in list(schedules.dates(tx, schedule.id)):
        if row.day >= today and row.day not in kinds:
            schedules.set_date(tx, schedule.id, row.day, None)
    for day, kind in kinds.items():
        schedules.set_date(tx, schedule.id, day, kind)


def _set_pause(tx: Session, schedule: Schedule, paused: str, now: datetime) -> None:
    assert schedule.id is not None
    current = schedules.current_pause(tx, schedule.id, now)
    if paused == "no" and current is not None:
        current.ends_at = now
        tx.add(current)
    elif paused == "yes" and (current is None or current.ends_at is not None):
        tx.add(SchedulePause(schedule_id=schedule.id, starts_at=now, reason="file"))


def _pause(tx: Session, change: Change, now: datetime) -> None:
    platform, workspace, channel = change.place
    workspace_id = members.find_workspace(tx, platform, workspace)
    schedule = schedules.of_channel(tx, workspace_id, channel) if workspace_id is not None else None
    if schedule is None or schedule.id is None or schedules.current_pause(tx, schedule.id, now) is not None:
        return
    tx.add(SchedulePause(schedule_id=schedule.id, starts_at=now, reason="file"))
    tx.flush()
    forget_plans(tx, schedule, now)
    schedule.changed_at = schedule.plan_at = now
    tx.add(schedule)
    audit.record(tx, schedule.workspace_id, None, now, "pause", {"channel": channel, "until": None})


def _plain(one: Wanted) -> dict[str, Any]:
    days = {"days_off": one.days_off, "skipped": one.skipped, "extra": one.extra}
    return {
        "name": one.name,
        **plain_plan(one.plan),
        **{name: [day.isoformat() for day in sorted(found)] for name, found in days.items()},
        "paused": one.paused,
    }


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {text}" for name, text in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value or "")
