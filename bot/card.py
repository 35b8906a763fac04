"""A card: what the bot says, in parts that every platform can dress in its own way.

Text is never markup here. A line is a sequence of plain strings and the few things chats can show
(bold, code, links, moments); a platform escapes every plain string, so nothing a person wrote can
ping, link or forge. Cards are built in ``cards.py`` and dressed in each platform's ``outbound.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Bold:
    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Code within a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time (UTC), shown in each reader's own clock; ``fallback`` where a platform cannot do that."""

    at: datetime
    style: Literal["time", "date", "both"]
    fallback: str


Inline = str | Bold | Code | Link | Moment
Line = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line of a message, bold; at most 150 characters. ``mood`` may colour it; its words say the same."""

    line: Line
    mood: Literal["", "right", "partly", "wrong"] = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; may hold line feeds."""

    line: Line


@dataclass(frozen=True, slots=True)
class CodeBlock:
    text: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option in full, with its letter. ``mark`` is shown as a sign, never by colour alone."""

    letter: str
    line: Line
    mark: Literal["", "right", "wrong", "chosen"] = ""
    why: Line = ()


@dataclass(frozen=True, slots=True)
class Options:
    rows: tuple[OptionRow, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Small print under a message."""

    line: Line


@dataclass(frozen=True, slots=True)
class Button:
    """``action`` is the whole state (``answer:12:b``): at most 100 characters, no secret, no key."""

    label: str
    action: str
    style: Literal["", "primary", "danger"] = ""


@dataclass(frozen=True, slots=True)
class Buttons:
    """At most five in a row on every platform; the platform wraps longer rows."""

    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain text; ``right`` names the columns that are aligned right (numbers)."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Image:
    """A PNG with its alt text; ``name`` is an ASCII file name."""

    png: bytes
    alt: str
    name: str


@dataclass(frozen=True, slots=True)
class File:
    """A file for one person: in private replies and direct messages alone. ``name`` is an ASCII file name, ``media``
    its media type (``application/json``)."""

    name: str
    media: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Divider:
    pass


Part = Heading | Paragraph | CodeBlock | Options | Note | Buttons | Table | Image | File | Divider


@dataclass(frozen=True, slots=True)
class Card:
    """``text`` is the whole in one plain sentence, for notifications and clients that show no parts."""

    text: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class TextField:
    """A typed answer. ``value`` is what stands in it already."""

    id: str
    label: str
    value: str = ""
    hint: str = ""
    multiline: bool = False
    max_length: int = 1000
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """Ticks (``many``) or one of several. At most 10 choices; ``choices`` are (value, label)."""

    id: str
    label: str
    choices: tuple[tuple[str, str], ...]
    many: bool = False
    chosen: tuple[str, ...] = ()
    hint: str = ""
    optional: bool = False


Field = TextField | ChoiceField


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a button or command opens; ``id`` comes back with the values (``answer:12``).

    ``intro`` is shown above the fields (the question again). ``title`` and ``submit`` hold at most 24 characters.
    ``asks_place``: above the fields stands the platform's own choice of a channel, under this label; what is chosen
    comes back as the submission's place. A platform without one takes the place where the form was asked for.
    """

    id: str
    title: str
    submit: str
    fields: tuple[Field, ...]
    intro: tuple[Part, ...] = ()
    asks_place: str = ""


def plain(line: Sequence[Inline]) -> str:
    """The line as text without any dress."""
    return "".join(part if isinstance(part, str) else _inline_plain(part) for part in line)


def _inline_plain(part: Bold | Code | Link | Moment) -> str:
    if isinstance(part, Moment):
        return part.fallback
    return part.text
