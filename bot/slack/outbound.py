"""Cards and forms as Block Kit. Pure; what it gives, Slack takes, whatever stands in the card.

Limits: a message has 50 blocks, a modal 100; a header 150 characters, a button's label 75, an option's 75, a title 24
(Slack's reference/block-kit). A message's blocks may show about 13,200 characters in all, which is written nowhere
(slackapi/bolt-js#2509); the room is shared so that the longest texts are shortened first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

from bot.card import (
    Bold,
    Button,
    Buttons,
    Card,
    ChoiceField,
    CodeBlock,
    Divider,
    Field,
    File,
    Form,
    Heading,
    Image,
    Inline,
    Line,
    Note,
    OptionRow,
    Options,
    Paragraph,
    Part,
    Table,
    plain,
)
from bot.slack.inbound import PLACE
from bot.slack.tables import listed, monospaced
from bot.slack.wording import JSON, cut, cut_line, escape, plain_text, rich, size, small_print, split_line

MOST_BLOCKS = 50
MOST_MODAL_BLOCKS = 100
MOST_SHOWN = 12_000
MOST_IN_BLOCK = 3000
MOST_HEADING = 150
MOST_LABEL = 75
MOST_TITLE = 24
MOST_ALT = 2000
MOST_NOTE = 2000
MOST_NOTICE = 600
A_ROW = 5

CALLBACK = "drill"
FIELD = "value"
_SIGNS = {"": "", "right": "✅ ", "wrong": "❌ ", "chosen": "👉 "}


def message(card: Card, pictures: Sequence[str] = ()) -> JSON:
    """``text`` and ``blocks``; ``pictures`` are the file ids of the card's images, ``""`` for one that is not there."""
    return {"text": notice(card.text), "blocks": blocks(card.parts, pictures)}


def notice(text: str) -> str:
    """The text of a notification: one line, no markup. Never empty."""
    return escape(cut(" ".join(text.split()) or "Team Drills", MOST_NOTICE))


def blocks(parts: Sequence[Part], pictures: Sequence[str] = (), most: int = MOST_BLOCKS) -> list[JSON]:
    """The blocks of these parts, never more than ``most``, never more text than a message holds."""
    rooms = _rooms(parts)
    files = iter(pictures)
    made: list[JSON] = []
    for part, room in zip(parts, rooms, strict=True):
        if isinstance(part, Image):
            made += _image(part, next(files, ""))
        elif isinstance(part, Buttons):
            made += _buttons(part, _count_actions(made))
        else:
            made += _part(part, room)
    return _fewer(made, most)


def form_view(form: Form, where: str = "") -> JSON:
    """The modal of a form; ``where`` is the channel it was asked for in."""
    fields = [*_place_picker(form), *(_field(field) for field in form.fields)]
    intro = blocks(form.intro, most=MOST_MODAL_BLOCKS - len(fields))
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": json.dumps({"form": form.id, "channel": where}),
        "title": plain_text(cut(form.title, MOST_TITLE)),
        "submit": plain_text(cut(form.submit, MOST_TITLE)),
        "blocks": intro + fields,
    }


def card_view(card: Card, title: str, where: str = "") -> JSON:
    """A modal that only shows a card."""
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": json.dumps({"form": "", "channel": where}),
        "title": plain_text(cut(title or "Team Drills", MOST_TITLE)),
        "blocks": blocks(card.parts, most=MOST_MODAL_BLOCKS),
    }


def home_view(card: Card) -> JSON:
    """The Home tab that shows a card; what does not fit a hundred blocks is left out at its end."""
    return {
        "type": "home",
        "callback_id": CALLBACK,
        "private_metadata": json.dumps({"form": "", "channel": ""}),
        "blocks": blocks(card.parts, most=MOST_MODAL_BLOCKS),
    }


# --- room ------------------------------------------------------------------------------------------------------


def _rooms(parts: Sequence[Part]) -> list[int]:
    """How many characters each part may show: all of it, or a fair share where that is too much."""
    fixed = sum(_length(part) for part in parts if isinstance(part, Buttons | Image) or _is_header(part))
    running = Heading | Paragraph | CodeBlock | Options | Table | Note
    shared = [n for n, part in enumerate(parts) if isinstance(part, running) and not _is_header(part)]
    rooms = [0] * len(parts)
    given = shares([_length(parts[n]) for n in shared], MOST_SHOWN - min(fixed, MOST_SHOWN // 2))
    for n, room in zip(shared, given, strict=True):
        rooms[n] = room
    return rooms


def _is_header(part: Part) -> bool:
    """A heading that fits a header; a longer one is shown as running text, and shares its room."""
    return isinstance(part, Heading) and size(" ".join(plain(part.line).split())) <= MOST_HEADING


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """``room`` shared so that the small get all they need and the large what is left, in equal parts."""
    given = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda n: sizes[n])
    for rank, n in enumerate(order):
        given[n] = min(sizes[n], room // (len(order) - rank))
        room -= given[n]
    return given


def _length(part: Part) -> int:
    match part:
        case Heading(line=line) | Paragraph(line=line):
            return size(plain(line))
        case Note(line=line):
            return min(size(plain(line)), MOST_NOTE)
        case CodeBlock(text=text):
            return size(text)
        case Options(rows=rows):
            return sum(_row_length(row) for row in rows)
        case Buttons(buttons=buttons):
            return sum(min(size(button.label), MOST_LABEL) for button in buttons)
        case Image(alt=alt):
            return min(size(alt), MOST_ALT)
        case Table():
            return size(_table_text(part))
    return 0


def _row_length(row: OptionRow) -> int:
    return 12 + size(plain(row.line)) + size(plain(row.why))


# --- parts -----------------------------------------------------------------------------------------------------


def _part(part: Part, room: int) -> list[JSON]:
    match part:
        case Heading(line=line):
            return _heading(line, room)
        case Paragraph(line=line):
            return _paragraph(line, room)
        case CodeBlock(text=text):
            return _preformatted(cut(text, room))
        case Options(rows=rows):
            return _options(rows, room)
        case Note(line=line):
            elements = small_print(cut_line(line, room))
            return [{"type": "context", "elements": elements}] if elements else []
        case Table():
            return _table(part, room)
        case File(name=name):  # it comes by itself: bot/slack/files.py
            return [{"type": "context", "elements": [plain_text(cut(f"📎 {name}", room or MOST_LABEL))]}]
        case Divider():
            return [{"type": "divider"}]
    raise AssertionError(f"no block for {type(part).__name__}")


def _heading(line: Line, room: int) -> list[JSON]:
    text = " ".join(plain(line).split())
    if not text:
        return []
    if size(text) > MOST_HEADING:
        return _paragraph((Bold(text),), min(room, MOST_IN_BLOCK))
    return [{"type": "header", "text": plain_text(text)}]


def _paragraph(line: Line, room: int) -> list[JSON]:
    text = plain(line)
    if size(text) <= min(room, MOST_IN_BLOCK):
        return [_section(rich(line))] if text.strip() else []
    pieces = split_line(cut_line(line, room), MOST_IN_BLOCK)
    return [_section(rich(piece)) for piece in pieces if plain(piece).strip()]


def _section(elements: list[JSON]) -> JSON:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}


def _preformatted(text: str) -> list[JSON]:
    pieces = split_line((text.rstrip(),), MOST_IN_BLOCK)
    return [
        {"type": "rich_text", "elements": [{"type": "rich_text_preformatted", "elements": rich(piece)}]}
        for piece in pieces
        if plain(piece).strip()
    ]


def _options(rows: Sequence[OptionRow], room: int) -> list[JSON]:
    lengths = [_row_length(row) for row in rows]
    lines = [_option(row, share) for row, share in zip(rows, shares(lengths, room), strict=True)]
    if sum(lengths) <= min(room, MOST_IN_BLOCK):
        whole: Line = tuple(part for n, line in enumerate(lines) for part in (("\n", *line) if n else line))
        return _paragraph(whole, MOST_SHOWN)
    made: list[JSON] = []
    taken: list[Inline] = []
    for line in lines:
        gap: Line = ("\n",) if taken else ()
        if taken and size(plain((*taken, *gap, *line))) > MOST_IN_BLOCK:
            made += _paragraph(tuple(taken), MOST_SHOWN)
            taken, gap = [], ()
        taken += [*gap, *line]
    return made + _paragraph(tuple(taken), MOST_SHOWN)


def _option(row: OptionRow, room: int) -> Line:
    line, why = row.line, row.why
    if _row_length(row) > room:
        most = shares([size(plain(line)), size(plain(why))], max(0, room - 12))
        line, why = cut_line(line, most[0]), cut_line(why, most[1])
    head: Line = (_SIGNS[row.mark], Bold(row.letter), "  ", *line)
    return (*head, "\n      ", *why) if plain(why) else head


def _buttons(part: Buttons, start: int) -> list[JSON]:
    """Rows of five. Slack wants action ids that differ; what a button does is its value."""
    elements = [_button(button, start + n) for n, button in enumerate(part.buttons)]
    rows = [elements[n : n + A_ROW] for n in range(0, len(elements), A_ROW)]
    return [{"type": "actions", "elements": row} for row in rows]


def _button(button: Button, number: int) -> JSON:
    made: JSON = {
        "type": "button",
        "action_id": f"drill:{number}",
        "text": plain_text(cut(button.label.strip() or "·", MOST_LABEL)),
    }
    made |= {"value": button.action} if button.action else {}
    return made | ({"style": button.style} if button.style else {})


def _count_actions(made: Sequence[JSON]) -> int:
    return sum(len(block["elements"]) for block in made if block["type"] == "actions")


def _image(image: Image, file: str) -> list[JSON]:
    alt = cut(image.alt.strip() or image.name, MOST_ALT)
    if file:
        return [{"type": "image", "slack_file": {"id": file}, "alt_text": alt}]
    return [{"type": "context", "elements": [plain_text(alt)]}]


def _table(table: Table, room: int) -> list[JSON]:
    text = monospaced(table) if table.header else None
    if text is not None:
        if size(text) <= room:
            return _preformatted(text)
        lines = text.split("\n")
        while len(lines) > 2 and size("\n".join(lines)) > room - 2:
            lines.pop()
        return _preformatted(cut("\n".join((*lines, "…")), room))
    line: list[Inline] = []
    for row in listed(table):
        line += ["\n", *row] if line else row
    return _paragraph(tuple(line), room)


def _table_text(table: Table) -> str:
    text = monospaced(table) if table.header else None
    return text if text is not None else "\n".join(plain(row) for row in listed(table))


def _fewer(made: list[JSON], most: int) -> list[JSON]:
    """At most ``most`` blocks: neighbours of rich text become one, then what is least missed goes."""
    while len(made) > most:
        pairs = [n for n, (one, other) in enumerate(pairwise(made)) if _joinable(one, other)]
        if not pairs:
            break
        n = min(pairs, key=lambda n: len(made[n]["elements"]) + len(made[n + 1]["elements"]))
        joined = {"type": "rich_text", "elements": [*made[n]["elements"], *made[n + 1]["elements"]]}
        made = [*made[:n], joined, *made[n + 2 :]]
    for kind in ("divider", "context", "image", "rich_text", "header"):
        while len(made) > most and (found := [n for n, block in enumerate(made) if block["type"] == kind]):
            made = [block for n, block in enumerate(made) if n != found[-1]]
    return made[:most]


def _joinable(one: JSON, other: JSON) -> bool:
    return bool(one["type"] == other["type"] == "rich_text")


# --- fields ----------------------------------------------------------------------------------------------------


def _field(field: Field) -> JSON:
    made: JSON = {
        "type": "input",
        "block_id": field.id,
        "label": plain_text(cut(field.label.strip() or field.id, MOST_NOTE)),
        "element": _choice(field) if isinstance(field, ChoiceField) else _text_input(field),
    }
    if field.optional:
        made["optional"] = True
    if isinstance(field, ChoiceField) and field.hint:
        made["hint"] = plain_text(cut(field.hint, MOST_NOTE))
    return made


def _place_picker(form: Form) -> list[JSON]:
    """Slack shows everyone the channels that they see themselves."""
    if not form.asks_place:
        return []
    element = {
        "type": "conversations_select",
        "action_id": FIELD,
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    label = plain_text(cut(form.asks_place, MOST_NOTE))
    return [{"type": "input", "block_id": PLACE, "label": label, "element": element}]


def _text_input(field: Field) -> JSON:
    assert not isinstance(field, ChoiceField)
    most = min(max(field.max_length, 1), 3000)
    made: JSON = {
        "type": "plain_text_input",
        "action_id": FIELD,
        "multiline": field.multiline,
        "max_length": most,
    }
    if field.value:
        made["initial_value"] = cut(field.value, most)
    if field.hint:
        made["placeholder"] = plain_text(cut(field.hint, 150))
    return made


def _choice(field: ChoiceField) -> JSON:
    options = [_choice_option(value, label) for value, label in field.choices]
    chosen = [option for option in options if option["value"] in field.chosen]
    if field.many:
        kind = "checkboxes" if len(options) <= 10 else "multi_static_select"
        return {"type": kind, "action_id": FIELD, "options": options} | ({"initial_options": chosen} if chosen else {})
    kind = "radio_buttons" if len(options) <= 10 else "static_select"
    return {"type": kind, "action_id": FIELD, "options": options} | ({"initial_option": chosen[0]} if chosen else {})


def _choice_option(value: str, label: str) -> JSON:
    return {"text": plain_text(cut(label.strip() or value, MOST_LABEL)), "value": value}
