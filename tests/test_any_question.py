"""Whatever a question holds, every card of it is taken by every platform, in each language, and can be answered.

What is too long for one message in a channel is shortened, the longest texts first: its letters, buttons, closing time
and rule stay. The whole can be read privately (Discord: a button; the playground shortens nothing).
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.card import Buttons, Card, Form, Options
from bot.discord.outbound import marks_of, modal, private, public
from bot.drill.keycaps import KEYCAPS
from bot.slack.outbound import card_view, form_view, message
from bot.usecases.show_round import ResultView, RoundView
from bot.usecases.show_today import Today
from content.question import LETTERS, Kind, NumericKey, Option, Question, RubricPoint, Source, Status, Text
from content.traditional import traditional
from storage.answers import Stored
from tests.discord.contract import check_message
from tests.standins.slack.blocks import MESSAGE_TEXT, check_blocks, check_view, text_length
from tests.standins.slack.schema import load
from tests.test_cards import CARDS, bank, receipt_of, responses, view_of
from tests.usecases.stage import strings

SCHEMA = load()
LANGUAGES = ("en", "zh", "zh-TW")

SCRIPTS = {
    "plain": "The key/value cache of a layer. ",
    "chinese": "缓存占用多少显存？",
    "right to left": "ذاكرة التخزين المؤقت \u202e‏עברית ",
    "combining": "Z\u0335\u0341\u0352\u0308a\u030a\u0323\u0301l\u0327\u0334g\u0489o\u0300\u0316 ",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈👍🏽1️⃣🇨🇳",
    "code": "`k_v[*]` ```\nfor i in range(8):\n    cache[i] = `x`\n``` ",
    "markup": "*b* _i_ ~s~ <!channel> <@U1> @everyone || # h\n> q\n- [x](https://e.example) &amp; \\ ",
    "broken code": "```py ` `` ``` ",
    "one word": "x",
    "lines": "a\n\n\nb\n",
    "formula": "softmax(QKᵀ/√dₖ)·V ≤ 2⁻⁴ ∑ᵢ αᵢ ",
}


def stretched(script: str, size: int) -> str:
    seed = SCRIPTS[script]
    return "Q " + (seed * (size // len(seed) + 1))[:size]


scripts = st.sampled_from(sorted(SCRIPTS))
sizes = st.sampled_from([1, 40, 300, 4000])
words = st.builds(stretched, scripts, sizes)
both = st.builds(Text, words, words)
keys = st.integers(2, 10).map(lambda count: LETTERS[:count].lower())


@st.composite
def questions(draw: st.DrawFn) -> Question:
    kind = draw(st.sampled_from(list(Kind)))
    values: dict[str, Any] = {}
    if kind in (Kind.SINGLE, Kind.MULTIPLE):
        shown = draw(keys)
        right = {shown[-1]} if kind is Kind.SINGLE else {*shown[:-1]}
        option = st.builds(lambda text, why: (text, why), both, both)
        values["options"] = tuple(Option(key, text, key in right, why) for key in shown for text, why in [draw(option)])
    elif kind is Kind.TRUE_FALSE:
        values["answer"] = draw(st.booleans())
    elif kind is Kind.BLANK:
        text = draw(both)
        values |= {"accept": {"en": (text.en,), "zh": (text.zh,)}, "shown": text}
    elif kind is Kind.NUMERIC:
        values["number"] = NumericKey(draw(st.sampled_from([0.0, -1e-9, 1e300, 517.0])), "MiB", 0.01)
    else:
        count = draw(st.integers(1, 12))
        values["rubric"] = tuple(RubricPoint(2, draw(both), {"en": ("a",), "zh": ("甲",)}) for _ in range(count))
        values["model_answer"] = draw(both)
    source = Source(draw(words)[:300], "§3", 2023, url="https://example.org/paper?a=1&b=2")
    return Question(
        id="q", kind=kind, topic="kv-cache", difficulty=5, prompt=draw(both), explanation=draw(both),
        discussion=draw(both), status=Status.PUBLISHED, sources=(source,) * draw(st.integers(1, 4)), **values,
    )  # fmt: skip


def shared(question: Question, languages: tuple[str, ...]) -> list[Card]:
    """Everything that stands in a channel or its thread."""
    view = view_of(question, languages, "together")
    view.round.reactions = question.kind.is_one_tap
    closed = ResultView(view_of(question, languages, "instant", closed=True), 5, None)
    return [CARDS.question(view), CARDS.closed(closed), CARDS.result(closed, None)]


def own(question: Question, language: str) -> tuple[list[Card], list[Form]]:
    """Everything that one member is shown."""
    view: RoundView = view_of(question, ("en",), "instant")
    cards, forms = [CARDS.today(Today(view, None), language)], [CARDS.answer_form(view, language)]
    for response in responses(question):
        stored = Stored(1, response.choices, response.text, 1.0, 1000, True, False, 0)
        cards.append(CARDS.today(Today(view, stored), language))
        cards.append(CARDS.verdict(receipt_of(view, response, revealed=True), view, language))
        cards.append(CARDS.verdict(receipt_of(view, response, revealed=False, outcome="recorded"), view, language))
    return cards, forms


def labels(card: Card) -> list[str]:
    return [button.label for part in card.parts if isinstance(part, Buttons) for button in part.buttons]


def on_slack(card: Card) -> dict[str, Any]:
    made = message(card)
    assert check_blocks(made["blocks"], "message") == []
    assert text_length(made["blocks"]) <= MESSAGE_TEXT
    json.dumps(made).encode()
    return made


@settings(max_examples=25, deadline=None)
@given(questions(), st.sampled_from([("en",), ("zh", "en")]))
def test_what_stands_in_the_channel_is_one_message_on_every_platform(
    question: Question, languages: tuple[str, ...]
) -> None:
    """Every button is there, and every letter beside its option."""
    for card in shared(question, languages):
        slack = json.dumps(on_slack(card)["blocks"], ensure_ascii=False)
        dressed = public(card, marks_of("key"))
        body = {"components": dressed.view.to_components(), "flags": 1 << 15}
        check_message(body)
        discord = json.dumps(body, ensure_ascii=False)
        for label in labels(card):
            assert json.dumps(label, ensure_ascii=False) in slack
            assert json.dumps(label, ensure_ascii=False) in discord
        for row in (row for part in card.parts if isinstance(part, Options) for row in part.rows):
            assert f'"text": "{row.letter}"' in slack
            assert f"**{row.letter}**" in discord


@settings(max_examples=15, deadline=None)
@given(questions(), st.sampled_from(LANGUAGES))
def test_what_a_member_is_shown_is_taken_by_every_platform(question: Question, language: str) -> None:
    """Verdicts and questions as messages and as windows, and the form to answer in."""
    cards, forms = own(question, language)
    for card in cards:
        on_slack(card)
        assert check_view(card_view(card, "Daily drill", "C1")) == []
        for dressed in private(card):
            check_message({"components": dressed.view.to_components(), "flags": 1 << 15})
    for form in forms:
        view = form_view(form, "C1")
        assert check_view(view) == []
        assert SCHEMA is None or SCHEMA.check_view(view) == []
        check_message({"components": modal(form, form.id).to_dict()["components"], "title": ""})


@pytest.mark.parametrize("question", bank(), ids=lambda question: question.id)
def test_no_question_that_ships_is_shortened_on_slack(question: Question) -> None:
    """Nor is its result or any verdict."""
    cards, _ = own(question, "en")
    for card in (*shared(question, ("en", "zh")), *shared(question, ("zh",)), *cards):
        made = json.dumps(message(card)["blocks"], ensure_ascii=False)
        assert made.count("…") == sum(text.count("…") for part in card.parts for text in strings(part))


def test_numbers_and_code_of_a_question_are_the_same_in_both_scripts() -> None:
    """Only Chinese is converted: letters, keycaps, numbers, code and addresses stay as they are."""
    for text in ('`软件["缓存"]`', "512 MiB 10⁻³", KEYCAPS[3], "https://example.org/缓存"[:20], "A, C"):
        assert traditional(text) == text
    assert traditional("软件 `软件` 缓存") == "軟體 `软件` 快取"


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_a_prompt_of_nine_thousand_characters_is_one_message_and_can_be_read_whole(script: str) -> None:
    """Also one of hundreds of small blocks of code."""
    text = Text(stretched(script, 9000), stretched(script, 9000))
    question = replace(bank()[0], kind=Kind.BLANK, prompt=text, accept={"en": ("x",)}, options=(), answer=None)
    view = view_of(question, ("en",), "instant")
    card = CARDS.question(view)
    on_slack(card)
    dressed = public(card, marks_of("key"))
    check_message({"components": dressed.view.to_components(), "flags": 1 << 15})
    ids = [item.custom_id for item in dressed.view.walk_children() if hasattr(item, "custom_id")]
    assert f"drill:read:{view.round.id}:" in ids
    for whole in private(CARDS.today(Today(view, None), "en")):
        check_message({"components": whole.view.to_components(), "flags": 1 << 15})
