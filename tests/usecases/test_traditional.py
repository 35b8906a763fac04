"""Readers in Taiwan and Hong Kong see traditional characters; what people wrote, code and ids stay as they are."""

from __future__ import annotations

import string
from datetime import date

import pytest
from babel.messages.pofile import read_po

from bot.chat import Command
from bot.texts import LOCALE, language_of, texts
from content.library import default_bank_path
from content.loader import load_bank
from content.question import Text
from content.traditional import traditional
from tests.usecases.stage import HERE, Stage, said
from tests.usecases.test_answers import post


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("zh-TW", "zh-TW"), ("zh_TW", "zh-TW"), ("zh-HK", "zh-TW"), ("zh-Hant", "zh-TW"), ("zh-Hant-HK", "zh-TW"),
        ("zh-Hans-HK", "zh"), ("zh-CN", "zh"), ("zh", "zh"), ("zh-SG", "zh"), ("en-GB", "en"), ("de", "en"), ("", "en"),
        ("zha", "en"),
    ],
)  # fmt: skip
def test_a_locale_is_read_as_its_script(locale: str, language: str) -> None:
    assert language_of(locale) == language


def test_texts_are_converted_before_values_come_in() -> None:
    """A name in simplified characters stays as its owner writes it."""
    t = texts("zh-TW")
    assert "张云" in t("Topics like “{text}”", text="张云")
    assert t.n("{count} answered", "{count} answered", 3) == "3 人已作答"
    assert t.day(date(2026, 11, 30)) == "11月30日週一"
    assert t.list(["一", "二"]) == "一、二"


def test_every_sentence_keeps_its_values_in_traditional_characters() -> None:
    """The law of the simplified catalogue holds for what is made of it."""
    with (LOCALE / "zh" / "LC_MESSAGES" / "drills.po").open("rb") as file:
        messages = [message for message in read_po(file, locale="zh") if message.id]
    assert len(messages) > 300
    for message in messages:
        for text in message.string if isinstance(message.string, tuple) else (message.string,):
            before = {name for _, name, _, _ in string.Formatter().parse(str(text)) if name is not None}
            after = {name for _, name, _, _ in string.Formatter().parse(traditional(str(text))) if name is not None}
            assert before == after, text


def test_questions_are_converted_when_they_are_shown_and_code_is_not() -> None:
    assert Text("cache", "缓存占用`内存`多少？").get("zh-TW") == "快取佔用`内存`多少？"
    assert Text("cache", "").get("zh-TW") == "cache"
    for question in load_bank(default_bank_path()):
        shown = question.prompt.get("zh-TW")
        assert shown.count("`") == question.prompt.zh.count("`")
        assert [c for c in shown if c.isdigit()] == [c for c in question.prompt.zh if c.isdigit()]


def test_terms_of_the_field_keep_their_meaning() -> None:
    """Parameters are no arguments of a call, activations are not switched on."""
    text = "7B 参数的模型不计激活，损失函数、残差连接、循环神经网络、集成学习、缓存"
    assert traditional(text) == "7B 參數的模型不計激活，損失函數、殘差連接、循環神經網路、集成學習、快取"


def test_a_reader_of_traditional_characters_is_answered_in_them(stage: Stage) -> None:
    """Verdict, mistakes and help; what is typed in traditional characters is graded as ever."""
    round_id = post(stage, "blank")
    reader = stage.who("lin", language="zh-TW")
    verdict = said(stage.send("lin", f"answer:{round_id}", "交叉熵", language="zh-TW"))
    assert "答對了" in verdict
    assert "交叉熵" in verdict
    assert "週排行榜" in said(stage.hear(Command(reader, HERE, "board", {})))
    assert "只有本工作區" in said(stage.hear(Command(reader, HERE, "skip", {})))
    assert "不是日期" in said(
        stage.hear(Command(stage.who("lin", language="zh-HK", admin=True), HERE, "skip", {"date": "x"}))
    )


def test_the_language_that_is_chosen_wins_over_the_client(stage: Stage) -> None:
    round_id = post(stage, "single")
    stage.typed("noor", "settings language=zh-TW")
    assert "這次沒答對" in said(stage.tap("noor", f"answer:{round_id}:a", language="en-US"))
