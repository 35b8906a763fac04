"""What an import found: the questions as read, and what is wrong with the document, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class ImportFault(Exception):
    """The file cannot be read at all; the text is one sentence with the cure."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a case's reference answer, under the sub-heading it stood under (may be empty)."""

    line: int
    heading: str
    text: str
    points: int | None = None  # where the document says how many marks it is worth


@dataclass(frozen=True, slots=True)
class Imported:
    """One question as the document has it.

    ``line`` is where its stem begins: the line of a text file, or the ordinal of the paragraph in a Word file
    (from 1, paragraphs in table cells included). ``answer`` holds capital letters (single, multiple), a truth
    value, texts (blank: the accepted texts of one blank, or one text per blank where ``blanks`` > 1; numeric:
    the number as written), or ``None`` where the document gives no key that can be trusted, and for a case.
    """

    line: int
    number: int | None
    kind: str
    prompt: str
    options: tuple[tuple[str, str], ...] = ()
    answer: list[str] | bool | None = None
    explanation: str | None = None
    section: str = ""
    section_ordinal: int = 0
    blanks: int = 0
    reference: str = ""  # a case's reference answer as one text
    rubric: tuple[Point, ...] = ()
    sound: bool = True  # False: the key is unclear or the item is incomplete; it must be mended before it is asked


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the author should look at. Codes: ``E-`` cannot be used as it is, ``W-`` doubtful, ``I-`` to know."""

    line: int | None
    code: str
    fault: str
    cure: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """All that one document gave."""

    questions: tuple[Imported, ...]
    problems: tuple[Problem, ...]
    sha256: str = ""  # of the document's bytes, hex

    def to_json(self) -> dict[str, Any]:
        """The report as JSON data, in the shape that ``drills content import --json`` prints.

        ``answer`` has no place for the reference answer of a case, so that stands beside it as ``reference``.
        """
        return {
            "questions": [
                {
                    "line": q.line,
                    "number": q.number,
                    "kind": q.kind,
                    "prompt": q.prompt,
                    "options": [{"key": key, "text": text} for key, text in q.options],
                    "answer": q.answer,
                    "explanation": q.explanation,
                    **({"reference": q.reference} if q.reference else {}),
                }
                for q in self.questions
            ],
            "problems": [{"line": p.line, "code": p.code, "fault": p.fault, "cure": p.cure} for p in self.problems],
        }


def report_text(report: ImportReport) -> str:
    """The report for people: how many of what, and every problem with place, fault and cure."""
    kinds: dict[str, int] = {}
    for question in report.questions:
        kinds[question.kind] = kinds.get(question.kind, 0) + 1
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    ready = sum(question.sound for question in report.questions)
    lines = [f"{len(report.questions)} questions" + (f": {counted}" if counted else "")]
    if ready < len(report.questions):
        lines.append(f"{len(report.questions) - ready} of them must be mended before they can be asked")
    lines += [f"{f'line {p.line}: ' if p.line else ''}{p.code} {p.fault} {p.cure}" for p in report.problems]
    return "\n".join(lines)
