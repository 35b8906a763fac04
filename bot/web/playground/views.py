"""From the chat's messages to what the templates show: rows, tags, initials. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.card import Button, Buttons, Card, ChoiceField, Field, File, Form, Image, Line, Options, Part, TextField, plain
from bot.web.playground.chat import Person, Shown
from bot.web.playground.words import Words

MOST_SHOWN = 80
"""Messages of a channel that one page shows; a chat shows its newest, too."""

SHORT = 14
"""Options of at most so many characters stand beside each other."""

COLOURS = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a channel: a message, or what somebody typed, with what only this reader sees.

    ``reactions``: emoji with the ids of those who left it; the bot itself is ``""``.
    """

    id: str
    revision: int
    at: datetime
    day: str
    card: Card | None = None
    typed: str = ""
    tag: str = ""
    private: Shown | None = None
    thread: tuple[Row, ...] = ()
    reactions: tuple[tuple[str, tuple[str, ...]], ...] = ()


def rows(
    seen: Sequence[Shown], threads: dict[str, list[Shown]], words: Words, zone: str
) -> tuple[list[Row], int]:  # the rows, and how many older ones are left out
    """A channel as one reader sees it, oldest first: private replies stand under what they answer."""
    private = {shown.about: shown for shown in seen if shown.only}
    known = {shown.id for shown in seen} | {shown.id for replies in threads.values() for shown in replies}
    made = []
    for shown in seen:
        if shown.only:
            if shown.about not in known:
                made.append(_own_row(shown, words, zone))
            continue
        replies = tuple(_row(reply, private, (), words, zone) for reply in threads.get(shown.id, ()))
        made.append(_row(shown, private, replies, words, zone))
    return made[-MOST_SHOWN:], max(0, len(made) - MOST_SHOWN)


def _row(shown: Shown, private: dict[str, Shown], thread: tuple[Row, ...], words: Words, zone: str) -> Row:
    mine = private.get(shown.id)
    revision = max([shown.revision, mine.revision if mine else 0, *(row.revision for row in thread)])
    tag = "open" if is_open(shown.card) else "closed" if thread else ""
    day = words.day(shown.at, zone)
    return Row(shown.id, revision, shown.at, day, shown.card, "", tag, mine, thread, shown.reactions)


def _own_row(shown: Shown, words: Words, zone: str) -> Row:
    """A private reply that stands by itself, under the command it answers."""
    typed = shown.about if shown.about.startswith("/") else ""
    return Row(shown.id, shown.revision, shown.at, words.day(shown.at, zone), None, typed, "", shown)


def direct_rows(messages: Iterable[Shown], words: Words, zone: str) -> list[Row]:
    return [_row(shown, {}, (), words, zone) for shown in messages][-MOST_SHOWN:]


def buttons_of(card: Card) -> list[Button]:
    """Every button of a card, in order."""
    return [button for part in card.parts if isinstance(part, Buttons) for button in part.buttons]


def is_open(card: Card) -> bool:
    """Does the card take answers?"""
    return any(button.action.startswith(("answer:", "form:")) for button in buttons_of(card))


def are_short(options: Options) -> bool:
    """Do the options fit beside each other?"""
    return all(len(plain(row.line)) <= SHORT and not row.why for row in options.rows)


def initials(name: str) -> str:
    """One or two characters that stand for a name: ``MI`` for Mira, ``小林`` for 小林."""
    if any("\u2e80" <= char <= "\u9fff" for char in name):
        return name[-2:]
    words = [word for word in name.split() if word[0].isalnum()] or [name]
    return (words[0][:1] + (words[-1][:1] if len(words) > 1 else words[0][1:2])).upper()


def colour(people: Iterable[Person], person: Person) -> int:
    """1…8, in the order in which people came, so that neighbours differ."""
    return next((place for place, other in enumerate(people) if other.id == person.id), 0) % COLOURS + 1


def picture_name(image: Image) -> str:
    """The address of a picture is its content's own hash, so it can be kept for ever."""
    return f"{hashlib.sha256(image.png).hexdigest()[:32]}.png"


def picture_size(image: Image) -> tuple[int, int]:
    """Width and height in CSS pixels (files are drawn at twice the size); (0, 0) for what is no PNG."""
    if image.png[:8] != b"\x89PNG\r\n\x1a\n" or len(image.png) < 24:
        return 0, 0
    return int.from_bytes(image.png[16:20]) // 2, int.from_bytes(image.png[20:24]) // 2


def pictures_in(card: Card) -> list[Image]:
    return [part for part in card.parts if isinstance(part, Image)]


def file_name(file: File) -> str:
    """The last part of a file's address: its content's own hash, then its name."""
    return f"{hashlib.sha256(file.data).hexdigest()[:32]}-{file.name}"


def letter_of(label: str) -> str:
    """The letter that the label of an option begins with (``A  512 MiB``), or ``""``."""
    return label[0] if label[1:3] == "  " else ""


def option_lines(form: Form) -> dict[str, Line]:
    """Letter → the option in full, where the form's ticks repeat the options of its question (cut to what fits)."""
    letters = {letter_of(label) for part in form.fields if isinstance(part, ChoiceField) for _, label in part.choices}
    rows = [row for part in form.intro if isinstance(part, Options) for row in part.rows]
    return {row.letter: row.line for row in rows if row.letter in letters}


def form_intro(form: Form, lines: Mapping[str, Line]) -> tuple[Part, ...]:
    """What stands above the fields: without the options, where each stands at its own tick."""
    return tuple(part for part in form.intro if not (lines and isinstance(part, Options)))


def short_choices(part: ChoiceField) -> bool:
    """Do the choices fit several in a row?"""
    return len(part.choices) > 2 and all(len(label) <= SHORT and not letter_of(label) for _, label in part.choices)


def filled(form: Form, values: Mapping[str, str | tuple[str, ...]]) -> Form:
    """The form with what somebody wrote into it, so that a fault elsewhere loses nothing."""
    return replace(form, fields=tuple(_filled(part, values.get(part.id)) for part in form.fields))


def _filled(part: Field, value: str | tuple[str, ...] | None) -> Field:
    if isinstance(part, TextField) and isinstance(value, str):
        return replace(part, value=value)
    if isinstance(part, ChoiceField) and isinstance(value, tuple):
        return replace(part, chosen=value)
    return part
