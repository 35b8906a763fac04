"""The table of failures: what the ledger may conclude from each, seen through the real client."""

from __future__ import annotations

from typing import Any

import pytest

from bot.card import Card, Paragraph
from bot.chat import ChatError, Place
from tests.slack.team import Bot

CARD = Card("Hello", (Paragraph(("Hello",)),))


@pytest.mark.parametrize(
    ("fault", "outcome", "code"),
    [
        ({"retry_after": 7}, "retry", "ratelimited"),
        ({"error": "ratelimited"}, "retry", "ratelimited"),
        ({"error": "message_limit_exceeded"}, "retry", "message_limit_exceeded"),
        ({"error": "request_timeout"}, "retry", "request_timeout"),
        ({"error": "team_added_to_org"}, "retry", "team_added_to_org"),
        ({"error": "fatal_error"}, "unsure", "fatal_error"),
        ({"error": "internal_error"}, "unsure", "internal_error"),
        ({"error": "service_unavailable"}, "unsure", "service_unavailable"),
        ({"status": 500}, "unsure", "http_500"),
        ({"status": 502}, "unsure", "http_502"),
        ({"status": 504}, "unsure", "http_504"),
        ({"reset": "before"}, "unsure", "lost_reply"),
        ({"reset": "after"}, "unsure", "lost_reply"),
        ({"status": 404}, "permanent", "http_404"),
        ({"error": "channel_not_found"}, "permanent", "channel_not_found"),
        ({"error": "not_in_channel"}, "permanent", "not_in_channel"),
        ({"error": "is_archived"}, "permanent", "is_archived"),
        ({"error": "restricted_action"}, "permanent", "restricted_action"),
        ({"error": "msg_too_long"}, "permanent", "msg_too_long"),
        ({"error": "account_inactive"}, "retry", "account_inactive"),
        ({"error": "a_word_of_next_year"}, "permanent", "a_word_of_next_year"),
    ],
)
async def test_each_failure_says_what_may_be_concluded(
    bot: Bot, fault: dict[str, Any], outcome: str, code: str
) -> None:
    """One request, one failure, one conclusion; the SDK does not try again behind our back."""
    channel = bot.slack.add_channel("ml")
    bot.slack.fail("chat.postMessage", **fault)
    with pytest.raises(ChatError) as caught:
        await bot.app.chats["slack"].post(Place(bot.slack.workspace.id, channel.id), CARD, "k1")
    assert (caught.value.outcome, caught.value.code) == (outcome, code)
    tried = [call.outcome for call in bot.slack.calls if call.method == "chat.postMessage"]
    assert len(tried) == (2 if fault == {"reset": "after"} else 1)  # there the write is noted, and then the cut
    assert len(bot.slack.writes("chat.postMessage")) == (fault == {"reset": "after"})
    if "retry_after" in fault:
        assert caught.value.retry_after == 7


async def test_a_slack_that_cannot_be_reached_took_nothing(bot: Bot) -> None:
    """Where no connection was made, nothing was posted, and the ledger may simply try again."""
    channel = bot.slack.add_channel("ml")
    bot.running.standing.web.base_url = "http://127.0.0.1:9/api/"
    with pytest.raises(ChatError) as caught:
        await bot.app.chats["slack"].post(Place(bot.slack.workspace.id, channel.id), CARD, "k1")
    assert (caught.value.outcome, caught.value.code) == ("retry", "unreachable")


async def test_a_slack_that_does_not_answer_may_have_posted(bot: Bot) -> None:
    """A time-out after the request was sent says nothing."""
    import aiohttp

    channel = bot.slack.add_channel("ml")
    chat = bot.app.chats["slack"]
    bot.slack.fail("chat.postMessage", delay=0.6)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.2)) as impatient:
        bot.running.standing.web.session = impatient
        with pytest.raises(ChatError) as caught:
            await chat.post(Place(bot.slack.workspace.id, channel.id), CARD, "k1")
    assert (caught.value.outcome, caught.value.code) == ("unsure", "timeout")
    await bot.slack.until(lambda: bot.slack.calls[-1].method == "chat.postMessage")


async def test_an_admin_is_told_directly(bot: Bot) -> None:
    """A direct message opens the conversation it needs."""
    ada = bot.slack.add_user("ada")
    await bot.app.chats["slack"].tell(bot.slack.workspace.id, ada.id, CARD)
    (sent,) = bot.slack.writes("chat.postMessage")
    assert sent.channel.startswith("D")
