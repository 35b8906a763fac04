"""Which numbered lines are questions: a list in a stem, the points of an answer and wrapped text have numbers too."""

from __future__ import annotations

from content.importers import layout
from content.importers.items import Row, Section
from content.importers.layout import Numbered
from content.importers.parts import Parts


class QuestionNumbers(Parts):
    """Tells a new question from what only has a number, by the number that is due and by what follows."""

    def _take_number(self, index: int, row: Row) -> bool:
        number = layout.numbered(row.both)
        if number is None:
            return False
        if number.style == "asked":
            if not self._asked and (self._item is not None and self._item.open_ended and not self._item.keys):
                return False
            self._start(row, None, "asked", number.body)
            return True
        if number.nested is not None and self._is_nested(index, number.nested):
            number = number.nested
        if number.number is None or number.number > 5_000 or self._is_year(number.number):
            return False
        late_key = layout.answer_at_start(number.body)
        if late_key is not None and number.style != "case":
            return self._take_late_key(index, row, number)
        if not self._is_item(index, row, number):
            if number.style != "decimal":
                self._list = (number.number + 1, number.style)
            return False
        if number.style == "han" and not self._section.items and self._section.kind is None:
            self._section.style = "han"
        self._renumbered(row, number)
        self._start(row, number.number, self._style_of(number), number.body, number.before)
        return True

    def _is_year(self, value: int) -> bool:
        """2025. at the start of a wrapped line, unless the numbers of the paper have come near it."""
        return 1900 <= value <= 2100 and value - self._global_last() > 100

    def _take_late_key(self, index: int, row: Row, number: Numbered) -> bool:
        """``3. 答案：B`` outside any answer table: the answer to question 3, wherever that stands."""
        item = self._item
        if item is not None and item.number == number.number and not item.keys:
            return self._take_marked(index, Row(row.line, number.body, False))
        if not self._has_items():
            return False
        self._open_block(row.line)
        return self._take_key(index, row)

    def _renumbered(self, row: Row, number: Numbered) -> None:
        """Numbers that begin again without a heading open a section of their own."""
        section = self._section
        first = number.number == 1 and number.style != "case" and section.last_number > 1
        if first and number.style == section.style and section.items:
            implicit = Section(0, section.kind, section.title, None, row.line, implicit=True)
            self._section = self._open(implicit)
            self._item = None

    def _is_item(self, index: int, row: Row, number: Numbered) -> bool:
        """Whether a numbered row begins a question; otherwise it goes on with the text before it."""
        section, item, style = self._section, self._item, self._style_of(number)
        value = number.number or 0
        if number.style == "case":
            return True
        if number.style == "word":
            # 问题1 inside a case is a part of it, unless it has options of its own.
            within = item is not None and item.open_ended and "word" not in (item.style, section.style)
            return not (within and item is not None and item.kind is not None) or self._options_near(index)
        if number.style == "decimal":
            return (
                self._is_due(value, style)
                and (item is None or item.complete or item.part == "stem")
                and not (item is not None and item.part == "stem" and not self._item_near(index))
            )
        if number.style in ("space", "glued", "bare"):
            return self._is_weak_item(index, number)
        if number.style == "han":
            return self._is_han_item(index, row) or (section.style == "han" and self._is_due(value, style))
        if number.style == "nested" or item is None or not section.items:
            return True
        same = section.style in ("", style)
        if section.unnumbered:
            return self._item_near(index)
        if item.scenario is not None and style == item.style:
            return value == (item.number or 0) + 1 or self._item_near(index)
        if item.style == "case" and style != "case":
            return self._options_near(index)
        if value == section.last_number + 1:
            return self._is_next(index, number, same=same)
        if not same:
            return self._options_near(index) and item.complete and not self._list_goes_on(number)
        return self._is_out_of_turn(index, number)

    def _is_due(self, value: int, style: str) -> bool:
        section = self._section
        if not section.items:
            return value == 1 or value == self._global_last() + 1
        return value == section.last_number + 1 and style == section.style

    def _is_nested(self, index: int, number: Numbered) -> bool:
        """1.1, 1.2 … number the questions of part 1."""
        section = self._section
        if section.items:
            return section.style == "nested" and number.number == section.last_number + 1
        return number.number == 1 and (section.kind is not None or self._item_near(index))

    def _is_weak_item(self, index: int, number: Numbered) -> bool:
        section = self._section
        if section.items and section.style != number.style:
            return False
        if not self._is_due(number.number or 0, number.style):
            return False
        return self._item_near(index) or (bool(section.items) and self._item is not None and self._item.complete)

    def _is_next(self, index: int, number: Numbered, *, same: bool) -> bool:
        """The number is the one due; a list inside an answer or a stem may happen to have it too."""
        item = self._item
        assert item is not None
        in_list = self._list_goes_on(number)
        if not same:
            return item.complete and not in_list and self._item_near(index)
        if item.part in ("answer", "why"):
            if in_list:
                return self._item_near(index) and (layout.asks(number.body.shape) or self._options_near(index))
            if item.open_ended and self._section.answered_inline and not layout.asks(number.body.shape):
                return self._item_near(index) or number.number != 2 or not item.answer_is_empty
            return True
        if in_list and item.wants_options:
            return self._options_near(index) and item.complete
        return True

    def _is_out_of_turn(self, index: int, number: Numbered) -> bool:
        item = self._item
        assert item is not None
        if self._list_goes_on(number):
            return False
        if item.part in ("answer", "why"):
            return self._item_near(index)
        if item.part == "stem" and item.stem and item.stem[-1].both.shape.endswith((",", "、")):
            return False  # 3.5 or a date, broken after a comma
        if item.wants_options and not item.complete:
            # 1. 2. 3. below a stem without options are its statements.
            return number.number != 1 and self._options_near(index)
        if number.number == 1:
            return self._item_near(index)
        return self._item_near(index) or self._section.kind in ("true_false", "blank")

    def _is_han_item(self, index: int, row: Row) -> bool:
        """一、 numbers a question, not a section: its answer or options come before any other number."""
        number = layout.numbered(row.both)
        if number is None or number.style != "han":
            return False
        return self._near(index, stop_at_any_number=True)
