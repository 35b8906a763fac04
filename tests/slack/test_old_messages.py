"""A tap on a message of any age, after any restart, is answered in time; however often it comes, it counts once."""

from __future__ import annotations

import asyncio
import time
from functools import partial

import pytest

from bot.chat import Happening
from bot.talk import BUTTONS
from storage.tables import Answer, Round
from tests.slack.conftest import Start, StartMany
from tests.slack.many import people, ready, rows
from tests.slack.team import Bot, Way, said
from tests.slack.test_answers import posted
from tests.standins.slack import SlackStandin
from tests.standins.slack.delivery import HttpTransport
from tests.standins.slack.model import JSON, Message, User

IN_TIME = 3.0
"""Seconds that Slack gives a tap."""


async def tapped(bot: Bot, user: User, message: Message, wanted: str) -> None:
    reply = await bot.slack.tap(user, message, wanted)
    assert reply.acknowledged
    assert reply.seconds < IN_TIME


def later(seconds: float) -> float:
    return time.time() + seconds


def button(message: Message) -> JSON:
    """The first button under the message; a test gives it another value, as an old or a forged one has."""
    return next(e for block in message.blocks for e in block.get("elements", []) if e.get("type") == "button")


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_a_round_that_closed_weeks_ago_answers_for_itself(start: Start, slack: SlackStandin, way: Way) -> None:
    """By a new process, on a message that still shows its buttons: feedback, but no answer any more."""
    bot = await start(way)
    ada, channel, message = await posted(bot, "single")
    shown = [dict(block) for block in message.blocks]
    await bot.after(days=45)
    await bot.end()
    again = await start(way)
    await again.beat()
    message.blocks = shown  # a client that never saw the edit
    await tapped(again, ada, message, "B")
    await again.note(ada, channel, "closed")
    assert rows(again, Answer) == []


async def test_how_did_i_do_works_for_ever(start: Start, slack: SlackStandin) -> None:
    bot = await start()
    ada, channel, message = await posted(bot, "single", "mode=together")
    await bot.slack.tap(ada, message, "B")
    await bot.note(ada, channel, "Recorded")
    await bot.after(days=1, hours=1)
    (result,) = slack.messages(channel, message.ts)
    await bot.end()
    again = await start()
    await again.after(days=60)
    await tapped(again, ada, result, "How did I do?")
    await again.note(ada, channel, "Right!")


async def test_a_channel_that_is_gone_leaves_its_buttons_answered(bot: Bot) -> None:
    """Its drills ended; what was asked there is still told to whoever asks."""
    ada, channel, message = await posted(bot, "single")
    workspace = bot.slack.workspace.id
    await bot.app.conversation.happened(Happening("slack", workspace, "channel_deleted", channel.id))
    await bot.after(days=3)
    await tapped(bot, ada, message, "B")
    await bot.note(ada, channel, "closed")


async def test_another_workspaces_round_tells_nothing(start_many: StartMany, slack: SlackStandin) -> None:
    """The id in a button is a claim of the client: it opens no other workspace's question."""
    many = await start_many()
    beta = slack.add_workspace("Beta")
    ada, alpha_channel = people(slack, slack.workspace, "ada")
    bea, beta_channel = people(slack, beta, "bea")
    await many.install(slack.workspace, ada)
    await many.install(beta, bea)
    await ready(many, ada, alpha_channel)
    await ready(many, bea, beta_channel)
    await many.after(hours=1)
    (message,) = slack.messages(beta_channel)
    mine = button(message)["value"].split(":")[1]
    other = next(str(round_.id) for round_ in rows(many, Round) if round_.posted_at and str(round_.id) != mine)
    for action in (f"answer:{other}:b", f"read:{other}:en", f"mine:{other}", f"challenge:{other}", f"form:{other}"):
        button(message)["value"] = action
        reply = await slack.tap(bea, message, action)
        assert reply.acknowledged
        assert reply.seconds < IN_TIME
        note = await many.note(bea, beta_channel, "not known here")
        assert "256 MiB" not in said(note)
        slack.reload(bea)
    assert rows(many, Answer) == []


ODD = (
    *("", ":", "answer", "answer:", "answer:1", "answer:1:b:c", "answer:-1:b", "answer:９:b", "answer:1e3:b", "no:1"),
    *("answer:99999999999999:b", "skip:1:2026-13-01", "preview:x:2026-12-01", "settings:1", "é:1", "save:0", "🙂"),
)


async def test_whatever_a_button_says_it_is_answered(bot: Bot) -> None:
    """Unknown actions, those of other versions, odd numbers, every name there is with arguments that fit nothing."""
    _, channel, message = await posted(bot, "single")
    ben = bot.slack.add_user("ben")
    channel.members.append(ben.id)
    known = [f"{name}{':0' * target.args}" for name, target in BUTTONS.items()]
    for action in (*ODD, *known):
        button(message)["value"] = action
        await tapped(bot, ben, message, button(message)["action_id"])
        try:
            await bot.slack.until(lambda: bot.seen(ben, channel).ephemerals or bot.seen(ben, channel).modals)
        except TimeoutError:
            raise AssertionError(f"{action!r} is answered by silence") from None
        bot.slack.reload(ben)
    assert rows(bot, Answer) == []
    assert "How much memory" in said(bot.question(channel)), "no private reply stands in the place of a shared message"


async def test_two_devices_at_once_are_one_answer(bot: Bot) -> None:
    """Different options even: one of them counts, and both devices are told the same."""
    ada, channel, message = await posted(bot, "single")
    phone, desk = await asyncio.gather(bot.slack.tap(ada, message, "A"), bot.slack.tap(ada, message, "B"))
    assert phone.acknowledged
    assert desk.acknowledged
    (answer,) = rows(bot, Answer)
    first = "Right!" if answer.choices == ["b"] else "Not this time."
    await bot.slack.until(lambda: len([n for n in channel.ephemerals.values() if first in said(n)]) == 2)


async def test_a_tap_that_slack_delivers_again_and_again_is_one_answer(start: Start, slack: SlackStandin) -> None:
    """Slack marks what it sends again; nothing rests on that mark."""
    bot = await start("http")
    ada, _, message = await posted(bot, "single")
    first = await slack.tap(ada, message, "B")
    transport = slack.postman.transport
    assert isinstance(transport, HttpTransport)
    for number, reason in enumerate(("http_timeout", "connection_failed", "http_error"), 1):
        transport.now = partial(later, number)  # signed anew, as Slack signs it
        assert (await slack.redeliver(first, number=number, reason=reason)).acknowledged
    assert len(rows(bot, Answer)) == 1
    await bot.end()
    again = await start("http")
    assert (await slack.redeliver(first)).acknowledged
    assert len(rows(again, Answer)) == 1


async def test_a_form_that_is_sent_twice_is_one_answer(bot: Bot) -> None:
    ada, channel, message = await posted(bot, "multiple")
    await bot.slack.tap(ada, message, "Answer")
    modal = await bot.slack.until(lambda: bot.seen(ada, channel).modal)
    assert modal is not None
    first = await bot.slack.submit(ada, modal, {"answer": ["a"]})
    again = await bot.slack.redeliver(first)
    assert again.acknowledged
    assert len(rows(bot, Answer)) == 1
