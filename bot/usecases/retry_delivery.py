"""An admin mended what was wrong: try a refused delivery once more, or open a parked channel again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.drill.errors import NotRetried, UnknownRound
from bot.usecases.meet_member import Met
from bot.usecases.park_schedule import unpark
from storage import audit, deliveries, rounds
from storage.deliveries import State, Step
from storage.tables import Delivery, Schedule


@dataclass(frozen=True, slots=True)
class Retried:
    """``step``: what is tried again. ``""``: nothing is (it is too late for that), but the channel was opened again."""

    schedule: Schedule
    step: str = ""


def retry_delivery(tx: Session, met: Met, delivery_id: int, now: datetime) -> Retried:
    """Send a refused delivery once more. Errors: UnknownRound; NotRetried (done, on its way, or too late).

    The platform is asked first whether it stands there after all, so that trying again never makes a second one.
    """
    delivery = tx.get(Delivery, delivery_id)
    schedule = _mine(tx, met, delivery.schedule_id if delivery else 0)
    assert delivery is not None
    assert schedule.id is not None
    if delivery.state == State.SENT:
        raise NotRetried("done")
    if delivery.state in deliveries.UNFINISHED and not schedule.channel_state:
        raise NotRetried("on-its-way")
    late = _too_late(tx, delivery, now)
    if not unpark(tx, schedule, now) and late:
        raise NotRetried("late")
    tx.flush()
    tx.refresh(delivery)
    if not late and delivery.state not in deliveries.UNFINISHED:
        _again(tx, delivery)
    detail = {"channel": schedule.channel_id, "step": delivery.step}
    audit.record(tx, met.workspace_id, met.id, now, "retry", detail)
    return Retried(schedule, "" if late else delivery.step)


def reopen_channel(tx: Session, met: Met, schedule_id: int, now: datetime) -> Retried:
    """Go on in a channel that was parked; the next call shows whether it works. Errors: UnknownRound, NotRetried."""
    schedule = _mine(tx, met, schedule_id)
    if not unpark(tx, schedule, now):
        raise NotRetried("done")
    audit.record(tx, met.workspace_id, met.id, now, "retry", {"channel": schedule.channel_id})
    return Retried(schedule)


def _mine(tx: Session, met: Met, schedule_id: int) -> Schedule:
    schedule = tx.get(Schedule, schedule_id)
    if schedule is None or schedule.workspace_id != met.workspace_id:
        raise UnknownRound
    return schedule


def _too_late(tx: Session, delivery: Delivery, now: datetime) -> bool:
    if delivery.state == State.DROPPED:
        return True
    if delivery.step == Step.SEED:
        seeded = rounds.get(tx, delivery.subject_id)
        return seeded is None or not rounds.is_open(seeded, now)
    if delivery.step != Step.POST:
        return False
    round_ = rounds.get(tx, delivery.subject_id)
    if round_ is None or round_.state == "posted" or now >= round_.closes_at:
        return True
    # Nothing was ever tried of a post that was missed while the bot was down: it has no question to show.
    return (delivery.deadline is not None and now > delivery.deadline) or round_.fingerprint is None


def _again(tx: Session, delivery: Delivery) -> None:
    assert delivery.id is not None
    if delivery.step == Step.POST:
        round_ = rounds.get(tx, delivery.subject_id)
        assert round_ is not None
        round_.state, round_.reason = "planned", ""
        tx.add(round_)
        audit.take_back(tx, delivery.schedule_id, "missed", str(delivery.subject_id))
    audit.take_back(tx, delivery.schedule_id, f"{delivery.step}-refused", str(delivery.subject_id))
    deliveries.look_again(tx, delivery.id)
