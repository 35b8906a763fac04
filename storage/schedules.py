"""Rows of schedules, their dates and their pauses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from sqlalchemy import or_
from sqlmodel import Session, col, delete, select, update

from storage.tables import PinnedQuestion, Round, Schedule, ScheduleDate, SchedulePause, SetupDraft, Workspace


def get(tx: Session, schedule_id: int) -> Schedule:
    return tx.get_one(Schedule, schedule_id)


def workspace_of(tx: Session, schedule: Schedule) -> Workspace:
    return tx.get_one(Workspace, schedule.workspace_id)


def set_least(tx: Session, workspace_id: int, least: int) -> None:
    """With fewer answers no distribution is shown, in the whole workspace."""
    tx.exec(update(Workspace).where(col(Workspace.id) == workspace_id).values(least_shown=least))


def of_channel(tx: Session, workspace_id: int, channel_id: str) -> Schedule | None:
    return tx.exec(
        select(Schedule).where(Schedule.workspace_id == workspace_id, Schedule.channel_id == channel_id)
    ).one_or_none()


def of_workspace(tx: Session, workspace_id: int) -> Sequence[Schedule]:
    return tx.exec(select(Schedule).where(Schedule.workspace_id == workspace_id).order_by(col(Schedule.id))).all()


def to_plan(tx: Session, now: datetime, latest: datetime) -> Sequence[Schedule]:
    """Schedules whose next rounds have to be planned by now.

    Also those that a clock which ran ahead has touched: changed after ``now``, or not to be planned before ``latest``.
    """
    due = or_(col(Schedule.plan_at) <= now, col(Schedule.plan_at) > latest, col(Schedule.changed_at) > now)
    there = col(Schedule.channel_state) != "deleted"
    return tx.exec(select(Schedule).where(due, there).order_by(col(Schedule.id))).all()


def to_check(
    tx: Session, now: datetime, before: datetime, ahead: datetime, platforms: Sequence[str], most: int
) -> Sequence[tuple[Schedule, Workspace]]:
    """Schedules not looked at since ``before`` whose next round is planned by ``ahead``, or that are parked."""
    soon = select(Round.schedule_id).where(
        Round.state == "planned", col(Round.posts_at) > now, col(Round.posts_at) <= ahead
    )
    parked = col(Schedule.channel_state).in_(("archived", "removed", "left"))
    unseen = or_(col(Schedule.checked_at).is_(None), col(Schedule.checked_at) < before, col(Schedule.checked_at) > now)
    statement = (
        select(Schedule, Workspace)
        .join(Workspace, col(Workspace.id) == col(Schedule.workspace_id))
        .where(col(Workspace.platform).in_(list(platforms)), col(Workspace.left_at).is_(None))
        .where(unseen, or_(parked, (col(Schedule.channel_state) == "") & col(Schedule.id).in_(soon)))
        .order_by(col(Schedule.id))
        .limit(most)
    )
    return tx.exec(statement).all()


def dates(tx: Session, schedule_id: int) -> Sequence[ScheduleDate]:
    return tx.exec(select(ScheduleDate).where(ScheduleDate.schedule_id == schedule_id)).all()


def set_date(tx: Session, schedule_id: int, day: date, kind: str | None) -> None:
    """Take a date out or put it in (``holiday``, ``skip``, ``extra``); ``None``: as the week has it."""
    row = tx.exec(
        select(ScheduleDate).where(ScheduleDate.schedule_id == schedule_id, ScheduleDate.day == day)
    ).one_or_none()
    if kind is None:
        if row is not None:
            tx.delete(row)
    elif row is None:
        tx.add(ScheduleDate(schedule_id=schedule_id, day=day, kind=kind))
    else:
        row.kind = kind
        tx.add(row)
    tx.flush()


def pins(tx: Session, schedule_id: int) -> dict[date, str]:
    """The questions that admins chose for dates."""
    rows = tx.exec(select(PinnedQuestion).where(PinnedQuestion.schedule_id == schedule_id)).all()
    return {row.day: row.question_id for row in rows}


def pin(tx: Session, schedule_id: int, day: date, question_id: str) -> None:
    """This question is for that date; it takes the place of one that was chosen before."""
    row = tx.exec(
        select(PinnedQuestion).where(PinnedQuestion.schedule_id == schedule_id, PinnedQuestion.day == day)
    ).one_or_none()
    row = row or PinnedQuestion(schedule_id=schedule_id, day=day, question_id="")
    row.question_id = question_id
    tx.add(row)
    tx.flush()


def unpin(tx: Session, schedule_id: int, day: date) -> None:
    """The question of that date is chosen as on any other."""
    tx.exec(
        delete(PinnedQuestion).where(col(PinnedQuestion.schedule_id) == schedule_id, col(PinnedQuestion.day) == day)
    )


def pauses(tx: Session, schedule_id: int) -> Sequence[SchedulePause]:
    statement = (
        select(SchedulePause)
        .where(SchedulePause.schedule_id == schedule_id)
        .order_by(col(SchedulePause.starts_at), col(SchedulePause.id))
    )
    return tx.exec(statement).all()


def current_pause(tx: Session, schedule_id: int, now: datetime) -> SchedulePause | None:
    """The pause the schedule is in now, if any."""
    for pause in pauses(tx, schedule_id):
        if pause.starts_at <= now and (pause.ends_at is None or now < pause.ends_at):
            return pause
    return None


def draft(tx: Session, draft_id: int) -> SetupDraft | None:
    return tx.get(SetupDraft, draft_id)


def move_drafts(tx: Session, workspace_id: int, old: str, new: str) -> None:
    """The channel has another id now: proposals that wait for it go along."""
    which = (col(SetupDraft.workspace_id) == workspace_id, col(SetupDraft.channel_id) == old)
    tx.exec(update(SetupDraft).where(*which).values(channel_id=new))
