"""Every layout the wild writes the same questions in is read alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

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


_MORE = yaml.safe_load((Path(__file__).parent / "more_layouts.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", _MORE, ids=[entry["text"].splitlines()[0][:40] for entry in _MORE])
def test_further_layouts_are_read(entry: dict[str, Any]) -> None:
    """Papers with numbers, keys and remarks in rarer places; the problems with their lines."""
    report = read(entry["text"])
    expected = [Expected(**{"answer": None, **question}) for question in entry["questions"]]
    found = [short(question) for question in report.questions]
    found = [
        replace(said, answer=question.reference) if question.kind == "case" and question.reference else said
        for said, question in zip(found, report.questions, strict=True)
    ]
    assert found == expected
    assert [f"{problem.line} {problem.code}" for problem in report.problems] == entry["problems"]
