"""From what a browser sent to the engine's events; pure. A field's name says what it is: ``t.zone``, ``c.days``."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl

from bot.chat import Command, Place, Reacted, Submission, Tap, Who
from bot.commands import parse
from bot.web.playground.chat import Person

WORKSPACE_NAME = "Playground"
LONGEST = 64 * 1024
"""Bytes of one form."""

MOST_FIELDS = 200
LONGEST_TEXT = 4000

LOCALES = {"en": "en", "zh": "zh-CN"}
Fields = list[tuple[str, str]]


class WrongForm(ValueError):
    """What came is no form of ours."""


def read_form(body: bytes) -> Fields:
    """The fields of an urlencoded form, in their order. Raises ``WrongForm``."""
    try:
        fields = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise WrongForm(str(error)) from error
    return [(name, value.replace("\x00", "").replace("\r\n", "\n")) for name, value in fields]


def one(fields: Iterable[tuple[str, str]], name: str, longest: int = 200) -> str:
    """The first value of a field, cut to ``longest`` characters; ``""`` where it is missing."""
    return next((value for key, value in fields if key == name), "")[:longest]


def who(person: Person, workspace: str) -> Who:
    """The person as the engine wants to know them."""
    return Who(
        "playground",
        workspace,
        person.id,
        person.name,
        WORKSPACE_NAME,
        LOCALES.get(person.language, ""),
        person.zone,
        person.admin,
    )


def tap(person: Person, place: Place, fields: Fields) -> Tap:
    """A button was pressed."""
    return Tap(who(person, place.workspace), one(fields, "action"), place)


def reacted(person: Person, place: Place, message: str, emoji: str, added: bool) -> Reacted:
    """An emoji was left or taken away, by a click."""
    return Reacted("playground", place, message, emoji, added, who(person, place.workspace))


def submission(person: Person, place: Place, fields: Fields) -> Submission:
    """A form came back: ``t.`` fields are typed, ``c.`` fields are ticks (an empty one: the field was there)."""
    values: dict[str, str | tuple[str, ...]] = {}
    for name, value in fields:
        kind, _, field_id = name.partition(".")
        if kind == "t":
            values[field_id] = value[:LONGEST_TEXT]
        elif kind == "c":
            ticked = values.get(field_id, ())
            before = ticked if isinstance(ticked, tuple) else ()
            values[field_id] = (*before, value[:200]) if value else before
    return Submission(who(person, place.workspace), one(fields, "form"), values, place)


def command(person: Person, place: Place, channel_name: str, text: str) -> Command:
    """What was typed, with or without ``/drill``. Raises a ``DrillError`` for what is no command."""
    typed = text.strip()
    for prefix in ("/drills", "/drill", "／drill", "/"):
        if typed.lower().startswith(prefix):
            typed = typed[len(prefix) :]
            break
    name, options = parse(typed[:LONGEST_TEXT])
    return Command(who(person, place.workspace), place, name, options, channel_name)
