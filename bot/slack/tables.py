"""Tables as text: monospaced where they fit a phone, one row a line where they do not."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from bot.card import Bold, Inline, Line, Table

MOST_COLUMNS = 56
"""Columns of a monospaced table; wider ones are wrapped by every client and cannot be read."""

_NARROWEST = 12


def width(text: str) -> int:
    """Columns a text takes in a monospaced font: Chinese and emoji two, accents and joiners none."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, most: int) -> str:
    """``text`` in at most ``most`` columns."""
    taken, place = 0, 0
    for n, character in enumerate(text):
        taken += _width(character)
        if taken > most:
            return text[:place] + "…"
        if taken <= most - 1:
            place = n + 1
    return text


def monospaced(table: Table) -> str | None:
    """The table in lines of equal columns, or ``None`` where it would be too wide to read.

    Columns of words in a table of numbers are shortened to make it fit; elsewhere words are all there is.
    """
    rows = [row for row in (table.header, *table.rows) if row]
    count = max((len(row) for row in rows), default=0)
    # What is cut off here is more than any column could show.
    cells = [[" ".join(cell[:500].split()) for cell in row] + [""] * (count - len(row)) for row in rows]
    widths = [max(width(row[n]) for row in cells) for n in range(count)]
    over = sum(widths) + 2 * (count - 1) - MOST_COLUMNS
    while over > 0:
        words = [n for n in range(count) if n not in table.right]
        widest = max(words, key=lambda n: widths[n], default=None)
        if not table.right or widest is None or widths[widest] <= _NARROWEST:
            return None
        widths[widest] -= 1
        over -= 1
    return "\n".join(_row(row, widths, table.right) for row in cells)


def _row(row: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    shown = []
    for n, cell in enumerate(row):
        text = fit(cell, widths[n])
        gap = " " * (widths[n] - width(text))
        shown.append(gap + text if n in right else text + gap)
    return "  ".join(shown).rstrip()


def listed(table: Table) -> list[Line]:
    """One line a row: its first cell in bold, the others behind it."""
    lines: list[Line] = []
    for row in table.rows:
        cells = [" ".join(cell.split()) for cell in row]
        if not any(cells):
            continue
        first: tuple[Inline, ...] = (Bold(cells[0]),) if cells[0] else ()
        rest = " · ".join(cell for cell in cells[1:] if cell)
        lines.append((*first, (f"  {rest}" if first else rest)) if rest else first)
    return lines
