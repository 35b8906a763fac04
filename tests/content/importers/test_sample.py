"""The real exam document: every question, key and known weakness of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from content.importers import ImportReport, import_file, write_drafts
from content.loader import load_bank

_SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
_EXAM = _SAMPLES / "exam-2025-distributed-training.txt"
_OUTLINE = _SAMPLES / "outline-llm-engineer-interview.txt"

pytestmark = pytest.mark.skipif(not _EXAM.exists(), reason="the sample documents are not part of the project")


@pytest.fixture(scope="module")
def report() -> ImportReport:
    return import_file(_EXAM)


def test_all_five_sections_are_read(report: ImportReport) -> None:
    """51 questions with 110 options and 35 explanations."""
    kinds = Counter(question.kind for question in report.questions)
    assert kinds == {"single": 15, "multiple": 10, "blank": 15, "true_false": 10, "case": 1}
    assert sum(len(question.options) for question in report.questions) == 110
    assert sum(question.explanation is not None for question in report.questions) == 35


def test_every_key_is_matched(report: ImportReport) -> None:
    """Keys stand in blocks, on lines, and behind boxes."""

    def keys(kind: str) -> Counter[str]:
        found = [q.answer for q in report.questions if q.kind == kind]
        return Counter("".join(a) if isinstance(a, list) else str(a) for a in found)

    assert keys("single") == {"B": 7, "D": 4, "C": 2, "A": 2}
    assert keys("multiple") == {"ABCDE": 9, "ABCD": 1}
    assert keys("true_false") == {"False": 9, "True": 1}
    assert all(q.answer for q in report.questions if q.kind == "blank")
    (case,) = (q for q in report.questions if q.kind == "case")
    assert Counter(point.heading for point in case.rubric) == {
        "模型優化": 2,
        "服務架構": 3,
        "性能調優": 3,
        "實施步驟": 1,
    }


def test_every_weakness_is_reported_with_its_line(report: ImportReport) -> None:
    """Counts and lines as a careful reader found them."""
    lines: dict[str, list[int | None]] = {}
    for problem in report.problems:
        lines.setdefault(problem.code, []).append(problem.line)
    assert lines["W-COUNT"] == [525]
    assert lines["W-TRUNC"] == [557]
    assert lines["W-BLANKQ"] == [391, 395, 399, 403, *range(411, 440, 4)]
    assert lines["W-GLUED"] == [15, 387]
    assert {code: len(found) for code, found in lines.items()} == {
        "I-REPAIR": 1,
        "W-ALLKEY": 9,
        "W-BLANKQ": 12,
        "W-CONTRA": 7,
        "W-COUNT": 1,
        "W-DUPSTEM": 19,
        "W-GLUED": 2,
        "W-TRUNC": 1,
    }


def test_the_damage_is_gone(report: ImportReport) -> None:
    """627 annotations, 6 of them by moving bytes; nothing is left of them."""
    (repair,) = (problem for problem in report.problems if problem.code == "I-REPAIR")
    assert "627" in repair.fault
    assert "6 of them by realigning bytes on lines 131, 211, 451, 483" in repair.fault
    texts = [t for q in report.questions for t in (q.prompt, q.explanation or "", *(text for _, text in q.options))]
    assert not any(sign in text for text in texts for sign in "()?\ufffd")
    assert report.questions[13].explanation == "Adam優化器在多數情況下表現更佳，因為它結合了SGD和Rmsprop的優點。"


def test_simplified_is_simplified_throughout(report: ImportReport) -> None:
    """Where asked, nothing traditional is left, and nothing else changes."""
    simple = import_file(_EXAM, simplify=True)
    assert simple.questions[0].prompt == "在分布式训练框架中，以下哪个组件负责处理数据的分区和分发？"
    assert [q.answer for q in simple.questions if q.kind != "blank"] == [
        q.answer for q in report.questions if q.kind != "blank"
    ]
    assert [p.code for p in simple.problems] == [p.code for p in report.problems]


def test_the_drafts_load(report: ImportReport, tmp_path: Path) -> None:
    """Every question can be drilled as a draft at once, and none is published."""
    write_drafts(report, tmp_path, source_name=_EXAM.name)
    assert len(load_bank(tmp_path, drafts=True)) == 51
    assert len(load_bank(tmp_path)) == 0


def test_an_outline_holds_no_questions() -> None:
    """A list of topics is said to be none, instead of being guessed into questions."""
    outline = import_file(_OUTLINE)
    assert outline.questions == ()
    assert [problem.code for problem in outline.problems] == ["E-NOQUESTIONS"]
