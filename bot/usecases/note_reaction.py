"""Keycaps as answers: what the platform tells while a round is open, and its whole list when it closes.

The marks are rows; a member's answer follows from them. Of two keycaps the later one counts, as long as it is known
which that is: one that only the list told of, beside another, is no answer. Of a keycap and a button, the one that was
received last counts; a keycap that only the list told of has no moment, so it never takes a button's place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session

from bot.chat import Platform, Reacted, Reaction, Who
from bot.drill.keycaps import place_of
from bot.drill.scoring import points
from bot.usecases.meet_member import meet_member
from content.grading import grade
from content.question import Response
from storage import answers, members, reactions, rounds, schedules
from storage.tables import ReactionMark, Round

REACTION = "reaction"
"""``Answer.via`` of an answer that stands as a keycap."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def note_reaction(tx: Session, event: Reacted, now: datetime) -> int | None:
    """Take note of a keycap; the round whose answers it changed, if it changed any.

    Nothing is changed by an emoji that names no option, under another message or a round that was closed when it was
    left; nor by news that is older than what is known.
    """
    place = event.place
    round_ = rounds.by_message(tx, event.platform, place.workspace, place.channel, event.message)
    if round_ is None or not round_.reactions or round_.reactions_read_at is not None:
        return None
    option = None
    if event.emoji:
        number = place_of(event.emoji)
        if number is None or number >= len(round_.option_order):
            return None
        option = round_.option_order[number]
    whose = _whose(tx, event, round_, option, now)
    changed = [_note(tx, event, round_, key, member_id, now) for member_id, key in whose]
    return round_.id if any(changed) else None


def _whose(tx: Session, event: Reacted, round_: Round, option: str | None, now: datetime) -> Sequence[tuple[int, str]]:
    """(member, option) that the event is about."""
    assert round_.id is not None
    if event.who is None:
        return [(mark.member_id, mark.option) for mark in reactions.of_round(tx, round_.id, option) if mark.here]
    if option is None:
        return []
    known = members.find(tx, event.platform, event.place.workspace, event.who.member)
    if known is not None and known.opted_out:
        # Nothing new is kept of them; what was kept before they can take back.
        standing = reactions.find(tx, round_.id, known.id, option)
        return [(known.id, option)] if standing is not None and standing.here and not event.added else []
    if not event.added and known is not None:
        return [(known.id, option)]
    if not event.added and event.at is None:
        return []  # told in the order in which it happened, so there is nothing to take away
    return [(meet_member(tx, event.who, now).id, option)]


def _note(tx: Session, event: Reacted, round_: Round, option: str, member_id: int, now: datetime) -> bool:
    assert round_.id is not None
    old = reactions.find(tx, round_.id, member_id, option)
    if (event.at or now) >= round_.closes_at or (event.at is None and round_.revealed_at is not None):
        _late(tx, old, round_.id, member_id, option)
        return False
    at = event.at
    if at is None:  # not before what was heard before it, whatever the clock did since
        heard = [mark.at for mark in reactions.of(tx, round_.id, member_id) if mark.at is not None]
        at = max([now, *heard])
    elif old is not None and old.at is not None and (at < old.at or (at == old.at and event.added == old.here)):
        return False
    if event.added:
        if event.at is None and old is not None and old.here:
            return False
        reactions.put(tx, old, round_.id, member_id, option, at)
    else:
        was_here = old is not None and old.here
        _take(tx, old, round_.id, member_id, option, at)
        if not was_here:
            return False
    return _settle(tx, round_, member_id, min(now, round_.closes_at), newest=event.added)


def _late(tx: Session, old: ReactionMark | None, round_id: int, member_id: int, option: str) -> None:
    """Left or taken away after close: it changes nothing, and the list is not believed about it."""
    mark = old or ReactionMark(round_id=round_id, member_id=member_id, option=option, here=False)
    mark.late = True
    tx.add(mark)
    tx.flush()


def _take(
    tx: Session, old: ReactionMark | None, round_id: int, member_id: int, option: str, at: datetime | None
) -> None:
    mark = old or ReactionMark(round_id=round_id, member_id=member_id, option=option)
    mark.here, mark.at = False, at
    tx.add(mark)
    tx.flush()


def settle_reactions(tx: Session, round_id: int, platform: Platform, listed: Sequence[Reaction], now: datetime) -> None:
    """The round is over and this is the platform's list of its keycaps: what was missed is made up for, once."""
    round_ = rounds.get(tx, round_id)
    assert round_ is not None
    if round_.reactions_read_at is not None:
        return
    marks = {(mark.member_id, mark.option): mark for mark in reactions.of_round(tx, round_id)}
    standing = frozenset(key for key, mark in marks.items() if mark.here)
    there = _listed(tx, round_, platform, listed, standing, now)
    touched: dict[int, None] = {}
    for member_id, option in there:
        mark = marks.get((member_id, option))
        if mark is None or not (mark.here or mark.late):
            reactions.put(tx, mark, round_id, member_id, option, None)
            touched[member_id] = None
    for key, mark in marks.items():
        if mark.here and not mark.late and key not in there:
            _take(tx, mark, round_id, *key, mark.at)
            touched[key[0]] = None
    for member_id in touched:
        _settle(tx, round_, member_id, min(now, round_.closes_at), newest=False)
    round_.reactions_read_at = now
    tx.add(round_)


def people_of(tx: Session, schedule_id: int) -> Sequence[str]:
    """The platform's ids of those in the schedule's workspace who are known to be people."""
    return reactions.known_people(tx, schedules.get(tx, schedule_id).workspace_id)


def _listed(
    tx: Session,
    round_: Round,
    platform: Platform,
    listed: Sequence[Reaction],
    standing: Collection[tuple[int, str]],
    now: datetime,
) -> dict[tuple[int, str], None]:
    """(member, option) of the list; whoever is new to us gets a row. Of those who want nothing recorded only what was
    ``standing`` before they said so."""
    workspace = schedules.workspace_of(tx, schedules.get(tx, round_.schedule_id))
    there: dict[tuple[int, str], None] = {}
    for reaction in listed:
        number = place_of(reaction.emoji)
        if number is None or number >= len(round_.option_order):
            continue
        known = members.find(tx, platform, workspace.external_id, reaction.member)
        if known is not None:
            member_id, opted_out = known.id, known.opted_out
        else:
            met = meet_member(tx, Who(platform, workspace.external_id, reaction.member, reaction.name), now)
            member_id, opted_out = met.id, met.opted_out
        key = (member_id, round_.option_order[number])
        if not opted_out or key in standing:
            there[key] = None
    return there


def _settle(tx: Session, round_: Round, member_id: int, at: datetime, *, newest: bool) -> bool:
    """Make the member's answer what their keycaps say. ``newest``: one of these is the last that was received."""
    assert round_.id is not None
    assert round_.fingerprint is not None
    earlier = answers.find(tx, round_.id, member_id)
    if earlier is not None and earlier.via != REACTION and not newest:
        return False
    option = _standing([mark for mark in reactions.of(tx, round_.id, member_id) if mark.here])
    if option is None:
        if earlier is not None:
            answers.take_away(tx, earlier.id, member_id)
        return earlier is not None
    question, response = rounds.question_of(tx, round_.fingerprint), Response((option,))
    credit = grade(question, response).credit
    row: dict[str, Any] = {
        "credit": float(credit),
        "points": points(credit, question.difficulty),
        "correct": credit == 1,
        "late": False,
        "via": REACTION,
    }
    if earlier is None:
        return answers.add(tx, round_.id, member_id, response, row, at)
    if earlier.via == REACTION and earlier.response == response:
        return False
    answers.replace(tx, earlier.id, response, row, at)
    return True


def _standing(marks: Sequence[ReactionMark]) -> str | None:
    """The option that counts: the only one, or the latest where the order is known."""
    if len(marks) > 1 and any(mark.at is None for mark in marks):
        return None
    newest = max(marks, key=lambda mark: (mark.at or _LONG_AGO, mark.id or 0), default=None)
    return None if newest is None else newest.option
