"""What Slack tells of channels: renamed, archived, deleted; the bot removed and invited again."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from bot.chat import Happening
from bot.slack.lifecycle import KINDS, happening, inviter
from bot.slack.manifest import EVENTS
from storage.tables import Schedule, Workspace
from tests.slack.team import Bot

BOT = "UBOT"


def schedule(bot: Bot) -> Schedule:
    return bot.app.database.read(lambda tx: tx.exec(select(Schedule)).one()).result()


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"type": "channel_rename", "channel": {"id": "C1", "name": "new"}}, ("channel_renamed", "C1")),
        ({"type": "group_rename", "channel": {"id": "G1", "name": "new"}}, ("channel_renamed", "G1")),
        ({"type": "channel_archive", "channel": "C1", "user": "U1"}, ("channel_archived", "C1")),
        ({"type": "group_unarchive", "channel": "G1"}, ("channel_unarchived", "G1")),
        ({"type": "channel_deleted", "channel": "C1"}, ("channel_deleted", "C1")),
        ({"type": "channel_left", "channel": "C1"}, ("bot_removed", "C1")),
        ({"type": "group_left", "channel": "G1"}, ("bot_removed", "G1")),
        ({"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "G2"}, ("channel_converted", "C1")),
        ({"type": "channel_shared", "channel": "C1"}, ("channel_shared", "C1")),
        ({"type": "member_joined_channel", "user": BOT, "channel": "C1", "inviter": "U1"}, ("bot_added", "C1")),
        ({"type": "member_left_channel", "user": BOT, "channel": "C1"}, ("bot_removed", "C1")),
    ],
)
def test_events_mean_what_they_say(event: dict[str, Any], expected: tuple[str, str]) -> None:
    found = happening(event, "T1", BOT)
    assert found is not None
    assert (found.kind, found.channel) == expected
    assert event["type"] in KINDS
    assert event["type"] in EVENTS, "the manifest asks for it"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "member_joined_channel", "user": "U1", "channel": "C1"},
        {"type": "member_left_channel", "user": "U1", "channel": "C1"},
        {"type": "member_left_channel", "user": "", "channel": "C1"},
        {"type": "channel_rename", "channel": "C1"},
        {"type": "channel_rename"},
        {"type": "channel_archive"},
        {"type": "channel_archive", "channel": {"id": "C1"}},
        {"type": "channel_id_changed", "old_channel_id": "C1"},
        {"type": "channel_created", "channel": "C1"},
        {"type": "user_change", "user": {"id": "U1", "deleted": False}},
        {"type": "user_change", "user": {"id": "", "deleted": True}},
        {"type": "user_change", "user": "U1"},
        {"type": 3},
    ],
)
def test_what_means_nothing_or_has_another_shape_is_left_alone(event: dict[str, Any]) -> None:
    assert happening(event, "T1", "" if event.get("user") == "" else BOT) is None


def test_somebody_whose_account_is_deactivated_has_left() -> None:
    """Slack tells of it as of any change of a person."""
    found = happening({"type": "user_change", "user": {"id": "U1", "deleted": True}}, "T1", BOT)
    assert found == Happening("slack", "T1", "member_left", member="U1")


def test_a_new_name_may_hold_anything() -> None:
    event = {"type": "channel_rename", "channel": {"id": "C1", "name": "\ud800<!channel>\x00" + "x" * 500}}
    found = happening(event, "T1", BOT)
    assert isinstance(found, Happening)
    assert len(found.name) <= 200
    assert "\x00" not in found.name


def test_who_invites_the_bot_is_known_and_nobody_else() -> None:
    assert inviter({"type": "member_joined_channel", "user": BOT, "inviter": "U1"}, BOT) == "U1"
    assert inviter({"type": "member_joined_channel", "user": "U2", "inviter": "U1"}, BOT) == ""
    assert inviter({"type": "member_joined_channel", "user": "", "inviter": "U1"}, "") == ""


async def test_a_channel_is_renamed_archived_and_brought_back(bot: Bot) -> None:
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.setup(ada, channel, "days=daily time=18:00 zone=UTC")
    await bot.slack.rename(channel, "machine-learning")
    await bot.slack.until(lambda: schedule(bot).channel_name == "machine-learning")
    await bot.slack.archive(channel)
    await bot.slack.until(lambda: schedule(bot).channel_state == "archived")
    await bot.after(hours=11)
    assert bot.slack.messages(channel, None) == []
    await bot.slack.archive(channel, back=True)
    await bot.slack.until(lambda: schedule(bot).channel_state == "")


async def test_the_bot_is_removed_and_invited_again(bot: Bot) -> None:
    """Whoever invites it first is greeted once, privately."""
    ada = bot.slack.add_user("ada", is_admin=True)
    channel = bot.slack.add_channel("ml", ada)
    await bot.setup(ada, channel, "days=daily time=18:00 zone=UTC")
    await bot.slack.leave_channel(bot.slack.bot, channel)
    await bot.slack.until(lambda: schedule(bot).channel_state == "removed")
    await bot.slack.join_channel(bot.slack.bot, channel)
    await bot.slack.until(lambda: schedule(bot).channel_state == "")
    workspace = bot.app.database.read(lambda tx: tx.exec(select(Workspace)).one()).result()
    assert workspace.inviter == ada.id
    await bot.beat()
    await bot.slack.join_channel(bot.slack.bot, channel)
    await bot.beat()
    space = bot.slack.core.space_of(ada.id)
    told = [message for place in space.channels.values() if place.is_im for message in place.messages.values()]
    assert len(told) == 1
