"""What Slack may do to a post, and what becomes of it: never two, never none in silence."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest

from bot.card import Card, Image, Paragraph
from bot.chat import ChatError, Message, Place
from tests.slack.conftest import Start
from tests.slack.team import Bot, said
from tests.slack.test_answers import posted
from tests.standins.slack import SlackStandin
from tests.standins.slack.model import Channel

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
PICTURE = Image(PNG, "Board of the week: 1. Ada, 15 points.", "board.png")


def card(*parts: object) -> Card:
    return Card("A board", (Paragraph(("Here it is.",)), *parts))  # type: ignore[arg-type]


async def ready(bot: Bot) -> Channel:
    """A channel whose question is due with the next beat."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.setup(ada, channel, "kinds=single time=09:00 zone=UTC")
    bot.clock.forward(timedelta(hours=1))
    return channel


async def settle(bot: Bot) -> None:
    for _ in range(6):
        await bot.after(seconds=61)


async def test_a_lost_reply_is_one_message(bot: Bot) -> None:
    """Slack took the post and the answer was lost: the bot looks it up by its key and does not post again."""
    channel = await ready(bot)
    bot.slack.fail("chat.postMessage", reset="after")
    await bot.beat()
    await settle(bot)
    assert len(bot.slack.messages(channel)) == 1
    assert len(bot.slack.writes("chat.postMessage", channel.id)) == 1
    assert any(call.method == "conversations.history" for call in bot.slack.calls)


async def test_a_lost_reply_in_a_thread_is_one_message(bot: Bot) -> None:
    """The result in the thread is looked up in the thread."""
    channel = await ready(bot)
    await bot.beat()
    (message,) = bot.slack.messages(channel)
    bot.slack.fail("chat.postMessage", reset="after", channel=channel.id)
    await bot.after(hours=24)
    await settle(bot)
    assert len(bot.slack.messages(channel, message.ts)) == 1
    assert any(call.method == "conversations.replies" for call in bot.slack.calls)


@pytest.mark.parametrize("fault", [{"reset": "before"}, {"status": 503}, {"error": "fatal_error"}])
async def test_what_may_have_been_posted_is_looked_up_and_then_posted(bot: Bot, fault: dict[str, object]) -> None:
    """Slack did not take the post, but nobody could know: after the look-up it is posted, once."""
    channel = await ready(bot)
    bot.slack.fail("chat.postMessage", **fault)  # type: ignore[arg-type]
    await bot.beat()
    await settle(bot)
    assert len(bot.slack.writes("chat.postMessage", channel.id)) == 1


async def test_a_crash_between_post_and_record_is_one_message(start: Start, slack: SlackStandin) -> None:
    """The process ends while Slack takes its time; the next one finds the message."""
    bot = await start()
    channel = await ready(bot)
    slack.fail("chat.postMessage", delay=0.5, late=True)
    beat = asyncio.create_task(bot.beat())
    await slack.until(lambda: slack.messages(channel))
    beat.cancel()
    await asyncio.gather(beat, return_exceptions=True)
    await bot.end()
    again = await start()
    await settle(again)
    assert len(slack.writes("chat.postMessage", channel.id)) == 1


async def test_slack_is_given_the_time_it_asks_for(bot: Bot) -> None:
    """After a 429 nothing is posted before Retry-After is over."""
    channel = await ready(bot)
    bot.slack.fail("chat.postMessage", retry_after=30)
    await bot.beat()
    await bot.after(seconds=20)
    assert [call.outcome for call in bot.slack.calls if call.method == "chat.postMessage"] == ["ratelimited"]
    await bot.after(seconds=15)
    assert len(bot.slack.messages(channel)) == 1


async def test_an_archived_channel_is_told_to_the_admin_once(bot: Bot) -> None:
    """A refusal for good is one attempt and one private message that says what is wrong."""
    channel = await ready(bot)
    channel.is_archived = True
    await bot.beat()
    await settle(bot)
    assert [call.outcome for call in bot.slack.calls if call.method == "chat.postMessage"].count("is_archived") == 1
    bot.slack.violations.clear()  # Posting to an archived channel is what this test is about.
    told = bot.slack.writes("chat.postMessage")
    assert len(told) == 1
    assert "the channel is archived" in str(told[0].payload["blocks"])


async def test_a_fresh_file_that_slack_does_not_know_yet_is_waited_for(bot: Bot) -> None:
    """Slack finishes an upload after it says so; the message is tried again and has its picture."""
    channel = bot.slack.add_channel("ml")
    chat = bot.app.chats["slack"]
    place = Place(bot.slack.workspace.id, channel.id)
    bot.slack.fail("chat.postMessage", error="invalid_blocks", times=2)
    await chat.post(place, card(PICTURE), "k1")
    (message,) = bot.slack.messages(channel)
    assert message.blocks[1]["slack_file"]["id"]
    assert message.blocks[1]["alt_text"] == PICTURE.alt


async def test_a_picture_that_is_never_shown_is_said_in_words(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    """A picture is worth no post: without it the message still comes, with the picture's text."""
    channel = bot.slack.add_channel("ml")
    chat = bot.app.chats["slack"]
    chat._sleep = _no_time  # type: ignore[attr-defined]
    bot.slack.fail("chat.postMessage", error="invalid_blocks", times=5)
    await chat.post(Place(bot.slack.workspace.id, channel.id), card(PICTURE), "k1")
    (message,) = bot.slack.messages(channel)
    assert PICTURE.alt in said(message)
    assert "goes without it" in caplog.text


async def _no_time(_: float) -> None:
    return None


async def test_without_the_right_to_upload_the_text_is_sent(bot: Bot) -> None:
    """A missing scope costs the picture, not the board."""
    bot.slack.workspace.scopes.remove("files:write")
    channel = bot.slack.add_channel("ml")
    await bot.app.chats["slack"].post(Place(bot.slack.workspace.id, channel.id), card(PICTURE), "k1")
    (message,) = bot.slack.messages(channel)
    assert PICTURE.alt in said(message)
    bot.slack.violations.clear()  # The refused upload is what this test is about.


@pytest.mark.parametrize("fault", [{"status": 500}, {"reset": "before"}])
async def test_an_upload_that_fails_leaves_the_whole_post_to_be_tried_again(bot: Bot, fault: dict[str, object]) -> None:
    """Nothing stands in the channel yet, so the ledger may simply try again."""
    channel = bot.slack.add_channel("ml")
    bot.slack.fail("upload", **fault)  # type: ignore[arg-type]
    with pytest.raises(ChatError) as caught:
        await bot.app.chats["slack"].post(Place(bot.slack.workspace.id, channel.id), card(PICTURE), "k1")
    assert caught.value.outcome == "retry"
    assert bot.slack.messages(channel) == []


async def test_a_key_is_found_however_many_messages_came_after_it(bot: Bot) -> None:
    """The look-up reads page after page, and stops at a limit without guessing."""
    ada = bot.slack.add_user("ada")
    channel = bot.slack.add_channel("ml", ada)
    chat, place = bot.app.chats["slack"], Place(bot.slack.workspace.id, channel.id)
    since = bot.clock.now()
    sent = await chat.post(place, card(), "k1")
    for n in range(230):
        await bot.slack.say(ada, channel, f"message {n}")
    assert await chat.find(place, "k1", since - timedelta(minutes=2)) == sent
    assert await chat.find(place, "k2", since - timedelta(minutes=2)) is None
    assert await chat.find(place, "k1", since + timedelta(hours=1)) is None
    assert await chat.find(place, "k2", since, Message("1.000001")) is None
    # Where the thread's question is gone its result may stand in the channel.
    assert await chat.find(place, "k1", since, Message("1.000001")) == sent


async def test_another_apps_message_with_our_key_is_not_ours(bot: Bot) -> None:
    """Anyone's app may write any metadata; it must not make us believe that we posted."""
    channel = bot.slack.add_channel("ml")
    chat, place = bot.app.chats["slack"], Place(bot.slack.workspace.id, channel.id)
    await chat.post(place, card(), "k1")
    bot.slack.messages(channel)[0].bot = "B000000666"
    assert await chat.find(place, "k1", bot.clock.now() - timedelta(minutes=2)) is None


async def test_an_edit_keeps_the_key(bot: Bot) -> None:
    """A message that was edited can still be looked up."""
    channel = bot.slack.add_channel("ml")
    chat, place = bot.app.chats["slack"], Place(bot.slack.workspace.id, channel.id)
    since = bot.clock.now() - timedelta(minutes=2)
    sent = await chat.post(place, card(), "k1")
    await chat.edit(place, sent, Card("Other", (Paragraph(("Other.",)),)))
    assert await chat.find(place, "k1", since) == sent
    assert said(bot.slack.messages(channel)[0]) == "Other."


async def test_another_workspaces_message_is_never_sent_here(bot: Bot) -> None:
    """A database that knows another workspace cannot make this token post for it."""
    channel = bot.slack.add_channel("ml")
    with pytest.raises(ChatError) as caught:
        await bot.app.chats["slack"].post(Place("T_OTHER", channel.id), card(), "k1")
    assert (caught.value.outcome, caught.value.code) == ("retry", "not_installed")
    assert bot.slack.writes("chat.postMessage") == []
    assert "slack" in bot.app.chats, "its own workspace is served as before"


async def test_a_removed_app_sends_nothing_more(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    """After the app is uninstalled not one request carries the dead token; what is due waits in the ledger."""
    await ready(bot)
    await bot.slack.uninstall()
    await bot.slack.until(lambda: "slack" not in bot.app.chats)
    before = len(bot.slack.calls)
    await settle(bot)
    assert bot.slack.calls[before:] == []
    assert "DRILLS_SLACK_BOT_TOKEN" in caplog.text


async def test_a_token_that_was_revoked_without_a_word_is_used_once_more_at_most(bot: Bot) -> None:
    """The first refusal of the token parks everything else."""
    await ready(bot)
    bot.slack.workspace.revoked = "token_revoked"
    await bot.beat()
    await settle(bot)
    assert [call.outcome for call in bot.slack.calls].count("token_revoked") == 1
    bot.slack.violations.clear()


async def test_a_verdict_comes_by_the_slower_way_when_the_fast_one_fails(
    bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the response_url takes nothing, the private reply is posted as an ephemeral message."""
    caplog.set_level(logging.INFO)
    ada, channel, message = await posted(bot, "single")
    bot.slack.fail("response_url", status=404)
    await bot.slack.tap(ada, message, "B")
    await bot.note(ada, channel, "Right!")
    assert len(bot.slack.writes("chat.postEphemeral")) == 1
    bot.slack.fail("response_url", retry_after=1)
    await bot.slack.tap(ada, message, "B")
    await bot.note(ada, channel, "Your first answer stands.")
    assert len(bot.slack.writes("chat.postEphemeral")) == 1
