"""Everything that is stored of a member, for that member: plain data, ready to be written as JSON.

What became of an answer stands in it once its round is closed; the key of a question never does.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from sqlmodel import Session, SQLModel, col, select

from bot.usecases.meet_member import Met
from storage import members, rounds
from storage.tables import (
    Answer,
    AuditRow,
    Challenge,
    DrillAdmin,
    Installation,
    MemberPause,
    Notice,
    ReactionMark,
    Reminder,
    Round,
    Schedule,
    SetupDraft,
    Workspace,
)

FORMAT = "team-drills-member-1"
Plain = dict[str, Any]
Row = TypeVar("Row", bound=SQLModel)


def export_member(tx: Session, met: Met, now: datetime) -> Plain | None:
    """What is stored of them; ``None`` for somebody of whom nothing is."""
    if not met.id:
        return None
    row = members.get(tx, met.id)
    workspace = tx.get_one(Workspace, row.workspace_id)
    return {
        "format": FORMAT,
        "made_at": _stamp(now),
        "workspace": {"platform": workspace.platform, "id": workspace.external_id, "name": workspace.name},
        "member": {
            "id": row.external_id,
            "name": row.name,
            "language_of_client": row.language,
            "zone_of_client": row.zone,
            "first_seen_at": _stamp(row.created_at),
            "left_at": _stamp(row.left_at),
        },
        "settings": {
            "language": row.chosen_language,
            "zone": row.chosen_zone,
            "hidden_from_boards": row.hidden,
            "confirm_before_final": row.confirm,
            "reminders": row.reminders,
            "opted_out_at": _stamp(row.opted_out_at),
        },
        "pauses": [_picked(p, "starts_at", "ends_at") for p in _of(tx, MemberPause, met.id)],
        "answers": _answers(tx, met.id, now),
        "reactions": [_picked(m, "round_id", "option", "at", "here") for m in _of(tx, ReactionMark, met.id)],
        "challenges": [
            _picked(c, "round_id", "question_id", "text", "made_at", "state") for c in _of(tx, Challenge, met.id)
        ],
        "reminders": [_picked(r, "round_id", "kind", "made_at", "told_at", "error") for r in _of(tx, Reminder, met.id)],
        "administration": _administration(tx, met.id, row.external_id, workspace),
    }


def _answers(tx: Session, member_id: int, now: datetime) -> list[Plain]:
    statement = (
        select(Answer, Round, Schedule)
        .join(Round, col(Round.id) == col(Answer.round_id))
        .join(Schedule, col(Schedule.id) == col(Round.schedule_id))
        .where(Answer.member_id == member_id)
        .order_by(col(Round.local_date), col(Answer.id))
    )
    found = []
    for answer, round_, schedule in tx.exec(statement):
        plain: Plain = {
            "channel": schedule.channel_name or schedule.channel_id,
            "date": round_.local_date.isoformat(),
            "round": round_.number,
            "round_id": round_.id,
            "question": round_.question_id,
            "topic": round_.topic,
            "chosen": _chosen(tx, answer, round_),
            "text": answer.text,
            "first_at": _stamp(answer.first_at),
            "answered_at": _stamp(answer.answered_at),
            "changes": answer.changes,
            "late": answer.late,
            "by": answer.via or "answer",
        }
        if not rounds.is_open(round_, now):
            plain |= {"credit": answer.credit, "points": answer.points / 100, "right": answer.correct}
        found.append(plain)
    return found


def _chosen(tx: Session, answer: Answer, round_: Round) -> list[Plain]:
    """The options they chose, with their texts, so that the file can be read by itself."""
    question = rounds.question_of(tx, round_.fingerprint) if round_.fingerprint else None
    texts = {option.key: option.text for option in question.choices} if question and question.kind.is_choice else {}
    return [
        {"option": key, "en": texts[key].en, "zh": texts[key].zh} if key in texts else {"option": key}
        for key in answer.choices
    ]


def _administration(tx: Session, member_id: int, external_id: str, workspace: Workspace) -> Plain:
    """What they did and are as somebody who runs drills; mostly empty."""
    assert workspace.id is not None
    made = tx.exec(select(Schedule).where(Schedule.made_by == member_id).order_by(col(Schedule.id)))
    named = DrillAdmin.workspace_id == workspace.id, DrillAdmin.external_id == external_id
    installed = select(Installation).where(
        Installation.platform == workspace.platform,
        Installation.workspace == workspace.external_id,
        Installation.installed_by == external_id,
    )
    notices = select(Notice).join(Schedule, col(Schedule.id) == col(Notice.schedule_id))
    refused = [n for n in tx.exec(notices.where(Schedule.workspace_id == workspace.id)) if external_id in n.tried]
    return {
        "brought_the_bot": workspace.inviter == external_id,
        "installed_at": [_stamp(found.installed_at) for found in tx.exec(installed)],
        "delegated": [_picked(row, "name", "made_at") for row in tx.exec(select(DrillAdmin).where(*named))],
        "schedules_made": [_picked(s, "channel_id", "channel_name", "created_at") for s in made],
        "drafts": [_picked(d, "channel_id", "plan", "created_at") for d in _of(tx, SetupDraft, member_id)],
        "did": [_picked(a, "at", "verb", "detail") for a in _of(tx, AuditRow, member_id)],
        "notices_refused": [_picked(n, "code", "made_at") for n in refused],
    }


def _of(tx: Session, table: type[Row], member_id: int) -> Iterable[Row]:
    """The rows of a table that belong to the member, the oldest first."""
    columns: Any = table
    return tx.exec(select(table).where(columns.member_id == member_id).order_by(columns.id)).all()


def _picked(row: SQLModel, *names: str) -> Plain:
    return {name: _plain(getattr(row, name)) for name in names}


def _plain(value: Any) -> Any:
    return _stamp(value) if isinstance(value, datetime) else value


def _stamp(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
