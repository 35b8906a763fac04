"""Every question that ships is whole, sourced, in both languages, and graded as its author meant."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from content.grading import grade
from content.library import Entry, Library, default_bank_path
from content.lint import lint
from content.loader import load_bank
from content.question import Kind, Question, Response, from_plain, to_plain
from content.soundness import is_within, texts
from content.taxonomy import default_taxonomy

SHARED = Path(__file__).parents[3] / "shared"


@cache
def bank() -> Library:
    return load_bank(default_bank_path())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, kinds in (
        ("entry", tuple(Kind)),
        ("choice", (Kind.SINGLE, Kind.MULTIPLE, Kind.TRUE_FALSE)),
        ("blank", (Kind.BLANK,)),
        ("numeric", (Kind.NUMERIC,)),
        ("case", (Kind.CASE,)),
    ):
        if name in metafunc.fixturenames:
            entries = [entry for entry in bank().entries if entry.question.kind in kinds]
            metafunc.parametrize(name, entries, ids=[entry.question.id for entry in entries])


def test_the_bank_is_large_enough_and_has_every_kind() -> None:
    assert len(bank()) >= 60
    assert len(bank().topics()) >= 12
    assert {question.kind for question in bank()} == set(Kind)


def test_nothing_in_the_bank_needs_mending_and_each_waiver_has_its_reason() -> None:
    findings = lint(bank())
    assert [str(finding) for finding in findings if finding.blocks] == []
    assert all(len(finding.waived) >= 10 for finding in findings if finding.waived)


def test_nothing_in_the_bank_is_copied_from_the_papers_it_took_its_topics_from() -> None:
    samples = sorted((SHARED / "samples").glob("*.txt"))
    if not samples:
        pytest.skip("the sample papers are not part of the project; put them in ../shared/samples")
    findings = lint(bank(), against=[sample.read_text(encoding="utf-8") for sample in samples])
    assert [str(finding) for finding in findings if finding.code == "A32"] == []


def test_a_question_lies_where_its_topic_belongs_and_reads_in_both_languages(entry: Entry) -> None:
    question, path = entry.question, Path(entry.path)
    assert path.stem == question.topic
    assert path.parent.name == default_taxonomy().topic(question.topic).area
    for where, text in texts(question):
        assert text.en, where
        assert text.zh, where
    assert question.sources
    assert all(source.locator and source.link.startswith("https://") for source in question.sources)


def test_a_question_survives_being_kept_with_its_round(entry: Entry) -> None:
    kept = from_plain(to_plain(entry.question))
    assert kept == entry.question
    assert kept.fingerprint == entry.question.fingerprint


def credit(question: Question, *choices: str, text: str = "") -> float:
    return float(grade(question, Response(choices, text)).credit)


def test_the_key_of_a_choice_has_full_credit_and_each_wrong_option_none(choice: Entry) -> None:
    question = choice.question
    assert credit(question, *question.right_keys) == 1
    for option in question.choices:
        if not option.correct:
            assert credit(question, option.key) == 0, option.key
    if question.kind is Kind.MULTIPLE:
        assert credit(question, *(option.key for option in question.options)) == 0


def test_everything_a_blank_accepts_or_shows_has_full_credit_and_its_prompt_has_none(blank: Entry) -> None:
    question = blank.question
    for accepted in question.accept.values():
        for text in accepted:
            assert credit(question, text=text) == 1, text
            assert credit(question, text=f" {text.upper()}。") == 1, text
    for shown in (question.shown.en, question.shown.zh):
        assert credit(question, text=shown) == 1, shown
    assert credit(question, text=question.prompt.en) == 0


def test_a_number_is_recomputed_and_right_with_and_without_its_unit(numeric: Entry) -> None:
    question = numeric.question
    number = question.number
    assert number is not None
    assert numeric.check is not None, "a numeric question needs a check that recomputes its number"
    for text in (f"{number.value:.10g}", f"{number.value:.10g} {number.unit}", f"＝{number.value:.10g}{number.unit}"):
        assert credit(question, text=text) == 1, text
    for mistake in question.mistakes:
        assert not is_within(number, mistake.value)
        assert credit(question, text=f"{mistake.value:.10g}") == 0
    assert credit(question, text=f"{number.value * 3 + 7:.10g}") == 0


def test_the_model_answer_of_a_case_says_every_point_of_its_rubric(case: Entry) -> None:
    question = case.question
    for answer in (question.model_answer.en, question.model_answer.zh):
        assert credit(question, text=answer) == 1
    assert credit(question, text="I do not know.") == 0
