"""A member disputes the answer of a round: their text is kept for the authors of the question."""

from __future__ import annotations

import textwrap
import unicodedata
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bot.drill.errors import EmptyResponse, NoRoundToday, NotFinalYet, OptedOut
from bot.usecases.meet_member import Met
from bot.usecases.schedules import schedule_here
from bot.usecases.submit_answer import round_for_answer
from content.question import Response, from_plain
from storage import answers, challenges, rounds, schedules
from storage.tables import Round

LONGEST = 2000
"""Characters of a challenge that are kept."""


@dataclass(frozen=True, slots=True)
class Disputed:
    """A round that may be challenged, and what this member wrote about it before."""

    round: Round
    text: str


@dataclass(frozen=True, slots=True)
class Dispute:
    """A challenge as authors read it. ``spread``: option key (or text) → how many timely answers said so.

    ``member``: who wrote it.
    """

    question_id: str
    version: int
    prompt: str
    text: str
    made_at: datetime
    channel: str
    number: int | None
    answered: int
    right: int
    spread: dict[str, int]
    member: str


def look_at_challenge(tx: Session, met: Met, round_id: int, now: datetime) -> Disputed:
    """What the form begins with. Errors: UnknownRound; NotFinalYet while the member's answer is not final."""
    round_ = _disputable(tx, met, round_id, now)
    earlier = challenges.find(tx, round_id, met.id)
    return Disputed(round_, earlier.text if earlier else "")


def newest_to_challenge(tx: Session, met: Met, channel: str, now: datetime) -> Disputed:
    """The newest round of the channel whose answer this member may know: the open one, where theirs is final.

    Errors: NoSchedule, NoRoundToday (none was closed yet).
    """
    schedule = schedule_here(tx, met.workspace_id, channel)
    assert schedule.id is not None
    for round_ in reversed(rounds.all_of(tx, schedule.id)):
        if round_.state != "posted" or round_.id is None:
            continue
        if _is_told(tx, met, round_, round_.mode or schedule.mode, now):
            return look_at_challenge(tx, met, round_.id, now)
    raise NoRoundToday


def challenge_answer(tx: Session, met: Met, round_id: int, text: str, now: datetime) -> Round:
    """Keep what the member disputes; a later text takes the place of an earlier one.

    Errors: UnknownRound, NotFinalYet, EmptyResponse; OptedOut (nothing is recorded of them).
    """
    round_ = _disputable(tx, met, round_id, now)
    if met.opted_out:
        raise OptedOut
    text = _harmless(text.encode("utf-8", "replace").decode()).strip()[:LONGEST]
    if not any(unicodedata.category(c)[0] in "LNPS" for c in text):
        raise EmptyResponse
    challenges.put(tx, round_, met.id, text, now)
    return round_


def _disputable(tx: Session, met: Met, round_id: int, now: datetime) -> Round:
    round_, schedule, _ = round_for_answer(tx, met, round_id)
    if not _is_told(tx, met, round_, round_.mode or schedule.mode, now):
        raise NotFinalYet
    return round_


def _is_told(tx: Session, met: Met, round_: Round, mode: str, now: datetime) -> bool:
    """May this member know the answer? Whoever may still change theirs must learn nothing by asking."""
    assert round_.id is not None
    if not rounds.is_open(round_, now):
        return True
    return mode == "instant" and answers.find(tx, round_.id, met.id) is not None


def list_challenges(tx: Session) -> list[Dispute]:
    """All of them, by question and time, with what everybody answered in that round."""
    found = []
    for row, snapshot, round_, member in challenges.every(tx):
        schedule = schedules.get(tx, round_.schedule_id)
        given = answers.of_round(tx, row.round_id)
        question = from_plain(snapshot.plain)
        said = Counter(_said(answer.choices, answer.text) for answer in given)
        found.append(
            Dispute(
                row.question_id,
                snapshot.version,
                question.prompt.get("en"),
                row.text,
                row.made_at,
                f"#{schedule.channel_name}" if schedule.channel_name else schedule.channel_id,
                round_.number,
                len(given),
                sum(answer.correct for answer in given),
                dict(sorted(said.items(), key=lambda item: (-item[1], item[0]))),
                member.name,
            )
        )
    return found


def _harmless(text: str) -> str:
    """Without control characters and turns of the writing direction: authors read it on a terminal, that obeys them."""
    kept = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in kept if c in "\n\t" or not (unicodedata.category(c) == "Cc" or c in _TURNS))


_TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _said(choices: list[str], text: str) -> str:
    response = Response(tuple(choices), text)
    return "+".join(response.choices) if response.choices else " ".join(_harmless(response.text).split())[:60]


def dispute_to_plain(dispute: Dispute, *, names: bool) -> dict[str, Any]:
    """As JSON; ``names``: with the name of who wrote it."""
    plain = asdict(dispute) | {"made_at": dispute.made_at.isoformat()}
    if not names:
        del plain["member"]
    return plain


def dispute_text(dispute: Dispute, *, names: bool) -> str:
    """In lines; ``names``: with the name of who wrote it."""
    prompt = " ".join(dispute.prompt.split())
    who = f" · {dispute.member}" if names else ""
    spread = ", ".join(f"{said}: {count}" for said, count in dispute.spread.items()) or "no answers"
    return (
        f"{dispute.question_id} v{dispute.version} · {prompt[:80]}\n"
        f"  {dispute.made_at:%Y-%m-%d} · {dispute.channel} #{dispute.number or ''}{who}\n"
        f"  {dispute.right} of {dispute.answered} right ({spread})\n" + textwrap.indent(dispute.text, "  > ")
    )
