"""A file in a card is for one person: no platform puts it into a channel, and one that cannot be sent is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.card import Card, File, Paragraph
from bot.chat import Place
from bot.discord import outbound
from bot.web.playground.journal import from_plain, to_plain
from content.library import Library
from tests.contracts.on_slack import slack_stage
from tests.contracts.stage import BEN, question, set_up
from tests.slack.bank import SINGLE

FILE = File("my data.json", "application/json", b'{"a": "\xe7\xad\x94"}')
CARD = Card("data", (Paragraph(("Here:",)), FILE))


def test_it_survives_the_playgrounds_journal() -> None:
    assert from_plain(to_plain(CARD)) == CARD


def test_discord_attaches_it_to_a_private_message_and_to_no_other() -> None:
    (dressed,) = outbound.private(CARD)
    (attached,) = dressed.files
    assert attached.filename == "my-data.json"
    assert attached.fp.read() == FILE.data
    assert "attachment://my-data.json" in str(dressed.view.to_components())
    with pytest.raises(ValueError, match="one person"):
        outbound.public(CARD)


async def test_slack_refuses_it_in_a_channel_and_sends_it_directly(tmp_path: Path) -> None:
    """With the direct message that speaks of it."""
    async with slack_stage(tmp_path, Library.of((SINGLE,)), "http") as stage:
        chat, user = stage.app.chats["slack"], stage.users[BEN]
        place = Place(stage.slack.workspace.id, stage._channel.id)
        with pytest.raises(ValueError, match="one person"):
            await chat.post(place, CARD, "key")
        assert await stage.channel() == []
        await chat.tell(place.workspace, user.id, CARD)
        direct = stage.slack.core.im(stage.slack.workspace, user.id)
        (file,) = [f for f in stage.slack.workspace.files.values() if f.channels == [direct.id]]
        assert file.content == FILE.data


async def test_a_file_that_slack_does_not_take_is_told_and_the_member_can_ask_again(tmp_path: Path) -> None:
    """Nothing says that it was sent when it was not."""
    async with slack_stage(tmp_path, Library.of((SINGLE,)), "http") as stage:
        await set_up(stage)
        await stage.tap(BEN, await question(stage), "B")
        stage.slack.fail("files.completeUploadExternal", error="internal_error")
        told = await stage.command(BEN, "export")
        assert "in this file" not in told.text
        assert "in this file" in (await stage.command(BEN, "export")).text
