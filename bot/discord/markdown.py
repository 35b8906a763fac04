"""Lines of a card as Discord's markdown. Every plain string is escaped: it can ping, link, forge or format nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.card import Bold, Code, Inline, Line, Link, Moment, Table

ZERO = "\u200b"
"""A zero-width space: parts what Discord would read as one."""

LIMIT = 4000
"""Characters of text a message may show in all (Components V2)."""

TABLE_WIDTH = 56
"""Columns of a table that a phone shows without wrapping; wider ones become lines."""

CELL_WIDTH = 28

_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SPECIAL = re.compile(r"[\\*_`\[]|~(?=~)|(?<=~)~|\|(?=\|)|(?<=\|)\|")
_FORGED = re.compile(r"<(?=[@#:/]|a:|t:|id:)|(?<=@)(?=everyone|here)", re.IGNORECASE)
_LINE_START = re.compile(r"^([ \t]*)(#{1,3}(?=\s)|-#|[-+>•](?=\s)|>>>|\d{1,9}(?=[.)]\s))", re.MULTILINE)
_STYLES = {"time": "t", "date": "D", "both": "f"}


def length(text: str) -> int:
    """Length as the strictest reader counts it: UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def quiet(text: str) -> str:
    """Text that pings nobody and hides nothing, otherwise as it is (for code blocks, labels and alt texts)."""
    return _FORGED.sub(lambda found: found[0] + ZERO, _INVISIBLE.sub("", text))


def escape(text: str, at_start: bool = True) -> str:
    """Plain text as markdown that shows exactly this text. ``at_start``: it stands at the start of a line."""
    shown = _SPECIAL.sub(lambda found: "\\" + found[0], _INVISIBLE.sub("", text))
    shown = _FORGED.sub(lambda found: found[0] + ZERO, shown).replace("://", "\\://")
    if at_start:
        return _LINE_START.sub(_start_escaped, shown)
    first, feed, rest = shown.partition("\n")
    return first + feed + _LINE_START.sub(_start_escaped, rest)


def _start_escaped(found: re.Match[str]) -> str:
    # "1\." and not "\1.": a backslash before a digit would be shown.
    return f"{found[1]}{found[2]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}"


def code(text: str) -> str:
    """Code within a line; backticks in it stand as they are where Discord can show them."""
    text = " ".join(quiet(text).split("\n"))
    if not text.strip():
        return escape(text, at_start=False)
    if "`" not in text:
        return f"`{text}`"
    if "``" in text:
        return f"`{text.replace('`', 'ˋ')}`"
    return f"`` {text} ``"


def code_block(text: str) -> str:
    return "```\n" + quiet(text).replace("```", f"``{ZERO}`") + "\n```"


def piece(part: Inline, at_start: bool) -> str:
    """One part of a line as markdown."""
    match part:
        case Bold(text):
            inner = escape(text, at_start=False)
            return f"**{inner}**" if inner.strip() else inner
        case Code(text):
            return code(text)
        case Link(text, url):
            return _link(text, url, at_start)
        case Moment(at, style):
            return f"<t:{int(at.timestamp())}:{_STYLES[style]}>"
        case str():
            return escape(part, at_start)


def _link(text: str, url: str, at_start: bool) -> str:
    if not re.match(r"https?://[^\s<>]+$", url):
        return escape(text, at_start)
    safe = url.replace("(", "%28").replace(")", "%29")
    label = escape(text, at_start=False).replace("]", "\\]")
    return f"[{label}](<{safe}>)" if label.strip() else escape(url, at_start)


def fold(line: Sequence[Inline], limit: int, prefix: str = "", lead: str = "") -> Iterator[str]:
    """The line as one or more texts of at most ``limit`` characters, one after the other.

    ``prefix`` goes before every line of text, ``lead`` (markdown already) before the whole.
    """
    made = False
    current = prefix + lead
    for part in line:
        rest: Inline | None = part
        while rest is not None:
            start = current == prefix or current.endswith(("\n", "\n" + prefix))
            shown = _prefixed(piece(rest, start), prefix)
            if length(current) + length(shown) <= limit:
                current += shown
                rest = None
                continue
            if isinstance(rest, str):
                fitting = _fitting(rest, limit - length(current), start, prefix)
                current += _prefixed(piece(rest[:fitting], start), prefix)
                rest = rest[fitting:]
                if not fitting and current == prefix:
                    raise ValueError(f"a limit of {limit} characters holds nothing")
            elif current == prefix:
                rest = _softened(rest)
                continue
            yield current
            made, current = True, prefix
    if current != prefix or not made:
        yield current


def _prefixed(text: str, prefix: str) -> str:
    return text.replace("\n", "\n" + prefix) if prefix else text


def _fitting(text: str, room: int, start: bool, prefix: str) -> int:
    """How many characters of plain text fit into ``room``, preferably whole words."""
    low, high = 0, min(len(text), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if length(_prefixed(piece(text[:middle], start), prefix)) <= room:
            low = middle
        else:
            high = middle - 1
    space = text.rfind(" ", 0, low) + 1
    return space if space > low - 30 and space > 0 else low


def _softened(part: Inline) -> str:
    """A part that is longer than a whole message loses its dress, so that it can be cut."""
    return part.fallback if isinstance(part, Moment) else part if isinstance(part, str) else part.text


def fold_code(text: str, limit: int) -> Iterator[str]:
    """A code block as one or more, each of at most ``limit`` characters."""
    most = max(1, (limit - 8) // 2 - 2)
    current: str | None = None
    for whole in text.split("\n"):
        row = whole
        while length(code_block(row)) > limit:
            if current:
                yield code_block(current)
            yield code_block(row[:most])
            row, current = row[most:], None
        joined = row if current is None else f"{current}\n{row}"
        if current is not None and length(code_block(joined)) > limit:
            yield code_block(current)
            joined = row
        current = joined
    if current is not None:
        yield code_block(current)


# --- tables ------------------------------------------------------------------------------------------------------


def width(text: str) -> int:
    """Columns in a fixed-width font: Chinese takes two, accents and joiners none."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def table(part: Table) -> Callable[[int], Iterator[str]]:
    """A folder for the table: aligned in a code block where it is narrow, else one line a row."""
    rows = [tuple(_cell(cell) for cell in row) for row in part.rows]
    header = tuple(_cell(cell) for cell in part.header)
    every = [*([header] if header else []), *rows]
    columns = max((len(row) for row in every), default=0)
    widths = [max((width(row[i]) for row in every if i < len(row)), default=0) for i in range(columns)]
    if not header or sum(widths) + 2 * len(widths) > TABLE_WIDTH:
        return _Lines(part.rows).fold
    lines = [_aligned(row, widths, part.right) for row in every]
    lines.insert(1, "─" * min(width(lines[0]), TABLE_WIDTH))
    text = "\n".join(lines)
    return lambda limit: fold_code(text, limit)


def _cell(text: str) -> str:
    flat = " ".join(quiet(text).replace("`", "ˋ").split())
    if width(flat) <= CELL_WIDTH:
        return flat
    kept, room = "", CELL_WIDTH - 1
    for character in flat:
        room -= width(character)
        if room < 0:
            break
        kept += character
    return kept + "…"


def _aligned(row: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    cells = []
    for column, cell in enumerate(row):
        blank = " " * (widths[column] - width(cell))
        cells.append(blank + cell if column in right else cell + blank)
    return "  ".join(cells).rstrip()


@dataclass(frozen=True, slots=True)
class _Lines:
    """Rows as lines: the first cell bold, the rest after it."""

    rows: tuple[tuple[str, ...], ...]

    def fold(self, limit: int) -> Iterator[str]:
        line: list[Inline] = []
        for place, row in enumerate(self.rows):
            line += ["\n"] if place else []
            line.append(Bold(" ".join(row[0].split())))
            rest = " · ".join(" ".join(cell.split()) for cell in row[1:] if cell.strip())
            line += [": " if len(row) == 2 else " · ", rest] if rest else []
        return fold(line, limit)


def plain_line(line: Line) -> str:
    """A line for places without markdown (labels, titles)."""
    return quiet("".join(part if isinstance(part, str) else _softened(part) for part in line))
