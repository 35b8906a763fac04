"""Take what is due from the ledger, and close the book on what can no longer be sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from sqlmodel import Session

from bot.chat import Message, Place
from bot.drill.calendar import Week
from bot.drill.keycaps import KEYCAPS
from bot.drill.selection import order_options
from bot.usecases.plan_rounds import fill_question
from bot.usecases.schedules import place_of
from content.library import Library
from storage import audit, boards, deliveries, rounds, schedules
from storage.deliveries import Claim, State, Step
from storage.tables import Round, Schedule

LEASE = timedelta(seconds=60)
"""How long a sender may take; longer than twice any time-out of a platform call."""


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed delivery with where it goes. ``target``: the message to edit, or whose thread to post into.

    ``keycaps``: those of the round's options, where they count. ``unread``: its list has to be read before it is shown
    how the round ended.
    """

    claim: Claim
    platform: str
    place: Place
    target: Message | None
    keycaps: tuple[str, ...] = ()
    unread: bool = False


def claim_deliveries(
    tx: Session, library: Library, now: datetime, holder: str, platforms: Sequence[str], limit: int = 100
) -> list[Job]:
    """Expire old leases, mark what is too late as *missed*, and claim for ``holder`` what is due on ``platforms``."""
    deliveries.expire_leases(tx, now, LEASE)
    for delivery_id, schedule_id, step, subject_id, error in deliveries.overdue(tx, now):
        schedule = schedules.get(tx, schedule_id)
        parked = "left" if schedules.workspace_of(tx, schedule).left_at else schedule.channel_state
        # Of a parked channel an admin was told when it was parked.
        miss(tx, delivery_id, schedule_id, Step(step), subject_id, parked or error or "down", now, tell=not parked)
    while claims := deliveries.claim(tx, now, LEASE, holder, platforms, limit):
        jobs = [job for claim in claims if (job := _job(tx, library, claim, now)) is not None]
        if jobs:
            return jobs
        # All were settled without a word (a board of nothing, a question that is gone): on to what waits behind them.
    return []


def miss(
    tx: Session,
    delivery_id: int,
    schedule_id: int,
    step: Step,
    subject_id: int,
    reason: str,
    now: datetime,
    tell: bool = True,
    retry: bool = False,
) -> None:
    """The delivery will not be made: the round is *missed* with its reason, and an admin is told (if ``tell``).

    ``retry``: it was refused, so the admin may have it tried again.
    """
    deliveries.finish(tx, delivery_id, State.MISSED, reason)
    if step is Step.POST:
        round_ = rounds.get(tx, subject_id)
        if round_ is not None and round_.state == "planned":
            round_.state = "missed"
            round_.reason = reason
            tx.add(round_)
            if not tell:
                return
            detail: dict[str, Any] = {"date": round_.local_date.isoformat(), "reason": reason}
            if retry:
                detail["delivery"] = delivery_id
            audit.notice(tx, schedule_id, "missed", str(subject_id), detail, now)


def _job(tx: Session, library: Library, claim: Claim, now: datetime) -> Job | None:
    schedule = schedules.get(tx, claim.schedule_id)
    workspace = schedules.workspace_of(tx, schedule)
    target: Message | None = None
    keycaps: tuple[str, ...] = ()
    unread = False
    if claim.step is Step.POST:
        if not _ready_to_post(tx, library, schedule, claim, now):
            return None
    elif claim.step is Step.BOARD:
        if not _worth_a_board(tx, claim, now):
            deliveries.settle(tx, claim, State.DROPPED, error="no round was posted in that week")
            return None
    else:
        round_ = round_of(tx, claim)
        target = Message(round_.message_id, round_.thread_id)
        keycaps = KEYCAPS[: len(round_.option_order)] if round_.reactions else ()
        if claim.step is Step.SEED:
            if not rounds.is_open(round_, now):
                deliveries.settle(tx, claim, State.DROPPED, error="the round is closed")
                return None
        else:
            round_.revealed_at = round_.revealed_at or now
            tx.add(round_)
            unread = round_.reactions and round_.reactions_read_at is None
    return Job(claim, workspace.platform, place_of(tx, schedule), target, keycaps, unread)


def _ready_to_post(tx: Session, library: Library, schedule: Schedule, claim: Claim, now: datetime) -> bool:
    """Fix what the round asks, in the transaction that claims it: number, question version, options, answer mode."""
    round_ = rounds.get(tx, claim.subject_id)
    assert round_ is not None
    assert schedule.id is not None
    if round_.fingerprint is not None:
        return True
    question = library.get(round_.question_id) if round_.question_id else None
    if question is None and fill_question(tx, schedule, library, round_):
        question = library.get(round_.question_id)
    if question is None:
        miss(tx, claim.id, schedule.id, Step.POST, claim.subject_id, "no-question", now)
        return False
    round_.fingerprint = rounds.keep(tx, question)
    round_.option_order = list(order_options(question, Random(f"{schedule.seed}:{round_.local_date}:order")))  # noqa: S311
    round_.mode = schedule.mode
    round_.reactions = schedule.reactions and schedule.mode == "together" and question.kind.is_one_tap
    round_.number = rounds.next_number(tx, schedule.id)
    tx.add(round_)
    if round_.used_up and not schedule.told_used_up:
        schedule.told_used_up = True
        tx.add(schedule)
        audit.notice(tx, schedule.id, "used-up", "", {}, now)
    return True


def _worth_a_board(tx: Session, claim: Claim, now: datetime) -> bool:
    board = boards.get(tx, claim.subject_id)
    assert board is not None
    return bool(board_rounds(tx, claim.schedule_id, board.week, now))


def board_rounds(tx: Session, schedule_id: int, label: str, now: datetime) -> list[int]:
    """Ids of the closed rounds that the board of a week is made of."""
    week = Week.from_label(label)
    return boards.closed_rounds(tx, schedule_id, week.monday, week.sunday, now)


def round_of(tx: Session, claim: Claim) -> Round:
    """The round that a post, close or result is about."""
    round_ = rounds.get(tx, claim.subject_id)
    assert round_ is not None
    return round_
