"""What is said, over every question that ships, in both languages and both modes."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, date, datetime, time
from functools import cache
from random import Random

import pytest

from bot.card import (
    Button,
    Buttons,
    Card,
    ChoiceField,
    Code,
    CodeBlock,
    Form,
    Heading,
    Options,
    Paragraph,
    Table,
    TextField,
    plain,
)
from bot.cards import Cards, prose, rich
from bot.drill.selection import order_options
from bot.usecases.set_schedule import Plan, Proposal
from bot.usecases.show_round import ResultView, RoundView, in_order
from bot.usecases.show_today import Today
from bot.usecases.submit_answer import Receipt
from content.grading import grade
from content.library import default_bank_path
from content.loader import load_bank
from content.question import Kind, Mistake, NumericKey, Question, Response, RubricPoint, Source, Text
from content.taxonomy import default_taxonomy
from storage.answers import Stored
from storage.tables import Round, Schedule
from tests.usecases.stage import HERE, QUESTIONS, said

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LANGUAGES = (("en",), ("zh",), ("en", "zh"), ("zh", "en"))
CARDS = Cards(default_taxonomy())


@cache
def bank() -> tuple[Question, ...]:
    return (*load_bank(default_bank_path()).questions, *QUESTIONS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "question" in metafunc.fixturenames:
        metafunc.parametrize("question", bank(), ids=[question.id for question in bank()])


def view_of(question: Question, languages: tuple[str, ...], mode: str, *, closed: bool = False) -> RoundView:
    round_ = Round(
        id=123456789, schedule_id=1, local_date=NOON.date(), posts_at=NOON, closes_at=NOON, number=42, question_id="",
        topic=question.topic, option_order=list(order_options(question, Random(7))), state="posted",
    )  # fmt: skip
    schedule = Schedule(
        id=1, workspace_id=1, channel_id="c", weekdays=[1], at=time(9, 30), zone="Asia/Shanghai", topics=[], kinds=[],
        weekday_topics={}, languages=list(languages), mode=mode, seed=1, created_at=NOON, changed_at=NOON, plan_at=NOON,
    )  # fmt: skip
    return RoundView(round_, schedule, question, in_order(question, round_.option_order), 12, closed)


def responses(question: Question) -> tuple[Response, Response]:
    """A right and a wrong one."""
    if question.kind.is_choice:
        wrong = next(option.key for option in question.choices if not option.correct)
        return Response(tuple(sorted(question.right_keys))), Response((wrong,))
    if question.kind is Kind.BLANK:
        return Response(text=next(iter(question.accept.values()))[0]), Response(text="nothing of the kind")
    if question.kind is Kind.NUMERIC:
        assert question.number is not None
        return Response(text=f"{question.number.value} {question.number.unit}"), Response(text="987654321")
    return Response(text=question.model_answer.en), Response(text="I do not know.")


def receipt_of(view: RoundView, response: Response, *, revealed: bool, outcome: str = "final") -> Receipt:
    graded = grade(view.question, response)
    points = 1000 if graded.credit == 1 and revealed else 0
    return Receipt(
        outcome, view.round, view.schedule, view.question, response, graded, points, False, revealed,  # type: ignore[arg-type]
    )  # fmt: skip


def before_close(question: Question, languages: tuple[str, ...], mode: str) -> list[Card | Form]:
    """All that anybody is shown before close, and that somebody is shown who has no final answer."""
    view = view_of(question, languages, mode)
    shown: list[Card | Form] = [CARDS.question(view)]
    for language in ("en", "zh"):
        shown += [
            CARDS.today(Today(view, None), language),
            CARDS.answer_form(view, language),
            CARDS.not_answered(view, True, language),
        ]
        if mode == "together":
            for response in responses(question):
                stored = Stored(1, response.choices, response.text, 1.0, 1000, True, False, 0)
                shown.append(CARDS.today(Today(view, stored), language))
                for outcome in ("recorded", "changed"):
                    receipt = receipt_of(view, response, revealed=False, outcome=outcome)
                    shown.append(CARDS.verdict(replace(receipt, first_ever=outcome == "changed"), view, language))
    return shown


def with_another_key(question: Question) -> Question:
    """The same question to look at, with everything that members must not see before close made different."""
    secret = Text("Secret words.", "秘密的话。")
    marks = [option.correct for option in question.options]
    turned = [*marks[1:], *marks[:1]]
    return replace(
        question,
        id="other-id",
        version=99,
        options=tuple(
            replace(option, correct=right, why=secret, misconception="other")
            for option, right in zip(question.options, turned, strict=True)
        ),
        answer=None if question.answer is None else not question.answer,
        accept={"en": ("secret",)} if question.accept else {},
        shown=secret,
        number=NumericKey(-7.5, question.number.unit) if question.number else None,
        mistakes=(Mistake(3.0, secret),) if question.number else (),
        rubric=(RubricPoint(9, secret, {"en": ("secret",)}),) if question.rubric else (),
        model_answer=secret,
        explanation=secret,
        discussion=secret,
        sources=(Source("Secret source", "page 1", 2001, url="https://example.org"),),
    )


@pytest.mark.parametrize("mode", ["instant", "together"])
def test_nothing_before_close_depends_on_the_key(question: Question, mode: str) -> None:
    """A question with another key, other reasons and other sources makes exactly the same cards, forms and buttons."""
    other = with_another_key(question)
    assert other != question
    for seed in range(5):
        assert order_options(question, Random(seed)) == order_options(other, Random(seed))
    for languages in LANGUAGES:
        view, twin = view_of(question, languages, mode), view_of(other, languages, mode)
        assert CARDS.question(view) == CARDS.question(twin)
        for language in ("en", "zh"):
            assert CARDS.answer_form(view, language) == CARDS.answer_form(twin, language)
            assert CARDS.today(Today(view, None), language) == CARDS.today(Today(twin, None), language)
            for response in responses(question) if mode == "together" else ():
                stored = Stored(1, response.choices, response.text, 1.0, 1000, True, False, 0)
                wrong = replace(stored, credit=0.0, points=0, correct=False)
                assert CARDS.today(Today(view, stored), language) == CARDS.today(Today(twin, wrong), language)
                assert CARDS.verdict(receipt_of(view, response, revealed=False), view, language) == CARDS.verdict(
                    receipt_of(twin, response, revealed=False), twin, language
                )


@pytest.mark.parametrize("mode", ["instant", "together"])
def test_no_reason_explanation_accepted_text_or_id_stands_in_anything_before_close(
    question: Question, mode: str
) -> None:
    secrets = {question.id, question.explanation.en, question.explanation.zh, question.model_answer.en}
    secrets |= {option.why.en for option in question.options} | {option.why.zh for option in question.options}
    secrets |= {point.text.en for point in question.rubric} | {source.title for source in question.sources}
    accepted = {text for texts in question.accept.values() for text in texts if len(text) > 1}
    typed = {response.text for response in responses(question)}
    for shown in before_close(question, ("en", "zh"), mode):
        text = said(shown)
        assert not [secret for secret in secrets if secret and secret in text and secret not in typed]
        for word in accepted - typed:
            assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) or word in text_of_prompt(question)


def text_of_prompt(question: Question) -> str:
    return question.prompt.en + question.prompt.zh


def every_card(question: Question) -> list[Card | Form]:
    shown: list[Card | Form] = []
    for languages in (("en",), ("zh", "en")):
        for mode in ("instant", "together"):
            shown += before_close(question, languages, mode)
        view = view_of(question, languages, "instant", closed=True)
        keys = [option.key for option in view.options]
        for chosen in (None, dict.fromkeys(keys, 3) if keys else None):
            result = ResultView(view, 7, chosen)
            shown += [CARDS.closed(result), CARDS.result(result, None)]
        for language in ("en", "zh"):
            shown += [CARDS.not_answered(view, kept, language) for kept in (True, False)]
            for response in responses(question):
                for outcome in ("final", "again", "late", "feedback"):
                    receipt = receipt_of(view, response, revealed=True, outcome=outcome)
                    shown.append(CARDS.verdict(replace(receipt, first_ever=True), view, language))
    return shown


def walk(value: object) -> list[object]:
    """Every value inside, the parts before what they hold."""
    if isinstance(value, tuple | list | frozenset):
        return [found for item in value for found in walk(item)]
    if is_dataclass(value):
        return [value, *(found for f in fields(value) for found in walk(getattr(value, f.name)))]
    return [value]


def test_every_card_is_whole_and_within_what_platforms_take(question: Question) -> None:
    """No part is empty, no place-holder is left, buttons carry at most 100 characters, forms keep their limits."""
    for shown in every_card(question):
        for value in walk(shown):
            match value:
                case Button(label=label, action=action):
                    assert 1 <= len(label) <= 75
                    assert re.fullmatch(r"[a-z]+:[\w:]+", action)
                    assert len(action) <= 100
                case Heading(line=line):
                    assert 1 <= len(plain(line)) <= 150
                case Paragraph(line=line):
                    assert plain(line).strip()
                case CodeBlock(text=text) | Code(text=text):
                    assert text.strip()
                case Buttons(buttons=row):
                    assert 1 <= len(row) <= 10
                    assert len({button.action for button in row}) == len(row)
                case Options(rows=rows):
                    assert [row.letter for row in rows] == list("ABCDEFGHIJ"[: len(rows)])
                    assert all(plain(row.line).strip() for row in rows)
                case ChoiceField(choices=choices):
                    assert 2 <= len(choices) <= 10
                    assert all(len(label) <= 75 for _, label in choices)
                case TextField(label=label):
                    assert label
                case Form(title=title, submit=submit, id=name):
                    assert 1 <= len(title) <= 24
                    assert 1 <= len(submit) <= 24
                    assert len(name) <= 100
                case Card(text=text, parts=parts):
                    assert text.strip()
                    assert parts
                case str(text):
                    assert "```" not in text
                    assert not re.search(r"\{(count|key|number|points|text|level|letters)\}", text)
        assert len(said(shown)) < 6000


def test_a_card_speaks_one_language(question: Question) -> None:
    """The Chinese message has the Chinese prompt and words of ours, the English one has no Chinese beside its names."""
    chinese = CARDS.question(view_of(question, ("zh",), "instant"))
    english = CARDS.question(view_of(question, ("en",), "instant"))
    assert "每日一题 #42" in said(chinese)
    assert not re.search("answered|closes|counts|level|private", said(chinese).replace(question.prompt.zh, ""))
    assert not re.search(r"[\u4e00-\u9fff]", said(english).replace(question.prompt.en, "")) or re.search(
        r"[\u4e00-\u9fff]", question.prompt.en + "".join(option.text.en for option in question.options)
    )


def test_the_question_says_what_a_member_must_know(question: Question) -> None:
    """Number, level, count, when it closes, which answer counts, and who sees what."""
    for mode, rule in (("instant", "first answer counts"), ("together", "last before close counts")):
        text = said(CARDS.question(view_of(question, ("en", "zh"), mode)))
        for shown in ("#42", f"level {question.difficulty}", "12 answered", "20:00 (Asia/Shanghai)", rule, "private"):
            assert shown in text
        assert "中文" in text


def test_the_result_tells_the_key_the_reasons_and_the_sources(question: Question) -> None:
    view = view_of(question, ("en",), "instant", closed=True)
    text = said(CARDS.result(ResultView(view, 3, None), None))
    for option in question.options:
        assert plain(rich(option.why.en)) in text.replace("\n", "") or all(
            piece in text for piece in re.split("`", option.why.en)
        )
    assert all(source.title in text and source.link in text for source in question.sources)
    assert f"mine:{view.round.id}" in text
    if question.kind.is_choice:
        letters = sorted(view.letters[key] for key in question.right_keys)
        assert text.startswith(f"Answer: {', '.join(letters)}")


def test_right_and_wrong_are_told_by_words_and_marks(question: Question) -> None:
    view = view_of(question, ("en",), "instant")
    right, wrong = responses(question)
    if question.kind is Kind.CASE:
        text = said(CARDS.verdict(receipt_of(view, wrong, revealed=True), view, "en"))
        assert text.index("What a good answer says") < text.index("☐") < text.index("Model answer")
        assert text.index("Model answer") < text.index(question.model_answer.en[:40].replace("`", ""))
        return
    good = CARDS.verdict(receipt_of(view, right, revealed=True), view, "en")
    bad = CARDS.verdict(receipt_of(view, wrong, revealed=True), view, "en")
    assert said(good).startswith("Right!")
    assert said(bad).startswith("Not this time.")
    if not question.kind.is_choice:
        assert "Answer: " in said(bad)
    for shown in (good, bad):
        marks = {row.letter: row.mark for part in shown.parts if isinstance(part, Options) for row in part.rows}
        assert {view.letters[key] for key in question.right_keys} == {k for k, mark in marks.items() if mark == "right"}


# --- text of the bank and other pieces ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", ("plain",)),
        ("a `b` c", ("a ", Code("b"), " c")),
        ("`b`", (Code("b"),)),
        ("one ` alone", ("one ` alone",)),
        ("*not* _marked_ <up> & @here", ("*not* _marked_ <up> & @here",)),
        ("", ()),
    ],
)
def test_backticks_make_code_and_nothing_else_is_markup(text: str, line: tuple[object, ...]) -> None:
    assert rich(text) == line


def test_fences_make_blocks() -> None:
    parts = prose("Look:\n```python\nx = 1\n\ny = `2`\n```\nWhat is y?\n```\nz\n```")
    assert parts == [
        Paragraph(("Look:",)), CodeBlock("x = 1\n\ny = `2`"), Paragraph(("What is y?",)), CodeBlock("z"),
    ]  # fmt: skip


def test_under_five_answers_no_choice_is_shown() -> None:
    view = view_of(QUESTIONS[0], ("en",), "instant", closed=True)
    assert "Under 5 answers" in said(CARDS.result(ResultView(view, 1, None), None))


@pytest.mark.parametrize("code", ["missed", "used-up", "failing", "result-refused", "board-refused"])
@pytest.mark.parametrize("reason", ["down", "no-question", "not_in_channel", "50013", "invalid_auth", "weird_code", ""])
def test_every_notice_is_a_sentence_in_both_languages(code: str, reason: str) -> None:
    for dates in (["2026-11-30"], ["2026-11-30", "2026-12-01"]):
        detail: dict[str, object] = {"dates": dates, "reason": reason}
        english = CARDS.notice(code, detail, "#drills", "en").text
        chinese = CARDS.notice(code, detail, "#drills", "zh").text
        assert "#drills" in english
        assert english[0].isupper()
        assert english.endswith(".")
        assert re.search(r"[\u4e00-\u9fff]{3}", chinese)
        assert chinese.endswith("。")


def test_a_plan_shows_all_that_was_chosen() -> None:
    plan = Plan(
        weekdays=(1, 3), at="18:15", zone="Asia/Shanghai", country="CN", topics=("kv-cache",),
        weekday_topics={"3": ("lora",)}, kinds=("single", "case"), easiest=2, hardest=4, languages=("zh", "en"),
        mode="together", window_minutes=90, board_day=5, best_rounds=3,
    )  # fmt: skip
    proposal = Proposal(7, plan, HERE, "drills", ((date(2026, 11, 30), NOON),), 3, False)
    text = said(CARDS.proposal(proposal, "en"))
    for shown in (
        "Mon Wed", "18:15 · Asia/Shanghai", "CN", "KV", "LoRA", "single choice, case", "2–4", "中文 + English",
        "together", "1:30 h", "Fri · the best 3 rounds count", "Mon 30 Nov 20:00", "3 questions fit.",
    ):  # fmt: skip
        assert shown in text, shown
    chinese = said(CARDS.proposal(proposal, "zh"))
    for shown in ("单选、案例", "1:30 小时", "有 3 道题合适。还没有保存。"):
        assert shown in chinese, shown
    for value in walk(CARDS.proposal(proposal, "zh")):
        if isinstance(value, Table):
            assert all(len(row) == 2 for row in value.rows)


def test_chinese_marks_bring_their_own_space(question: Question) -> None:
    """``你的答案：B``, not ``你的答案： B``: neither in what is shown nor in what is announced."""
    view = view_of(question, ("zh",), "instant", closed=True)
    ours = [CARDS.verdict(receipt_of(view, response, revealed=True), view, "zh") for response in responses(question)]
    result = CARDS.result(ResultView(view, 2, None), None)
    for card in (*ours, result):
        head = next(part for part in card.parts if isinstance(part, Heading))
        for shown in (card.text, plain(head.line)):
            assert not re.search("[：，。！？；] ", shown), shown
        assert "你的答案： " not in said(card)
        assert "来源： " not in said(card)
