"""A question while it is being read: its rows, options and keys, and the text they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from content.importers import layout
from content.importers.document import Mark
from content.importers.keys import letters, truth
from content.importers.layout import Both

CHOICE = ("single", "multiple", "choice")


@dataclass(frozen=True, slots=True)
class Row:
    """A line or a part of one; ``marks`` are Word's emphasis in it."""

    line: int
    both: Both
    gap: bool
    marks: tuple[Mark, ...] = ()
    indent: int = 0

    @classmethod
    def of(cls, line: int, text: str, gap: bool, marks: tuple[Mark, ...] = (), indent: int = 0) -> Row:
        """A row from its text."""
        return cls(line, Both.of(text), gap, marks, indent)

    def shifted(self, part: Both) -> tuple[Mark, ...]:
        """The marks as they lie in a part of the text."""
        at = self.both.text.find(part.text) if self.marks else -1
        if at < 0:
            return ()
        size = len(part.text)
        moved = (Mark(max(0, m.start - at), min(size, m.end - at), m.kind) for m in self.marks)
        return tuple(m for m in moved if m.end > m.start)

    def with_text(self, part: Both) -> Row:
        """The same place with a part of the text."""
        return Row(self.line, part, self.gap, self.shifted(part), self.indent if part is self.both else 0)


@dataclass(slots=True)
class KeyText:
    """What the document says is the answer, where: ``line`` (with its question) or ``block`` (apart from it)."""

    line: int
    pieces: list[Row]
    where: str


@dataclass(slots=True)
class Option:
    """One option; ``index`` from 0 is its letter, ``good`` a mark that calls it right."""

    line: int
    index: int
    pieces: list[Row]
    good: bool = False
    lettered: bool = True
    circled: bool = False

    @property
    def text(self) -> str:
        """The option's text, without a mark behind it that calls it right."""
        return _GOOD_END.sub("", joined(self.pieces)).strip()

    @property
    def is_good(self) -> bool:
        """Marked as the right one, before or behind its text."""
        return self.good or bool(_GOOD_END.search(layout.shape(joined(self.pieces))))


_GOOD_END = re.compile(
    r"\s*(?:[(（\[【]\s*(?:正确(?:答案)?|正解|答案|√|correct(?:\s+answer)?|right(?:\s+answer)?|key)\s*[)）\]】]"
    r"|[√✓✔]|(?:<-|←|-|–)\s*(?:correct|正确答案)(?:\s+answer)?)\s*$",
    re.I,
)


@dataclass(slots=True)
class Section:
    """Questions under one heading (or none: ``implicit``)."""

    ordinal: int
    kind: str | None
    title: str
    declared: int | None
    line: int
    implicit: bool = False
    items: list[Item] = field(default_factory=list)
    style: str = ""  # how its numbers are written
    last_number: int = 0
    unnumbered: bool = False
    answered_inline: bool = False
    material: list[Row] = field(default_factory=list)  # text above all its questions that they ask about


@dataclass(slots=True)
class Item:
    """One question as its rows come in; ``part`` is what the last row belonged to."""

    line: int
    number: int | None
    style: str
    section: Section
    stem: list[Row] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    keys: list[KeyText] = field(default_factory=list)
    why: list[Row] = field(default_factory=list)
    tail: list[tuple[list[Row], Row]] = field(default_factory=list)  # text that may turn out to be the next stem
    part: str = "stem"
    tag: str | None = None
    before: str = ""
    boxed: bool = False
    ticked: bool | None = None
    scenario: Item | None = None
    has_parts: bool = False
    emphasised: bool = False

    @property
    def kind(self) -> str | None:
        """The kind its section or its own tag says; ``choice`` where single or multiple is open."""
        return self.tag or self.section.kind

    @property
    def open_ended(self) -> bool:
        """Its answer is a text of some length, so that numbered lines in it are points."""
        if self.kind is not None:
            return self.kind in ("case", "numeric")
        if self.options or self.boxed or layout.BLANK.search(layout.shape(joined(self.stem))):
            return False
        first = self.keys[0].pieces[0].both if self.keys and self.keys[0].pieces else None
        return first is None or not (letters(first) or truth(first))

    @property
    def takes_text(self) -> bool:
        """Its answer is no letter and no truth value."""
        return not self.options and not self.boxed and self.kind in (None, "blank", "case", "numeric")

    @property
    def wants_options(self) -> bool:
        """Options may follow."""
        return self.kind in (*CHOICE, "true_false") or (self.kind is None and not self.keys)

    @property
    def complete(self) -> bool:
        """A next question may begin."""
        if len(self.options) > 1 or self.keys or self.boxed:
            return True
        return self.kind not in (*CHOICE, None) and bool(self.stem)

    @property
    def answer_is_empty(self) -> bool:
        """The word for the answer was read and nothing behind it yet."""
        return bool(self.keys) and not self.keys[-1].pieces

    def continued(self) -> list[Row]:
        """Where a line goes that has no sign of its own."""
        if self.part == "option" and self.options:
            return self.options[-1].pieces
        if self.part == "answer" and self.keys:
            return self.keys[-1].pieces
        return self.why if self.part == "why" else self.stem

    def add_key(self, key: KeyText) -> None:
        """One more place that says the answer."""
        self.keys.append(key)


def joined(rows: Sequence[Row], newline: bool = False) -> str:
    """The rows as one text: lines that were wrapped are put together, lists and code keep their lines."""
    text = ""
    fenced = coded = False
    for row in rows:
        part = row.both.text
        fence = row.both.shape.startswith("```")
        if not fenced and not fence and not row.indent:
            part = _GAPS.sub(" ", part)
        code = fenced or fence or bool(_CODE.match(row.both.shape)) or (coded and row.indent > 0)
        if not text or not part:
            text = text or part
        elif newline or code or coded or _starts_a_line(row, text):
            text += "\n" + " " * (row.indent if code else 0) + part
        else:
            tight = _is_wide(text[-1]) or _is_wide(part[0]) or text.endswith("-")
            text += part if tight else " " + part
        fenced = fenced != fence
        coded = code and not (fence and not fenced)
    return text


_GAPS = re.compile("(?<![(（\\[【 \u3000\u00a0\t])[ \u3000\u00a0\t]{2,}(?![)）\\]】 \u3000\u00a0\t])")


_LIST = re.compile(
    r"(?:问题|问|要求|任务|请回答|Questions?|Task)\s*\d{0,2}\s*:|\(?\d{1,2}[).、]|[①-⑳]|[-*•]\s|[IVX]{1,4}[.、)]\s|\|"
)


_CODE = re.compile(
    r"(?:>>>|\$ \w|#include|@\w|(?:def|class|for|while|if|elif|with|return|import|from|public|int|void|let|const"
    r"|var) \w+.*[:();{=]"
    r"|else:|try:|print\(|[A-Za-z_][\w.\[\]]* ?[-+*/]?= ?[^\u4e00-\u9fff]+$|[a-z_][\w.]*\(.*\);?$|[{}]$|SELECT\b)"
)


def _starts_a_line(row: Row, text: str) -> bool:
    return bool(_LIST.match(row.both.shape)) or text.endswith(("：", ":", ";", "；"))


def _is_wide(character: str) -> bool:
    return character >= "\u2e80"
