"""The reader of exam documents: goes through the rows once, and gives questions and problems.

What a row is, ``layout`` says; what it means depends on where it stands (a numbered line is a new question, a point
of a reference answer or a row of an answer table). Nothing is dropped in silence: a row belongs to a question, is a
heading or an instruction, or is reported.
"""

from __future__ import annotations

import re
from collections import Counter

from content.importers import layout
from content.importers.finish import finished
from content.importers.items import Option, Row, Section
from content.importers.keys import entries
from content.importers.layout import Both
from content.importers.question_numbers import QuestionNumbers
from content.importers.report import Imported, Problem

MAX_ITEMS = 2_000
_NO_KIND = re.compile("(?:匹配|配对|连线|排序)题|matching|ordering", re.I)


class Reader(QuestionNumbers):
    """Reads rows into sections of items and blocks of answers."""

    def read(self) -> None:
        """All rows, once, in order; a row may be cut and its parts read one after the other."""
        running = self._running_heads()
        for index, row in enumerate(self.rows):
            if not layout.is_noise(row.both.shape) and row.both.shape not in running:
                self._take(index, row)
        self._close_block()

    def _running_heads(self) -> set[str]:
        """Lines that stand on three pages or more, beside a page number once, or on two and beside one on both."""
        shapes = [row.both.shape for row in self.rows]
        beside = Counter(
            shape
            for index, shape in enumerate(shapes)
            if any(layout.is_page_number(near) for near in shapes[max(0, index - 1) : index + 2] if near is not shape)
        )
        often = Counter(shapes)
        found = {
            s for s, times in beside.items() if (often[s] >= 3 or times == often[s] == 2) and _is_plain(Both.of(s))
        }
        for shape in sorted(found, key=shapes.index):
            row = self.rows[shapes.index(shape)]
            fault = f"“{row.both.text[:40]}” stands on every page and was read as a header, not as text."
            cure = "Nothing has to be done, unless the line belongs to a question."
            self.problems.append(Problem(row.line, "I-HEADER", fault, cure))
        return found

    def _take(self, index: int, row: Row) -> None:
        plain = layout.without_own_answer(row.both)
        if plain is not row.both:
            row = row.with_text(plain)
            if not plain:
                return
        if self._block is not None and self._take_key(index, row):
            return
        if self._take_heading(index, row) or self._take_answer_head(index, row) or self._take_bare_keys(index, row):
            return
        if self._take_boxes(row) or self._take_remark(row) or self._take_number(index, row):
            return
        if self._take_options(index, row) or self._take_marked(index, row):
            return
        self._take_text(index, row)

    def _take_heading(self, index: int, row: Row) -> bool:
        found = layout.heading(row.both)
        if found is not None and found.lettered and not self._is_lettered_heading(index, found):
            found = None
        if found is None:
            return self._take_chapter(index, row)
        if found.is_key or (found.rest and entries(found.rest) and self._fitting(found)):
            self._open_block(row.line)
            return self._take_key(index, row)
        if self._fitting(found) and self._keys_follow(index) and self._unanswered():
            self._open_block(row.line)
            return self._take_key(index, row)
        self._begin(Section(found.ordinal, found.kind, found.title, found.declared, row.line))
        if _NO_KIND.search(row.both.shape):
            fault = "Questions to match or to order have no kind in the bank; they were read as open questions."
            self.problems.append(Problem(row.line, "W-KIND", fault, "Ask the same as single choice or fill-in."))
        if found.rest:
            self._take(index, Row(row.line, found.rest, False))
        return True

    def _is_lettered_heading(self, index: int, found: layout.Heading) -> bool:
        after = self._after(index)
        item = self._item
        due = len(item.options) + 1 if item is not None else 1
        if after is None or layout.numbered(after.both) is None:
            return False
        return item is None or found.ordinal != due or bool(item.keys)

    def _take_chapter(self, index: int, row: Row) -> bool:
        found = layout.chapter(row.both)
        if found is None or self._is_han_item(index, row) or self._is_ninth_option(row):
            return False
        number = layout.numbered(row.both)
        if number is not None and number.style == "han" and self._section.style == "han" and self._section.items:
            return False
        if number is not None and number.style in ("paren", "half") and self._item is not None:
            return False
        inside = self._item is not None and self._item.part in ("answer", "why") and not row.both.shape.startswith("#")
        if inside and self._list_goes_on(number) and not self._item_near(index):
            return False  # 一、二、 inside a reference answer order its points
        self._begin(Section(found.ordinal, None, found.title, found.declared, row.line))
        if found.rest:
            self._take(index, Row(row.line, found.rest, False))
        return True

    def _is_ninth_option(self, row: Row) -> bool:
        """I. behind A. to H. is a letter, no Roman one."""
        item = self._item
        return item is not None and len(item.options) == 8 and bool(layout.options_at_start(row.both, "mark"))

    def _emphasised(self) -> list[Problem]:
        """Right options told by bold, colour or highlight, where the document does so throughout."""
        items = [i for s in self.sections for i in s.items if len(i.options) > 1 and not i.keys]
        marked = [i for i in items if 0 < sum(map(_set_off, i.options)) < len(i.options)]
        if not marked or len(marked) < 0.8 * len(items) or any(o.is_good for i in items for o in i.options):
            return []
        for item in marked:
            for option in item.options:
                option.good = _set_off(option)
        return [
            Problem(
                marked[0].line,
                "I-EMPHASIS",
                f"The answers of {len(marked)} questions were read from bold, coloured or highlighted options.",
                "Check some of them; write the answers as text where emphasis means something else.",
            )
        ]

    def result(self) -> tuple[list[Imported], list[Problem]]:
        """The questions in the order of the document, and what is wrong with single ones."""
        questions: list[Imported] = []
        problems = list(self.problems) + self._emphasised()
        headed = any(not s.implicit and s.items for s in self.sections)
        for ordinal, section in enumerate(self.sections):
            for item in section.items:
                question, found = finished(
                    item, ordinal, front=section.implicit and section is self.sections[0] and headed
                )
                problems += found
                if question is not None:
                    questions.append(question)
        if len(questions) > MAX_ITEMS:
            problems.append(
                Problem(
                    questions[MAX_ITEMS].line,
                    "E-LIMIT",
                    f"The document has {len(questions)} questions; the first {MAX_ITEMS} were read.",
                    "Split the document and import the parts one by one.",
                )
            )
            questions = questions[:MAX_ITEMS]
        if not questions:
            line = self.rows[0].line if self.rows else 1
            problems.append(
                Problem(
                    line,
                    "E-NOQUESTIONS",
                    "No question was found in the document.",
                    "Number the questions (1. …), write options as A. B. C. D. and answers as 答案：B or Answer: B.",
                )
            )
        if self._remarks:
            count = len(self._remarks)
            problems.append(
                Problem(
                    self._remarks[0],
                    "I-REMARKS",
                    f"{count} lines of particulars (difficulty, points, chapter and the like) were not taken over.",
                    "Set difficulty and topic in the drafts by hand.",
                )
            )
        return questions, problems


def _is_plain(both: Both) -> bool:
    """No part of a question by its own form."""
    return not (
        layout.is_noise(both.shape)
        or layout.numbered(both)
        or layout.options_at_start(both, "mark")
        or layout.answer_at_start(both) is not None
        or layout.why_at_start(both)
        or layout.heading(both)
        or layout.true_false_boxes(both.shape)
    )


def _set_off(option: Option) -> bool:
    """Bold, coloured or highlighted for the most part."""
    text = sum(len(row.both.text) for row in option.pieces)
    strong = sum(m.end - m.start for row in option.pieces for m in row.marks if m.kind == "strong")
    return text > 0 and strong >= 0.6 * text
