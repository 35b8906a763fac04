"""Where the reader of an exam stands: the rows, what was read so far, and looks at the rows ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from content.importers import layout
from content.importers.items import Item, Row, Section
from content.importers.keys import Entry, entries
from content.importers.layout import Both, Numbered
from content.importers.report import Problem

LOOK_AHEAD = 40  # lines; an item's options or answer stand closer than that to its number


@dataclass(slots=True)
class KeyBlock:
    """A stretch of answers apart from their questions: which sections it may speak of, and its rows by heading."""

    line: int
    scope: list[Section]
    groups: list[tuple[layout.Heading | None, list[Entry]]] = field(default_factory=list)

    def entries(self) -> list[Entry]:
        """The rows of the last group, to add to."""
        if not self.groups:
            self.groups.append((None, []))
        return self.groups[-1][1]

    def last(self) -> Entry | None:
        """The row read last."""
        return next((group[-1] for _, group in reversed(self.groups) if group), None)


class Cursor:
    """What the parts of the reader share: state, and looks ahead that change nothing."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.sections: list[Section] = []
        self.problems: list[Problem] = []
        self._filled: list[Section] = []  # those of them that have questions
        self._section = self._open(Section(0, None, "", None, rows[0].line if rows else 1, implicit=True))
        self._item: Item | None = None
        self._pending: list[Row] = []
        self._block: KeyBlock | None = None
        self._blocks: list[KeyBlock] = []
        self._list: tuple[int, str] | None = None  # the number and style a list inside a text would go on with
        self._remarks: list[int] = []
        self._explained: Entry | None = None  # the answer whose explanation goes on, inside a table of answers
        self._kind_first = False  # 题型： stands above the questions, not below
        self._next_kind: str | None = None
        self._asked = _speaks_in_turns(rows)
        self._lettered = {style: self._has_runs(style) for style in layout.OPTION_STYLES[1:]}

    def _open(self, section: Section) -> Section:
        self.sections.append(section)
        return section

    def _begin(self, section: Section) -> None:
        self._section = self._open(section)
        self._item = None
        self._pending = []
        self._list = None

    def _after(self, index: int) -> Row | None:
        for row in self.rows[index + 1 : index + 1 + LOOK_AHEAD]:
            if not layout.is_noise(row.both.shape):
                return row
        return None

    def _has_runs(self, style: str) -> bool:
        """Whether the document writes options in this manner: two rows that follow one another as a and b do."""
        previous = -2
        for row in self.rows:
            found = layout.options_at_start(row.both, style)
            if found and (found[0].index == previous + 1 > 0 or len(found) > 2):
                return True
            previous = found[-1].index if found else (-2 if layout.numbered(row.both) else previous)
        return False

    def _choices(self, both: Both) -> list[layout.Choice]:
        for style in layout.OPTION_STYLES:
            if style == "mark" or self._lettered[style]:
                found = layout.options_at_start(both, style)
                if found:
                    return found
        return []

    def _goes_on(self, index: int, first: int) -> bool:
        after = self._after(index)
        return after is not None and any(choice.index == first + 1 for choice in self._choices(after.both))

    def _near(self, index: int, *, stop_at_any_number: bool = False, options_only: bool = False) -> bool:
        """Options, an answer or a box stand between this row and the next number or heading."""
        first = layout.numbered(self.rows[index].both)
        style = first.style if first else ""
        body = first.body if first else self.rows[index].both
        if layout.options_inside(body) is not None:
            return True
        if not options_only and (
            layout.answer_inside(body) or layout.true_false_boxes(body.shape) or layout.BLANK.search(body.shape)
        ):
            return True
        for row in self.rows[index + 1 : index + 1 + LOOK_AHEAD]:
            if any(choice.index == 0 for choice in self._choices(row.both)):
                return True
            if not options_only and (
                layout.answer_at_start(row.both) is not None or layout.true_false_boxes(row.both.shape)
            ):
                return not layout.answer_head(row.both) or not self._block_ahead(row)
            if layout.options_inside(row.both) is not None and layout.numbered(row.both) is None:
                return True
            number = layout.numbered(row.both)
            if number is not None and (
                stop_at_any_number or number.style in (style, "case", "word", self._section.style)
            ):
                return False
            if layout.heading(row.both) is not None:
                return False
        return False

    def _block_ahead(self, row: Row) -> bool:
        return self._keys_follow(self.rows.index(row))

    def _item_near(self, index: int) -> bool:
        return self._near(index)

    def _options_near(self, index: int) -> bool:
        return self._near(index, options_only=True)

    def _list_goes_on(self, number: Numbered | None) -> bool:
        return number is not None and self._list == (number.number, number.style)

    @staticmethod
    def _style_of(number: Numbered) -> str:
        return "dot" if number.style == "decimal" else number.style

    def _fitting(self, found: layout.Heading) -> Section | None:
        """The section with questions that a heading among answers speaks of."""
        return section_for(found, self._filled)

    def _keys_follow(self, index: int) -> bool:
        """The next rows are rows of an answer table, not questions."""
        after = self._after(index)
        if after is None:
            return False
        head = layout.heading(after.both)
        if head is not None:
            if head.rest and entries(head.rest):
                return True
            position = self.rows.index(after, index + 1)
            return position - index <= 3 and self._fitting(head) is not None and self._keys_follow(position)
        if entries(after.both):
            return not self._options_next(self.rows.index(after, index + 1))
        number = layout.numbered(after.both)
        return number is not None and bool(layout.answer_at_start(number.body)) and self._has_items()

    def _options_next(self, index: int) -> bool:
        after = self._after(index)
        return after is not None and any(c.index == 0 for c in self._choices(after.both))

    def _has_items(self) -> bool:
        return bool(self._filled)

    def _unanswered(self) -> list[Item]:
        return [item for section in self._filled for item in section.items if not item.keys and not item.boxed]

    def _global_last(self) -> int:
        return max((s.last_number for s in self._filled), default=0)

    def _unread(self, row: Row, fault: str) -> bool:
        self.problems.append(
            Problem(
                row.line,
                "E-UNREAD",
                f"{fault} It reads “{row.both.text[:40]}”.",
                "Write the stem above it, with a number.",
            )
        )
        return True


def _speaks_in_turns(rows: list[Row]) -> bool:
    """Q: and A: take turns, so that A: is an answer and no option."""
    shapes = [row.both.shape for row in rows]
    asks = sum(s.startswith(("Q:", "Q.", "问:", "Q :")) for s in shapes)
    return asks > 0 and not any(s.startswith(("B:", "B.")) for s in shapes)


def section_for(found: layout.Heading, sections: Sequence[Section]) -> Section | None:
    """The section that a heading among the answers names, by kind first and by ordinal where kinds repeat."""

    def kin(a: str | None, b: str | None) -> bool:
        return a == b or ({a, b} <= {"single", "multiple", "choice"} and "choice" in (a, b))

    if found.kind is not None:
        same = [s for s in sections if s.kind is not None and kin(s.kind, found.kind)]
        exact = [s for s in same if s.ordinal == found.ordinal and found.ordinal]
        if exact:
            return exact[0]
        closest = [s for s in same if s.kind == found.kind] or same
        if closest:
            return closest[0]
        return None
    return next((s for s in sections if s.ordinal == found.ordinal and found.ordinal), None)
