"""What goes wrong in Slack itself: deleted questions, channels that lack something, messages that may have arrived."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.card import Card, Paragraph
from bot.chat import ChatError, Message, Place
from bot.drill.trouble import CURES
from bot.slack.checks import lacks, scopes_of
from bot.slack.errors import COMMON, MEANINGS, METHODS, meaning_of
from tests.slack.team import Bot, said
from tests.slack.test_delivery import card, ready, settle


async def test_the_result_of_a_deleted_question_stands_in_the_channel(bot: Bot) -> None:
    """Nobody has to do anything: the round closes without its message, members see how it ended."""
    channel = await ready(bot)
    await bot.beat()
    (question,) = bot.slack.messages(channel)
    bot.slack.delete_message(channel, question.ts)
    await bot.after(hours=24)
    await settle(bot)
    shown = [said(message) for message in bot.slack.messages(channel)]
    assert any("How did I do?" in text for text in shown)
    told = [write for write in bot.slack.writes("chat.postMessage") if write.channel.startswith("D")]
    assert not any("could not be shown" in str(write.payload) for write in told)


async def test_a_result_that_went_to_the_channel_is_found_there(bot: Bot) -> None:
    """Its thread is gone and the reply was lost: it is not posted a second time."""
    channel = bot.slack.add_channel("ml")
    place, chat = Place(bot.slack.workspace.id, channel.id), bot.app.chats["slack"]
    gone = Message("1700000000.000100")
    since = bot.clock.now() - timedelta(hours=1)
    posted = await chat.reply(place, gone, card(), "k1")
    assert posted.thread == ""
    assert await chat.find(place, "k1", since, gone) == posted
    assert await chat.find(place, "k2", since, gone) is None


async def test_what_a_channel_lacks_is_seen_without_posting(bot: Bot) -> None:
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    chat, place = bot.app.chats["slack"], Place(bot.slack.workspace.id, channel.id)
    assert list(await chat.check(place, reactions=True)) == []
    channel.members.remove(bot.slack.workspace.bot_user)
    assert list(await chat.check(place)) == ["uninvited"]
    channel.is_archived = True
    assert list(await chat.check(place)) == ["archived"]
    assert list(await chat.check(Place(place.workspace, "C404"))) == ["unseen"]
    space = bot.slack.workspace
    space.scopes[:] = [scope for scope in space.scopes if not scope.endswith(":read")]
    assert list(await chat.check(place)) == ["scope"]
    bot.slack.violations.clear()  # An app without its scopes is what this is about.
    assert bot.slack.writes("chat.postMessage") == []


async def test_a_check_that_cannot_be_made_now_says_so(bot: Bot) -> None:
    channel = bot.slack.add_channel("ml")
    bot.slack.fail("conversations.info", retry_after=9)
    with pytest.raises(ChatError) as limited:
        await bot.app.chats["slack"].check(Place(bot.slack.workspace.id, channel.id))
    assert (limited.value.outcome, limited.value.cure) == ("retry", "busy")


@pytest.mark.parametrize(
    ("channel", "scopes", "missing"),
    [
        ({"is_member": True}, None, []),
        ({"is_im": True}, None, ["direct"]),
        ({"is_mpim": True, "is_member": True}, None, ["direct"]),
        ({"is_member": True, "is_ext_shared": True}, None, ["shared"]),
        ({"is_member": True, "is_read_only": True}, None, ["restricted"]),
        ({"is_member": True, "is_non_threadable": True}, None, ["threads"]),
        ({"is_member": True}, ["chat:write", "files:write", "channels:history"], ["react"]),
        (
            {"is_member": True, "is_private": True},
            ["chat:write", "files:write", "channels:history"],
            ["scope", "react"],
        ),
        ({}, [], ["uninvited", "scope", "react"]),
    ],
)
def test_what_slack_says_of_a_channel_is_read(
    channel: dict[str, object], scopes: list[str] | None, missing: list[str]
) -> None:
    assert lacks(channel, scopes, reactions=True) == missing


def test_scopes_are_read_from_any_answer() -> None:
    assert scopes_of({"X-OAuth-Scopes": "chat:write, commands"}) == ["chat:write", "commands"]
    assert scopes_of({"Date": "now"}) is None
    assert scopes_of(None) is None


async def test_a_message_that_may_have_been_told_is_looked_for(bot: Bot) -> None:
    """By its text, among the bot's own; where the app may not read there, nobody can say."""
    ada = bot.slack.add_user("ada")
    chat, workspace = bot.app.chats["slack"], bot.slack.workspace.id
    note, other = Card("A & B <c>", (Paragraph(("A & B <c>",)),)), Card("Other", (Paragraph(("Other",)),))
    since = bot.clock.now() - timedelta(minutes=1)
    await chat.tell(workspace, ada.id, note)
    if "im:history" not in bot.slack.workspace.scopes:
        assert await chat.was_told(workspace, ada.id, note, since) is None
        bot.slack.workspace.scopes.append("im:history")
    assert await chat.was_told(workspace, ada.id, note, since) is True
    assert await chat.was_told(workspace, ada.id, other, since) is False
    assert await chat.was_told(workspace, ada.id, note, bot.clock.now() + timedelta(hours=1)) is False


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_code_of_every_call_has_its_meaning() -> None:
    """And every meaning belongs to a call, and names a cure that has a sentence."""
    listed = {*COMMON, *(code for codes in METHODS.values() for code in codes)}
    assert listed == set(MEANINGS)
    assert {meaning.cure for meaning in MEANINGS.values()} <= set(CURES)


@pytest.mark.parametrize(
    ("code", "cure"),
    [
        ("restricted_action_by_moon_phase", "restricted"),
        ("slack_connect_songs_blocked", "files"),
        ("invalid_moon", "defect"),
        ("title_too_long", "defect"),
        ("user_on_the_moon", "person-gone"),
        ("never_heard_of", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_code_that_nobody_listed_is_final_and_has_a_sound_cure(code: str, cure: str) -> None:
    assert (meaning_of(code).outcome, meaning_of(code).cure) == ("permanent", cure)


def test_only_what_can_pass_by_itself_is_tried_again() -> None:
    """Nothing that a person must mend is repeated against Slack; nothing that passes is given up."""
    for code, meaning in MEANINGS.items():
        assert (meaning.outcome == "permanent") == (meaning.cure not in ("busy", "outage", "clash")), code
