"""Answers: by button, by form, typed; and how one did."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.cards import settings
from bot.chat import Ask, Command, Event, Reply, Say, Submission, Tap
from bot.drill import errors
from bot.talk.desk import Button, Desk, FormTarget, Planned, Theme, language_for, number, telling
from bot.texts import language_of
from bot.usecases.meet_member import Met, meet_member
from bot.usecases.schedules import schedule_here
from bot.usecases.show_round import RoundView, in_order, show_round
from bot.usecases.show_today import Today, show_own_round
from bot.usecases.submit_answer import LATE, Receipt, round_for_answer, submit_answer
from content.grading import grade
from content.question import LETTERS, Kind, Response
from storage import answers, rounds


@dataclass(frozen=True, slots=True)
class Unsure:
    """A member who wants to be asked has tapped an option that would be final. Nothing is stored."""

    view: RoundView
    option: str


def _tap_option(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """One tap, one answer; whoever wants to confirm first is asked, where the tap would be final."""
    round_id, option = number(args[0]), args[1]

    def verb(tx: Session) -> tuple[Met, Receipt | Unsure]:
        met = meet_member(tx, event.who, now)
        with telling(event, met):
            if met.confirm and not met.opted_out and (view := _would_be_final(tx, met, round_id, option, now)):
                return met, Unsure(view, option)
            return met, submit_answer(tx, met, round_id, Response((option,)), now)

    def then(done: tuple[Met, Receipt | Unsure]) -> Reply:
        met, found = done
        if isinstance(found, Receipt):
            return verdict(desk, event, met, found)
        language = language_for(event, met)
        shown = desk.cards.shown_response(found.view, Response((option,)), language)
        return Say(settings.confirm(round_id, option, shown, language))

    return verb, then, True


def _would_be_final(tx: Session, met: Met, round_id: int, option: str, now: datetime) -> RoundView | None:
    round_for_answer(tx, met, round_id)
    view = show_round(tx, round_id, now)
    final = view.mode == "instant" and not view.closed and option in view.letters
    return view if final and answers.find(tx, round_id, met.id) is None else None


def _sure(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """*Yes*: in place of the question. Twice, or on two devices, it is one answer."""
    verb, then, write = answer(desk, event, number(args[0]), Response((args[1],)), now)

    def replacing(done: tuple[Met, Receipt]) -> Reply:
        reply = then(done)
        return Say(reply.card, replace=True) if isinstance(reply, Say) else reply

    return verb, replacing, write


def _unsure(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """*No*: unless it was answered meanwhile, nothing is recorded."""
    round_id = number(args[0])

    def then(today: Today, language: str) -> Reply:
        if today.stored is not None:
            return own_verdict(desk, today, language, now)
        return Say(settings.not_answered(language), replace=True)

    return desk.look(event, lambda tx, met: show_own_round(tx, met, round_id, now), then)


def _send_form(desk: Desk, event: Submission, rest: str, now: datetime) -> Planned:
    value = event.values.get("answer", "")
    response = Response(value) if isinstance(value, tuple) else Response(text=value)
    return answer(desk, event, number(rest), response, now)


def answer(desk: Desk, event: Event, round_id: int, response: Response, now: datetime) -> Planned:
    def verb(tx: Session) -> tuple[Met, Receipt]:
        met = meet_member(tx, event.who, now)
        with telling(event, met):
            return met, submit_answer(tx, met, round_id, response, now)

    return verb, lambda done: verdict(desk, event, *done), True


def verdict(desk: Desk, event: Event, met: Met, receipt: Receipt) -> Reply:
    view = view_of_receipt(receipt)
    return Say(desk.cards.verdict(receipt, view, language_for(event, met)))


def do_answer(desk: Desk, event: Command, now: datetime) -> Planned:
    text = event.options.get("response", "")

    def verb(tx: Session) -> tuple[Met, Receipt]:
        met = meet_member(tx, event.who, now)
        with telling(event, met):
            schedule = schedule_here(tx, met.workspace_id, event.place.channel)
            round_id = _round_to_answer(tx, schedule.id, now)
            view = show_round(tx, round_id, now)
            return met, submit_answer(tx, met, round_id, typed_response(view, text), now)

    return verb, lambda done: verdict(desk, event, *done), True


def open_form(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    round_id = number(args[0])

    def look(tx: Session, met: Met) -> Today:
        if met.opted_out:
            raise errors.OptedOut
        return show_own_round(tx, met, round_id, now)

    def then(today: Today, language: str) -> Reply:
        settled = today.stored is not None and (today.view.mode == "instant" or today.view.closed)
        if settled:
            return own_verdict(desk, today, language, now)
        return Ask(desk.cards.answer_form(today.view, language))

    return desk.look(event, look, then)


def read_round(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    round_id, language = number(args[0]), language_of(args[1])

    def then(today: Today, _: str) -> Reply:
        return Say(desk.cards.today(today, language))

    return desk.look(event, lambda tx, met: show_own_round(tx, met, round_id, now), then)


def how_did_i_do(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    round_id = number(args[0])

    def then(today: Today, language: str) -> Reply:
        return own_verdict(desk, today, language, now)

    return desk.look(event, lambda tx, met: show_own_round(tx, met, round_id, now), then)


def own_verdict(desk: Desk, today: Today, language: str, now: datetime) -> Reply:
    """The verdict on a stored answer, if it may be told already."""
    view, stored = today.view, today.stored
    if stored is None:
        return Say(desk.cards.not_answered(view, now < view.round.closes_at + LATE, language))
    graded = grade(view.question, stored.response)
    revealed = view.closed or view.mode == "instant"
    receipt = Receipt(
        "again" if revealed else "recorded",
        view.round,
        view.schedule,
        view.question,
        stored.response,
        graded,
        stored.points,
        stored.late,
        revealed,
    )
    return Say(desk.cards.verdict(receipt, view, language))


def view_of_receipt(receipt: Receipt) -> RoundView:
    options = in_order(receipt.question, receipt.round.option_order)
    return RoundView(
        receipt.round, receipt.schedule, receipt.question, options, 0, receipt.outcome in ("late", "feedback")
    )


def _round_to_answer(tx: Session, schedule_id: int | None, now: datetime) -> int:
    """The open round, or the newest one for a late answer. Raises NoRoundToday."""
    assert schedule_id is not None
    found = rounds.open_round(tx, schedule_id, now) or rounds.newest_posted(tx, schedule_id)
    if found is None or found.id is None:
        raise errors.NoRoundToday
    return found.id


def typed_response(view: RoundView, text: str) -> Response:
    """What was typed after ``/drill answer``: letters for choices (as shown), words for the rest."""
    if not view.options:
        return Response(text=text)
    keys = {letter: key for key, letter in view.letters.items()}
    typed = unicodedata.normalize("NFKC", text).strip()
    if view.question.kind is Kind.TRUE_FALSE:
        spoken = _TRUTH.get(typed.lower().rstrip(".。!！"))
        if spoken is not None:
            return Response((spoken,))
    letters = re.sub(r"[\s,，、;；/&+.]|and|和", "", typed, flags=re.IGNORECASE).upper()
    shown = LETTERS[: len(view.options)]
    if not letters:
        raise errors.EmptyResponse
    if any(letter not in shown for letter in letters):
        raise errors.UnknownOption(", ".join(shown))
    return Response(tuple(dict.fromkeys(keys[letter] for letter in letters)))


_TRUTH = {
    **dict.fromkeys(("true", "t", "yes", "y", "对", "正确", "是", "√", "✓"), "true"),
    **dict.fromkeys(("false", "f", "no", "n", "错", "错误", "不正确", "否", "×", "x", "✗"), "false"),
}

THEME = Theme(
    buttons={
        "answer": Button(_tap_option, 2),
        "sure": Button(_sure, 2),
        "unsure": Button(_unsure),
        "form": Button(open_form),
        "read": Button(read_round, 2),
        "mine": Button(how_did_i_do),
    },
    forms={"answer": FormTarget(_send_form)},
    commands={"answer": do_answer},
)
