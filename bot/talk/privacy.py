"""A member's data: all of it as a file, or forgotten."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.cards import privacy as cards
from bot.chat import Command, Event, Reply, Say, Tap
from bot.talk.desk import Button, Desk, Planned, Theme, language_for
from bot.usecases.export_member import Plain, export_member
from bot.usecases.forget_member import Forgotten, forget_member, reacted_in_open
from bot.usecases.meet_member import Met, known_member


def do_export(desk: Desk, event: Command, now: datetime) -> Planned:
    return _export(desk, event, now)


def tap_export(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    return _export(desk, event, now)


def _export(desk: Desk, event: Event, now: datetime) -> Planned:
    def then(plain: Plain | None, language: str) -> Reply:
        return Say(cards.export(plain, now, language))

    return desk.look(event, lambda tx, met: export_member(tx, met, now), then)


def do_forget(desk: Desk, event: Command, now: datetime) -> Planned:
    return _ask(desk, event, now)


def tap_forget(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    return _ask(desk, event, now)


def _ask(desk: Desk, event: Event, now: datetime) -> Planned:
    def look(tx: Session, met: Met) -> tuple[bool, bool]:
        return bool(met.id), reacted_in_open(tx, met, now)

    def then(found: tuple[bool, bool], language: str) -> Reply:
        return Say(cards.ask_forget(*found, language))

    return desk.look(event, look, then)


def erase(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """Whoever asks twice is a stranger the second time, and stays one: no row is made to forget it again."""
    key = desk.new_key()

    def verb(tx: Session) -> tuple[Forgotten, str]:
        met = known_member(tx, event.who)
        return forget_member(tx, met, key, now), language_for(event, met)

    def then(done: tuple[Forgotten, str]) -> Reply:
        forgotten, language = done
        return Say(cards.forgotten(forgotten.known, language), replace=True)

    return verb, then, True


def spare(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    def then(_: None, language: str) -> Reply:
        return Say(cards.spared(language), replace=True)

    return desk.look(event, lambda tx, met: None, then)


THEME = Theme(
    buttons={
        "export": Button(tap_export, 0),
        "forget": Button(tap_forget, 0),
        "erase": Button(erase, 0),
        "spare": Button(spare, 0),
    },
    commands={"export": do_export, "forget": do_forget},
)
