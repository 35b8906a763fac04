"""All schedules as plain data, for those who keep their configuration in git."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from sqlmodel import Session

from bot.drill.calendar import instant, local_date
from bot.usecases.set_schedule import Plan, plan_of
from storage import members, rounds, schedules
from storage.tables import Schedule, SchedulePause

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def export_schedules(tx: Session, now: datetime, *, left: bool = False) -> list[dict[str, Any]]:
    """Every workspace that has schedules, in a stable order, each with its channels; values are written as in
    ``/drill setup``, so that they are read by the same rules. ``left``: also what the bot cannot reach any more.
    """
    found = []
    for workspace in members.workspaces(tx):
        assert workspace.id is not None
        here = [s for s in schedules.of_workspace(tx, workspace.id) if left or s.channel_state != "deleted"]
        channels = [_channel(tx, schedule, now) for schedule in here]
        if channels and (left or workspace.left_at is None):
            channels.sort(key=lambda channel: (channel["name"], channel["id"]))
            head = {"platform": workspace.platform, "id": workspace.external_id, "name": workspace.name}
            head["least"] = str(workspace.least_shown)
            found.append(head | {"channels": channels})
    return sorted(found, key=lambda w: (w["platform"], w["name"], w["id"]))


def _channel(tx: Session, schedule: Schedule, now: datetime) -> dict[str, Any]:
    assert schedule.id is not None
    over = begun_dates(tx, schedule, now)
    today = local_date(now, schedule.zone)
    rows = sorted(schedules.dates(tx, schedule.id), key=lambda row: row.day)
    rows = [row for row in rows if row.day >= today and row.day not in over]
    by_kind = {kind: [row.day.isoformat() for row in rows if row.kind == kind] for kind in ("holiday", "skip", "extra")}
    pins = schedules.pins(tx, schedule.id)
    return {
        "id": schedule.channel_id,
        "name": schedule.channel_name,
        **plain_plan(plan_of(schedule)),
        "days_off": by_kind["holiday"],
        "skipped": by_kind["skip"],
        "extra": by_kind["extra"],
        "questions": {day.isoformat(): pins[day] for day in sorted(pins) if day >= today and day not in over},
        "paused": plain_pause(admins_pause(tx, schedule, now), schedule.zone),
    }


def begun_dates(tx: Session, schedule: Schedule, now: datetime) -> set[date]:
    """Dates from today on whose round has begun: nothing about them can be changed any more."""
    assert schedule.id is not None
    today = local_date(now, schedule.zone)
    begun = [r for r in rounds.all_of(tx, schedule.id) if r.local_date >= today]
    return {r.local_date for r in begun if r.state != "planned" or r.posts_at <= now}


def admins_pause(tx: Session, schedule: Schedule, now: datetime) -> SchedulePause | None:
    """The pause that somebody wanted; not one that the bot made because its posts failed."""
    assert schedule.id is not None
    pause = schedules.current_pause(tx, schedule.id, now)
    return None if pause is None or pause.reason.startswith("failing") else pause


def plain_pause(pause: SchedulePause | None, zone: str) -> str:
    """``no``, ``yes``, or ``until`` its last day in the channel's zone (a moment, where it ends within a day)."""
    if pause is None or pause.ends_at is None:
        return "no" if pause is None else "yes"
    last = local_date(pause.ends_at, zone) - timedelta(days=1)
    whole = pause.ends_at == instant(last + timedelta(days=1), time(), zone)
    return f"until {last.isoformat() if whole else pause.ends_at.isoformat()}"


def plain_plan(plan: Plan) -> dict[str, Any]:
    """A plan in the words of ``/drill setup``."""
    hours, minutes = divmod(plan.window_minutes, 60)
    return {
        "days": ", ".join(DAYS[day - 1] for day in plan.weekdays),
        "time": plan.at,
        "zone": plan.zone,
        "topics": ", ".join(plan.topics) or "all",
        "weekday_topics": {
            DAYS[int(day) - 1]: ", ".join(slugs) for day, slugs in sorted((plan.weekday_topics or {}).items())
        },
        "difficulty": f"{plan.easiest}-{plan.hardest}",
        "kinds": ", ".join(plan.kinds) or "all",
        "language": "+".join(plan.languages),
        "mode": plan.mode,
        "reactions": "on" if plan.reactions else "off",
        "window": f"{hours}h" if not minutes else f"{plan.window_minutes}m",
        "board": DAYS[plan.board_day - 1],
        "holidays": plan.country or "none",
        "best": str(plan.best_rounds or "all"),
    }
