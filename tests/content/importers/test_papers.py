"""The same paper is read alike in whatever manner it is written: headings, numbers, options, keys, encodings, Word."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import docx
import pytest

from content.importers import Imported, import_file
from tests.content.importers.papers import written
from tests.content.importers.reading import Expected, read, short


def _short(question: Imported) -> Expected:
    """With the reference answer of a case as its answer."""
    return replace(short(question), answer=question.reference) if question.kind == "case" else short(question)


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_a_paper_is_read_in_any_manner(start: int) -> None:
    """A hundred manners each; nothing is doubtful about a whole paper but remarks that are not taken over."""
    for seed in range(start, start + 100):
        text, expected, how = written(random.Random(seed))
        report = read(text)
        assert [_short(question) for question in report.questions] == expected, (seed, how)
        assert {problem.code for problem in report.problems} <= {"I-REMARKS"}, (seed, how)


def test_a_paper_is_read_from_word(tmp_path: Path) -> None:
    """Each line a paragraph."""
    for seed in range(40):
        text, expected, how = written(random.Random(seed))
        document = docx.Document()
        for line in text.split("\n"):
            document.add_paragraph(line)
        path = tmp_path / f"{seed}.docx"
        document.save(str(path))
        assert [_short(question) for question in import_file(path).questions] == expected, (seed, how)


def test_a_paper_is_read_from_gb18030(tmp_path: Path) -> None:
    """With the line ends of Windows."""
    for seed in range(40):
        text, expected, how = written(random.Random(seed))
        path = tmp_path / f"{seed}.txt"
        path.write_bytes(text.replace("\n", "\r\n").encode("gb18030"))
        assert [_short(question) for question in import_file(path).questions] == expected, (seed, how)
