"""Modals: a sentence at each faulty field, a verdict in the form's own window, and what becomes of one that is gone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from content.library import Library
from content.question import Question, Text
from storage.tables import Answer, Member
from tests.slack.bank import MULTIPLE, SINGLE
from tests.slack.conftest import Start
from tests.slack.many import rows
from tests.slack.team import Bot, Way, said
from tests.slack.test_answers import posted
from tests.slack.test_home import home
from tests.standins.slack.model import Channel, User, View

MOST_TITLE = 24


async def modal(bot: Bot, user: User) -> View:
    """The modal that this person has open on top, once it is there."""
    await bot.slack.until(lambda: bot.slack.seen_by(user).modal)
    found = bot.slack.seen_by(user).modal
    assert found is not None
    return found


async def typed(bot: Bot, user: User, channel: Channel, line: str) -> View:
    """The modal that a command opens."""
    bot.slack.reload(user)
    await bot.slack.command(user, channel, "/drill", line)
    return await modal(bot, user)


async def settings_form(bot: Bot, user: User, channel: Channel) -> View:
    bot.slack.reload(user)
    await bot.slack.command(user, channel, "/drill", "settings")
    await bot.slack.until(lambda: bot.seen(user, channel).ephemerals)
    await bot.slack.tap(user, bot.seen(user, channel).ephemerals[-1], "settings")
    return await modal(bot, user)


def shown(view: View) -> str:
    return said(view)  # type: ignore[arg-type]


@pytest.mark.parametrize("locale", ["en-US", "zh-CN", "zh-TW"])
async def test_every_title_and_button_fits_in_every_language(bot: Bot, locale: str) -> None:
    """Twenty-four characters: nothing of them is cut off."""
    _, channel, message = await posted(bot, "multiple")
    lin = bot.slack.add_user("lin", locale=locale, is_admin=True)
    channel.members.append(lin.id)
    views = [await typed(bot, lin, channel, "setup"), await settings_form(bot, lin, channel)]
    bot.slack.reload(lin)
    await bot.slack.tap(lin, message, "form:1")
    views.append(await modal(bot, lin))
    titles = [(view.body["title"]["text"], view.body["submit"]["text"]) for view in views]
    await bot.slack.submit(lin, views[-1], {"answer": ["a"]})
    titles.append((shown_title := views[-1].body["title"]["text"], shown_title))
    disputed = await typed(bot, lin, channel, "challenge")
    titles.append((disputed.body["title"]["text"], disputed.body["submit"]["text"]))
    assert len(titles) == 5
    for text in (text for pair in titles for text in pair):
        assert 0 < len(text) <= MOST_TITLE
        assert not text.endswith("…")


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_settings_say_at_each_field_what_is_wrong_and_save_nothing(start: Start, way: Way) -> None:
    """Mended, the same window shows what is set."""
    bot = await start(way)
    ada, channel, _ = await posted(bot, "single")
    form = await settings_form(bot, ada, channel)
    reply = await bot.slack.submit(ada, form, {"zone": "Mars/Olympus", "pause": "never ever", "language": "zh"})
    assert reply.body["response_action"] == "errors"
    assert set(form.errors) == {"zone", "pause"}
    (member,) = rows(bot, Member)
    assert member.chosen_language == ""
    await bot.slack.submit(ada, form, {"zone": "Asia/Tokyo", "pause": "", "language": "client", "ticks": ["confirm"]})
    assert form.errors == {}
    assert "Asia/Tokyo" in shown(form)
    (member,) = rows(bot, Member)
    assert member.confirm


async def test_an_answer_that_is_no_number_stays_in_its_form(bot: Bot) -> None:
    """The sentence stands at the field, nothing is used up; in the reader's own language."""
    _, channel, message = await posted(bot, "numeric")
    lin = bot.slack.add_user("lin", locale="zh-CN")
    channel.members.append(lin.id)
    await bot.slack.tap(lin, message, "Answer")
    form = await modal(bot, lin)
    await bot.slack.submit(lin, form, {"answer": "12 or 13"})
    assert set(form.errors) == {"answer"}
    assert any("一" <= character <= "鿿" for character in form.errors["answer"])
    assert rows(bot, Answer) == []
    await bot.slack.submit(lin, form, {"answer": "98765 B"})
    assert "答对了" in shown(form)


async def test_a_challenge_of_nothing_is_told_at_its_field(bot: Bot) -> None:
    ada, channel, message = await posted(bot, "single")
    await bot.slack.tap(ada, message, "A")
    await bot.note(ada, channel, "Not this time.")
    form = await typed(bot, ada, channel, "challenge")
    await bot.slack.submit(ada, form, {"text": "   \n "})
    assert set(form.errors) == {"text"}
    await bot.slack.submit(ada, form, {"text": "The paper says otherwise <!channel>"})
    assert "Thank you" in shown(form)


async def test_a_window_that_was_closed_meanwhile_loses_no_reply(bot: Bot) -> None:
    """What came of a button in it is told as a private message then; its form can be asked for again."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    form = await typed(bot, ada, channel, "setup")
    await bot.slack.submit(ada, form, {"time": "10:00", "zone": "UTC"})
    bot.slack.fail("views.update", error="not_found")
    await bot.slack.tap(ada, form, "Change")
    note = await bot.note(ada, channel, "Please try again")
    await bot.slack.tap(ada, note, "Open the form")
    await bot.slack.until(lambda: bot.slack.seen_by(ada).modal is not form)
    again = await modal(bot, ada)
    await bot.slack.submit(ada, again, {"time": "11:00"})
    bot.slack.fail("views.update", error="not_found")
    await bot.slack.tap(ada, again, "Save")
    await bot.note(ada, channel, "Saved. The next rounds:")


async def test_a_form_is_acknowledged_in_time_while_slack_is_slow(bot: Bot) -> None:
    """Who they are is asked once; what does not come in time is not waited for, and nothing is half saved."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    form = await typed(bot, ada, channel, "setup")
    bot.slack.fail("users.info", delay=1.2)
    bot.slack.fail("conversations.info", delay=5.0)
    reply = await bot.slack.submit(ada, form, {"time": "10:00", "zone": "UTC"})
    assert reply.acknowledged
    assert "10:00" in shown(form)
    bot.slack.fail("users.info", delay=5.0)
    tapped = await bot.slack.tap(ada, form, "Save")
    assert tapped.acknowledged
    await bot.slack.until(lambda: "nothing was saved" in shown(form))


LONGEST = {
    "emoji": "👩‍🔬🙂‍↔️" * 900,
    "chinese": "键值缓存的内存占用，随批量与上下文长度线性增长。" * 160,
    "accents": "e\u0301\u0323" * 1300,
    "signs": "<!channel> *b* _i_ `c` & <https://evil.example|x> " * 80,
    "right-to-left": "\u202eذاكرة التخزين\u202c " * 200,
    "one word": "x" * 4000,
}


@pytest.mark.parametrize("text", LONGEST.values(), ids=LONGEST.keys())
@pytest.mark.parametrize("base", [SINGLE, MULTIPLE], ids=["single", "multiple"])
async def test_the_longest_texts_go_through_every_message_window_and_home(
    start: Start, base: Question, text: str
) -> None:
    """The stand-in refuses what is over any limit, in characters as Slack counts them."""
    both = Text(text, text)
    options = tuple(replace(one, text=both, why=both) for one in base.options)
    bot = await start(library=Library.of([replace(base, prompt=both, explanation=both, options=options)]))
    ada, channel, message = await posted(bot, base.kind.value)
    await bot.slack.open_home(ada)
    await home(bot.slack, ada, "For admins", "#ml")
    if base is MULTIPLE:
        await bot.slack.tap(ada, message, "Answer")
        form = await modal(bot, ada)
        await bot.slack.submit(ada, form, {"answer": ["a"]})
        assert "Challenge" in shown(form)
    else:
        await bot.slack.tap(ada, message, "B")
        await bot.note(ada, channel, "Right!")
    await home(bot.slack, ada, "How did I do?")
    await bot.slack.command(ada, channel, "/drill", "preview")
    await bot.after(days=1)
    await bot.beat()
    assert len(bot.slack.messages(channel, message.ts)) == 1
