"""What is typed after /drill, by members and admins."""

from __future__ import annotations

from tests.slack.team import Bot, said
from tests.slack.test_answers import posted


async def test_members_look_and_answer_by_typing(bot: Bot) -> None:
    """today, answer, me, board and help answer the one who typed them, and nobody else."""
    ada, channel, _ = await posted(bot, "single")
    ben = bot.slack.add_user("ben")
    channel.members.append(ben.id)
    for typed, said_back in (
        ("today", "How much memory & time"),
        ("answer b", "Right!"),
        ("me", "Your progress"),
        ("board", "Board of the week"),
        ("board month", "Board of the month"),
        ("board all", "Board of all time"),
        ("help", "One good question a day"),
        ("", "One good question a day"),
    ):
        before = len(bot.seen(ben, channel).ephemerals)
        assert (await bot.slack.command(ben, channel, "/drill", typed)).acknowledged
        await bot.slack.until(lambda before=before: len(bot.seen(ben, channel).ephemerals) > before)
        assert said_back in said(bot.seen(ben, channel).ephemerals[-1])
    assert "For admins" not in said(bot.seen(ben, channel).ephemerals[-1])
    assert bot.seen(ada, channel).ephemerals[-1:] != bot.seen(ben, channel).ephemerals[-1:]
    assert len(bot.slack.messages(channel, None)) == 1


async def test_what_is_mistyped_is_answered_with_what_was_meant(bot: Bot) -> None:
    """An unknown command names the nearest one, a faulty option says how to write it."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.slack.command(ada, channel, "/drill", "bord")
    await bot.note(ada, channel, "Did you mean /drill board?")
    await bot.slack.command(ada, channel, "/drill", "setup time=25:99 zone=Mars/Base")
    note = await bot.note(ada, channel, "25:99")
    assert "Mars/Base" in said(note)
    await bot.slack.command(ada, channel, "/drill", "answer <!channel> & <@U1>")
    await bot.note(ada, channel, "no drills yet")


async def test_an_admin_runs_the_channel_by_typing(bot: Bot) -> None:
    """schedule, topics, status, now, pause and resume."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.setup(ada, channel, "kinds=single time=18:00 zone=UTC")
    await bot.slack.command(ada, channel, "/drill", "status")
    await bot.note(ada, channel, "Drills in this channel")
    await bot.slack.command(ada, channel, "/drill", "now")
    await bot.note(ada, channel, "on its way")
    await bot.beat()
    assert "Daily drill #1" in said(bot.question(channel))
    await bot.slack.command(ada, channel, "/drill", "now")
    await bot.note(ada, channel, "Today's slot is taken")
    await bot.slack.command(ada, channel, "/drill", "pause")
    await bot.note(ada, channel, "Paused until you resume")
    await bot.after(hours=24)
    assert len([m for m in bot.slack.messages(channel) if "Daily drill" in said(m)]) == 1
    await bot.slack.command(ada, channel, "/drill", "resume")
    await bot.note(ada, channel, "Saved. The next rounds:")
    await bot.slack.command(ada, channel, "/drill", "schedule time=09:00")
    note = await bot.note(ada, channel, "Change the schedule?")
    await bot.slack.tap(ada, note, "Cancel")
    await bot.slack.until(lambda: "Nothing was changed." in bot.seen(ada, channel).text)
    assert "Change the schedule?" not in bot.seen(ada, channel).text
    await bot.slack.command(ada, channel, "/drill", "topics search cache")
    await bot.note(ada, channel, "kv-cache")


async def test_members_cannot_do_what_admins_do(bot: Bot) -> None:
    """Admin rights are asked of Slack at each use: who lost them a minute ago is refused, by button too."""
    ada = bot.slack.add_user("ada", is_admin=True)
    ben = bot.slack.add_user("ben")
    channel = bot.slack.add_channel("ml", ada, ben)
    for typed in ("setup", "schedule time=10:00", "now", "pause", "resume", "status", "topics all"):
        await bot.slack.command(ben, channel, "/drill", typed)
        note = await bot.note(ben, channel, "Only admins of this workspace")
        channel.ephemerals.pop(note.ts)
    await bot.slack.command(ada, channel, "/drill", "setup time=10:00 zone=UTC")
    proposal = await bot.note(ada, channel, "Start daily drills here?")
    ada.is_admin = False
    await bot.slack.tap(ada, proposal, "Save")
    await bot.note(ada, channel, "Only admins of this workspace")
    await bot.after(days=2)
    assert bot.slack.messages(channel) == []


async def test_a_form_that_is_filled_in_wrongly_says_so_under_each_field(bot: Bot) -> None:
    """Every faulty field has its own sentence and nothing is saved; mended, it goes on."""
    ada = bot.slack.add_user("ada", locale="zh-CN", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.slack.command(ada, channel, "/drill", "setup")
    modal = await bot.slack.until(lambda: bot.seen(ada, channel).modal)
    assert modal is not None
    await bot.slack.submit(ada, modal, {"time": "noonish", "zone": "Mars", "topics": "juggling"})
    assert set(modal.errors) == {"time", "zone", "topics"}
    assert "Mars" in modal.errors["zone"]
    await bot.slack.submit(ada, modal, {"time": "10:00", "zone": "Asia/Shanghai", "topics": "kv-cache"})
    assert modal.errors == {}
    await bot.slack.tap(ada, modal, "修改")
    await bot.slack.until(lambda: "input" in {block["type"] for block in modal.blocks})
    await bot.slack.submit(ada, modal, {"time": "11:00"})
    assert "11:00" in bot.seen(ada, channel).text


async def test_a_form_that_comes_too_late_is_told(bot: Bot) -> None:
    """A trigger lives three seconds; when it is over the person hears that they should try again."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    bot.slack.fail("views.open", error="expired_trigger_id")
    assert (await bot.slack.command(ada, channel, "/drill", "setup")).acknowledged
    await bot.note(ada, channel, "Please type it again")


async def test_an_admin_check_that_fails_saves_nothing(bot: Bot) -> None:
    """Where Slack cannot say who is an admin, nobody is taken for one."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    bot.slack.fail("users.info", status=503, times=2)
    assert (await bot.slack.command(ada, channel, "/drill", "setup time=10:00")).acknowledged
    await bot.note(ada, channel, "nothing was saved")
