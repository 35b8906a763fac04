"""What a platform asks while somebody types: which channel is meant, and on which days it has a round."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta

from sqlmodel import Session

from bot.chat import Who
from bot.drill.calendar import local_date
from bot.usecases.meet_member import is_drill_admin
from bot.usecases.schedules import calendar_of, coming_dates
from storage import members, rounds, schedules

MOST_DAYS = 25


def channel_with_drills(tx: Session, platform: str, workspace: str, channels: Iterable[str]) -> str | None:
    """The first of these channels that has a schedule."""
    workspace_id = members.find_workspace(tx, platform, workspace)
    if workspace_id is None:
        return None
    return next((channel for channel in channels if schedules.of_channel(tx, workspace_id, channel)), None)


def may_steer(tx: Session, who: Who) -> bool:
    """Is it an admin, or somebody to whom the drills are delegated?"""
    return who.admin or is_drill_admin(tx, who)


def coming_days(tx: Session, who: Who, channel: str, now: datetime, *, with_round: bool = True) -> tuple[date, ...]:
    """The next dates that will have a round (or will have none), for those who may steer the channel; else nothing."""
    workspace_id = members.find_workspace(tx, who.platform, who.workspace)
    if workspace_id is None or not may_steer(tx, who):
        return ()
    schedule = schedules.of_channel(tx, workspace_id, channel)
    if schedule is None:
        return ()
    days = [day for day, _ in coming_dates(tx, schedule, calendar_of(tx, schedule), now, MOST_DAYS)]
    if with_round:
        return tuple(days)
    today = local_date(now, schedule.zone)
    ahead = (today + timedelta(days=n) for n in range(MOST_DAYS))
    return tuple(day for day in ahead if day not in days)


def channel_meant(
    platform: str, workspace: str, thread: str, parent: str, *, in_forum: bool
) -> Callable[[Session], str]:
    """Which channel somebody means who sets drills up in a thread.

    A forum's post means the forum, a round's own thread its channel; any other thread is a channel of its own.
    """

    def look(tx: Session) -> str:
        if channel_with_drills(tx, platform, workspace, (thread,)):
            return thread
        workspace_id = members.find_workspace(tx, platform, workspace)
        schedule = schedules.of_channel(tx, workspace_id, parent) if workspace_id is not None else None
        if in_forum or (
            schedule is not None and schedule.id is not None and rounds.has_thread(tx, schedule.id, thread)
        ):
            return parent
        return thread

    return look
