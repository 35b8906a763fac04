"""What members set for themselves, reminders, and the greeting of who invites the bot."""

from __future__ import annotations

from datetime import timedelta

from bot.chat import Platform
from tests.contracts.conftest import Begin
from tests.contracts.direct import direct, press
from tests.contracts.stage import ANN, BEN, KIM, ZHOU, Stage, day, question, set_up
from tests.slack.bank import SINGLE, TRUE_FALSE


async def test_settings_are_shown_changed_in_a_form_and_kept(begin: Begin) -> None:
    """Privately, in one's own language, with a fault at its field; also after a restart."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        mine = await stage.command(BEN, "settings")
        assert mine.head == "Your settings"
        assert "Shown on boards yes" in mine.words
        assert set(mine.buttons) == {"Change", "Stop recording me", "My data", "Forget me"}
        opened = await stage.tap(BEN, mine, "Change")
        assert opened.fields == ("language", "zone", "pause", "ticks")
        wrong = await stage.fill(BEN, zone="Asia/Shanghi")
        assert "did you mean Asia/Shanghai?" in wrong.text
        if wrong.buttons:
            await stage.tap(BEN, wrong, wrong.buttons[0])
        saved = await stage.fill(BEN, language="zh", zone="Asia/Shanghai", ticks=("hide", "confirm"))
        assert "已保存。" in saved.text
        await stage.restart()
        kept = await stage.command(BEN, "settings")
        assert kept.head == "你的设置"
        assert "时区 Asia/Shanghai 在榜单上显示 否" in kept.words
        assert "提交前确认 是" in kept.words
        assert "语言 English" not in (await stage.command(KIM, "settings")).words


async def test_settings_are_typed_and_what_cannot_be_read_changes_nothing(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        done = await stage.command(BEN, "settings hide=on pause=2026-12-24 zone=Europe/Berlin")
        assert "Shown on boards no" in done.words
        assert "through Thu 24 Dec" in done.words
        assert "There is no time zone" in (await stage.command(BEN, "settings hide=off zone=Atlantis")).text
        assert "没有“Atlantis”这个时区" in (await stage.command(ZHOU, "settings zone=Atlantis")).text
        assert "is over already" in (await stage.command(BEN, "settings pause=2020-01-01")).text
        assert "Shown on boards no" in (await stage.command(BEN, "settings")).words
        assert "On a pause no" in (await stage.command(BEN, "settings pause=off")).words


async def test_who_confirms_first_is_asked_and_answers_once(begin: Begin) -> None:
    """Yes, twice and over a restart, is one answer; No is none. Nobody else is asked."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        for person in (BEN, ZHOU):
            await stage.command(person, "settings confirm=on")
        post = await question(stage)
        asked = await stage.tap(BEN, post, "A")
        assert asked.head == "Answer A?"
        assert asked.buttons == ("Yes", "No")
        assert "Nothing was recorded." in (await stage.tap(BEN, asked, "No")).text
        asked = await stage.tap(BEN, post, "B")
        await stage.restart()
        assert (await stage.tap(BEN, asked, "Yes")).head == "Right! +15 points"
        (post,) = await stage.channel()
        assert "Your first answer stands." in (await stage.tap(BEN, post, "A")).text
        assert (await stage.tap(ZHOU, post, "A")).head == "确定选 A 吗？"
        assert (await stage.tap(KIM, post, "A")).head == "Not this time."
        await stage.at(day(0, 9, 31))
        assert "2 answered" in (await stage.channel())[0].text


async def test_of_who_opts_out_nothing_is_recorded_and_nothing_is_told(begin: Begin) -> None:
    """No verdict to peek at; the way back is said, and works."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        mine = await stage.command(BEN, "settings")
        out = await stage.tap(BEN, mine, "Stop recording me")
        assert "Nothing is recorded of you" in out.text
        refused = "You asked that nothing is recorded of you. Change that first: /drill settings."
        assert (await stage.tap(BEN, post, "B")).text == refused
        assert (await stage.command(BEN, "answer B")).text == refused
        await stage.at(day(0, 9, 31))
        assert "0 answered" in (await stage.channel())[0].text
        back = await stage.tap(BEN, await stage.command(BEN, "settings"), "Record my answers again")
        assert "Answers are recorded yes" in back.words
        assert (await stage.tap(BEN, post, "B")).head == "Right! +15 points"


async def test_who_hides_is_on_no_board(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        for person in (BEN, KIM):
            await stage.tap(person, post, "B")
        await stage.command(BEN, "settings hide=on")
        await stage.at(day(0, 17, 31))
        board = await stage.command(KIM, "board")
        assert "kim" in board.text
        assert "ben" not in board.text


async def hours(stage: Stage, number: int, first: int, last: int) -> None:
    """Let the hours of a day pass, one by one."""
    for hour in range(first, last + 1):
        await stage.at(day(number, hour, 45))


async def test_who_asks_for_it_is_reminded_once_of_an_open_question(begin: Begin) -> None:
    """A direct message with a button that shows the question; none for who answered, or did not ask."""
    async with begin(SINGLE, TRUE_FALSE) as stage:
        await set_up(stage)
        post = await question(stage)
        for person in (BEN, ZHOU, KIM):
            await stage.tap(person, post, "B")
        for person in (BEN, ZHOU):
            told = await stage.command(person, "settings reminders=on zone=UTC")
            assert "UTC" in told.text
        post = await question(stage, 1)
        await stage.tap(ZHOU, post, post.buttons[0])
        await hours(stage, 1, 10, 16)
        (reminder,) = await direct(stage, BEN)
        assert "A question in #drills waits for your answer." in reminder.text
        assert reminder.buttons == ("Show the question", "Stop reminders")
        assert await direct(stage, ZHOU) == []
        assert await direct(stage, KIM) == []
        await stage.restart()
        await stage.at(day(1, 16, 50))
        (reminder,) = await direct(stage, BEN)
        await press(stage, BEN, reminder, "Show the question")
        await press(stage, BEN, reminder, "Stop reminders")
        await question(stage, 2)
        await hours(stage, 2, 10, 16)
        waits = [message for message in await direct(stage, BEN) if "waits for your answer" in message.text]
        assert len(waits) == 1


async def test_after_three_in_vain_it_asks_once_whether_to_pause(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await stage.tap(BEN, await question(stage), "B")
        await stage.command(BEN, "settings reminders=on zone=UTC language=zh")
        for number in (1, 2, 3, 4, 7, 8):
            await question(stage, number)
            await hours(stage, number, 11, 12)
        told = await direct(stage, BEN)
        assert [message.text.startswith("#drills 有一道题等你作答。") for message in told] == [True, True, True, False]
        assert told[-1].head == "我提醒过的最近三道题你都没有作答，要暂停吗？"
        await press(stage, BEN, told[-1], "好，暂停")
        assert "暂停中 直到你回来" in (await stage.command(BEN, "settings")).words


async def test_who_invites_the_bot_is_greeted_once(begin: Begin) -> None:
    """Also after a restart, a second event and another inviter; the buttons of the greeting work."""
    async with begin(SINGLE) as stage:
        platform, workspace, members = where(stage)
        for _ in range(2):
            assert await stage.app.conversation.joined(platform, workspace, "Team", members["ann"])
            await stage.at(stage.app.clock.now() + timedelta(minutes=5))
            await stage.restart()
        await stage.app.conversation.joined(platform, workspace, "Team", members["ben"])
        await stage.at(stage.app.clock.now() + timedelta(minutes=5))
        (greeting,) = await direct(stage, ANN)
        assert "Nothing happens until you start it." in greeting.text
        assert "在你启动之前什么都不会发生。" in greeting.text, "nobody knows her language yet"
        await press(stage, ANN, greeting, "Show a sample question")
        assert await direct(stage, BEN) == []


def where(stage: Stage) -> tuple[Platform, str, dict[str, str]]:
    """The platform, its own id of the workspace, and its own ids of two people."""
    from tests.contracts.on_discord import DiscordStage
    from tests.contracts.on_slack import SlackStage

    match stage:
        case SlackStage():
            ids = {person.name: stage.users[person].id for person in (ANN, BEN)}
            return "slack", stage.slack.workspace.id, ids
        case DiscordStage():
            return "discord", str(stage.w.guild.id), {p.name: str(stage.actors[p].id) for p in (ANN, BEN)}
    from tests.web.conftest import PLACE

    return "playground", PLACE.workspace, {"ann": "ann", "ben": "ben"}
