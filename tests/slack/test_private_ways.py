"""Private replies find a way: a response_url that is spent, a trigger that is over, a channel without the bot; and
look-ups of apps to which Slack gives little of a channel's history.
"""

from __future__ import annotations

from tests.slack.team import Bot, said
from tests.slack.test_answers import posted
from tests.slack.test_delivery import ready


async def test_where_the_response_url_takes_nothing_the_reply_comes_as_an_ephemeral_message(bot: Bot) -> None:
    """Slack takes five uses in half an hour."""
    ada, channel, message = await posted(bot, "single")
    bot.slack.fail("response_url", status=404, times=2)
    await bot.slack.tap(ada, message, "B")
    await bot.note(ada, channel, "Right!")
    assert len([call for call in bot.slack.calls if call.method == "chat.postEphemeral"]) == 1


async def test_where_that_cannot_be_either_it_is_a_direct_message(bot: Bot) -> None:
    """The person was told nothing yet, and hears it once."""
    ada, _, message = await posted(bot, "single")
    bot.slack.fail("response_url", status=404, times=2)
    bot.slack.fail("chat.postEphemeral", error="user_not_in_channel")
    await bot.slack.tap(ada, message, "B")
    space = bot.slack.core.space_of(ada.id)

    def told() -> list[str]:
        return [said(m) for place in space.channels.values() if place.is_im for m in place.messages.values()]

    await bot.slack.until(lambda: told())
    assert len(told()) == 1
    assert "Right!" in told()[0]


async def test_a_form_whose_trigger_is_over_can_be_asked_for_again(bot: Bot) -> None:
    """A sentence with a button instead of silence; the button opens the form."""
    ada, channel, message = await posted(bot, "numeric")
    bot.slack.fail("views.open", error="expired_trigger_id")
    await bot.slack.tap(ada, message, "Answer")
    note = await bot.note(ada, channel, "Slack did not open the form in time.")
    assert bot.slack.seen_by(ada, channel).modals == []
    await bot.slack.tap(ada, note, "Open the form")
    await bot.slack.until(lambda: bot.slack.seen_by(ada, channel).modals)
    bot.slack.fail("views.open", error="expired_trigger_id")
    bot.slack.reload(ada)
    await bot.slack.command(ada, channel, "/drill", "settings")
    await bot.note(ada, channel, "Your settings")


async def test_a_command_is_answered_where_the_bot_is_not_and_in_direct_messages(bot: Bot) -> None:
    """A slash command works everywhere; what it is about is said."""
    ada = bot.slack.add_user("ada")
    elsewhere = bot.slack.add_channel("elsewhere", ada)
    elsewhere.members.remove(bot.slack.bot.id)
    await bot.slack.command(ada, elsewhere, "/drill", "today")
    await bot.note(ada, elsewhere, "no drills yet")


async def test_a_look_up_with_one_page_a_minute_comes_to_its_end(bot: Bot) -> None:
    """Fifteen messages a minute: the search goes on where it stood, and nothing is posted again meanwhile."""
    channel = await ready(bot)
    bot.slack.limits(on=True, commercial=True)
    bot.slack.fail("chat.postMessage", reset="after", channel=channel.id)
    await bot.beat()
    ada = next(user for user in bot.slack.core.space_of(channel.members[0]).users.values() if not user.is_bot)
    for number in range(40):
        await bot.slack.say(ada, channel, f"chatter {number}")
    for _ in range(12):
        await bot.after(seconds=61)
    assert len(bot.slack.writes("chat.postMessage", channel.id)) == 1
    looked = [call.outcome for call in bot.slack.calls if call.method == "conversations.history"]
    assert looked.count("ok") >= 3
    assert "1 answered" not in said(bot.question(channel))
    await bot.after(hours=1)
    assert len(bot.slack.writes("chat.postMessage", channel.id)) == 1
