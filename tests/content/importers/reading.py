"""How the importer's tests read a document given as text, and say what they expect of it."""

from __future__ import annotations

from dataclasses import dataclass

from content.importers.document import Document, numbered
from content.importers.exam import read_exam
from content.importers.report import Imported, ImportReport


def read(text: str, *, simplify: bool = False) -> ImportReport:
    """The report on a plain text."""
    return read_exam(Document(numbered(text.split("\n"))), simplify=simplify)


@dataclass(frozen=True)
class Expected:
    """One question, written short: options as ``"A text | B text"``."""

    number: int | None
    kind: str
    prompt: str
    options: str = ""
    answer: object = None
    explanation: str | None = None


def short(question: Imported) -> Expected:
    """A question in the tests' short form; letters joined."""
    answer: object = question.answer
    if question.kind in ("single", "multiple") and isinstance(answer, list):
        answer = "".join(answer)
    options = " | ".join(f"{key} {text}" for key, text in question.options)
    return Expected(question.number, question.kind, question.prompt, options, answer, question.explanation)


def codes(report: ImportReport) -> list[str]:
    """The codes of the problems, in the order of their lines."""
    return [problem.code for problem in report.problems]
