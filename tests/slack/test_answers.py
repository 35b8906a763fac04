"""Answering: every kind, privately, once, in the member's language, whatever happens in between."""

from __future__ import annotations

import asyncio

import pytest

from tests.slack.conftest import Start
from tests.slack.team import Bot, Way, said
from tests.standins.slack import SlackStandin
from tests.standins.slack.model import Channel, Message, User


async def posted(bot: Bot, kind: str, options: str = "") -> tuple[User, Channel, Message]:
    """A channel with one open question of this kind."""
    slack = bot.slack
    ada = slack.add_user("ada", is_admin=True)
    channel = slack.add_channel("ml", ada)
    await bot.setup(ada, channel, f"kinds={kind} time=09:00 zone=UTC {options}")
    await bot.after(hours=1)
    return ada, channel, bot.question(channel)


async def counted(bot: Bot, channel: Channel) -> str:
    await bot.after(seconds=5)
    return said(bot.question(channel))


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_ticks_are_sent_in_a_form(start: Start, way: Way) -> None:
    """A multiple choice opens checkboxes with every option in full; the modal then shows the verdict."""
    bot = await start(way)
    ada, channel, message = await posted(bot, "multiple")
    await bot.slack.tap(ada, message, "Answer")
    modal = await bot.slack.until(lambda: bot.seen(ada, channel).modal)
    assert modal is not None
    assert "Grouped queries" in bot.seen(ada, channel).text
    assert (await bot.slack.submit(ada, modal, {"answer": ["a", "c"]})).acknowledged
    shown = bot.seen(ada, channel).text
    assert "Right!" in shown
    assert "Because Eight bits is right." in shown
    assert "1 answered" in await counted(bot, channel)


@pytest.mark.parametrize(
    ("kind", "typed", "verdict"),
    [
        ("blank", " ZYZZYVA ", "Right!"),
        ("blank", "grasshopper", "Not this time."),
        ("numeric", "98,765 B", "Right!"),
        ("numeric", "9.9e4", "Not this time."),
        ("case", "I measure first.\nThen I page.", "model answer"),
    ],
)
async def test_words_and_numbers_are_sent_in_a_form(bot: Bot, kind: str, typed: str, verdict: str) -> None:
    """What cannot be tapped is typed, and the verdict comes back in the same window."""
    ada, channel, message = await posted(bot, kind)
    await bot.slack.tap(ada, message, "Answer")
    await bot.slack.until(lambda: bot.seen(ada, channel).modal)
    assert (await bot.slack.submit(ada, None, {"answer": typed})).acknowledged
    assert verdict in bot.seen(ada, channel).text
    assert "1 answered" in await counted(bot, channel)


async def test_an_empty_answer_is_said_under_its_field(bot: Bot) -> None:
    """A form that says nothing is not stored; the field says so and keeps what was typed."""
    ada, channel, message = await posted(bot, "blank")
    await bot.slack.tap(ada, message, "Answer")
    modal = await bot.slack.until(lambda: bot.seen(ada, channel).modal)
    assert modal is not None
    await bot.slack.submit(ada, modal, {"answer": "   "})
    assert modal.errors == {"answer": "That answer is empty. Choose or write something."}
    assert "0 answered" in await counted(bot, channel)


async def test_only_the_one_who_answered_sees_the_verdict(bot: Bot) -> None:
    """A verdict is an ephemeral message: no one else's client ever gets it, and the channel gets no new message."""
    ada, channel, message = await posted(bot, "single")
    ben = bot.slack.add_user("ben")
    channel.members.append(ben.id)
    await bot.slack.tap(ada, message, "B")
    await bot.note(ada, channel, "Right!")
    assert "Right!" not in bot.seen(ben, channel).text
    assert len(bot.slack.messages(channel, None)) == 1


async def test_a_double_click_is_one_answer(bot: Bot) -> None:
    """The first answer is final; a second tap shows the verdict on it again and earns nothing."""
    ada, channel, message = await posted(bot, "single")
    await bot.slack.tap(ada, message, "A")
    await bot.note(ada, channel, "Not this time.")
    await bot.slack.tap(ada, message, "B")
    again = await bot.note(ada, channel, "Your first answer stands.")
    assert "You answered: A" in said(again)
    assert "1 answered" in await counted(bot, channel)


async def test_a_payload_that_comes_twice_is_one_answer(bot: Bot) -> None:
    """Slack may deliver the same tap again, over another socket even."""
    ada, channel, message = await posted(bot, "single")
    reply = await bot.slack.tap(ada, message, "B")
    assert (await bot.slack.redeliver(reply)).acknowledged
    assert "1 answered" in await counted(bot, channel)


async def test_a_button_works_after_a_restart(start: Start, slack: SlackStandin) -> None:
    """All a button needs is in its value: a new process answers the message of an old one."""
    bot = await start()
    ada, channel, message = await posted(bot, "single")
    await bot.end()
    again = await start()
    await slack.tap(ada, message, "B")
    await again.note(ada, channel, "Right!")


async def test_a_button_of_an_unknown_round_is_told_kindly(bot: Bot) -> None:
    """A message from a database that is gone does not break anything."""
    ada, channel, message = await posted(bot, "single")
    for block in message.blocks:
        for element in block.get("elements", []):
            if element.get("value") == "answer:1:b":
                element["value"] = "answer:999:b"
    await bot.slack.tap(ada, message, "answer:999:b")
    await bot.note(ada, channel, "not known here any more")


async def test_a_chinese_member_reads_chinese(bot: Bot) -> None:
    """Private replies speak the language of the member's own client; the channel keeps its own."""
    _, channel, message = await posted(bot, "single")
    mei = bot.slack.add_user("mei", locale="zh-CN", tz="Asia/Shanghai")
    channel.members.append(mei.id)
    await bot.slack.tap(mei, message, "B")
    verdict = await bot.note(mei, channel, "理由：512 兆。")
    assert "Right" not in said(verdict)
    await bot.slack.command(mei, channel, "/drill", "today")
    today = await bot.note(mei, channel, "缓存占用多少内存？")
    assert "你的答案" in said(today) or "你答的是" in said(today) or "B" in said(today)


async def test_a_channel_in_two_languages_offers_the_other_one(bot: Bot) -> None:
    """The second language is a button that shows the question privately."""
    ada, channel, message = await posted(bot, "single", "language=en+zh")
    assert "每日一题" in said(message)
    await bot.slack.tap(ada, message, "中文")
    note = await bot.note(ada, channel, "缓存占用多少内存？")
    await bot.slack.tap(ada, note, "B")
    await bot.note(ada, channel, "Right!")


async def test_together_says_only_recorded_until_close(bot: Bot) -> None:
    """In *together* mode the last answer counts and nobody learns anything before close."""
    ada, channel, message = await posted(bot, "single", "mode=together window=2h")
    await bot.slack.tap(ada, message, "A")
    first = await bot.note(ada, channel, "Recorded: A")
    assert "Because" not in said(first)
    await bot.slack.tap(ada, message, "B")
    await bot.note(ada, channel, "Changed: B")
    await bot.after(hours=3)
    (result,) = bot.slack.messages(channel, message.ts)
    await bot.slack.tap(ada, result, "How did I do?")
    verdict = await bot.note(ada, channel, "Right!")
    assert verdict.thread_ts == message.ts


async def test_a_first_tap_waits_for_no_profile(bot: Bot) -> None:
    """Where Slack is slow to say who somebody is, their answer is stored under the name in the payload."""
    _, channel, message = await posted(bot, "single")
    ben = bot.slack.add_user("ben")
    channel.members.append(ben.id)
    bot.slack.fail("users.info", delay=3.5)
    assert (await bot.slack.tap(ben, message, "B")).acknowledged
    await bot.note(ben, channel, "Right!")


async def test_profiles_are_asked_for_once(bot: Bot) -> None:
    """However often somebody taps, Slack is asked for their profile once an hour."""
    _, channel, message = await posted(bot, "single")
    ben = bot.slack.add_user("ben")
    channel.members.append(ben.id)
    before = len([call for call in bot.slack.calls if call.method == "users.info"])
    for _ in range(4):
        await bot.slack.tap(ben, message, "B")
    assert len([call for call in bot.slack.calls if call.method == "users.info"]) == before + 1


async def test_many_people_at_once_are_all_counted(bot: Bot) -> None:
    """Forty taps in one moment are forty answers and one refresh of the message."""
    _, channel, message = await posted(bot, "single")
    people = [bot.slack.add_user(f"p{n}") for n in range(40)]
    channel.members += [person.id for person in people]
    replies = await asyncio.gather(*(bot.slack.tap(person, message, "ABCD"[n % 4]) for n, person in enumerate(people)))
    assert all(reply.acknowledged for reply in replies)
    assert "40 answered" in await counted(bot, channel)
    assert len(bot.slack.writes("chat.update")) == 1
