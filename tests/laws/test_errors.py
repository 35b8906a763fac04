"""The tables of error codes, their sentences and their page say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.card import Buttons
from bot.cards.trouble import lacking, notice, reason, sentences
from bot.discord.errors import MEANINGS as DISCORD
from bot.drill.trouble import CURES, cure
from bot.slack.errors import MEANINGS as SLACK
from bot.texts import texts
from tests.laws.errors_page import page

ROOT = Path(__file__).parents[2]
NOTICES = ["missed", "used-up", "failing", "parked", "check", "shared", "post-unsure", "result-refused"]


def test_the_page_is_made_from_the_tables() -> None:
    written = (ROOT / "docs" / "errors.md").read_text("utf-8")
    assert written == page(), "python -m tests.laws.errors_page > docs/errors.md"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_cure_has_one_sentence(language: str) -> None:
    """It says what is wrong and what to do, in the language of whoever reads it, and ends."""
    said = sentences(texts(language))
    assert set(CURES) - {"unknown"} <= set(said)
    for name in CURES:
        sentence = said.get(name, "")
        assert name == "unknown" or sentence.endswith("。" if language == "zh" else "."), name


def test_no_cure_is_without_a_code_or_a_check() -> None:
    """Each is named by a table, or by what is looked at before a schedule is saved."""
    named = {meaning.cure for meaning in (*SLACK.values(), *DISCORD.values())}
    looked_at = {"direct", "shared", "left", "unreadable", "unknown"}
    assert set(CURES) == named | looked_at


def test_a_code_that_nobody_knows_is_said_as_it_is() -> None:
    t = texts("en")
    assert reason("odd_code", t) == "the platform refused (odd_code)."
    assert reason("unknown:odd_code", t) == "the platform refused (odd_code)."
    assert reason("archived:is_archived", t) == reason("is_archived", t) == reason("archived", t)
    assert cure("no such cure") == CURES["unknown"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "code", ["missed", "used-up", "failing", "parked", "check", "shared", "post-unsure", "x-refused"]
)
def test_every_notice_can_be_said(code: str, language: str) -> None:
    detail = {"reason": "archived:is_archived", "dates": ["2026-11-30"], "cures": ["files", "send"], "schedule": 1}
    card = notice(code, detail, "#drills", language)
    assert "#drills" in card.text
    assert any(isinstance(part, Buttons) for part in card.parts) == (code == "parked")
    tried = notice(code, {**detail, "delivery": 7}, "#drills", language)
    assert [b.action for part in tried.parts if isinstance(part, Buttons) for b in part.buttons] == ["retry:7"]


def test_a_channel_that_lacks_nothing_is_said_nothing_of() -> None:
    t = texts("en")
    assert lacking((), t) == []
    assert lacking(("no such cure",), t) == []
    assert len(lacking(("shared",), t)) == 1
    assert len(lacking(("files", "shared"), t)) == 3
