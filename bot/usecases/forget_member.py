"""Erase a member: who they were goes, their answers stay without a name, past sums do not change.

What they answered in rounds that are still open goes too: it counts nowhere yet, and whoever answers again is a new
member to us, who must not be counted beside their former self.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, delete, select

from bot.usecases.meet_member import Met
from storage import answers, audit, members
from storage.tables import (
    Answer,
    AuditRow,
    Challenge,
    DrillAdmin,
    Installation,
    Member,
    MemberPause,
    Notice,
    ReactionMark,
    Reminder,
    Round,
    Schedule,
    SetupDraft,
    Workspace,
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """``known``: there was something to forget. ``open_rounds``: whose count is one less now."""

    known: bool
    open_rounds: tuple[int, ...] = ()


def forget_member(tx: Session, met: Met, key: str, now: datetime) -> Forgotten:
    """Forget the member behind ``met``; ``key`` is random and takes the place of their id."""
    if not met.id:
        return Forgotten(False)
    row = members.get(tx, met.id)
    opened = _withdraw(tx, met.id, now)
    for table in (Reminder, MemberPause, ReactionMark, SetupDraft):
        tx.exec(delete(table).where(col(table.member_id) == met.id))
    _clear_workspace(tx, row)
    _clear_texts(tx, row)
    row.external_id, row.name = f"forgotten:{key}", ""
    row.language = row.zone = row.chosen_language = row.chosen_zone = ""
    row.hidden, row.confirm, row.reminders, row.opted_out_at = True, False, False, None
    row.left_at, row.forgotten_at = row.left_at or now, now
    tx.add(row)
    audit.record(tx, row.workspace_id, None, now, "forget", {})
    tx.flush()
    return Forgotten(True, opened)


def _withdraw(tx: Session, member_id: int, now: datetime) -> tuple[int, ...]:
    """Answers to rounds that are open: taken away."""
    statement = (
        select(Answer.id, Answer.round_id)
        .join(Round, col(Round.id) == col(Answer.round_id))
        .where(Answer.member_id == member_id, Round.closes_at > now, col(Round.revealed_at).is_(None))
    )
    found = tx.exec(statement).all()
    for answer_id, _ in found:
        assert answer_id is not None
        answers.take_away(tx, answer_id, member_id)
    return tuple(round_id for _, round_id in found)


def _clear_workspace(tx: Session, row: Member) -> None:
    """Their id where it stands in rows of the workspace."""
    who, where = row.external_id, row.workspace_id
    workspace = tx.get_one(Workspace, where)
    if workspace.inviter == who:
        workspace.inviter = ""
        tx.add(workspace)
    tx.exec(
        delete(DrillAdmin).where(
            col(DrillAdmin.workspace_id) == where, col(DrillAdmin.kind) == "member", col(DrillAdmin.external_id) == who
        )
    )
    installed = select(Installation).where(
        Installation.platform == workspace.platform,
        Installation.workspace == workspace.external_id,
        Installation.installed_by == who,
    )
    for installation in tx.exec(installed):
        installation.installed_by = ""
        tx.add(installation)
    told = select(Notice).join(Schedule, col(Schedule.id) == col(Notice.schedule_id))
    for notice in tx.exec(told.where(Schedule.workspace_id == where)):
        if who in notice.tried:
            notice.tried = [member for member in notice.tried if member != who]
            tx.add(notice)
    for entry in tx.exec(select(AuditRow).where(AuditRow.workspace_id == where)):
        cleared = _without(entry.detail, row)
        if cleared != entry.detail:
            entry.detail = cleared
            tx.add(entry)


def _without(value: Any, row: Member) -> Any:
    """The detail of an audit row, with nothing in place of this person's id, and of their name where a name stands.

    People choose their names: one that reads like a date or a channel must not blot those out.
    """
    if isinstance(value, dict):
        named = {"name": ""} if row.name and value.get("name") == row.name else {}
        return {name: _without(item, row) for name, item in value.items()} | named
    if isinstance(value, list):
        return [_without(item, row) for item in value]
    return "" if value == row.external_id else value


def _clear_texts(tx: Session, row: Member) -> None:
    """What they wrote themselves stays only where it does not say who they are."""
    own = [word.casefold() for word in (row.name, row.external_id) if word]
    for answer in tx.exec(select(Answer).where(Answer.member_id == row.id, Answer.text != "")):
        if any(word in answer.text.casefold() for word in own):
            answer.text = ""
            tx.add(answer)
    for challenge in tx.exec(select(Challenge).where(Challenge.member_id == row.id)):
        if any(word in challenge.text.casefold() for word in own):
            challenge.text = ""
            tx.add(challenge)


def reacted_in_open(tx: Session, met: Met, now: datetime) -> bool:
    """Do keycaps of theirs stand under questions that are open? The platform keeps those."""
    statement = (
        select(ReactionMark.id)
        .join(Round, col(Round.id) == col(ReactionMark.round_id))
        .where(ReactionMark.member_id == met.id, col(ReactionMark.here).is_(True), Round.closes_at > now)
    )
    return tx.exec(statement.limit(1)).first() is not None
