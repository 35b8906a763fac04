"""The parts of a question as they come in: stem, options, answer, explanation, boxes, particulars, plain text."""

from __future__ import annotations

import re

from content.importers import layout
from content.importers.answer_tables import AnswerTables
from content.importers.cursor import LOOK_AHEAD
from content.importers.items import Item, KeyText, Option, Row
from content.importers.keys import letters
from content.importers.layout import Both

_GRADING = re.compile("难|分|得分|difficulty|points?|score|marks?")  # remarks that are no part of any answer
_INSTRUCTS = re.compile(
    r"每(?:小|大)?题|共\s*\d+\s*(?:分|题)|作答|答题|本(?:大|部分)题|points|marks|answer (?:all|the following)"
    r"|^请(?:回答|简要)",
    re.I,
)


class Parts(AnswerTables):
    """Adds rows to the question at hand, or begins one where a row shows that text before it was a stem."""

    def _start(self, row: Row, number: int | None, style: str, body: Both, before: str = "") -> None:
        item = Item(row.line, number, style, self._section)
        if self._item is not None and self._item.style == "case" and style != "case" and not self._item.keys:
            item.scenario = self._item
            self._item.has_parts = True
        elif self._item is not None and self._item.scenario is not None and style == self._item.style:
            item.scenario = self._item.scenario
        item.before = before
        item.tag, self._next_kind = self._next_kind, None
        if not self._section.items:
            self._filled.append(self._section)
        self._section.items.append(item)
        if number is not None and item.scenario is None:
            self._section.last_number = number
            self._section.style = self._section.style or style
        self._give_material(item)
        self._item, self._list, self._pending = item, None, []
        labelled = layout.kind_label(body)
        if labelled is not None:
            item.tag, body = item.tag or labelled[0], labelled[1]
        if body:
            self._add_inline(Row(row.line, body, False, row.shifted(body)), item.stem)

    def _give_material(self, item: Item) -> None:
        """Text above the questions of a case section belongs to each of them, unless it only says how to answer."""
        section = self._section
        if section.kind == "case" and len(section.items) == 1 and item.number is not None:
            rows = [row for row in self._pending if not _INSTRUCTS.search(row.both.shape)]
            if sum(len(row.both.text) for row in rows) >= 20:
                section.material = rows
        if section.material and item.scenario is None:
            item.scenario = Item(section.material[0].line, None, "", section, stem=list(section.material))

    def _add_inline(self, row: Row, into: list[Row]) -> None:
        """A stem's row: options, an answer and an explanation may stand behind it on the same line."""
        item = self._item
        assert item is not None
        why = layout.why_inside(row.both)
        if why is not None:
            self._add_inline(row.with_text(why[0]), into)
            item.why.append(Row(row.line, why[1], False))
            item.part = "why"
            return
        answer = layout.answer_inside(row.both)
        if answer is not None and self._is_answer(answer[1]):
            rest = (
                answer[0]
                if not answer[2]
                else Both(answer[0].text + " " + answer[2].text, answer[0].shape + " " + answer[2].shape)
            )
            self._add_inline(row.with_text(rest), into)
            item.add_key(KeyText(row.line, [Row(row.line, answer[1], False)], "line"))
            self._section.answered_inline = True
            item.part = "answer"
            return
        inside = layout.options_inside(row.both) if into is item.stem and self._takes_options() else None
        if inside is not None and self._options_below(row):
            inside = None  # A. and B. are things that the stem speaks of
        row = row.with_text(layout.without_options_label(row.both)) if inside is None else row
        if inside is not None:
            stem = row.both.cut(0, inside[0])
            if stem:
                into.append(row.with_text(stem))
            self._add_choices(row, inside[1])
            return
        if into is item.stem and self._take_boxes(row, whole=False):
            return
        if row.both:
            into.append(row)
            item.part = "stem" if into is item.stem else item.part

    def _options_below(self, row: Row) -> bool:
        """The options begin anew on a line of their own, a wrapped line further down at most."""
        below = [r for r in self.rows if row.line < r.line <= row.line + 6][:3]
        for after in below:
            if any(choice.index == 0 for choice in layout.options_at_start(after.both, "mark")):
                return True
            if layout.numbered(after.both) or layout.options_at_start(after.both, "mark"):
                return False
            if layout.answer_at_start(after.both) is not None or layout.why_at_start(after.both) is not None:
                return False
        return False

    @staticmethod
    def _is_answer(value: Both) -> bool:
        return bool(value)

    def _takes_options(self) -> bool:
        item = self._item
        if item is None:
            return False
        return item.kind not in ("case", "numeric") or not item.keys

    def _take_options(self, index: int, row: Row) -> bool:
        if self._asked and layout.replied(row.both) is not None:
            return False
        row = row.with_text(layout.without_options_label(row.both))
        found = self._choices(row.both)
        if not found:
            return self._take_bullet(index, row)
        item = self._item
        circled = bool(layout.options_at_start(row.both, "circled")) and not layout.options_at_start(row.both, "mark")
        if circled and not self._circled_are_options(index):
            return False
        if item is not None and item.open_ended and item.keys:
            return False
        first = found[0].index
        if item is not None and first == 0 and not self._may_restart(index, item, found):
            return False
        if first == 0 and (item is None or item.options or (self._section.unnumbered and item.keys)):
            if not self._start_from_text(row):
                return self._unread(row, "Options begin here, but no question stands before them.")
            item = self._item
        if item is None:
            return self._unread(row, "An option stands here without a question.")
        if not item.options and first > 0 and not self._goes_on(index, first):
            return False
        if item.part in ("answer", "why") and (first != len(item.options) or item.options):
            return False
        self._add_choices(row, found)
        return True

    def _may_restart(self, index: int, item: Item, found: list[layout.Choice]) -> bool:
        """A new A. below an explanation: the options of a question without number, or the explanation of option A."""
        if item.part != "why" or self._section.unnumbered or not item.options:
            return True
        asked = bool(item.tail) and (
            layout.asks(item.tail[-1][1].both.shape) or bool(layout.BLANK.search(item.tail[-1][1].both.shape))
        )
        return asked and (len(found) > 1 or self._goes_on(index, 0))

    def _circled_are_options(self, index: int) -> bool:
        """①②③ below a stem are its statements where lettered options follow, and its options otherwise."""
        item = self._item
        if item is None or not item.wants_options or any(not o.circled for o in item.options):
            return False
        for row in self.rows[index + 1 : index + 1 + LOOK_AHEAD]:
            if layout.options_at_start(row.both, "mark") or layout.options_inside(row.both):
                return False
            if layout.numbered(row.both) is not None or layout.heading(row.both) is not None:
                break
        return True

    def _take_bullet(self, index: int, row: Row) -> bool:
        found = layout.bullet_option(row.both)
        item = self._item
        if found is None or item is None or item.part not in ("stem", "option") or not item.wants_options:
            return False
        if any(o.lettered for o in item.options):
            return False
        if not item.options and not self._bullets_follow(index):
            return False
        if self._section.kind is None and item.kind is None and not item.options and not self._bullets_answer(index):
            return False
        self._add_option(
            row, Option(row.line, len(item.options), [row.with_text(found.body)], found.good, lettered=False)
        )
        return True

    def _bullets_answer(self, index: int) -> bool:
        """Without a heading a list is one of options only where boxes, ticks or a letter for an answer say so."""
        for row in self.rows[index : index + LOOK_AHEAD]:
            found = layout.bullet_option(row.both)
            if found is None:
                answer = layout.answer_at_start(row.both)
                return answer is not None and letters(answer) is not None
            if found.good or not row.both.shape.startswith(("-", "*", "+", "•")):
                return True
            if re.match(r"[-*+•]\s+(?:\[|\()\s*[\])]", row.both.shape):
                return True
        return False

    def _bullets_follow(self, index: int) -> bool:
        after = self._after(index)
        return after is not None and layout.bullet_option(after.both) is not None

    def _add_choices(self, row: Row, choices: list[layout.Choice]) -> None:
        item = self._item
        assert item is not None
        for choice in choices:
            body, why = choice.body, layout.why_inside(choice.body)
            if why is not None:
                body = why[0]
            answer = layout.answer_inside(body)
            at_start = layout.answer_at_start(body) if answer is None and not layout.answer_inside(body) else None
            if answer is not None:
                body = answer[0]
            elif at_start is not None and choice is choices[-1]:
                body, answer = Both("", ""), (Both("", ""), at_start, Both("", ""))
            circled = bool(row.both.shape) and "①" <= row.both.shape[0] <= "⑩"
            self._add_option(row, Option(row.line, choice.index, [row.with_text(body)], choice.good, circled=circled))
            if answer is not None:
                item.add_key(KeyText(row.line, [Row(row.line, answer[1], False)], "line"))
                self._section.answered_inline = True
                item.part = "answer"
            if why is not None:
                item.why.append(Row(row.line, why[1], False))
                item.part = "why"

    def _add_option(self, row: Row, option: Option) -> None:
        item = self._item
        assert item is not None
        item.options.append(option)
        item.part, item.tail, self._list = "option", [], None

    def _take_marked(self, index: int, row: Row) -> bool:
        """A line that begins with 答案：, Answer:, 解析：, 问题：, or, where people take turns, A:."""
        why = layout.why_at_start(row.both)
        goes_on = self._item is not None and self._item.open_ended and self._item.keys and layout.is_rubric(row.both)
        answer = None if goes_on else layout.answer_at_start(row.both)
        if answer is None and self._asked:
            answer = layout.replied(row.both)
        if why is not None and answer is None:
            item = self._item
            if not (item is not None and item.open_ended and not item.keys and layout.solves(row.both)):
                return self._take_why(row, *why)
            answer = why[0]
        if answer is None:
            return False
        item = self._item
        if item is None or (
            (item.keys and (self._section.unnumbered or item.tail)) and not self._second_key(item, answer)
        ):
            if not self._start_from_text(row):
                return self._unread(row, "An answer stands here without a question.") if item is None else False
            item = self._item
        assert item is not None
        inside = layout.why_inside(answer)
        value = inside[0] if inside is not None else answer
        second = layout.answer_inside(value)
        if second is not None and letters(second[1]):
            value = second[0]
            item.add_key(KeyText(row.line, [Row(row.line, second[1], False)], "line"))
        item.add_key(KeyText(row.line, [Row(row.line, value, False)] if value else [], "line"))
        self._section.answered_inline = True
        item.part, item.tail, self._list = "answer", [], _list_after(value)
        if inside is not None:
            item.why.append(Row(row.line, inside[1], False))
            item.part = "why"
        return True

    @staticmethod
    def _second_key(item: Item, answer: Both) -> bool:
        """A case may have an answer per part; other questions have one."""
        return item.open_ended and not item.tail and bool(answer)

    def _take_why(self, row: Row, body: Both, weak: bool) -> bool:
        item = self._item
        if item is None:
            return False
        judged = bool(layout.ends_with_truth(item.stem[-1].both.shape) if item.stem else None) or bool(
            item.before.strip()
        )
        if weak and (item.open_ended if item.keys else not (item.options or item.boxed or judged)):
            return False
        item.why.append(Row(row.line, body, False)) if body else None
        item.part, item.tail, self._list = "why", [], _list_after(body)
        return True

    def _take_boxes(self, row: Row, *, whole: bool = True) -> bool:
        found = layout.true_false_boxes(row.both.shape)
        item = self._item
        if found is None:
            return False
        start, ticked = found
        if start and whole:
            return False
        if item is None or (start == 0 and item.part != "stem"):
            if start or not self._start_from_text(row):
                return False
            item = self._item
        assert item is not None
        if item.options:
            return False
        if start:
            item.stem.append(row.with_text(row.both.cut(0, start)))
        item.boxed, item.ticked = True, ticked
        item.part, item.tail = "box", []
        return True

    def _take_remark(self, row: Row) -> bool:
        found = layout.remark(row.both)
        if found is None or (self._item is None and not found[0].startswith(("题型", "type", "question"))):
            return False
        name, value = found
        if value == row.both.shape and self._item is not None and self._item.answer_is_empty:
            return False  # 25分 may be the answer itself
        if "型" in name or "type" in name:
            self._kind_first = self._kind_first or self._item is None
            kind = layout.named_kind(value)
            if self._kind_first:
                # The kind stands above its question: what comes next is a new one.
                self._next_kind, self._item, self._pending = kind, None, []
            elif self._item is not None:
                self._item.tag = kind or self._item.tag
        elif self._item is not None and self._item.open_ended and self._item.keys and not _GRADING.match(name):
            return False
        self._remarks.append(row.line)
        return True

    def _take_text(self, index: int, row: Row) -> None:
        item = self._item
        if item is None:
            if self._is_line_item(index, row):
                self._start(row, None, "", row.both)
                self._section.unnumbered = True
            else:
                self._pending.append(row)
            return
        if self._section.unnumbered and self._is_line_item(index, row):
            self._start(row, None, "", row.both)
            return
        into = item.continued()
        if item.part == "option" and self._take_wrapped_option(index, row):
            return
        before = len(into)
        if into is item.stem and not item.options:
            self._add_inline(row, into)
        else:
            into.append(row)
        if item.part != "stem" and len(into) > before and into[-1] is row:
            item.tail.append((into, row))
        elif item.part == "stem":
            item.tail = []

    def _take_wrapped_option(self, index: int, row: Row) -> bool:
        """The end of one option and the next one behind it on the same line."""
        item = self._item
        assert item is not None
        found = layout.option_due_inside(row.both, len(item.options))
        after = self._after(index)
        if found is None or (
            after is not None and any(c.index == len(item.options) for c in self._choices(after.both))
        ):
            return False
        item.options[-1].pieces.append(row.with_text(found[0]))
        self._add_choices(row, found[1])
        return True

    def _is_line_item(self, index: int, row: Row) -> bool:
        """In sections without numbers: a line that is a whole question by itself."""
        if self._section.kind == "true_false":
            return bool(layout.ends_with_truth(row.both.shape) or layout.ends_with_box(row.both.shape))
        if self._section.kind == "blank":
            return bool(layout.BLANK.search(row.both.shape))
        return self._section.kind is None and bool(layout.ends_with_truth(row.both.shape))

    def _start_from_text(self, row: Row) -> bool:
        """A question without a number: the lines just before, which went to the text before them for the time being."""
        item = self._item
        if item is None:
            stem = _last_paragraph(self._pending)
        else:
            stem = _last_paragraph([r for _, r in item.tail], only_last=item.part == "why")
            for container, tail_row in item.tail:
                if any(tail_row is r for r in stem):
                    container[:] = [r for r in container if r is not tail_row]
        if not stem or layout.answer_head(stem[-1].both):
            return False
        self._section.unnumbered = self._section.unnumbered or not self._section.last_number
        first = stem[0]
        self._item = None
        self._start(first, None, "", first.both)
        assert self._item is not None
        for extra in stem[1:]:
            self._item.stem.append(extra)
        return True


def _list_after(body: Both) -> tuple[int, str] | None:
    """``（1）…`` behind 答： begins a list that may go on as （2）."""
    number = layout.numbered(body)
    return (number.number + 1, number.style) if number is not None and number.number is not None else None


def _last_paragraph(rows: list[Row], *, only_last: bool = False) -> list[Row]:
    """The rows from the last blank line on; where every row has one before it, the last row alone."""
    if not rows:
        return []
    start = len(rows) - 1
    while start > 0 and not rows[start].gap:
        start -= 1
    if start == 0 and only_last and not rows[0].gap:
        return rows[-1:]
    return rows[start:]
