"""What a tap, a form or a command leads to. The same for every platform: they only translate.

``hear`` runs the verb (the answer is durable when it returns) and gives what to say or ask. Nothing a person
sends can stop the bot: a mistake becomes a sentence, a fault of ours is logged and answered neutrally. The verbs
themselves stand in ``bot/talk``, one module a theme.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from bot.card import Card
from bot.cards import Cards
from bot.cards.home import home as home_card
from bot.chat import (
    ChatError,
    Command,
    Event,
    Happening,
    Place,
    Platform,
    Reacted,
    Reply,
    Say,
    Submission,
    Tap,
    Who,
    Wrong,
)
from bot.clock import Clock
from bot.commands import BY_NAME, nearest
from bot.drill import errors
from bot.drill.keycaps import place_of
from bot.talk import BUTTONS, COMMAND_PLANS, FORMS
from bot.talk.desk import CHOSEN, Desk, Planned, only_admins
from bot.texts import language_of
from bot.usecases.forget_member import Forgotten
from bot.usecases.meet_member import Met, is_drill_admin, known_member
from bot.usecases.note_happening import note_happening
from bot.usecases.note_reaction import note_reaction
from bot.usecases.set_schedule import WrongOptions
from bot.usecases.show_home import Home, show_home
from bot.usecases.submit_answer import Receipt
from content.library import Library
from content.taxonomy import Taxonomy
from storage.database import Database

log = logging.getLogger(__name__)


CHECK_TIMEOUT = 1.2
"""Seconds that a platform is given to say what a channel lacks: the person waits, and has three in all."""

MOST_CHECKED = 1000

Check = Callable[[Platform, Place], Awaitable[Sequence[str]]]
"""What the channel lacks for drills, keycaps included, as names of cures. Raises ``ChatError``."""


def needs_admin(event: Event) -> bool:
    """Must the platform be asked whether this person is an admin before the event is heard?"""
    match event:
        case Command(name=name):
            return name in BY_NAME and (BY_NAME[name].admin or name == "help")
        case Tap(action=action):
            button = BUTTONS.get(action.split(":", 1)[0])
            return button is not None and button.admin
        case Submission(form=form):
            target = FORMS.get(form.split(":", 1)[0])
            return target is not None and target.admin


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
        check: Check | None = None,
    ) -> None:
        self.database = database
        self.library = library
        self.taxonomy = taxonomy
        self.clock = clock
        self.cards = Cards(taxonomy)
        self.desk = Desk(library, taxonomy, clock, self.cards, woken, new_key, new_seed)
        self._answered = answered
        self._check = check

    async def hear(self, event: Event) -> Reply:
        """What to say to this event. Never raises for anything a person can send."""
        return (await self.listen(event))()

    async def listen(self, event: Event) -> Callable[[], Reply]:
        """Returns once what the event does is durable (or has failed); the function that it gives makes the reply.

        So a platform can be told that its event was heard before the card is made.
        """
        await self._look_first(event)
        heard = self._begin(event, here=True)
        if isinstance(heard.future, asyncio.Future):
            with suppress(Exception):  # told by the reply
                self._note(await heard.future)
        elif heard.future is not None:
            waiting = asyncio.wrap_future(heard.future)
            await asyncio.wait([waiting])
            waiting.exception()  # looked at here, told by the reply
        return heard.reply

    async def happened(self, event: Happening) -> bool:
        """Take note of what a platform tells of channels and people. ``False``: it could not be stored (a full disk),
        so the platform should tell it again. Never raises for anything that a platform sends.
        """
        now = self.clock.now()

        def note(tx: Session) -> bool:
            return note_happening(tx, event, now)

        try:
            changed = await asyncio.wrap_future(self.database.write(note))
        except Exception:
            log.exception("%s could not be noted", event.kind)
            return False
        if changed:
            self.desk.woken()
        return True

    async def joined(self, platform: Platform, workspace: str, name: str, inviter: str) -> bool:
        """The bot came into a workspace; ``inviter`` (the platform's id, ``""``: unknown) brought it and is greeted
        by the outbox, once ever. ``False``: it could not be stored, so the platform should tell it again.
        """
        return await self.happened(Happening(platform, workspace, "workspace_joined", name=name, member=inviter))

    async def home(self, who: Who) -> Card:
        """What the person's home shows as things stand now, in their language."""
        now = self.clock.now()

        def look(tx: Session) -> tuple[Home, str]:
            met = known_member(tx, who)
            admin = who.admin or is_drill_admin(tx, who)
            return show_home(tx, met, admin, self.library, now), language_of(met.chosen_language or who.language)

        found, language = await asyncio.wrap_future(self.database.read(look))
        return home_card(self.cards, found, language)

    async def reacted(self, event: Reacted) -> bool:
        """Take note of an emoji under a message. ``False``: it could not be stored, so the platform should tell it
        again. Never raises for anything that a platform sends.
        """
        if event.emoji and place_of(event.emoji) is None:
            return True
        now = self.clock.now()

        def note(tx: Session) -> int | None:
            return note_reaction(tx, event, now)

        try:
            round_id = await asyncio.wrap_future(self.database.write(note))
        except Exception:
            log.exception("a reaction could not be noted")
            return False
        if round_id is not None:
            self._answered(round_id)
        return True

    def hear_now(self, event: Event) -> Reply:
        """``hear`` for callers without an event loop (the simulation)."""
        return self.begin(event)()

    def begin(self, event: Event) -> Callable[[], Reply]:
        """Queue the event's verb at once; the returned function waits for it and gives the reply."""
        return self._begin(event, here=False).reply

    async def _look_first(self, event: Event) -> None:
        """Before a schedule is proposed or saved: what does its channel lack? Not known in time is no obstacle."""
        place = _place_to_check(event)
        if place is None or self._check is None:
            return
        who, lacks = event.who, self.desk.lacks
        lacks.pop(place, None)
        try:
            asked = who.admin or await asyncio.wrap_future(self.database.read(lambda tx: is_drill_admin(tx, who)))
            if asked:
                async with asyncio.timeout(CHECK_TIMEOUT):
                    lacks[place] = tuple(await self._check(who.platform, place))
        except (ChatError, TimeoutError) as error:
            log.info("what a channel lacks could not be asked: %s", error)
        except Exception:
            log.exception("what a channel lacks could not be asked")
        while len(lacks) > MOST_CHECKED:
            del lacks[next(iter(lacks))]

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
            card = self.cards.explain(error, error.language or language)
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
                    return Wrong(self.cards.field_faults(error, error.language or language))
                return Say(self.cards.explain(error, error.language or language))
            except errors.DrillError as error:
                field = _TYPED.get(event.form.split(":", 1)[0]) if isinstance(event, Submission) else None
                if field is not None:
                    return Wrong({field: self.cards.sentence(error, error.language or language)})
                return Say(self.cards.explain(error, error.language or language))
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
            case (Forgotten(open_rounds=rounds), str()):
                for round_id in rounds:
                    self._answered(round_id)

    # --- from event to verb ----------------------------------------------------------------------------------

    def _plan(self, event: Event, now: datetime) -> Planned:
        match event:
            case Tap():
                return self._tap(event, now)
            case Submission():
                return self._submission(event, now)
            case Command():
                return self._command(event, now)

    def _tap(self, event: Tap, now: datetime) -> Planned:
        name, *args = event.action.split(":")
        button = BUTTONS.get(name)
        if button is None or len(args) != button.args:
            raise errors.UnknownRound
        return self._for(event, button.admin, lambda: button.plan(self.desk, event, args, now))

    def _submission(self, event: Submission, now: datetime) -> Planned:
        name, _, rest = event.form.partition(":")
        target = FORMS.get(name)
        if target is None:
            raise errors.UnknownRound
        return self._for(event, target.admin, lambda: target.plan(self.desk, event, rest, now))

    def _command(self, event: Command, now: datetime) -> Planned:
        spec = BY_NAME.get(event.name)
        if spec is None:
            raise errors.UnknownCommand(event.name[:40], nearest(event.name))
        return self._for(event, spec.admin, lambda: COMMAND_PLANS[spec.name](self.desk, event, now))

    def _for(self, event: Event, admin: bool, plan: Callable[[], Planned]) -> Planned:
        return only_admins(event.who, plan) if admin else plan()


def _place_to_check(event: Event) -> Place | None:
    """The channel that an event proposes or saves a schedule for."""
    match event:
        case Command(name="setup" | "schedule" | "topics", options=options) if any(options.values()):
            return event.place
        case Tap(action=action) if action.startswith("save:"):
            return event.place
        case Submission(form=form) if form.startswith("setup:"):
            channel = form.split(":")[1].partition("~")[0]
            return event.place if channel == CHOSEN else Place(event.who.workspace, channel)
    return None


_TYPED = {"answer": "answer", "challenge": "text"}
"""Forms of one field, beside which a mistake is told."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """An event whose verb is queued, or was refused at once; ``reply`` waits for it, save for an asyncio future."""

    future: Future[Any] | asyncio.Future[Any] | None
    reply: Callable[[], Reply]
