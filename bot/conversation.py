"""What a tap, a form or a command leads to. The same for every platform: they only translate.

``hear`` runs the verb (the answer is durable when it returns) and gives what to say or ask. Nothing a person
sends can stop the bot: a mistake becomes a sentence, a fault of ours is logged and answered neutrally.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from sqlmodel import Session

from bot.cards import Cards, notice_card
from bot.chat import Ask, Command, Event, Place, Reply, Say, Submission, Tap, Wrong
from bot.clock import Clock
from bot.commands import BY_NAME, nearest
from bot.drill import errors
from bot.drill.calendar import instant, parse_weekdays
from bot.texts import language_of, texts
from bot.usecases.meet_member import Met, clean_name, known_member, meet_member
from bot.usecases.pause_schedule import pause_schedule
from bot.usecases.post_now import post_now
from bot.usecases.resume_schedule import resume_schedule
from bot.usecases.schedules import schedule_here
from bot.usecases.set_schedule import (
    OPTIONS,
    Plan,
    Proposal,
    Saved,
    WrongOptions,
    default_plan,
    draft_plan,
    drop_draft,
    plan_of,
    propose_schedule,
    read_topics,
    save_schedule,
)
from bot.usecases.show_board import BoardView, Period, show_board
from bot.usecases.show_progress import Progress, show_progress
from bot.usecases.show_round import RoundView, in_order, show_round
from bot.usecases.show_status import Status, show_status
from bot.usecases.show_today import Today, show_own_round, show_today
from bot.usecases.submit_answer import LATE, Receipt, submit_answer
from content.grading import grade
from content.library import Library
from content.question import LETTERS, Kind, Response
from content.taxonomy import Taxonomy
from storage import rounds, schedules
from storage.database import Database
from storage.tables import Schedule, SetupDraft

log = logging.getLogger(__name__)
T = TypeVar("T")

ADMIN_ACTIONS = frozenset({"save", "change", "drop"})


def needs_admin(event: Event) -> bool:
    """Must the platform be asked whether this person is an admin before the event is heard?"""
    match event:
        case Command(name=name):
            return name in BY_NAME and (BY_NAME[name].admin or name == "help")
        case Tap(action=action):
            return action.split(":", 1)[0] in ADMIN_ACTIONS
        case Submission(form=form):
            return form.split(":", 1)[0] == "setup"


class Conversation:
    """Hears events and answers them. ``answered`` is called with the round's id after a new answer is stored."""

    def __init__(
        self,
        database: Database,
        library: Library,
        taxonomy: Taxonomy,
        clock: Clock,
        answered: Callable[[int], None],
        woken: Callable[[], None],
        new_key: Callable[[], str] = lambda: secrets.token_hex(10),
        new_seed: Callable[[], int] = lambda: secrets.randbits(31),
    ) -> None:
        self.database = database
        self.library = library
        self.taxonomy = taxonomy
        self.clock = clock
        self.cards = Cards(taxonomy)
        self._answered = answered
        self._woken = woken
        self._new_key = new_key
        self._new_seed = new_seed

    async def hear(self, event: Event) -> Reply:
        """What to say to this event. Never raises for anything a person can send."""
        return (await self.listen(event))()

    async def listen(self, event: Event) -> Callable[[], Reply]:
        """Returns once what the event does is durable (or has failed); the function that it gives makes the reply.

        So a platform can be told that its event was heard before the card is made.
        """
        heard = self._begin(event, here=True)
        if isinstance(heard.future, asyncio.Future):
            with suppress(Exception):  # told by the reply
                self._note(await heard.future)
        elif heard.future is not None:
            waiting = asyncio.wrap_future(heard.future)
            await asyncio.wait([waiting])
            waiting.exception()  # looked at here, told by the reply
        return heard.reply

    def hear_now(self, event: Event) -> Reply:
        """``hear`` for callers without an event loop (the simulation)."""
        return self.begin(event)()

    def begin(self, event: Event) -> Callable[[], Reply]:
        """Queue the event's verb at once; the returned function waits for it and gives the reply."""
        return self._begin(event, here=False).reply

    def _begin(self, event: Event, *, here: bool) -> _Heard:
        now = self.clock.now()
        language = language_of(event.who.language)
        future: Future[Any] | asyncio.Future[Any]
        try:
            verb, then, write = self._plan(event, now)
            if not write:
                future = self.database.read(verb)
            else:
                future = self.database.write_here(verb) if here else self.database.write(verb)
        except errors.DrillError as error:
            card = self.cards.explain(error, language)
            return _Heard(None, lambda: Say(card))
        except Exception:
            log.exception("a %s could not be begun", type(event).__name__.lower())
            return _Heard(None, lambda: Say(self.cards.broken(language)))

        def reply() -> Reply:
            try:
                result = future.result()
                if not here:
                    self._note(result)
                return then(result)
            except WrongOptions as error:
                if isinstance(event, Submission):
                    return Wrong(self.cards.field_faults(error, language))
                return Say(self.cards.explain(error, language))
            except errors.DrillError as error:
                if isinstance(event, Submission) and event.form.startswith("answer:"):
                    return Wrong({"answer": self.cards.sentence(error, language)})
                return Say(self.cards.explain(error, language))
            except Exception:
                log.exception("a %s could not be handled", type(event).__name__.lower())
                return Say(self.cards.broken(language))

        return _Heard(future, reply)

    def _note(self, result: Any) -> None:
        """What was done is durable: a new answer changes the count the channel sees, whenever its reply is made."""
        match result:
            case (Met(), Receipt(outcome="final" | "recorded" | "late", round=round_)):
                assert round_.id is not None
                self._answered(round_.id)

    # --- from event to verb ----------------------------------------------------------------------------------

    def _plan(self, event: Event, now: datetime) -> _Planned:
        match event:
            case Tap():
                return self._tap(event, now)
            case Submission():
                return self._submission(event, now)
            case Command():
                return self._command(event, now)

    def _tap(self, event: Tap, now: datetime) -> _Planned:
        name, *args = event.action.split(":")
        if name == "answer" and len(args) == 2:
            return self._answer(event, _number(args[0]), Response((args[1],)), now)
        if name == "form" and len(args) == 1:
            return self._open_form(event, _number(args[0]), now)
        if name == "read" and len(args) == 2:
            return self._read_round(event, _number(args[0]), now, language=language_of(args[1]))
        if name == "mine" and len(args) == 1:
            return self._how_did_i_do(event, _number(args[0]), now)
        if name in ADMIN_ACTIONS and len(args) == 1:
            self._check_admin(event)
            return self._proposal_button(event, name, _number(args[0]), now)
        raise errors.UnknownRound

    def _submission(self, event: Submission, now: datetime) -> _Planned:
        name, _, rest = event.form.partition(":")
        if name == "answer":
            value = event.values.get("answer", "")
            response = Response(value) if isinstance(value, tuple) else Response(text=value)
            return self._answer(event, _number(rest), response, now)
        if name == "setup":
            self._check_admin(event)
            return self._setup_form(event, rest, now)
        raise errors.UnknownRound

    def _command(self, event: Command, now: datetime) -> _Planned:
        spec = BY_NAME.get(event.name)
        if spec is None:
            raise errors.UnknownCommand(event.name[:40], nearest(event.name))
        if spec.admin:
            self._check_admin(event)
        plan: Callable[[Command, datetime], _Planned] = getattr(self, f"_do_{spec.name}")
        return plan(event, now)

    def _check_admin(self, event: Event) -> None:
        if not event.who.admin:
            raise errors.NotAdmin

    # --- answering -------------------------------------------------------------------------------------------

    def _answer(self, event: Event, round_id: int, response: Response, now: datetime) -> _Planned:
        def verb(tx: Session) -> tuple[Met, Receipt]:
            met = meet_member(tx, event.who, now)
            return met, submit_answer(tx, met, round_id, response, now)

        return verb, lambda done: self._verdict(event, *done), True

    def _verdict(self, event: Event, met: Met, receipt: Receipt) -> Reply:
        view = _view_of(receipt)
        return Say(self.cards.verdict(receipt, view, _language(event, met)))

    def _do_answer(self, event: Command, now: datetime) -> _Planned:
        text = event.options.get("response", "")

        def verb(tx: Session) -> tuple[Met, Receipt]:
            met = meet_member(tx, event.who, now)
            schedule = schedule_here(tx, met.workspace_id, event.place.channel)
            round_id = _round_to_answer(tx, schedule.id, now)
            view = show_round(tx, round_id, now)
            return met, submit_answer(tx, met, round_id, typed_response(view, text), now)

        return verb, lambda done: self._verdict(event, *done), True

    def _open_form(self, event: Tap, round_id: int, now: datetime) -> _Planned:
        def then(today: Today, language: str) -> Reply:
            settled = today.stored is not None and (today.view.mode == "instant" or today.view.closed)
            if settled:
                return self._own_verdict(today, language, now)
            return Ask(self.cards.answer_form(today.view, language))

        return self._look(event, lambda tx, met: show_own_round(tx, met, round_id, now), then)

    def _read_round(self, event: Tap, round_id: int, now: datetime, language: str) -> _Planned:
        def then(today: Today, _: str) -> Reply:
            return Say(self.cards.today(today, language))

        return self._look(event, lambda tx, met: show_own_round(tx, met, round_id, now), then)

    def _how_did_i_do(self, event: Tap, round_id: int, now: datetime) -> _Planned:
        def then(today: Today, language: str) -> Reply:
            return self._own_verdict(today, language, now)

        return self._look(event, lambda tx, met: show_own_round(tx, met, round_id, now), then)

    def _look(self, event: Event, look: Callable[[Session, Met], T], then: Callable[[T, str], Reply]) -> _Planned:
        """Plan to look at something that needs no writing, and to tell it in the member's language."""

        def verb(tx: Session) -> tuple[T, str]:
            met = known_member(tx, event.who)
            return look(tx, met), _language(event, met)

        return verb, lambda done: then(*done), False

    def _decide(self, event: Event, decide: Callable[[Session, Met], T], then: Callable[[T, str], Reply]) -> _Planned:
        """The same for what an admin changes."""
        now = self.clock.now()

        def verb(tx: Session) -> tuple[T, str]:
            met = meet_member(tx, event.who, now)
            return decide(tx, met), _language(event, met)

        return verb, lambda done: then(*done), True

    def _own_verdict(self, today: Today, language: str, now: datetime) -> Reply:
        """The verdict on a stored answer, if it may be told already."""
        view, stored = today.view, today.stored
        if stored is None:
            return Say(self.cards.not_answered(view, now < view.round.closes_at + LATE, language))
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
        return Say(self.cards.verdict(receipt, view, language))

    # --- looking ---------------------------------------------------------------------------------------------

    def _do_today(self, event: Command, now: datetime) -> _Planned:
        def then(today: Today, language: str) -> Reply:
            return Say(self.cards.today(today, language))

        return self._look(event, lambda tx, met: show_today(tx, met, event.place.channel, now), then)

    def _do_me(self, event: Command, now: datetime) -> _Planned:
        def then(progress: Progress, language: str) -> Reply:
            return Say(self.cards.progress(progress, clean_name(event.who.name) or event.who.member, language))

        return self._look(event, lambda tx, met: show_progress(tx, met, event.place.channel, now), then)

    def _do_board(self, event: Command, now: datetime) -> _Planned:
        typed = event.options.get("period", "").strip().lower()
        period = _PERIODS.get(typed)
        if period is None:
            raise errors.WrongInput(
                "period",
                f"“{typed[:40]}” is no board; choose week, month or all.",
                f"没有“{typed[:40]}”榜，可选 week、month、all。",
            )

        def then(view: BoardView, language: str) -> Reply:
            return Say(self.cards.board(view, None, language))

        return self._look(event, lambda tx, met: show_board(tx, met, event.place.channel, period, now), then)

    def _do_help(self, event: Command, now: datetime) -> _Planned:
        def then(_: None, language: str) -> Reply:
            return Say(self.cards.help(event.who.admin, language))

        return self._look(event, lambda tx, met: None, then)

    # --- admins ----------------------------------------------------------------------------------------------

    def _do_setup(self, event: Command, now: datetime) -> _Planned:
        given = {name: value for name, value in event.options.items() if name in OPTIONS and value.strip()}
        if given:
            return self._propose(event, event.place, event.channel_name, given, now)

        def look(tx: Session, met: Met) -> Plan:
            existing = schedules.of_channel(tx, met.workspace_id, event.place.channel)
            return plan_of(existing) if existing else default_plan(met)

        def then(plan: Plan, language: str) -> Reply:
            form_id = f"setup:{event.place.channel}:{event.channel_name}"[:200]
            return Ask(self.cards.setup_form(plan, form_id, language))

        return self._look(event, look, then)

    def _do_schedule(self, event: Command, now: datetime) -> _Planned:
        given = {name: value for name, value in event.options.items() if name in OPTIONS and value.strip()}
        return (
            self._propose(event, event.place, event.channel_name, given, now) if given else self._do_status(event, now)
        )

    def _propose(
        self, event: Event, place: Place, channel_name: str, options: dict[str, str], now: datetime
    ) -> _Planned:
        def decide(tx: Session, met: Met) -> Proposal:
            return propose_schedule(tx, met, place, channel_name, options, self.library, self.taxonomy, now)

        return self._decide(event, decide, self._proposed)

    def _proposed(self, proposal: Proposal, language: str) -> Reply:
        return Say(self.cards.proposal(proposal, language))

    def _setup_form(self, event: Submission, rest: str, now: datetime) -> _Planned:
        channel, _, channel_name = rest.partition(":")
        channel, _, draft = channel.partition("~")
        # The form's id went through the person's client: only the channel that the form stands in is theirs to set.
        if not channel or (event.place is not None and event.place.channel not in ("", channel)):
            raise errors.DraftGone
        place = Place(event.who.workspace, channel)
        options = {}
        for name, value in event.values.items():
            if name in OPTIONS:
                options[name] = ",".join(value) if isinstance(value, tuple) else value
        # An emptied field of a form means "no limit"; an option left out of a command means "as it is".
        for name in ("topics", "kinds"):
            if name in event.values and not options[name].strip():
                options[name] = "all"
        changing = int(draft) if draft.isascii() and draft.isdigit() and len(draft) < 19 else None

        def decide(tx: Session, met: Met) -> Proposal:
            return propose_schedule(
                tx, met, place, channel_name, options, self.library, self.taxonomy, now, changing=changing, as_form=True
            )

        return self._decide(event, decide, self._proposed)

    def _proposal_button(self, event: Tap, name: str, draft_id: int, now: datetime) -> _Planned:
        if name == "save":

            def save(tx: Session, met: Met) -> Saved:
                return save_schedule(tx, met, draft_id, self.library, now, self._new_key, self._new_seed)

            def saved(done: Saved, language: str) -> Reply:
                return self._wake(Say(self.cards.saved(done, language), replace=True))

            return self._decide(event, save, saved)
        if name == "drop":

            def dropped(_: None, language: str) -> Reply:
                return Say(notice_card(texts(language)("Nothing was changed.")), replace=True)

            return self._decide(event, lambda tx, met: drop_draft(tx, met, draft_id), dropped)

        def then(found: tuple[SetupDraft, Plan], language: str) -> Reply:
            draft, plan = found
            form_id = f"setup:{draft.channel_id}~{draft.id}:{draft.channel_name}"[:200]
            return Ask(self.cards.setup_form(plan, form_id, language))

        return self._look(event, lambda tx, met: draft_plan(tx, met, draft_id), then)

    def _do_topics(self, event: Command, now: datetime) -> _Planned:
        search, wanted, day = (event.options.get(name, "").strip() for name in ("search", "set", "day"))
        if search:
            return self._find_topics(event, search)
        if wanted and not day:
            return self._propose(event, event.place, event.channel_name, {"topics": wanted}, now)
        if wanted or day:
            return self._weekday_topics(event, wanted, day, now)

        def look(tx: Session, met: Met) -> Plan:
            return plan_of(schedule_here(tx, met.workspace_id, event.place.channel))

        def then(plan: Plan, language: str) -> Reply:
            return Say(self.cards.topics_of(plan, self.library.topics(), language))

        return self._look(event, look, then)

    def _find_topics(self, event: Command, search: str) -> _Planned:
        def then(_: None, language: str) -> Reply:
            t = texts(language)
            found = [topic.slug for topic in self.taxonomy.search(search[:200], language)]
            return Say(self.cards.topics(found, t("Topics like “{text}”", text=search[:60]), language))

        return self._look(event, lambda tx, met: None, then)

    def _weekday_topics(self, event: Command, wanted: str, day: str, now: datetime) -> _Planned:
        day, wanted = _day_and_topics(day, wanted)
        try:
            days = parse_weekdays(day)
        except ValueError as error:
            raise errors.WrongInput("day", str(error), f"“{day[:40]}”不是星期几，请写成 mon 或 周一。") from None
        slugs = read_topics(wanted, self.taxonomy) if wanted else ()

        def decide(tx: Session, met: Met) -> Proposal:
            schedule = schedule_here(tx, met.workspace_id, event.place.channel)
            changed = dict(plan_of(schedule).weekday_topics or {})
            for number in days:
                changed[str(number)] = slugs
            kept = {number: topics for number, topics in changed.items() if topics}
            return propose_schedule(
                tx, met, event.place, event.channel_name, {}, self.library, self.taxonomy, now, weekday_topics=kept
            )

        return self._decide(event, decide, self._proposed)

    def _do_now(self, event: Command, now: datetime) -> _Planned:
        def then(_: object, language: str) -> Reply:
            return self._wake(Say(self.cards.posting_now(language)))

        return self._decide(
            event, lambda tx, met: post_now(tx, met, event.place.channel, self.library, now, self._new_key), then
        )

    def _do_pause(self, event: Command, now: datetime) -> _Planned:
        last_day = read_date(event.options.get("until", ""))

        def decide(tx: Session, met: Met) -> tuple[Schedule, datetime | None]:
            schedule = schedule_here(tx, met.workspace_id, event.place.channel)
            until = None
            if last_day is not None:
                until = instant(last_day + timedelta(days=1), datetime.min.time(), schedule.zone)
                if until <= now:
                    raise errors.WrongInput(
                        "until",
                        f"{last_day} is over already; give a day to come.",
                        f"{last_day} 已经过去，请给一个将来的日期。",
                    )
            return pause_schedule(tx, met, event.place.channel, until, now), until

        def then(done: tuple[Schedule, datetime | None], language: str) -> Reply:
            schedule, until = done
            return Say(self.cards.paused(until, schedule.zone, language))

        return self._decide(event, decide, then)

    def _do_resume(self, event: Command, now: datetime) -> _Planned:
        def then(saved: Saved, language: str) -> Reply:
            return self._wake(Say(self.cards.saved(saved, language)))

        return self._decide(
            event, lambda tx, met: resume_schedule(tx, met, event.place.channel, self.library, now, self._new_key), then
        )

    def _do_status(self, event: Command, now: datetime) -> _Planned:
        def then(status: Status, language: str) -> Reply:
            return Say(self.cards.status(status, plan_of(status.schedule), language))

        return self._look(event, lambda tx, met: show_status(tx, met, event.place.channel, self.library, now), then)

    def _wake(self, reply: Reply) -> Reply:
        self._woken()
        return reply


_PERIODS: dict[str, Period] = {
    **dict.fromkeys(("", "week", "周", "本周", "周榜"), "week"),
    **dict.fromkeys(("month", "月", "本月", "月榜"), "month"),
    **dict.fromkeys(("all", "总", "总榜", "全部"), "all"),
}

_Planned = tuple[Callable[[Session], Any], Callable[[Any], Reply], bool]


@dataclass(frozen=True, slots=True)
class _Heard:
    """An event whose verb is queued, or was refused at once; ``reply`` waits for it, save for an asyncio future."""

    future: Future[Any] | asyncio.Future[Any] | None
    reply: Callable[[], Reply]


def _number(text: str) -> int:
    """An id out of a button; whatever else stands there belongs to no round."""
    if not re.fullmatch(r"\d{1,15}", text, re.ASCII):
        raise errors.UnknownRound
    return int(text)


def _language(event: Event, met: Met) -> str:
    return language_of(event.who.language or met.language)


def _view_of(receipt: Receipt) -> RoundView:
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


def _day_and_topics(day: str, wanted: str) -> tuple[str, str]:
    """``day=mon kv-cache``: what stands behind the weekdays are topics."""
    words = day.split()
    for cut in range(len(words), 0, -1):
        try:
            parse_weekdays(" ".join(words[:cut]))
        except ValueError:
            continue
        return " ".join(words[:cut]), wanted or " ".join(words[cut:])
    return day, wanted


def read_date(text: str) -> date | None:
    """A date as typed (``2026-12-31``, ``2026/12/31``, ``2026年12月31日``), ``None`` for nothing."""
    if not text.strip():
        return None
    text = unicodedata.normalize("NFKC", text)
    match = re.fullmatch(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?", text.strip())
    try:
        if match is None:
            raise ValueError
        found = date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise errors.WrongInput(
            "until",
            f"“{text.strip()[:40]}” is no date; write it like 2026-12-31.",
            f"“{text.strip()[:40]}”不是日期，请写成 2026-12-31。",
        ) from None
    if found.year > 9000:  # where the calendar ends, zones cannot be reckoned with
        raise errors.WrongInput(
            "until",
            f"{found} is too far away; give a nearer date, or none to pause until you resume.",
            f"{found} 太远了，请给近一点的日期；不写日期就是暂停到恢复为止。",
        )
    return found
