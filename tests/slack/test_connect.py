"""People of another organisation in a shared channel: they take part, and are nobody's admin here."""

from __future__ import annotations

from storage.tables import Answer
from tests.slack.many import rows
from tests.slack.team import Bot, said
from tests.slack.test_answers import counted, posted
from tests.slack.test_home import home


async def test_a_guest_answers_and_is_no_admin_whatever_they_are_at_home(bot: Bot) -> None:
    _, channel, message = await posted(bot, "single")
    guest = bot.slack.add_user("guest", locale="zh-CN", is_admin=True, is_owner=True)
    guest.team = "T0ELSEWHERE"
    channel.members.append(guest.id)
    await bot.slack.tap(guest, message, "B")
    await bot.note(guest, channel, "答对了")
    assert len(rows(bot, Answer)) == 1
    assert "1 answered" in await counted(bot, channel)
    for typed in ("setup", "now", "admins", "audit", "skip"):
        bot.slack.reload(guest)
        await bot.slack.command(guest, channel, "/drill", typed)
        await bot.note(guest, channel, "管理员")
        assert bot.slack.seen_by(guest).modals == []
    await bot.slack.open_home(guest)
    shown = await home(bot.slack, guest, "#ml")
    assert "设置一个频道" not in said(shown)  # type: ignore[arg-type]
