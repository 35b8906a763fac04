"""What is typed: for one person alone, in their language, and only by those who may."""

from __future__ import annotations

from bot.commands import COMMANDS
from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, KIM, ZHOU, day, question, set_up
from tests.slack.bank import SINGLE, TRUE_FALSE

REFUSED = "Only admins of this workspace can do that. Ask one of them."
REFUSED_ZH = "只有本工作区的管理员可以这样做，请找其中一位。"


async def test_what_members_ask_for_is_told_to_them_alone(begin: Begin) -> None:
    """today, answer, me, board and help: each in the asker's language, and nobody else sees any of it."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        before = await stage.seen(KIM)
        today = await stage.command(BEN, "today")
        assert today.head == "Daily drill #1"
        assert today.buttons == ("A", "B", "C", "D")
        assert (await stage.tap(BEN, today, "B")).head == "Right! +15 points"
        assert "缓存占用多少内存？" in (await stage.command(ZHOU, "today")).text
        assert (await stage.command(ZHOU, "answer A")).head == "这次没答对。"
        me = await stage.command(BEN, "me")
        assert me.head == "Your progress"
        assert "Points in all 0" in me.words, "an open round counts nowhere"
        assert (await stage.command(ZHOU, "me")).head == "你的进展"
        await stage.at(day(0, 17, 30))
        me = await stage.command(BEN, "me")
        assert "Points this week 15 Points in all 15 Right 1 / 1 (100 %) Streak 1 now, 1 longest" in me.words
        help_ = await stage.command(BEN, "help")
        assert "/drill answer C Answer by typing letters, a number or words" in help_.words
        assert "/drill setup" not in help_.text
        assert "/drill setup" in (await stage.command(ANN, "help")).text
        assert await stage.seen(KIM) == before
        (closed,) = await stage.channel()
        assert closed.id == post.id


async def test_who_is_no_admin_is_refused_every_command_of_admins(begin: Begin) -> None:
    """With or without options, in the language of the person; nothing changes."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        for spec in COMMANDS:
            if spec.admin:
                assert (await stage.command(BEN, spec.name)).text == REFUSED, spec.name
        assert (await stage.command(BEN, "schedule time=11:00")).text == REFUSED
        assert (await stage.command(BEN, "topics lora")).text == REFUSED
        assert (await stage.command(ZHOU, "pause")).text == REFUSED_ZH
        await stage.at(day(0, 9, 30))
        assert len(await stage.channel()) == 1


MISTYPED = {
    "bord": "There is no command “bord”. Did you mean /drill board?",
    "xyzzy": "There is no command “xyzzy”. See /drill help.",
    "setup time=25:00": "“25:00” is not a time of day",
    "setup topics=underwater basket": "There is no topic “underwater basket”",
    "schedule zone=Mars/Olympus": "Mars/Olympus",
    "pause 31.12.": "“31.12.” is no date; write it like 2026-12-31.",
    "pause 2020-01-01": "2020-01-01 is over already; give a day to come.",
    "resume": "Drills here are not paused.",
    "topics kv-cache day=someday": "someday",
}


async def test_what_is_mistyped_gets_one_sentence_and_changes_nothing(begin: Begin) -> None:
    """Unknown names, wrong values, the wrong moment: what is wrong and what to do, to this person alone."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        before = (await stage.command(ANN, "status")).text
        for typed, said in MISTYPED.items():
            told = await stage.command(ANN, typed)
            assert said in told.text, typed
            assert told.buttons == (), typed
        assert (await stage.command(ANN, "status")).text == before
        assert await stage.channel() == []


async def test_now_posts_todays_question_once(begin: Begin) -> None:
    """It takes the slot of today; the planned time brings no second one."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        assert (await stage.command(ANN, "now")).text == "Today's question is on its way."
        await stage.at(day(0, 8, 1))
        (post,) = await stage.channel()
        assert post.head == "Daily drill #1"
        assert "Today's slot is taken" in (await stage.command(ANN, "now")).text
        await stage.at(day(0, 9, 31))
        assert len(await stage.channel()) == 1


async def test_pause_and_resume(begin: Begin) -> None:
    """Paused days have no question and are not missed; resuming says the dates to come."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        assert "Paused until you resume" in (await stage.command(ANN, "pause")).text
        assert "paused already" in (await stage.command(ANN, "pause")).text
        assert "Paused" in (await stage.command(ANN, "status")).text
        await stage.at(day(0, 9, 30))
        await stage.at(day(1, 9, 30))
        assert await stage.channel() == []
        resumed = await stage.command(ANN, "resume")
        assert "Wed 7 Jan 09:30" in resumed.text
        assert "0 missed" in (await stage.command(ANN, "status")).text
        until = await stage.command(ANN, "pause 2026-01-08")
        assert until.text == "Paused through Thu 8 Jan. To end it before: /drill resume."
        await stage.at(day(2, 9, 30))
        assert await stage.channel() == []
        await stage.at(day(4, 9, 30))
        assert len(await stage.channel()) == 1


async def test_topics_are_listed_searched_and_set(begin: Begin) -> None:
    """Setting them proposes first, like every change; a weekday may have its own."""
    async with begin(SINGLE, TRUE_FALSE) as stage:
        await set_up(stage)
        assert "kv-cache" in (await stage.command(ANN, "topics")).text
        found = await stage.command(ANN, "topics search 缓存")
        assert "kv-cache" in found.text
        proposal = await stage.command(ANN, "topics kv-cache day=fri")
        assert "Fri KV cache & reuse" in proposal.words
        await stage.tap(ANN, proposal, "Save")
        assert "Fri KV cache & reuse" in (await stage.command(ANN, "status")).words
        nothing = await stage.command(ANN, "topics lora")
        assert "No question fits" in nothing.text


async def test_status_shows_the_next_rounds_with_their_questions(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await question(stage)
        status = await stage.command(ANN, "status")
        assert status.head == "Drills in this channel"
        assert "Tue 6 Jan 09 30 KV cache & reuse How much memory & time" in status.words
        assert status.text.endswith("1 round posted · 0 missed")
