"""Exam documents: a file in, questions and problems out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from content.importers import layout
from content.importers.checks import check
from content.importers.document import Document, Line, Mark, read_document, written_out
from content.importers.items import Row
from content.importers.keys import is_answer_grid
from content.importers.layout import Both
from content.importers.reader import Reader
from content.importers.repair import repair
from content.importers.repair import simplify as to_simplified
from content.importers.report import ImportReport, Problem
from content.importers.tables import rewritten


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
    reader = Reader(_rows(lines))
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
    if text.startswith("> ") and not marks:
        text = text[2:].strip()
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
    if is_answer_grid(layout.shape(text)):
        return text.replace(":", " ").replace("：", " ").split()
    if text.count("\t") >= 1 and not layout.options_at_start(Both.of(text), "mark"):
        return [cell.strip() for cell in text.split("\t") if cell.strip()]
    return None
