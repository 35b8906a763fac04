"""Write down what became of a delivery: sent, to be tried again, unsure, or refused for good."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from sqlmodel import Session

from bot.chat import ChatError, Message
from bot.drill.trouble import cure
from bot.usecases.claim_deliveries import miss, round_of
from bot.usecases.park_schedule import park
from bot.usecases.pause_schedule import rest
from bot.usecases.plan_rounds import CATCH_UP, NewKey
from storage import audit, boards, deliveries, schedules
from storage.deliveries import Claim, State, Step
from storage.tables import Schedule

SETTLE_AFTER = timedelta(seconds=2)
"""How long to wait before asking the platform whether an unsure message arrived: it may still be on its way."""

SHORTEST_WAIT = 1.0
"""Seconds: a platform that says "again after 0 s" would otherwise be asked in a tight loop."""

LONGEST_WAIT = timedelta(minutes=5)
FAILURES_BEFORE_PAUSE = 3


def record_sent(
    tx: Session, claim: Claim, message: Message | None, now: datetime, new_key: NewKey, unread: str = ""
) -> bool:
    """It stands in the channel. ``False``: somebody else has settled this delivery meanwhile.

    ``unread``: why the list of the round's keycaps could not be read, so that it ended with what was heard of them.
    """
    if not deliveries.settle(tx, claim, State.SENT, sent_at=now, error=""):
        return False
    if claim.step is Step.POST:
        assert message is not None
        round_ = round_of(tx, claim)
        round_.state = "posted"
        round_.posted_at = now
        round_.message_id = message.id
        round_.thread_id = message.thread
        tx.add(round_)
        assert round_.id is not None
        for step in (Step.CLOSE, Step.RESULT):
            deliveries.add(tx, claim.schedule_id, step, round_.id, new_key(), round_.closes_at, None)
        if round_.reactions:
            deliveries.add(tx, claim.schedule_id, Step.SEED, round_.id, new_key(), now, round_.closes_at)
    elif claim.step is Step.RESULT and message is not None and message.thread:
        round_ = round_of(tx, claim)
        round_.thread_id = round_.thread_id or message.thread
        tx.add(round_)
    elif claim.step is Step.BOARD:
        board = boards.get(tx, claim.subject_id)
        assert board is not None
        assert message is not None
        board.posted_at = now
        board.message_id = message.id
        tx.add(board)
    if unread:
        round_ = round_of(tx, claim)
        round_.reactions_read_at = now
        tx.add(round_)
        detail = {"reason": unread, "date": round_.local_date.isoformat()}
        audit.notice(tx, claim.schedule_id, "reactions-unread", str(round_.id), detail, now)
    return True


def record_absent(tx: Session, claim: Claim, now: datetime) -> bool:
    """The platform was asked and does not have it: it may be sent (again)."""
    return deliveries.settle(tx, claim, State.WAITING, not_before=now)


def record_trouble(tx: Session, claim: Claim, error: ChatError, now: datetime, rng: Random) -> bool:
    """The platform refused, or we do not know."""
    if error.outcome == "permanent":
        looked = claim.look_first and claim.step not in (Step.CLOSE, Step.SEED)
        return _unreadable(tx, claim, error, now) if looked else _refused(tx, claim, error, now)
    unsure = error.outcome == "unsure" or claim.look_first
    # An edit or an emoji: doing it twice is the same as once, so there is nothing to look up.
    if claim.step in (Step.CLOSE, Step.SEED):
        unsure = False
    wait = timedelta(seconds=min(2.0**claim.attempt, LONGEST_WAIT.total_seconds()) * rng.uniform(0.5, 1.0))
    if error.retry_after is not None:
        wait = min(timedelta(seconds=max(error.retry_after, SHORTEST_WAIT)), deliveries.LONGEST_REST)
    elif unsure:
        wait = max(wait, SETTLE_AFTER)
    state = State.UNSURE if unsure else State.WAITING
    return deliveries.settle(tx, claim, state, not_before=now + wait, error=error.reason)


def _refused(tx: Session, claim: Claim, error: ChatError, now: datetime) -> bool:
    reason, schedule = error.reason, schedules.get(tx, claim.schedule_id)
    state = cure(error.cure).parks
    if state and claim.step is not Step.POST:
        if not deliveries.settle(tx, claim, State.WAITING, error=reason):  # it can be shown when the channel is back
            return False
        park(tx, schedule, state, now, error.cure)
        return True
    if not deliveries.settle(tx, claim, State.FAILED, error=reason):
        return False
    if state:
        park(tx, schedule, state, now, error.cure, claim.id)
    if claim.step is Step.POST:
        miss(tx, claim.id, claim.schedule_id, Step.POST, claim.subject_id, reason, now, tell=not state, retry=True)
        deliveries.finish(tx, claim.id, State.FAILED, reason)
    elif cure(error.cure).mender != "nobody":
        detail = {"reason": reason, "delivery": claim.id}
        audit.notice(tx, claim.schedule_id, f"{claim.step}-refused", str(claim.subject_id), detail, now)
    _pause_after_three(tx, claim, schedule, reason, now)
    return True


def _unreadable(tx: Session, claim: Claim, error: ChatError, now: datetime) -> bool:
    """It may stand there, and the platform does not let the bot look: it is neither sent again nor called missed."""
    wait = LONGEST_WAIT if now < claim.due_at + CATCH_UP else deliveries.LONGEST_REST
    reason = f"{deliveries.UNREADABLE}:{error.code}"
    if not deliveries.settle(tx, claim, State.UNSURE, not_before=now + wait, error=reason):
        return False
    if state := cure(error.cure).parks:
        park(tx, schedules.get(tx, claim.schedule_id), state, now, error.cure)
    else:
        audit.notice(tx, claim.schedule_id, f"{claim.step}-unsure", str(claim.subject_id), {"reason": reason}, now)
    return True


def _pause_after_three(tx: Session, claim: Claim, schedule: Schedule, reason: str, now: datetime) -> None:
    """A parked channel waits already; and that a message is gone says nothing of the next one."""
    if claim.step in (Step.CLOSE, Step.SEED) or schedule.channel_state:
        return
    if schedules.current_pause(tx, claim.schedule_id, now) is not None:
        return
    resumed = max((p.ends_at for p in schedules.pauses(tx, claim.schedule_id) if p.ends_at), default=None)
    if deliveries.failed_in_a_row(tx, claim.schedule_id, claim.step, resumed) >= FAILURES_BEFORE_PAUSE:
        rest(tx, schedule, None, f"failing: {reason}", now)
        audit.notice(tx, claim.schedule_id, "failing", str(claim.subject_id), {"reason": reason}, now)
