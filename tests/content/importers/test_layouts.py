"""Every layout the wild writes the same questions in is read alike."""

from __future__ import annotations

import pytest

from tests.content.importers import layouts_en, layouts_zh
from tests.content.importers.reading import Expected, codes, read, short

_ALL = [*layouts_zh.LAYOUTS, *layouts_en.LAYOUTS]


@pytest.mark.parametrize(("text", "expected", "problems"), [x[1:] for x in _ALL], ids=[x[0] for x in _ALL])
def test_the_questions_of_a_layout_are_read(text: str, expected: list[Expected], problems: list[str]) -> None:
    """All parts of every question are those that a reader sees, and only what is doubtful is said."""
    report = read(text)
    assert [short(question) for question in report.questions] == expected
    assert codes(report) == problems


@pytest.mark.parametrize("text", [x[1] for x in _ALL], ids=[x[0] for x in _ALL])
def test_blank_lines_between_all_lines_change_nothing(text: str) -> None:
    """Documents saved from web pages have a blank line behind every line."""
    spaced = read(text.replace("\n", "\n\n"))
    assert [short(question) for question in spaced.questions] == [short(question) for question in read(text).questions]
