"""Exam documents: numbered lines in, questions and problems out.

The reader goes through the lines once. What a line is, ``layout`` says; what it means depends on where it stands
(a numbered line is a new question, a point of a reference answer or a row of an answer table), and that is decided
here, by the numbering that is due and by a short look ahead. Answers are matched to questions when all is read.
Nothing is dropped in silence: a line belongs to a question, is a heading or an instruction, or is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from content.importers import layout
from content.importers.checks import check
from content.importers.document import Document, Line, Mark, read_document, written_out
from content.importers.items import Item, KeyText, Option, Row, Section, finished
from content.importers.keys import Entry, entries, letters, series, truth
from content.importers.layout import Both, Numbered
from content.importers.repair import repair
from content.importers.repair import simplify as to_simplified
from content.importers.report import Imported, ImportReport, Problem
from content.importers.tables import rewritten

MAX_ITEMS = 2_000
_LOOK_AHEAD = 40  # lines; an item's options or answer stand closer than that to its number

_GRADING = re.compile("难|分|得分|difficulty|points?|score|marks?")  # remarks that are no part of any answer
_INSTRUCTS = re.compile(
    r"每(?:小|大)?题|共\s*\d+\s*(?:分|题)|作答|答题|本(?:大|部分)题|points|marks|answer (?:all|the following)"
    r"|^请(?:回答|简要)",
    re.I,
)
_CHOICE = ("single", "multiple", "choice")


def import_file(path: Path, *, simplify: bool = False) -> ImportReport:
    """The questions of an exam document (.txt or .docx, told apart by content) and all that is wrong with it.

    ``simplify`` turns traditional characters into simplified ones. Raises ``ImportFault`` (one sentence with the
    cure) where the file cannot be read: not there, over 5 MB, no text and no Word document, empty, a zip bomb.
    """
    document = read_document(Path(path))
    return replace(read_exam(document, simplify=simplify), sha256=document.sha256)


def read_exam(document: Document, *, simplify: bool = False) -> ImportReport:
    """The questions of a document that is already lines. Pure; never raises."""
    lines, problems = _mended(document.lines, simplify=simplify)
    reader = _Reader(_rows(lines))
    reader.read()
    questions, found = reader.result()
    problems = [*document.problems, *problems, *found]
    problems += check(questions, reader.sections, lines)
    return ImportReport(tuple(questions), tuple(sorted(problems, key=lambda p: (p.line is None, p.line or 0))))


def _mended(lines: Sequence[Line], *, simplify: bool) -> tuple[list[Line], list[Problem]]:
    """The lines after damage repair and, where asked, in simplified characters."""
    result = repair([line.text for line in lines])
    texts = [written_out(to_simplified(text) if simplify else text) for text in result.lines]
    out = [
        line if text == line.text else replace(line, text=text, marks=line.marks if len(text) == len(line.text) else ())
        for line, text in zip(lines, texts, strict=True)
    ]
    if not result.removed:
        return out, []
    where = ", ".join(str(lines[i].number) for i in result.realigned_lines)
    byte_level = f", {result.realigned} of them by realigning bytes on lines {where}" if where else ""
    fault = (
        f"A converter had put pinyin behind its characters: {result.removed} such annotations were removed{byte_level}."
    )
    first = lines[result.first_line].number if result.first_line is not None else None
    cure = "Nothing has to be done; compare the realigned lines with the original where it matters."
    return out, [Problem(first, "I-REPAIR", fault, cure)]


def _rows(lines: Sequence[Line]) -> list[Row]:
    """The lines as rows, with emphasis marks taken off and text tables rewritten as lines."""
    out: list[Row] = []
    index = 0
    while index < len(lines):
        end = index
        while end < len(lines) and _cells(lines[end].text) is not None:
            end += 1
        table = [_cells(line.text) or [] for line in lines[index:end] if _cells(line.text) != []]
        kept = [line for line in lines[index:end] if _cells(line.text) != []]
        plan = rewritten(table) if len(table) >= 2 else None
        if plan is not None:
            for line, planned in zip(kept, plan, strict=True):
                out += [Row.of(line.number, text, line.gap) for _, text in planned]
            index = end
            continue
        for line in lines[index : max(end, index + 1)]:
            out.append(_row(line))
        index = max(end, index + 1)
    return out


def _row(line: Line) -> Row:
    text, marks = line.text, line.marks
    plain = layout.unstarred(text)
    if plain != text:
        bold = layout.starred(text)
        marks = (Mark(0, len(plain), "strong"),) if bold else ()
    return Row.of(line.number, plain, line.gap, marks, line.indent)


def _cells(text: str) -> list[str] | None:
    """The cells of a line that is a row of a table in plain text; ``[]`` for a Markdown rule between head and body."""
    if text.startswith("|") and text.endswith("|") and text.count("|") >= 3:
        cells = [cell.strip() for cell in text.strip("|").split("|")]
        return [] if all(set(cell) <= set(":- ") and cell for cell in cells) else cells
    if text.count("\t") >= 1 and not layout.options_at_start(Both.of(text), "mark"):
        return [cell.strip() for cell in text.split("\t") if cell.strip()]
    return None


@dataclass(slots=True)
class _KeyBlock:
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


class _Reader:
    """Reads rows into sections of items and blocks of answers."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.sections: list[Section] = []
        self.problems: list[Problem] = []
        self._filled: list[Section] = []  # those of them that have questions
        self._section = self._open(Section(0, None, "", None, rows[0].line if rows else 1, implicit=True))
        self._item: Item | None = None
        self._pending: list[Row] = []
        self._block: _KeyBlock | None = None
        self._blocks: list[_KeyBlock] = []
        self._list: tuple[int, str] | None = None  # the number and style a list inside a text would go on with
        self._remarks: list[int] = []
        self._explained: Entry | None = None  # the answer whose explanation goes on, inside a table of answers
        self._kind_first = False  # 题型： stands above the questions, not below
        self._next_kind: str | None = None
        self._asked = _speaks_in_turns(rows)
        self._lettered = {style: self._has_runs(style) for style in layout.OPTION_STYLES[1:]}

    # --- going through the rows ---

    def read(self) -> None:
        """All rows, once, in order; a row may be cut and its parts read one after the other."""
        for index, row in enumerate(self.rows):
            if not layout.is_noise(row.both.shape):
                self._take(index, row)
        self._close_block()

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

    def _open(self, section: Section) -> Section:
        self.sections.append(section)
        return section

    def _begin(self, section: Section) -> None:
        self._section = self._open(section)
        self._item = None
        self._pending = []
        self._list = None

    def _after(self, index: int) -> Row | None:
        for row in self.rows[index + 1 : index + 1 + _LOOK_AHEAD]:
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

    # --- headings ---

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
        if self._item is not None and self._item.part in ("answer", "why") and not row.both.shape.startswith("#"):
            # 一、二、 inside a reference answer order its points.
            if self._list_goes_on(layout.numbered(row.both)) and not self._item_near(index):
                return False
        self._begin(Section(found.ordinal, None, found.title, found.declared, row.line))
        if found.rest:
            self._take(index, Row(row.line, found.rest, False))
        return True

    def _is_ninth_option(self, row: Row) -> bool:
        """I. behind A. to H. is a letter, no Roman one."""
        item = self._item
        return item is not None and len(item.options) == 8 and bool(layout.options_at_start(row.both, "mark"))

    def _is_han_item(self, index: int, row: Row) -> bool:
        """一、 numbers a question, not a section: its answer or options come before any other number."""
        number = layout.numbered(row.both)
        if number is None or number.style != "han":
            return False
        return self._near(index, stop_at_any_number=True)

    def _fitting(self, found: layout.Heading) -> Section | None:
        """The section with questions that a heading among answers speaks of."""
        return _section_for(found, self._filled)

    # --- answers apart from their questions ---

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
            return len(unanswered) > 1 or self._item is None or not self._item.open_ended
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
        return len(unanswered) > 1 and (number.number or 0) <= 1 + max((i.number or 0 for i in unanswered), default=0)

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

    def _open_block(self, line: int) -> None:
        self._close_block()
        scope = [s for s in self._filled if any(not i.keys for i in s.items)]
        scope = scope or list(self._filled)
        self._block = _KeyBlock(line, scope)

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
        found_entries = entries(row.both)
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
        fitting = _section_for(found, [s for s in block.scope if s.items])
        used = any(f is not None and _section_for(f, block.scope) is fitting for f, _ in block.groups)
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
        if layout.BLANK.search(body.shape) and found.kind in ("blank", *_CHOICE, "true_false"):
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
            found = _section_for(head, self._block.scope)
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

    def _match(self, block: _KeyBlock) -> None:
        """Every answer of a block to its question; what fits none is reported."""
        for head, group in block.groups:
            if head is not None:
                section = _section_for(head, block.scope)
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

    # --- questions ---

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

    @staticmethod
    def _is_answer(value: Both) -> bool:
        return bool(value)

    def _takes_options(self) -> bool:
        item = self._item
        if item is None:
            return False
        return item.kind not in ("case", "numeric") or not item.keys

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
        if number.number is None or number.number > 5_000:
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

    def _take_late_key(self, index: int, row: Row, number: Numbered) -> bool:
        """``3. 答案：B`` outside any answer table: the answer to question 3, wherever that stands."""
        item = self._item
        if item is not None and item.number == number.number and not item.keys:
            return self._take_marked(index, Row(row.line, number.body, False))
        if not self._has_items():
            return False
        self._open_block(row.line)
        return self._take_key(index, row)

    @staticmethod
    def _style_of(number: Numbered) -> str:
        return "dot" if number.style == "decimal" else number.style

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

    def _global_last(self) -> int:
        return max((s.last_number for s in self._filled), default=0)

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
        if item.wants_options and not item.complete:
            # 1. 2. 3. below a stem without options are its statements.
            return number.number != 1 and self._options_near(index)
        if number.number == 1:
            return self._item_near(index)
        return self._item_near(index) or self._section.kind in ("true_false", "blank")

    def _list_goes_on(self, number: Numbered | None) -> bool:
        return number is not None and self._list == (number.number, number.style)

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
        for row in self.rows[index + 1 : index + 1 + _LOOK_AHEAD]:
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

    # --- options ---

    def _choices(self, both: Both) -> list[layout.Choice]:
        for style in layout.OPTION_STYLES:
            if style == "mark" or self._lettered[style]:
                found = layout.options_at_start(both, style)
                if found:
                    return found
        return []

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
        if item is None or self._section.unnumbered or (item.options and first == 0):
            if first == 0 and (item is None or item.options or item.keys):
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
        for row in self.rows[index + 1 : index + 1 + _LOOK_AHEAD]:
            if layout.options_at_start(row.both, "mark") or layout.options_inside(row.both):
                return False
            if layout.numbered(row.both) is not None or layout.heading(row.both) is not None:
                break
        return True

    def _goes_on(self, index: int, first: int) -> bool:
        after = self._after(index)
        return after is not None and any(choice.index == first + 1 for choice in self._choices(after.both))

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
        for row in self.rows[index : index + _LOOK_AHEAD]:
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

    # --- answers, explanations, boxes, remarks ---

    def _take_marked(self, index: int, row: Row) -> bool:
        """A line that begins with 答案：, Answer:, 解析：, 问题：, or, where people take turns, A:."""
        why = layout.why_at_start(row.both)
        answer = layout.answer_at_start(row.both)
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
        if (weak and not (item.keys or item.options or item.boxed)) or (weak and item.open_ended):
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

    # --- plain text ---

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
        before = len(into)
        if into is item.stem and not item.options:
            self._add_inline(row, into)
        else:
            into.append(row)
        if item.part != "stem" and len(into) > before and into[-1] is row:
            item.tail.append((into, row))
        elif item.part == "stem":
            item.tail = []

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

    # --- the end ---

    def _emphasised(self) -> list[Problem]:
        """Right options told by bold, colour or highlight, where the document does so throughout and in no other way."""
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


def _set_off(option: Option) -> bool:
    """Bold, coloured or highlighted for the most part."""
    text = sum(len(row.both.text) for row in option.pieces)
    strong = sum(m.end - m.start for row in option.pieces for m in row.marks if m.kind == "strong")
    return text > 0 and strong >= 0.6 * text


def _speaks_in_turns(rows: list[Row]) -> bool:
    """Q: and A: take turns, so that A: is an answer and no option."""
    shapes = [row.both.shape for row in rows]
    asks = sum(s.startswith(("Q:", "Q.", "问:", "Q :")) for s in shapes)
    return asks > 0 and not any(s.startswith(("B:", "B.")) for s in shapes)


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


def _section_for(found: layout.Heading, sections: Sequence[Section]) -> Section | None:
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
