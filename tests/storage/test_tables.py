"""What the tables themselves refuse, whatever the code above them does."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError, StatementError
from sqlmodel import Session, SQLModel, select

from storage.database import Database
from storage.tables import Answer, Board, Delivery, Member, Notice, Round, Schedule, ScheduleDate, Workspace

NOW = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)


def rows() -> dict[str, SQLModel]:
    """One row of each table that a second one must not double."""
    moments = {"created_at": NOW, "changed_at": NOW, "plan_at": NOW}
    lists: dict[str, Any] = {"weekdays": [1], "topics": [], "weekday_topics": {}, "kinds": [], "languages": ["en"]}
    round_: dict[str, Any] = {"posts_at": NOW, "closes_at": NOW, "question_id": "q", "topic": "t", "option_order": []}
    answer: dict[str, Any] = {"choices": [], "credit": 1.0, "points": 1000, "correct": True}
    delivery: dict[str, Any] = {"step": "post", "rank": 3, "due_at": NOW}
    return {
        "workspace": Workspace(platform="slack", external_id="T1", created_at=NOW),
        "member": Member(workspace_id=1, external_id="U1", name="Member", created_at=NOW),
        "schedule": Schedule(workspace_id=1, channel_id="C1", at=time(9, 30), zone="UTC", seed=1, **lists, **moments),
        "date": ScheduleDate(schedule_id=1, day=date(2026, 12, 25), kind="holiday"),
        "round": Round(schedule_id=1, local_date=date(2026, 11, 30), **round_),
        "answer": Answer(round_id=1, member_id=1, first_at=NOW, answered_at=NOW, **answer),
        "board": Board(schedule_id=1, week="2026-W49", posts_at=NOW),
        "delivery": Delivery(schedule_id=1, subject_id=1, key="k1", **delivery),
        "notice": Notice(schedule_id=1, code="missed", subject="1", detail={}, made_at=NOW),
    }


@pytest.fixture
def filled(database: Database) -> Database:
    def fill(tx: Session) -> None:
        for row in rows().values():
            tx.add(row)
            tx.flush()

    database.write(fill).result()
    return database


@pytest.mark.parametrize("table", rows().keys())
def test_what_is_unique_cannot_be_stored_twice(filled: Database, table: str) -> None:
    """One round a date, one answer a member and round, one delivery a step and subject, and so on."""

    def again(tx: Session) -> None:
        row = rows()[table]
        if isinstance(row, Delivery):
            row.key = "k2"
        tx.add(row)
        tx.flush()

    with pytest.raises(IntegrityError, match="UNIQUE"):
        filled.write(again).result()


def test_a_delivery_s_key_is_unique_too(filled: Database) -> None:
    def again(tx: Session) -> None:
        tx.add(Delivery(schedule_id=1, step="board", rank=2, subject_id=1, key="k1", due_at=NOW))
        tx.flush()

    with pytest.raises(IntegrityError, match=r"delivery\.key"):
        filled.write(again).result()


def test_a_row_cannot_point_to_one_that_is_not_there(filled: Database) -> None:
    def dangling(tx: Session) -> None:
        tx.add(Member(workspace_id=99, external_id="U9", name="Nobody", created_at=NOW))
        tx.flush()

    with pytest.raises(IntegrityError, match="FOREIGN KEY"):
        filled.write(dangling).result()


def test_a_time_without_a_zone_is_refused(database: Database) -> None:
    def naive(tx: Session) -> None:
        tx.add(Workspace(platform="slack", external_id="T2", created_at=datetime(2026, 11, 30)))  # noqa: DTZ001
        tx.flush()

    with pytest.raises(StatementError):
        database.write(naive).result()


def test_times_come_back_in_utc_as_the_same_moment(database: Database) -> None:
    shanghai = timezone(timedelta(hours=8))

    def store(tx: Session) -> None:
        tx.add(Workspace(platform="slack", external_id="T2", created_at=NOW.astimezone(shanghai)))

    database.write(store).result()
    found = database.read(lambda tx: tx.exec(select(Workspace.created_at)).one()).result()
    assert found == NOW
    assert found.utcoffset() == timedelta(0)
