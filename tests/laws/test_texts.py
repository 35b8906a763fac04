"""Every sentence the bot can say stands in the Chinese catalogue, with the same values in it."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from bot.commands import COMMANDS
from bot.texts import LOCALE, texts

ROOT = Path(__file__).parents[2]


def sentences() -> set[str]:
    """String literals that are handed to a ``Texts`` (called ``t`` everywhere), and the help of commands."""
    found: set[str] = set()
    for path in sorted((ROOT / "bot").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func
            is_text = (
                (isinstance(called, ast.Name) and called.id == "t")
                or (isinstance(called, ast.Attribute) and called.attr == "n" and getattr(called.value, "id", "") == "t")
                or (isinstance(called, ast.Call) and getattr(called.func, "id", "") == "texts")
            )
            if is_text and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                found.add(node.args[0].value)
    for command in COMMANDS:
        found |= {command.help, *(option.help for option in command.options)}
    return found


@pytest.fixture(scope="module")
def catalogue() -> dict[str, str]:
    with (LOCALE / "zh" / "LC_MESSAGES" / "drills.po").open("rb") as file:
        return {
            (message.id if isinstance(message.id, str) else message.id[0]): (
                message.string if isinstance(message.string, str) else message.string[0]
            )
            for message in read_po(file, locale="zh")
            if message.id
        }


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_sentence_has_a_chinese_one(catalogue: dict[str, str]) -> None:
    found = sentences()
    assert len(found) > 100
    assert sorted(found - {sentence for sentence, chinese in catalogue.items() if chinese}) == []


def test_chinese_sentences_take_the_same_values(catalogue: dict[str, str]) -> None:
    assert {english: chinese for english, chinese in catalogue.items() if fields(english) != fields(chinese)} == {}


def test_a_sentence_is_said_in_chinese_with_its_plural() -> None:
    assert texts("zh").n("{count} answered", "{count} answered", 3) == "3 人已作答"
    assert texts("en").n("{count} question fits.", "{count} questions fit.", 1) == "1 question fits."
