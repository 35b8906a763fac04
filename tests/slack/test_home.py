"""The Home tab: one's own questions, streak and settings; for admins their channels and what comes to them."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import select

from bot.chat import Who
from bot.clock import HandClock
from bot.slack.outbound import home_view
from storage.tables import Workspace
from tests.slack.conftest import Start
from tests.slack.team import Bot, said
from tests.slack.test_answers import posted
from tests.standins.slack import SlackStandin
from tests.standins.slack.model import User, View


async def home(slack: SlackStandin, user: User, *wanted: str) -> View:
    """The Home tab of this person, once it says all of these."""
    found: View | None = None

    def shows() -> bool:
        nonlocal found
        found = slack.seen_by(user, None).home
        return found is not None and all(word in said(found) for word in wanted)  # type: ignore[arg-type]

    try:
        await slack.until(shows)
    except TimeoutError:
        raise AssertionError(f"{user.name}'s home does not say {wanted}: {found and said(found)}") from None  # type: ignore[arg-type]
    assert found is not None
    return found


async def test_a_member_sees_today_and_their_standing_and_nothing_of_admins(bot: Bot) -> None:
    """Published when it is opened; it follows what they do; others' answers stand nowhere in it."""
    ada, channel, message = await posted(bot, "single")
    ben = bot.slack.add_user("ben")
    channel.members.append(ben.id)
    assert bot.slack.seen_by(ben, None).home is None
    assert (await bot.slack.open_home(ben)).acknowledged
    await home(bot.slack, ben, "Answer a question in a channel", "Your settings")
    await bot.slack.tap(ada, message, "A")
    await bot.slack.tap(ben, message, "B")
    shown = await home(bot.slack, ben, "#ml", "Daily drill #1", "How did I do?", "Streak")
    assert "For admins" not in said(shown)  # type: ignore[arg-type]
    assert "ada" not in said(shown)  # type: ignore[arg-type]
    await bot.slack.tap(ben, shown, "How did I do?")
    await bot.slack.until(lambda: bot.slack.seen_by(ben, None).modals)
    assert "Right!" in said(bot.slack.seen_by(ben, None).modals[-1])  # type: ignore[arg-type]


async def test_an_admin_previews_swaps_skips_and_sends_from_home(bot: Bot) -> None:
    """Every reply is private, in a modal; the tab shows what came of it."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.setup(ada, channel, "days=daily time=18:00 zone=UTC")
    await bot.slack.open_home(ada)
    shown = await home(bot.slack, ada, "For admins", "#ml", "Mon 30 Nov 18:00", "Fri 4 Dec 18:00")
    await bot.slack.tap(ada, shown, "preview:1:2026-11-30")
    await bot.slack.until(lambda: bot.slack.seen_by(ada, None).modals)
    modal = bot.slack.seen_by(ada, None).modals[-1]
    assert "Preview: only you see this." in said(modal)  # type: ignore[arg-type]
    await bot.slack.tap(ada, modal, "Skip it")
    await home(bot.slack, ada, "Tue 1 Dec 18:00", "Sat 5 Dec 18:00")
    assert bot.slack.messages(channel, None) == []


async def test_an_admin_sets_a_channel_up_from_home_and_changes_it(bot: Bot) -> None:
    """The form asks which channel, by Slack's own choice; what is wrong stands at its field; the name is known."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.slack.open_home(ada)
    shown = await home(bot.slack, ada, "No channel has drills yet.")
    await bot.slack.tap(ada, shown, "Set up a channel")
    form = await bot.slack.until(lambda: bot.slack.seen_by(ada, None).modal)
    assert form is not None
    await bot.slack.submit(ada, form, {"place": channel.id, "time": "noonish", "zone": "UTC"})
    assert set(form.errors) == {"time"}
    await bot.slack.submit(ada, form, {"place": channel.id, "time": "18:00", "zone": "UTC"})
    assert "Start daily drills here?" in said(form)  # type: ignore[arg-type]
    await bot.slack.tap(ada, form, "Save")
    await bot.slack.until(lambda: "Saved. The next rounds:" in said(form))  # type: ignore[arg-type]
    shown = await home(bot.slack, ada, "#ml", "18:00")
    await bot.slack.tap(ada, shown, "Change the schedule")
    again = await bot.slack.until(lambda: bot.slack.seen_by(ada, None).modals[-1:] != [form])
    assert again
    form = bot.slack.seen_by(ada, None).modals[-1]
    await bot.slack.submit(ada, form, {"time": "17:00"})
    await bot.slack.tap(ada, form, "Save")
    await home(bot.slack, ada, "#ml", "17:00")


async def test_a_channel_without_the_bot_can_be_set_up_and_says_what_it_lacks(bot: Bot) -> None:
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("secret", ada, private=True)
    channel.members.remove(bot.slack.bot.id)
    await bot.slack.open_home(ada)
    await bot.slack.tap(ada, await home(bot.slack, ada, "For admins"), "setup:new")
    form = await bot.slack.until(lambda: bot.slack.seen_by(ada, None).modal)
    assert form is not None
    await bot.slack.submit(ada, form, {"place": channel.id, "zone": "UTC"})
    assert "invite the bot there" in said(form)  # type: ignore[arg-type]


async def test_a_member_who_presses_what_admins_press_is_told(bot: Bot) -> None:
    """Rights are asked at each use: the tab may be older than what somebody lost."""
    ada = bot.slack.add_user("ada", is_admin=True)
    await bot.slack.open_home(ada)
    shown = await home(bot.slack, ada, "For admins")
    ada.is_admin = False
    await bot.slack.tap(ada, shown, "setup:new")
    modal = await bot.slack.until(lambda: bot.slack.seen_by(ada, None).modal)
    assert modal is not None
    assert "Only admins of this workspace" in said(modal)  # type: ignore[arg-type]
    await bot.slack.open_home(ada)
    await bot.slack.until(lambda: "For admins" not in said(bot.slack.seen_by(ada, None).home))  # type: ignore[arg-type]


async def test_a_chinese_member_reads_a_chinese_home(bot: Bot) -> None:
    ada, lin = bot.slack.add_user("ada", is_admin=True), bot.slack.add_user("小林", locale="zh-CN", is_admin=True)
    channel = bot.slack.add_channel("ml", ada, lin)
    await bot.setup(ada, channel, "days=daily time=18:00 zone=Asia/Shanghai")
    await bot.slack.open_home(lin)
    await home(bot.slack, lin, "你的设置", "管理员", "11月30日周一 18:00", "预览")


async def test_the_tab_is_published_again_after_a_conflict_and_a_restart(start: Start, slack: SlackStandin) -> None:
    """Another process showed something meanwhile: what is newest is published all the same."""
    bot = await start()
    ada, _, message = await posted(bot, "single")
    await slack.open_home(ada)
    await home(slack, ada, "Your settings")
    await bot.end()
    again = await start()
    await slack.open_home(ada)
    await home(slack, ada, "Your settings")
    shown = slack.seen_by(ada, None).home
    assert shown is not None
    shown.hash = "somebody.else"
    await slack.tap(ada, message, "B")
    await home(slack, ada, "How did I do?")
    assert again.slack.violations == []


async def test_slack_may_be_busy_when_a_tab_is_published(bot: Bot) -> None:
    ada, _, _ = await posted(bot, "single")
    bot.slack.fail("views.publish", retry_after=1, times=1)
    await bot.slack.open_home(ada)
    await home(bot.slack, ada, "Your settings")


async def test_the_messages_tab_publishes_nothing(bot: Bot) -> None:
    ada, _, _ = await posted(bot, "single")
    assert (await bot.slack.open_home(ada, "messages")).acknowledged
    assert bot.slack.seen_by(ada, None).home is None


async def test_a_home_of_many_channels_fits_a_hundred_blocks(bot: Bot, clock: HandClock) -> None:
    """Five channels are shown whole, the rest are counted."""
    ada = bot.slack.add_user("ada", is_admin=True)
    for number in range(7):
        channel = bot.slack.add_channel(f"channel-{number}", ada)
        await bot.setup(ada, channel, "days=daily time=08:30 zone=UTC kinds=single")
    clock.forward(timedelta(hours=1))
    await bot.beat()
    workspace = bot.app.database.read(lambda tx: tx.exec(select(Workspace)).one().external_id).result()
    who = Who("slack", workspace, ada.id, "ada", admin=True)
    card = await bot.app.conversation.home(who)
    assert len(home_view(card)["blocks"]) <= 100
    assert "And 2 channels more" in str(card)
