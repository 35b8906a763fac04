"""YAML as authors write it, read strictly: every value with its line, every trap of YAML reported and not guessed.

Built on libyaml's events instead of a ready constructor, because that gives line numbers, repeated keys and the
written form of each scalar (``no``, ``1e5``, ``12:30``) at the price of one pass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import yaml
from yaml import events as ev

MAX_BYTES = 5_000_000
MAX_DEPTH = 16

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_SPOKEN_BOOLEANS = frozenset(w for word in ("yes", "no", "on", "off") for w in (word, word.title(), word.upper()))
_FIRST_OF_NUMBERS = frozenset("0123456789+-.=<")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][-+][0-9]+)?")
_TRAPS = (
    (re.compile(r"[-+]?[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+"), "a number to some programs and a text to others"),
    (re.compile(r"[-+]?0[0-9_]+|[-+]?0[xXoObB][0-9a-fA-F_]+"), "a number in another base"),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"), "a number with underscores"),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"), "a number in base 60"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"), "a date"),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)"), "an infinite number or no number"),
    (re.compile(r"[-+]?[0-9]+\."), "a number that ends in a point"),
    (re.compile(r"=|<<"), "a sign of YAML's own"),
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")
_ITEM_START = re.compile(r"^-(?=\s|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the YAML itself. ``where`` is the path to the value, as far as there is one."""

    line: int
    code: str
    fault: str
    cure: str
    where: tuple[str | int, ...] = ()


@dataclass(slots=True)
class Lines:
    """The line (from 1) of a value and of everything within it."""

    line: int
    within: dict[str | int, Lines] = field(default_factory=dict)

    def find(self, where: tuple[str | int, ...]) -> int:
        """The line of the value at ``where``, or of the nearest thing around it."""
        place = self
        for step in where:
            if step not in place.within:
                break
            place = place.within[step]
        return place.line


@dataclass(frozen=True, slots=True)
class Item:
    """One element of the list that a file holds."""

    value: Any
    lines: Lines


class _Stop(Exception):
    """The rest of this piece of YAML cannot be read."""


def read_items(data: bytes) -> tuple[list[Item], list[Problem]]:
    """The elements of the list in a YAML file, and every problem found on the way.

    A broken element does not hide the others: the file is then read element by element.
    """
    if len(data) > MAX_BYTES:
        size = f"the file has {len(data):,} bytes, more than {MAX_BYTES:,}"
        return [], [Problem(1, "F03", size, "split it by topic")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return [], [Problem(line, "F02", "the file is not UTF-8", "save it as UTF-8")]
    if not text.strip():
        return [], [Problem(1, "F04", "the file is empty", "write a list of questions or remove the file")]
    problems = [
        Problem(_line(text, m.start()), "F02", f"a control character (U+{ord(m[0]):04X}) is in the text", "remove it")
        for m in _CONTROL.finditer(text)
    ]
    text = _CONTROL.sub(" ", text)
    whole = _Reader(0)
    items = whole.read(text)
    if whole.broken:
        pieces = list(_pieces(text))
        if len(pieces) > 1:
            return _read_pieces(pieces, problems)
    return items, problems + whole.problems


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(lines before it, text) of each element of a list written at the margin."""
    starts = [match.start() for match in _ITEM_START.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        yield text.count("\n", 0, start), text[start:end]


def _read_pieces(pieces: list[tuple[int, str]], problems: list[Problem]) -> tuple[list[Item], list[Problem]]:
    items: list[Item] = []
    for before, piece in pieces:
        reader = _Reader(before)
        items += reader.read(piece)
        problems = problems + reader.problems
    return items, problems


class _Reader:
    """Reads one piece of YAML; ``before`` lines stand above it in the file."""

    def __init__(self, before: int) -> None:
        self.before = before
        self.problems: list[Problem] = []
        self.broken = False
        self.where: list[str | int] = []
        self.events: Iterator[Any] = iter(())

    def read(self, text: str) -> list[Item]:
        items: list[Item] = []
        try:
            self.events = yaml.parse(text, Loader=_LOADER)
            for event in self.events:
                if isinstance(event, ev.DocumentStartEvent) and items:
                    self._problem(event, "F05", "a second YAML document begins", "remove the line '---'")
                    break
                if isinstance(event, ev.NodeEvent):
                    items = self._root(event)
        except _Stop:
            self.broken = True
        except yaml.YAMLError as error:
            self.broken = True
            self.problems.append(_syntax_problem(error, self.before))
        return items

    def _root(self, event: ev.NodeEvent) -> list[Item]:
        if not isinstance(event, ev.SequenceStartEvent):
            self._problem(event, "F05", "the file is not a list of questions", "begin each question with '- id: …'")
            raise _Stop
        items = []
        for child in self._until(ev.SequenceEndEvent):
            items.append(Item(*self._value(child, 1)))
        return items

    def _until(self, end: type[Any]) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    def _value(self, event: Any, depth: int) -> tuple[Any, Lines]:
        if depth > MAX_DEPTH:
            self._problem(event, "F05", "values are nested too deeply", "follow docs/question-format.md")
            raise _Stop
        lines = Lines(self._line_of(event))
        if isinstance(event, ev.AliasEvent):
            self._problem(event, "F07", f"'*{event.anchor}' is an alias", "write the value out, or quote the text")
            return None, lines
        if event.anchor is not None:
            self._problem(event, "F07", f"'&{event.anchor}' is an anchor", "remove it, or quote the text")
        if event.tag is not None and not (isinstance(event, ev.ScalarEvent) and event.tag == "!"):
            self._problem(event, "F07", f"'{event.tag}' is a tag", "remove it, or quote the text")
        if isinstance(event, ev.ScalarEvent):
            return self._scalar(event), lines
        if isinstance(event, ev.SequenceStartEvent):
            return self._sequence(lines, depth), lines
        return self._mapping(lines, depth), lines

    def _sequence(self, lines: Lines, depth: int) -> list[Any]:
        values: list[Any] = []
        for index, child in enumerate(self._until(ev.SequenceEndEvent)):
            self.where.append(index)
            value, lines.within[index] = self._value(child, depth + 1)
            values.append(value)
            self.where.pop()
        return values

    def _mapping(self, lines: Lines, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_event in self._until(ev.MappingEndEvent):
            key = self._key(key_event, depth)
            self.where.append(key)
            value, place = self._value(next(self.events), depth + 1)
            if key in values:
                first = lines.within[key].line
                self._problem(key_event, "F06", f"field '{key}' stands twice (first in line {first})", "keep one")
            else:
                values[key] = value
                lines.within[key] = Lines(self._line_of(key_event), place.within)
            self.where.pop()
        return values

    def _key(self, event: Any, depth: int) -> str:
        if isinstance(event, ev.ScalarEvent):
            return str(event.value)
        self._problem(event, "F05", "a field's name is not a word", "put texts with brackets or braces in quotes")
        if not isinstance(event, ev.AliasEvent):
            self._value(event, depth + 1)
        return "?"

    def _scalar(self, event: ev.ScalarEvent) -> Any:
        value: str = event.value
        if event.style or not event.implicit[0]:  # quoted, or a block: always a text
            return value
        if value in _NULLS:
            return None
        if value in _BOOLEANS:
            return _BOOLEANS[value]
        if value in _SPOKEN_BOOLEANS:
            cure = f'write true or false, or "{value}" in quotes for the word'
            self._problem(event, "F08", f"'{value}' without quotes is true or false in YAML", cure)
            return value
        return value if value[0] not in _FIRST_OF_NUMBERS else self._number(event, value)

    def _number(self, event: ev.ScalarEvent, value: str) -> Any:
        if _INTEGER.fullmatch(value) and len(value) < 40:
            return int(value)
        if _INTEGER.fullmatch(value) or _DECIMAL.fullmatch(value):
            if math.isfinite(float(value)):
                return float(value)
            self._problem(event, "F08", f"the number {value[:20]} is too large", "put a text in quotes")
            return value
        for pattern, meaning in _TRAPS:
            if pattern.fullmatch(value):
                cure = "put a text in quotes, write a number with plain digits (100000, 0.00001)"
                self._problem(event, "F08", f"'{value}' without quotes is {meaning} in YAML", cure)
                break
        return value

    def _line_of(self, event: Any) -> int:
        return self.before + int(event.start_mark.line) + 1

    def _problem(self, event: Any, code: str, fault: str, cure: str) -> None:
        self.problems.append(Problem(self._line_of(event), code, fault, cure, tuple(self.where)))


_SYNTAX = (
    ("mapping values are not allowed", "a colon stands where none may", "put the text that contains ': ' in quotes"),
    (r"character '\t'|tab", "a tab stands where none may", "indent with spaces"),
    ("cannot start any token", "a sign stands where none may", "put the text in quotes"),
    ("undefined alias|scanning an (alias|anchor)", "a text begins with * or &", "put it in quotes"),
    ("unknown escape", "a backslash in double quotes means nothing", "use single quotes, or write it twice"),
    (
        "did not find expected node content",
        "a comma or bracket stands without a value",
        "close brackets, quote the text",
    ),
    ("end of stream|while scanning a quoted", "a quotation mark or bracket is not closed", "close it"),
    ("simple key|expected ':'", "a field has no colon", "write 'name: value', and longer texts in quotes"),
    ("flow (mapping|sequence)", "braces or brackets do not match", "close them, and quote texts with , : { } [ ]"),
    (
        "block (mapping|sequence|collection|end)",
        "the indentation does not match",
        "align fields, quote whole texts",
    ),
)


def _syntax_problem(error: yaml.YAMLError, before: int) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = before + (mark.line + 1 if mark else 1)
    message = " ".join(str(getattr(error, name, None) or "") for name in ("problem", "context")) or str(error)
    for pattern, fault, cure in _SYNTAX:
        if re.search(pattern, message):
            return Problem(line, "F05", f"this is not YAML: {fault}", cure)
    return Problem(line, "F05", f"this is not YAML: {message.strip()}", "compare with docs/question-format.md")
