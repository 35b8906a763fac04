"""Take note of what a platform tells of channels, workspaces and people.

Events come late, twice, in any order, or never: every one of them may be heard at any time, and what was never told
is found by the next call that is refused, or by the daily check.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.chat import Happening
from bot.drill.trouble import ChannelState
from bot.usecases.meet_member import clean_name
from bot.usecases.park_schedule import park, revive_refused, unpark
from storage import admins, audit, members, schedules
from storage.tables import Schedule, Workspace

_PARKED_BY: dict[str, ChannelState] = {
    "channel_archived": "archived",
    "channel_deleted": "deleted",
    "bot_removed": "removed",
}


def note_happening(tx: Session, event: Happening, now: datetime) -> bool:
    """Store what it means; ``True`` where there may be something to send or to tell now."""
    if event.kind == "workspace_joined":
        return _joined(tx, event, now)
    workspace_id = members.find_workspace(tx, event.platform, event.workspace)
    if workspace_id is None:
        return False
    if event.kind == "workspace_left":
        return _left(tx, tx.get_one(Workspace, workspace_id), now)
    if event.kind == "member_left":
        known = members.by_external_id(tx, workspace_id, event.member)
        if known is None and _runs_drills(tx, workspace_id, event.member):
            # They never answered, but are told of trouble: that they are gone must be known. Of others nothing is kept.
            members.add(tx, workspace_id, event.member, event.member[:80], "", "", now)
        members.mark_left(tx, workspace_id, event.member, now)
        return False
    schedule = schedules.of_channel(tx, workspace_id, event.channel)
    if schedule is None:
        return False
    return _channel(tx, schedule, event, now)


def _runs_drills(tx: Session, workspace_id: int, member: str) -> bool:
    brought_us = tx.get_one(Workspace, workspace_id).inviter
    return bool(member) and (member == brought_us or member in admins.delegates(tx, workspace_id))


def _channel(tx: Session, schedule: Schedule, event: Happening, now: datetime) -> bool:
    if name := clean_name(event.name):
        schedule.channel_name = name
        tx.add(schedule)
    match event.kind:
        case "channel_archived" | "channel_deleted" | "bot_removed":
            return park(tx, schedule, _PARKED_BY[event.kind], now)
        case "channel_unarchived":
            # Who archived it is still out of it, where the bot was taken out before.
            return schedule.channel_state == "archived" and unpark(tx, schedule, now)
        case "bot_added":
            return unpark(tx, schedule, now)
        case "channel_converted":
            return _converted(tx, schedule, event, now)
        case "channel_shared":
            assert schedule.id is not None
            audit.notice(tx, schedule.id, "shared", "", {"reason": "shared"}, now)
            return True
    return False


def _converted(tx: Session, schedule: Schedule, event: Happening, now: datetime) -> bool:
    """Public became private or the other way; the schedule goes along where the channel's id changed."""
    if event.moved_to and event.moved_to != schedule.channel_id:
        if schedules.of_channel(tx, schedule.workspace_id, event.moved_to) is not None:
            return False  # heard already, and drills were set up there
        schedules.move_drafts(tx, schedule.workspace_id, schedule.channel_id, event.moved_to)
        schedule.channel_id = event.moved_to
        tx.add(schedule)
        return unpark(tx, schedule, now)  # under its old id it may have looked as if it were gone
    return False


def _left(tx: Session, workspace: Workspace, now: datetime) -> bool:
    if workspace.left_at is None:
        workspace.left_at = now
        tx.add(workspace)
    return False


def _joined(tx: Session, event: Happening, now: datetime) -> bool:
    workspace_id = members.workspace(tx, event.platform, event.workspace, clean_name(event.name), now)
    workspace = tx.get_one(Workspace, workspace_id)
    if event.member:
        workspace.inviter = event.member
    tx.add(workspace)
    if workspace.left_at is None:
        return False
    workspace.left_at = None
    for schedule in schedules.of_workspace(tx, workspace_id):
        assert schedule.id is not None
        if schedule.channel_state == "left":
            unpark(tx, schedule, now)
        # What is due goes by the rule for late posts: a reinstall takes minutes, and need not cost the day's question.
        schedule.plan_at = now
        tx.add(schedule)
        revive_refused(tx, schedule.id, now)
    return True
