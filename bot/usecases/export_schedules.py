"""All schedules as plain data, for those who keep their configuration in git."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from bot.drill.calendar import local_date
from bot.usecases.set_schedule import Plan, plan_of
from storage import members, schedules
from storage.tables import Schedule

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def export_schedules(tx: Session) -> list[dict[str, Any]]:
    """Every workspace that has schedules, in a stable order, each with its channels; values are written as in
    ``/drill setup``, so that they are read by the same rules."""
    found = []
    for workspace in members.workspaces(tx):
        assert workspace.id is not None
        channels = [_channel(tx, schedule) for schedule in schedules.of_workspace(tx, workspace.id)]
        if channels:
            channels.sort(key=lambda channel: (channel["name"], channel["id"]))
            head = {"platform": workspace.platform, "id": workspace.external_id, "name": workspace.name}
            found.append(head | {"channels": channels})
    return sorted(found, key=lambda w: (w["platform"], w["name"], w["id"]))


def _channel(tx: Session, schedule: Schedule) -> dict[str, Any]:
    assert schedule.id is not None
    dates = sorted(schedules.dates(tx, schedule.id), key=lambda row: row.day)
    pause = next((p for p in reversed(schedules.pauses(tx, schedule.id)) if p.ends_at is None), None)
    ends = [p.ends_at for p in schedules.pauses(tx, schedule.id) if p.ends_at is not None]
    until = local_date(max(ends), schedule.zone).isoformat() if ends and pause is None else ""
    by_kind = {
        kind: [row.day.isoformat() for row in dates if row.kind == kind] for kind in ("holiday", "skip", "extra")
    }
    return {
        "id": schedule.channel_id,
        "name": schedule.channel_name,
        **plain_plan(plan_of(schedule)),
        "days_off": by_kind["holiday"],
        "skipped": by_kind["skip"],
        "extra": by_kind["extra"],
        "paused": "yes" if pause else f"until {until}" if until else "no",
    }


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
