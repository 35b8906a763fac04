"""Answers that stand apart from their questions: below a section or at the end, in rows, ranges and tables."""

from __future__ import annotations

import re

from content.importers import layout
from content.importers.cursor import Cursor, KeyBlock, section_for
from content.importers.items import Item, KeyText, Row, Section, joined
from content.importers.keys import Entry, entries, letters, mixed_entries, series, truth
from content.importers.layout import LETTERS, Both, Numbered
from content.importers.report import Problem
from content.importers.stems import bracket_key

CHOICE = ("single", "multiple", "choice")


class AnswerTables(Cursor):
    """Reads blocks of answers and, when a block has ended, gives every answer to its question."""

    def _take_answer_head(self, index: int, row: Row) -> bool:
        rest = layout.answer_head_with_entries(row.both)
        if rest is not None and self._has_items() and self._is_entry_row(rest):
            self._open_block(row.line)
            return self._take_key(index, Row(row.line, rest, False))
        if self._is_series_for_section(row):
            self._open_block(row.line)
            assert self._block is not None
            self._block.scope = [self._section]
            return self._take_key(index, row.with_text(layout.answer_at_start(row.both) or row.both))
        if not layout.answer_head(row.both) or not self._has_items():
            return False
        if self._is_block(index, row):
            self._open_block(row.line)
            return True
        item = self._item
        if item is None or item.keys or layout.answer_at_start(row.both) is not None:
            return False
        item.add_key(KeyText(row.line, [], "line"))
        item.part, item.tail, self._list = "answer", [], None
        return True

    def _is_series_for_section(self, row: Row) -> bool:
        """``答案：BCA`` below three questions that have one letter each."""
        value = layout.answer_at_start(row.both)
        waiting = [item for item in self._section.items if not item.keys and not item.boxed]
        if value is None or len(waiting) < 2 or self._section.kind not in ("single", "true_false"):
            return False
        return series(value, len(waiting)) is not None and not entries(value)

    def _take_bare_keys(self, index: int, row: Row) -> bool:
        """Rows of answers that no word announces: ``1-5 BCADB``, ``1.B 2.C``, or several ``1.B`` in a row."""
        found = entries(row.both)
        if not found:
            return False
        waiting = {item.number for item in self._unanswered()}
        if not all(number in waiting for number, _ in found) or self._options_next(index):
            return False
        if len(found) == 1:
            after = self._after(index)
            follows = entries(after.both) if after is not None else None
            alone = after is None and len(waiting) == 1
            if not (alone or (follows and follows[0][0] == found[0][0] + 1)):
                return False
            if self._item is not None and self._item.open_ended and self._item.keys:
                return False
        self._open_block(row.line)
        return self._take_key(index, row)

    def _is_entry_row(self, rest: Both) -> bool:
        found = entries(rest)
        if found:
            return len(found) > 1 or any(item.number == found[0][0] for item in self._unanswered())
        if mixed_entries(rest, {item.number for item in self._unanswered()}):
            return True
        number = layout.numbered(rest)
        waiting = self._unanswered()
        if number is None or len(waiting) < 2 or number.style in ("space", "glued", "decimal"):
            return False
        return number.number == waiting[0].number

    def _is_block(self, index: int, row: Row) -> bool:
        after = self._after(index)
        if after is None:
            return False
        if self._keys_follow(index):
            return True
        unanswered = self._unanswered()
        if layout.heading(after.both) is not None or layout.chapter(after.both) is not None:
            head = layout.heading(after.both)
            again = head is not None and self._fitting(head) is not None and layout.answer_at_start(row.both) is None
            return again or len(unanswered) > 1 or self._item is None or not self._item.open_ended
        if self._item is not None and self._section.answered_inline and self._item.open_ended and not self._item.keys:
            return False
        if len(unanswered) > 1 and (series(after.both, None) or series(after.both, len(unanswered))) is not None:
            return True
        number = layout.numbered(after.both)
        if number is None or number.style == "decimal":
            return False
        if layout.answer_at_start(row.both) is None:
            # "Answer key" or 参考答案 without a colon heads a table even for one question.
            return any(item.number == number.number for item in unanswered)
        waiting = [i for i in unanswered if not _answered_inside(i)]
        if self._has_points(number, waiting):
            return False
        return len(waiting) > 1 and (number.number or 0) <= 1 + max((i.number or 0 for i in waiting), default=0)

    def _has_points(self, number: Numbered, waiting: list[Item]) -> bool:
        """（1） below the answer's word of an open question is a point of it, where no question has such a number."""
        item = self._item
        if item is None or not item.open_ended or item.keys or number.style not in ("paren", "half"):
            return False
        return all(other.style != number.style for other in waiting)

    def _open_block(self, line: int) -> None:
        self._close_block()
        scope = [s for s in self._filled if any(not i.keys for i in s.items)]
        scope = scope or list(self._filled)
        self._block = KeyBlock(line, scope)

    def _close_block(self) -> None:
        if self._block is not None:
            self._blocks.append(self._block)
            self._match(self._block)
            self._block = None

    def _leave_block(self) -> bool:
        """Back to questions: what comes next has no section of its own yet."""
        self._close_block()
        self._item = None
        self._pending = []
        self._section = self._open(Section(0, None, "", None, 0, implicit=True))
        return False

    def _take_key(self, index: int, row: Row) -> bool:
        """A row inside a block of answers; ``False`` where the block has ended and the row is to be read anew."""
        block = self._block
        assert block is not None
        found = layout.heading(row.both)
        if found is not None or layout.chapter(row.both) is not None:
            return self._take_key_heading(index, row, found or layout.chapter(row.both))
        if layout.answer_head(row.both):
            return True
        rest = layout.answer_head_with_entries(row.both)
        if rest is not None and self._take_key(index, Row(row.line, rest, False)):
            return True
        if self._take_explanation(row):
            return True
        found_entries = entries(row.both) or mixed_entries(row.both, self._not_given())
        if found_entries and not self._options_next(index):
            self._explained = None
            block.entries().extend(Entry(row.line, n, [value]) for n, value in found_entries)
            return True
        if self._starts_questions(index, row) or self._is_answered_up(row):
            return self._leave_block()
        number = layout.numbered(row.both)
        if number is not None and self._is_key_row(number):
            self._add_entry(row, number)
            return True
        waiting = sum(not item.keys for section in self._key_sections() for item in section.items)
        if not block.last() and (signs := series(row.both, waiting if waiting > 1 else None) or series(row.both, None)):
            block.entries().extend(Entry(row.line, None, [sign]) for sign in signs)
            return True
        return self._continue_key(row)

    def _not_given(self) -> set[int | None]:
        """Numbers of questions that the rows speak of now and that have no row yet; each heading counts anew."""
        assert self._block is not None
        given = {entry.number for entry in (self._block.groups[-1][1] if self._block.groups else [])}
        return {item.number for section in self._key_sections() for item in section.items} - given

    def _is_answered_up(self, row: Row) -> bool:
        """All questions have their answer, and a number goes on, in their own style, that is none of theirs."""
        block = self._block
        assert block is not None
        number = layout.numbered(row.both)
        if number is None or number.number is None or not block.last():
            return False
        items = {item.number for section in block.scope for item in section.items}
        given = {entry.number for _, group in block.groups for entry in group}
        styles = {section.style for section in block.scope}
        due = number.number == 1 + max((n for n in items if n is not None), default=0)
        return due and items <= given and self._style_of(number) in styles and not letters(number.body)

    def _take_key_heading(self, index: int, row: Row, found: layout.Heading | None) -> bool:
        block = self._block
        assert block is not None
        assert found is not None
        fitting = section_for(found, [s for s in block.scope if s.items])
        used = any(f is not None and section_for(f, block.scope) is fitting for f, _ in block.groups)
        alone = len(block.scope) == 1 and bool(block.groups)
        if not found.is_key and (fitting is None or used or alone or self._questions_follow(index, found)):
            self._close_block()
            return False
        block.groups.append((found, []))
        if found.rest:
            values = series(found.rest, None)
            if entries(found.rest) is None and values:
                block.entries().extend(Entry(row.line, None, [value]) for value in values)
            else:
                self._take_key(index, Row(row.line, found.rest, False))
        return True

    def _questions_follow(self, index: int, found: layout.Heading) -> bool:
        """Behind a heading: a stem with options, a blank or a box, rather than an answer."""
        if found.rest and entries(found.rest):
            return False
        after = self._after(index)
        if after is None:
            return False
        position = self.rows.index(after, index + 1)
        number = layout.numbered(after.both)
        body = number.body if number is not None else after.both
        if layout.BLANK.search(body.shape) and found.kind in ("blank", *CHOICE, "true_false"):
            return True
        if entries(after.both):
            return self._options_next(position)
        return self._starts_questions(position, after)

    def _starts_questions(self, index: int, row: Row) -> bool:
        """A row among answers that is a stem: options follow, on it or below it."""
        if layout.options_inside(row.both) is not None:
            return True
        number = layout.numbered(row.both)
        if number is None:
            return False
        return self._options_next(index) or (
            self._item_near(index) and not layout.answer_at_start(number.body) and layout.asks(number.body.shape)
        )

    def _is_key_row(self, number: Numbered) -> bool:
        """A numbered row that is an answer of its own, not a point in the explanation of the last one."""
        if number.number is None:
            return False
        if layout.answer_at_start(number.body) or letters(number.body) or truth(number.body):
            return True
        block = self._block
        assert block is not None
        items = [i for s in self._key_sections() for i in s.items if i.number == number.number]
        if any(number.body.text == option.text for item in items for option in item.options):
            return True
        if not any(i.takes_text for i in items):
            return block.last() is None
        last = block.entries()[-1] if block.entries() else None
        if last is None or last.number is None:
            return True
        if number.style == "decimal" or (self._list_goes_on(number) and last.number + 1 != number.number):
            return False
        if number.number > last.number:
            return True
        # Numbers begin again: the next question with this number is the one that is due, if its answer is a text.
        given = sum(entry.number == number.number for entry in block.entries())
        return given < len(items) and items[given].takes_text

    def _key_sections(self) -> list[Section]:
        assert self._block is not None
        head = self._block.groups[-1][0] if self._block.groups else None
        if head is not None:
            found = section_for(head, self._block.scope)
            return [found] if found is not None else []
        return self._block.scope

    def _add_entry(self, row: Row, number: Numbered) -> None:
        assert self._block is not None
        self._explained = None
        value = layout.answer_at_start(number.body) or number.body
        inside = layout.why_inside(value)
        why = layout.why_at_start(value)
        if why is not None and not layout.solves(value):
            entry = Entry(row.line, number.number, [], [why[0]])
        elif why is not None:
            entry = Entry(row.line, number.number, [why[0]])
        elif inside is not None:
            entry = Entry(row.line, number.number, [inside[0]], [inside[1]])
        else:
            entry = Entry(row.line, number.number, [value] if value else [])
        self._block.entries().append(entry)
        self._list = None

    def _take_explanation(self, row: Row) -> bool:
        assert self._block is not None
        last = self._block.last()
        why = layout.why_at_start(row.both)
        if last is not None and why is not None:
            self._explain(row, last, why[0])
            return True
        answer = layout.answer_at_start(row.both)
        if last is not None and answer is not None and layout.numbered(row.both) is None:
            inside = layout.why_inside(answer)
            last.value.append(inside[0] if inside else answer)
            if inside:
                last.why.append(inside[1])
            return True
        return False

    def _explain(self, row: Row, last: Entry, body: Both) -> None:
        """An explanation to its answer: the last one, or those whose numbers stand inside."""
        self._explained = last
        given = {e.number: e for _, group in self._block.groups for e in group} if self._block else {}
        marks = list(re.finditer(r"(?:^|(?<=[\s。.;]))(\d{1,3})\s*[.、]\s*(?!\d)", body.shape))
        numbers = [int(m[1]) for m in marks]
        if (
            len(given) < 2
            or not marks
            or marks[0].start()
            or numbers != sorted(set(numbers) & set(given), key=numbers.index)
        ):
            if body:
                last.why.append(body)
            return
        for mark, end in zip(marks, [m.start() for m in marks[1:]] + [len(body.shape)], strict=True):
            self._explained = given[int(mark[1])]
            self._explained.why.append(body.cut(mark.end(), end))

    def _continue_key(self, row: Row) -> bool:
        assert self._block is not None
        last = self._explained or self._block.last()
        if last is None:
            return bool(self._block.groups) or not layout.numbered(row.both)
        number = layout.numbered(row.both)
        if number is not None and number.number is not None:
            self._list = (number.number + 1, number.style)
            given = {e.number: e for _, group in self._block.groups for e in group}
            target = given.get(number.number)
            if self._explained is not None and target is not None and not target.why and not last.why[1:]:
                self._explained = target
                target.why.append(number.body)
                return True
        (last.why if last.why or self._explained else last.value).append(row.both)
        return True

    # --- matching ---

    def _match(self, block: KeyBlock) -> None:
        """Every answer of a block to its question; what fits none is reported."""
        for head, group in block.groups:
            if head is not None:
                section = section_for(head, block.scope)
                self._assign(group, [section] if section is not None else block.scope)
            else:
                self._assign(group, block.scope)

    def _assign(self, group: list[Entry], scope: list[Section]) -> None:
        items = [item for section in scope for item in section.items]
        if group and all(entry.number is None for entry in group):
            self._assign_in_order(group, items)
            return
        numbers = [item.number for item in items]
        unique = len(set(numbers)) == len(numbers)
        current, last = 0, 0
        uneven: dict[int, list[int]] = {}
        for entry in group:
            if not unique and entry.number is not None and entry.number <= last and current + 1 < len(scope):
                current += 1
            last = entry.number or last
            pool = items if unique else scope[current].items if scope else []
            item = next((i for i in pool if i.number == entry.number), None)
            if entry.value and not any(entry.value):
                uneven.setdefault(entry.line, []).append(entry.number or 0)
            elif item is None:
                self._orphan(entry)
            else:
                item.add_key(KeyText(entry.line, [Row(entry.line, v, False) for v in entry.value], "block"))
                item.why += [Row(entry.line, w, False) for w in entry.why]
        for line, missing in uneven.items():
            self._uneven(line, missing)

    def _uneven(self, line: int, numbers: list[int]) -> None:
        self.problems.append(
            Problem(
                line,
                "E-KEYS",
                f"The answers of questions {min(numbers)} to {max(numbers)} are not {len(numbers)}, so none was taken.",
                "Write one answer for each number, or number them one by one (1.B 2.C …).",
            )
        )

    def _assign_in_order(self, group: list[Entry], items: list[Item]) -> None:
        waiting = [item for item in items if not item.keys]
        if len(waiting) != len(group):
            self.problems.append(
                Problem(
                    group[0].line,
                    "E-KEYS",
                    f"{len(group)} answers without numbers stand here for {len(waiting)} questions without an answer.",
                    "Write the number of its question before each answer (1.B 2.C …).",
                )
            )
            return
        for item, entry in zip(waiting, group, strict=True):
            item.add_key(KeyText(entry.line, [Row(entry.line, v, False) for v in entry.value], "block"))

    def _orphan(self, entry: Entry) -> None:
        said = " ".join(value.text for value in entry.value)[:40]
        self.problems.append(
            Problem(
                entry.line,
                "W-ORPHAN",
                f"The answer “{entry.number}. {said}” belongs to no question that was read.",
                "Check the number of the answer, and that its question is in the document.",
            )
        )


def _answered_inside(item: Item) -> bool:
    """The answer stands in the question itself: a letter in brackets, a sign behind the statement, a ticked option."""
    stem = Both.of(joined(item.stem))
    judged = truth(Both.of(item.before)) is not None or layout.ends_with_truth(stem.shape) is not None
    ticked = any(option.is_good for option in item.options)
    allowed = "".join(LETTERS[option.index] for option in item.options)
    return ticked or (bracket_key(stem, allowed) is not None if item.options else judged)
