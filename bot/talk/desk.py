"""What every handler of an event needs: the bank, the clock, the cards, and ways to look and to decide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from sqlmodel import Session

from bot.cards import Cards
from bot.chat import Command, Event, Place, Reply, Submission, Tap, Who
from bot.clock import Clock
from bot.drill import errors
from bot.drill.trouble import cure
from bot.texts import language_of
from bot.usecases.meet_member import Met, is_drill_admin, known_member, meet_member
from content.library import Library
from content.taxonomy import Taxonomy

T = TypeVar("T")

CHOSEN = "?"
"""Stands for the channel in the id of a form that asks which channel it is for."""

Planned = tuple[Callable[[Session], Any], Callable[[Any], Reply], bool]
"""A verb for one transaction, what makes the reply of its result, and whether it writes."""


@dataclass(frozen=True, slots=True)
class Desk:
    """``woken`` makes the ticker beat at once; ``new_key`` and ``new_seed`` draw.

    ``lacks``: what platforms said lately that channels lack for drills (names of cures).
    """

    library: Library
    taxonomy: Taxonomy
    clock: Clock
    cards: Cards
    woken: Callable[[], None]
    new_key: Callable[[], str]
    new_seed: Callable[[], int]
    lacks: dict[Place, tuple[str, ...]] = field(default_factory=dict)

    def lacking(self, place: Place, *, reactions: bool = False) -> tuple[str, ...]:
        """What the channel lacks. Errors: NoPlaceForDrills, where no person could ever make drills work there."""
        found = self.lacks.get(place, ())
        for name in found:
            if cure(name).hopeless:
                raise errors.NoPlaceForDrills(name)
        return tuple(name for name in found if reactions or name != "react")

    def look(self, event: Event, look: Callable[[Session, Met], T], then: Callable[[T, str], Reply]) -> Planned:
        """Plan to look at something that needs no writing, and to tell it in the member's language."""

        def verb(tx: Session) -> tuple[T, str]:
            met = known_member(tx, event.who)
            with telling(event, met):
                return look(tx, met), language_for(event, met)

        return verb, lambda done: then(*done), False

    def decide(self, event: Event, decide: Callable[[Session, Met], T], then: Callable[[T, str], Reply]) -> Planned:
        """The same for what somebody changes."""
        now = self.clock.now()

        def verb(tx: Session) -> tuple[T, str]:
            met = meet_member(tx, event.who, now)
            with telling(event, met):
                return decide(tx, met), language_for(event, met)

        return verb, lambda done: then(*done), True

    def wake(self, reply: Reply) -> Reply:
        """There is something to send: do not wait for the next beat."""
        self.woken()
        return reply


class telling:  # noqa: N801 — reads like contextlib's own
    """A mistake inside is told in the language of the member who made it."""

    def __init__(self, event: Event, met: Met) -> None:
        self._language = language_for(event, met)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, errors.DrillError):
            error.language = self._language


TapPlan = Callable[[Desk, Tap, list[str], datetime], Planned]
FormPlan = Callable[[Desk, Submission, str, datetime], Planned]
CommandPlan = Callable[[Desk, Command, datetime], Planned]


@dataclass(frozen=True, slots=True)
class Button:
    """What a button's action leads to: ``name:arg:arg``, with exactly ``args`` arguments."""

    plan: TapPlan
    args: int = 1
    admin: bool = False


@dataclass(frozen=True, slots=True)
class FormTarget:
    """What a form that comes back leads to: its id is ``name:rest``."""

    plan: FormPlan
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Theme:
    """The buttons, forms and commands of one module. Whether a command is an admin's stands in ``COMMANDS``."""

    buttons: dict[str, Button] = field(default_factory=dict)
    forms: dict[str, FormTarget] = field(default_factory=dict)
    commands: dict[str, CommandPlan] = field(default_factory=dict)


def only_admins(who: Who, plan: Callable[[], Planned]) -> Planned:
    """The same plan for admins of the workspace and for those they delegate to; asked at this very use.

    Whoever is none hears that first, not what is wrong with what they sent.
    """
    try:
        verb, then, write = plan()
    except errors.DrillError as error:
        verb, then, write = _raising(error), _never, False

    def guarded(tx: Session) -> Any:
        if not who.admin and not is_drill_admin(tx, who):
            error = errors.NotAdmin()
            error.language = language_of(known_member(tx, who).language or who.language)
            raise error
        return verb(tx)

    return guarded, then, write


def _raising(error: errors.DrillError) -> Callable[[Session], Any]:
    def verb(_: Session) -> Any:
        raise error

    return verb


def _never(_: Any) -> Reply:
    raise AssertionError("a verb that raises has no result")


def number(text: str) -> int:
    """An id out of a button; whatever else stands there belongs to no round."""
    if not re.fullmatch(r"\d{1,15}", text, re.ASCII):
        raise errors.UnknownRound
    return int(text)


def language_for(event: Event, met: Met) -> str:
    """The language a member chose; else their client's; else the one last seen."""
    return language_of(met.chosen_language or event.who.language or met.language)
