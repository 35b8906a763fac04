"""Cards and forms as Discord's components (version 2): at most 4,000 characters and 40 components a message.

A message in a channel is one message whatever its length: what is too long is shortened, with a button that shows
all of it privately. A private card is whole: it goes on in further messages.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import discord

from bot.card import (
    Bold,
    Button,
    Buttons,
    Card,
    ChoiceField,
    Code,
    CodeBlock,
    Divider,
    Field,
    File,
    Form,
    Heading,
    Image,
    Line,
    Note,
    OptionRow,
    Options,
    Paragraph,
    Part,
    Table,
    TextField,
)
from bot.discord.markdown import LIMIT, escape, fold, fold_code, length, plain_line, quiet, table
from bot.discord.wording import spoken

PREFIX = "drill:"
"""Every custom id of ours begins with it; the rest is the engine's action."""

COMPONENTS = 40
MOST_BODY = 40
ALT_LENGTH = 1024
MARKS = {"right": "✅ ", "wrong": "❌ ", "chosen": "◉ ", "": ""}
STYLES = {
    "": discord.ButtonStyle.secondary,
    "primary": discord.ButtonStyle.primary,
    "danger": discord.ButtonStyle.danger,
}

Marks = tuple[int, int]
"""The two component ids that carry a delivery's key: invisible, and still there in the channel's history."""


class Shown(discord.ui.LayoutView):
    """A message's components. The library shall not remember it: a button's whole state is its custom id.

    A remembered view of ``DynamicItem`` buttons would, at its time-out, take away the handler of all other buttons.
    """

    def __init__(self) -> None:
        super().__init__(timeout=None)

    def is_finished(self) -> bool:
        return True


class Opened(discord.ui.Modal):
    """A form. The library shall not remember it either: it may come back to another process."""

    def is_finished(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Words:
    """Text that can be cut into pieces: ``fold(limit)`` gives pieces of at most ``limit`` characters."""

    fold: Callable[[int], Iterator[str]]
    tight: bool = False
    """Follows what stands before it without an empty line."""

    body: bool = False
    """Running text or code, of which some may be left out where there are very many pieces."""


@dataclass(frozen=True, slots=True)
class Picture:
    image: Image


@dataclass(frozen=True, slots=True)
class Attached:
    file: File


@dataclass(frozen=True, slots=True)
class Row:
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    pass


Piece = Words | Picture | Attached | Row | Rule


@dataclass(frozen=True, slots=True)
class Dressed:
    """One message: its components and its files (fresh streams, to be sent once)."""

    view: Shown
    files: list[discord.File]


def marks_of(key: str) -> Marks:
    """The component ids for a key: 62 bits of it, far from the small numbers that Discord gives out itself."""
    digest = hashlib.sha256(key.encode()).digest()
    first, second = (1000 + int.from_bytes(digest[i : i + 4]) % (2**31 - 2000) for i in (0, 4))
    return (first, second) if first != second else (first, second + 1)


def public(card: Card, marks: Marks | None = None) -> Dressed:
    """A card for a channel, as one message. ``marks`` let it be found again."""
    if any(isinstance(part, File) for part in card.parts):
        raise ValueError("a file is for one person: it cannot stand in a channel")
    whole = list(_pieces(card.parts))
    pieces = _fewer(whole)
    words = [piece for piece in pieces if isinstance(piece, Words)]
    texts, shortened = _fit(words, LIMIT - len(words) * 2)
    if shortened or pieces != whole:
        pieces = _with_read_all(pieces)
    return _message(pieces, dict(zip(map(id, words), texts, strict=True)), marks)


def private(card: Card) -> list[Dressed]:
    """A card for one person, whole, as one or more messages."""
    messages: list[Dressed] = []
    pieces: list[Piece] = []
    texts: dict[int, str] = {}
    used = 0
    for piece in _pieces(card.parts):
        chunks: Iterable[str] = piece.fold(LIMIT - 50) if isinstance(piece, Words) else ("",)
        for number, chunk in enumerate(chunks):
            if pieces and (used + length(chunk) + 2 > LIMIT or len(pieces) > 20):
                messages.append(_message(pieces, texts, None))
                pieces, texts, used = [], {}, 0
            # The same words may be cut into several pieces: each piece needs a name of its own.
            part = Words(piece.fold, piece.tight and not number) if isinstance(piece, Words) else piece
            pieces.append(part)
            texts[id(part)] = chunk
            used += length(chunk) + 2
    messages.append(_message(pieces, texts, None))
    return messages


def _at_home(part: Any) -> Any:
    """A part of a card with the names that commands have on Discord."""
    if isinstance(part, str):
        return spoken(part)
    if isinstance(part, tuple):
        return tuple(map(_at_home, part))
    if isinstance(part, Paragraph | Note | Heading | Bold | Code | Table | Options | OptionRow):
        return replace(part, **{f.name: _at_home(getattr(part, f.name)) for f in fields(part)})
    return part


# --- from parts to pieces ----------------------------------------------------------------------------------------


def _pieces(parts: Sequence[Part]) -> Iterator[Piece]:
    after_heading = False
    for part in map(_at_home, parts):
        yield from _piece(part, after_heading)
        after_heading = isinstance(part, Heading) or (
            isinstance(part, Paragraph) and len(part.line) == 1 and isinstance(part.line[0], Bold)
        )


def _piece(part: Part, after_heading: bool) -> Iterator[Piece]:
    match part:
        case Heading(line):
            yield Words(_folder(tuple(_one_line(line)), "### "))
        case Paragraph(line):
            yield Words(_folder(line), tight=after_heading, body=True)
        case Note(line):
            yield Words(_folder(line, "-# "), tight=after_heading)
        case CodeBlock(text):
            yield Words(lambda limit: fold_code(text, limit), tight=True, body=True)
        case Options(rows):
            for number, row in enumerate(rows):
                yield from _option(row, tight=number > 0)
        case Table():
            yield Words(table(part), tight=after_heading)
        case Image():
            yield Picture(part)
        case File():
            yield Attached(part)
        case Buttons(buttons):
            for start in range(0, len(buttons), 5):
                yield Row(buttons[start : start + 5])
        case Divider():
            yield Rule()


def _option(row: OptionRow, tight: bool) -> Iterator[Piece]:
    lead = f"{MARKS[row.mark]}**{escape(row.letter, at_start=False)}**  "
    yield Words(lambda limit: fold(row.line, limit, lead=lead), tight)
    if row.why:
        yield Words(_folder(row.why, "-# "), tight=True)


def _one_line(line: Line) -> Iterator[Any]:
    for part in line:
        yield " ".join(part.split("\n")) if isinstance(part, str) else part


def _folder(line: Line, prefix: str = "") -> Callable[[int], Iterator[str]]:
    return lambda limit: fold(line, limit, prefix)


def _fewer(pieces: Sequence[Piece]) -> list[Piece]:
    """At most ``MOST_BODY`` pieces of running text and code, each of which keeps some room; the longest run of them is
    the first that is cut short."""
    kept = list(pieces)
    while sum(isinstance(piece, Words) and piece.body for piece in kept) > MOST_BODY:
        runs: list[list[int]] = [[]]
        for place, piece in enumerate(kept):
            if isinstance(piece, Words) and piece.body:
                runs[-1].append(place)
            elif runs[-1]:
                runs.append([])
        longest = max(runs, key=len)
        if len(longest) < 2:
            break
        left = len(longest) // 2
        kept[longest[left] : longest[-1] + 1] = [Words(lambda _: iter(("…",)))]
    return kept


def _fit(words: Sequence[Words], budget: int) -> tuple[list[str], bool]:
    """Every text whole where the budget allows that; else the longest ones are shortened to one common length."""
    whole = ["\n".join(word.fold(10**6)) for word in words]
    if sum(map(length, whole)) <= budget:
        return whole, False
    low, high = 40, budget
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(length(text), middle) for text in whole) <= budget:
            low = middle
        else:
            high = middle - 1
    cut = [
        text if length(text) <= low else next(word.fold(low - 2)) + " …"
        for word, text in zip(words, whole, strict=True)
    ]
    return cut, True


def _with_read_all(pieces: Sequence[Piece]) -> list[Piece]:
    """The same with a button that shows the whole privately, in the reader's language, where a round is known."""
    actions = [button.action for piece in pieces if isinstance(piece, Row) for button in piece.buttons]
    rounds = [found[1] for action in actions if (found := re.match(r"(?:answer|form|mine):(\d+)", action))]
    if not rounds:
        return list(pieces)
    last = max(place for place, piece in enumerate(pieces) if isinstance(piece, Row))
    return [*pieces[: last + 1], Row((Button("⤢ Read it all · 全文", f"read:{rounds[0]}:"),)), *pieces[last + 1 :]]


# --- from pieces to a message ------------------------------------------------------------------------------------


def _message(pieces: Sequence[Piece], texts: dict[int, str], marks: Marks | None) -> Dressed:
    children: list[discord.ui.Item[Any]] = []
    files: list[discord.File] = []
    text = ""

    def flush() -> None:
        nonlocal text
        if text.strip():
            first = marks and not any(isinstance(child, discord.ui.TextDisplay) for child in children)
            children.append(discord.ui.TextDisplay(text, id=marks[1] if marks and first else None))
        text = ""

    for piece in pieces:
        if isinstance(piece, Words):
            shown = texts[id(piece)]
            text += shown if not text else ("\n" if piece.tight else "\n\n") + shown
            continue
        flush()
        match piece:
            case Picture(image):
                files.append(_file(image, len(files)))
                children.append(_gallery(image, files[-1].filename))
            case Attached(file):
                files.append(discord.File(io.BytesIO(file.data), filename=_safe_name(file.name, len(files))))
                children.append(discord.ui.File(f"attachment://{files[-1].filename}"))
            case Row(buttons):
                children.append(discord.ui.ActionRow(*map(_button, buttons)))
            case Rule():
                children.append(discord.ui.Separator())
    flush()
    if not children:
        children.append(discord.ui.TextDisplay("…", id=marks[1] if marks else None))
    view = Shown()
    view.add_item(discord.ui.Container(*children, id=marks[0] if marks else None))
    _check(view)
    return Dressed(view, files)


def _check(view: Shown) -> None:
    """The limits that the library does not check; beyond them Discord would refuse the whole message."""
    items = list(view.walk_children())
    size = sum(length(item.content) for item in items if isinstance(item, discord.ui.TextDisplay))
    if size > LIMIT or len(items) > COMPONENTS:
        raise ValueError(f"a message of {size} characters and {len(items)} components is more than Discord takes")


def _button(button: Button) -> discord.ui.Button[Any]:
    custom_id = PREFIX + button.action
    if length(custom_id) > 100:
        raise ValueError(f"the button “{button.action}” holds more than Discord's 100 characters")
    label = quiet(button.label)
    label = label if length(label) <= 80 else label[:38] + "…"
    return discord.ui.Button(label=label, custom_id=custom_id, style=STYLES[button.style])


def _gallery(image: Image, name: str) -> discord.ui.MediaGallery[Any]:
    alt = quiet(image.alt)[:ALT_LENGTH] or None
    return discord.ui.MediaGallery(discord.MediaGalleryItem(f"attachment://{name}", description=alt))


def _file(image: Image, number: int) -> discord.File:
    return discord.File(
        io.BytesIO(image.png),
        filename=_safe_name(image.name, number),
        description=quiet(image.alt)[:ALT_LENGTH] or None,
    )


def _safe_name(name: str, number: int) -> str:
    name = re.sub(r"[^A-Za-z0-9._-]", "-", name) or "file"
    return f"{number}-{name}" if number else name


# --- forms -------------------------------------------------------------------------------------------------------

TOP_LEVEL = 5
"""Parts that a form of Discord's can hold."""


def fits(form: Form) -> bool:
    """Can the form be shown at once?"""
    return len(form.fields) + bool(form.intro) <= TOP_LEVEL


def modal(form: Form, action: str, typed: dict[str, str | tuple[str, ...]] | None = None) -> Opened:
    """The form, to come back as ``action``. ``typed``: what the person had typed before, to stand there again."""
    opened = Opened(title=plain_line((form.title,))[:45], custom_id=PREFIX + action, timeout=None)
    if form.intro:
        words = [piece for piece in _pieces(form.intro) if isinstance(piece, Words)]
        texts, _ = _fit(words, LIMIT - 2 * len(words) - 50)
        pairs = zip(words, texts, strict=True)
        opened.add_item(
            discord.ui.TextDisplay("".join(("\n" if word.tight else "\n\n") + text for word, text in pairs).strip())
        )
    for field in form.fields:
        before = (typed or {}).get(field.id)
        opened.add_item(
            discord.ui.Label(
                text=plain_line((field.label,))[:45],
                description=plain_line((field.hint,))[:100] or None if isinstance(field, ChoiceField) else None,
                component=_control(field, before),
            )
        )
    return opened


def _control(field: Field, before: str | tuple[str, ...] | None) -> discord.ui.Item[Any]:
    if isinstance(field, TextField):
        value = before if isinstance(before, str) else field.value
        most = min(field.max_length, LIMIT)
        return discord.ui.TextInput(
            custom_id=field.id,
            style=discord.TextStyle.paragraph if field.multiline else discord.TextStyle.short,
            default=value[:most] or None,
            placeholder=field.hint[:100] or None,
            required=not field.optional,
            max_length=most,
        )
    chosen = before if isinstance(before, tuple) else field.chosen
    if field.many or len(field.choices) == 1:
        return _ticks(field, chosen)
    radio: discord.ui.RadioGroup[Any] = discord.ui.RadioGroup(custom_id=field.id, required=not field.optional)
    for value, label in field.choices:
        radio.add_option(label=quiet(label)[:100], value=value, default=value in chosen)
    return radio


def _ticks(field: ChoiceField, chosen: tuple[str, ...]) -> discord.ui.CheckboxGroup[Any]:
    ticks: discord.ui.CheckboxGroup[Any] = discord.ui.CheckboxGroup(
        custom_id=field.id,
        required=not field.optional,
        min_values=0 if field.optional else 1,
        max_values=len(field.choices) if field.many else 1,
    )
    for value, label in field.choices:
        ticks.add_option(label=quiet(label)[:100], value=value, default=value in chosen)
    return ticks


def pages(form: Form) -> list[Form]:
    """A long form as several, each of which can be shown at once."""
    count = -(-len(form.fields) // TOP_LEVEL)
    size = -(-len(form.fields) // count)
    parts = [form.fields[start : start + size] for start in range(0, len(form.fields), size)]
    return [Form(form.id, form.title, form.submit, fields) for fields in parts]


def panel(form: Form, origin: str) -> Card:
    """A long form as a private card: what it says now, a button for each page, and one that sends it.

    ``origin`` is the action that gives the form again, so that the card needs no memory.
    """
    rows = tuple((field.label, _shown(field)) for field in form.fields)
    buttons = [
        Button(" · ".join(_name(field) for field in page.fields), f"page:{number}:{origin}")
        for number, page in enumerate(pages(form), 1)
    ]
    send = Button(form.submit, f"page:0:{origin}", "primary")
    return Card(form.title, (Heading((form.title,)), *form.intro, Table((), rows), Buttons((*buttons, send))))


def _name(field: Field) -> str:
    return re.sub(r"\s*[(（].*", "", field.label)


def _shown(field: Field) -> str:
    if isinstance(field, TextField):
        return field.value or "–"
    return ", ".join(label for value, label in field.choices if value in field.chosen) or "–"


def filled(form: Form) -> dict[str, str | tuple[str, ...]]:
    """The values that stand in the form as it is."""
    return {field.id: field.value if isinstance(field, TextField) else field.chosen for field in form.fields}
