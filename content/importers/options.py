"""Options: letters, numbers, boxes or dashes in front of them; one a line, several, or behind the stem."""

from __future__ import annotations

import re
from dataclasses import dataclass

from content.importers.numbering import unbulleted
from content.importers.shapes import LETTERS, Both

_GOOD = r"(?P<good>(?:\[\s*[xX√]\s*\]|\(\s*[xX√]\s*\)|[*√■◉●]|->|=>)\s*)?(?:\[\s{0,2}\]\s*|[□○◯☐]\s*)?"
_MARK = re.compile(
    r"(?:\(\s*(?P<p>[A-J])\s*\)|\[\s*(?P<s>[A-J])\s*\]|(?P<d>[A-J])\s*[.、)]"
    r"|(?P<c>[A-J])\s*[:,](?!\s*[B-J]\b))\s*[、.:]?\s*"
)
_LOW = re.compile(r"(?:\(\s*(?P<p>[a-j])\s*\)|(?P<d>[a-j])\s*[.、):])\s*")
_CIRCLED = re.compile(r"(?P<d>[①-⑩])\s*[.、:)]?\s*")
_SPACED = re.compile(r"(?P<d>[A-J])(?:\s+(?:-\s+)?|(?=[\u4e00-\u9fff]))(?=\S)")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_ROMAN_MARK = re.compile(r"\(?(?P<d>viii|vii|vi|iv|ix|iii|ii|i|v|x)(?:\)|\.(?=\s))\s*")
_ALONE = re.compile(r"(?P<d>[A-J])$")  # the letter on a line of its own, its text below
_STYLES = {"mark": _MARK, "low": _LOW, "circled": _CIRCLED, "spaced": _SPACED, "roman": _ROMAN_MARK, "alone": _ALONE}
OPTION_STYLES = ("mark", "low", "circled", "spaced", "roman", "alone")


@dataclass(frozen=True, slots=True)
class Choice:
    """An option on a line: its letter as an index from 0, its text, and whether a mark calls it right."""

    index: int
    body: Both
    good: bool = False


def _letter_index(found: re.Match[str]) -> int:
    letter = next(v for k, v in found.groupdict().items() if v and k != "good")
    if found.re is _ROMAN_MARK:
        return _ROMANS.index(letter)
    return ord(letter) - 0x2460 if letter >= "①" else ord(letter.upper()) - 0x41


def boundary(folded: str, position: int) -> bool:
    before = folded[position - 1] if position else " "
    return not (before.isascii() and (before.isalnum() or before in "_-/&+.$\\"))


def options_at_start(line: Both, style: str) -> list[Choice]:
    """The options of a line that begins with one in this style; several may follow one another."""
    line = unbulleted(line) if not re.match(r"\*\s*\S", line.shape) or line.shape.startswith("* ") else line
    good = re.match(_GOOD, line.shape)
    skip = good.end() if good else 0
    first = _STYLES[style].match(line.shape, skip)
    if not first:
        return []
    return _sequence(line, style, first, bool(good and good["good"]))


def _sequence(line: Both, style: str, first: re.Match[str], good: bool) -> list[Choice]:
    pattern = _STYLES[style]
    marks = [(first.start(), first.end(), _letter_index(first), good)]
    while True:
        after = _next_mark(line.shape, pattern, marks[-1])
        if after is None:
            break
        marks.append(after)
    if style == "mark" and len(marks) == 1 and marks[0][2] == 0:
        marks = _glued_marks(line.shape, marks[0]) or marks
    ends = [m[0] for m in marks[1:]] + [len(line.shape)]
    return [Choice(m[2], line.cut(m[1], end), m[3]) for m, end in zip(marks, ends, strict=True)]


def _next_mark(
    folded: str, pattern: re.Pattern[str], last: tuple[int, int, int, bool]
) -> tuple[int, int, int, bool] | None:
    for found in pattern.finditer(folded, last[1]):
        if _letter_index(found) == last[2] + 1 and boundary(folded, found.start()):
            lead = re.search(r"(?:\[\s*[xX√]\s*\]|[*√])\s*$", folded[last[1] : found.start()])
            start = last[1] + lead.start() if lead and lead.start() else found.start()
            return start, found.end(), last[2] + 1, bool(lead and lead.start())
    return None


def _glued_marks(folded: str, first: tuple[int, int, int, bool]) -> list[tuple[int, int, int, bool]]:
    """``A.TCPB.UDPC.ICMP``: marks glued to Latin text, believed only where A, B and C all follow."""
    marks = [first]
    for index in range(1, 10):
        found = re.compile(rf"{LETTERS[index]}[.、]").search(folded, marks[-1][1] + 1)
        if not found:
            break
        marks.append((found.start(), found.end(), index, False))
    return marks if len(marks) >= 3 else []


def options_inside(line: Both) -> tuple[int, list[Choice]] | None:
    """Options A, B … behind a stem on the same line: where they begin, and they."""
    for style in ("mark", "low", "spaced"):
        pattern = _STYLES[style]
        for found in pattern.finditer(line.shape):
            if found.start() == 0 or _letter_index(found) != 0 or not boundary(line.shape, found.start()):
                continue
            if style == "low" and not line.shape[found.start() - 1].isspace():
                continue
            choices = _sequence(line, style, found, False)
            if len(choices) >= (3 if style == "spaced" else 2) and all(c.body for c in choices):
                return found.start(), choices
    return None


def option_due_inside(line: Both, index: int) -> tuple[Both, list[Choice]] | None:
    """The rest of one option that was wrapped, and those behind it on the line, which begin with letter ``index``."""
    after = _next_mark(line.shape, _MARK, (0, 0, index - 1, False))
    if after is None or not line.shape[: after[0]].endswith((" ", "\t")):
        return None
    rest = line.cut(after[0])
    return line.cut(0, after[0]), options_at_start(rest, "mark")


def bullet_option(line: Both) -> Choice | None:
    """An option with a bullet or a box but no letter: ``- text``, ``- [x] text``, ``○ text``."""
    found = re.match(
        r"(?:[-*+•●]\s+)?(?:(?P<x>\[\s*[xX√]\s*\]|\(\s*[xX√]\s*\)|☑|◉)|(?P<o>\[\s*\]|\(\s*\)|[□○◯☐]))\s*(?=\S)",
        line.shape,
    )
    if found:
        return Choice(-1, line.cut(found.end()), bool(found["x"]))
    found = re.match(r"[-*+•]\s+(?=\S)", line.shape)
    return Choice(-1, line.cut(found.end())) if found else None
