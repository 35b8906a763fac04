"""Servers, channels and threads that come, change and go, and buttons in direct messages."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
from sqlmodel import select

from bot.card import Button, Buttons, Card, Paragraph
from bot.discord import leavers
from bot.discord.direct import addressed, whose
from storage.tables import DrillAdmin, Member, Schedule, Workspace
from tests.discord.questions import SINGLE
from tests.discord.world import World, texts, world


def read(w: World, table: Any) -> list[Any]:
    def look(tx: Any) -> list[Any]:
        found = list(tx.exec(select(table)).all())
        tx.expunge_all()
        return found

    return w.app.database.read(look).result()


def schedule(w: World) -> Schedule:
    (found,) = read(w, Schedule)
    return found


async def tell(w: World, event: str, payload: dict[str, Any]) -> None:
    w.env.backend.emit(event, payload)
    await w.env.settle()


async def test_a_renamed_channel_keeps_its_drills_under_the_new_name(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        w.env.backend.edit_channel(w.channel.id, {"name": "quiz"})
        await w.env.settle()
        assert schedule(w).channel_name == "quiz"
        await w.at(1, 9, 30)
        assert len(w.posts()) == 1


async def test_a_text_channel_that_becomes_one_for_announcements_goes_on(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        w.env.backend.get_channel(w.channel.id).type = discord.ChannelType.news.value
        w.env.backend.edit_channel(w.channel.id, {"name": "news"})
        await w.env.settle()
        await w.at(1, 9, 30)
        assert len(w.posts()) == 1
        assert schedule(w).channel_state == ""


async def test_a_deleted_channel_gets_nothing_more_and_is_asked_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        w.env.backend.delete_channel(w.channel.id)
        await w.env.settle()
        assert schedule(w).channel_state == "deleted"
        before = len(w.env.http_requests)
        await w.at(1, 9, 30)
        assert [r.path for r in w.env.http_requests[before:] if str(w.channel.id) in r.path] == []


async def test_a_channel_that_is_hidden_rests_until_it_is_shown_again(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        hidden = discord.PermissionOverwrite(view_channel=False)
        everyone = w.guild.default_role
        model = w.env.backend.get_channel(w.channel.id)
        kept = list(model.overwrites)
        allow, deny = hidden.pair()
        model.overwrites = [type_of_overwrite()(target_id=everyone.id, type=0, allow=allow.value, deny=deny.value)]
        w.env.backend.edit_channel(w.channel.id, {"topic": "hidden"})
        await w.env.settle()
        assert schedule(w).channel_state == "removed"
        await w.at(1, 9, 30)
        assert [p for p in w.posts() if not p.flags.ephemeral] == []
        model.overwrites = kept
        w.env.backend.edit_channel(w.channel.id, {"topic": "shown"})
        await w.env.settle()
        assert schedule(w).channel_state == ""
        await w.at(2, 9, 30)
        assert len(w.posts()) == 1


def type_of_overwrite() -> Any:
    from simcord.backend.models import Overwrite

    return Overwrite


async def test_a_thread_with_drills_that_is_locked_rests_and_one_that_is_folded_away_does_not(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        w.env.backend.create_thread(w.channel.id, "side", w.admin.id)
        (thread,) = w.channel.threads
        shown = await w.admin.slash(thread, "drill-admin setup", time="09:30", zone="UTC", days="mon-sun")
        await w.admin.click(shown.response, label="Save")
        metadata = w.env.backend.get_channel(thread.id).thread_metadata
        metadata.archived = True
        w.env.backend.edit_channel(thread.id, {"name": "folded"})
        await w.env.settle()
        assert (schedule(w).channel_name, schedule(w).channel_state) == ("folded", "")
        metadata.locked = True
        w.env.backend.edit_channel(thread.id, {"name": "locked"})
        await w.env.settle()
        assert schedule(w).channel_state == "archived"
        metadata.archived = metadata.locked = False
        w.env.backend.edit_channel(thread.id, {"name": "open"})
        await w.env.settle()
        assert schedule(w).channel_state == ""
        w.env.backend.delete_channel(thread.id)
        await w.env.settle()
        assert schedule(w).channel_state == "deleted"


async def test_a_server_that_is_unavailable_was_not_left(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await tell(w, "GUILD_DELETE", {"id": str(w.guild.id), "unavailable": True})
        assert [workspace.left_at for workspace in read(w, Workspace)] == [None]
        await w.at(1, 9, 30)
        assert len(w.posts()) == 1


async def test_a_bot_that_is_removed_and_invited_again_goes_on_and_posts_nothing_twice(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        assert len(w.posts()) == 1
        await tell(w, "GUILD_DELETE", {"id": str(w.guild.id)})
        assert read(w, Workspace)[0].left_at is not None
        await w.at(2, 9, 30)
        assert len(w.posts()) == 1
        await w.at(2, 16, 0)
        joined = guild_payload(w)
        joined.pop("unavailable", None)  # Discord tells it of servers that come back, not of new ones
        await tell(w, "GUILD_CREATE", joined)
        assert read(w, Workspace)[0].left_at is None
        await w.beat()
        assert len(w.posts()) == 1
        await w.at(3, 9, 30)
        assert len(w.posts()) == 2


def guild_payload(w: World) -> dict[str, Any]:
    from simcord.backend import serializers

    return dict(serializers.guild_create_payload(w.env.backend, w.env.backend.get_guild(w.guild.id)))


async def test_the_owner_of_a_server_that_the_bot_is_brought_to_is_greeted_once_and_privately(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        brought = w.env.create_guild(name="New")
        await w.env.settle()
        await tell_joined(w, brought)
        (found,) = [s for s in read(w, Workspace) if s.external_id == str(brought.id)]
        assert (found.name, found.inviter) == ("New", str(brought.owner.id))
        await w.beat()
        await tell_joined(w, brought)
        await w.beat()
        letters = [m for m in brought.owner.dm_channel.history() if m.components]
        assert len(letters) == 1
        assert "/drill-admin setup" in texts(letters[0])
        sample = await brought.owner.click(letters[0], label="Show a sample question")
        assert texts(sample.response)


async def tell_joined(w: World, guild: Any) -> None:
    from simcord.backend import serializers

    payload = dict(serializers.guild_create_payload(w.env.backend, w.env.backend.get_guild(guild.id)))
    payload.pop("unavailable", None)
    await tell(w, "GUILD_DELETE", {"id": str(guild.id)})
    await tell(w, "GUILD_CREATE", payload)


async def test_what_happened_while_the_bot_was_away_is_found_at_its_start(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()

        def leave(tx: Any) -> None:
            (workspace,) = tx.exec(select(Workspace)).all()
            workspace.left_at = w.clock.now()
            tx.add(workspace)
            tx.add(Workspace(platform="discord", external_id="4711", created_at=w.clock.now() - timedelta(days=1)))

        w.app.database.write(leave).result()
        await w.restart()
        left = {workspace.external_id: workspace.left_at for workspace in read(w, Workspace)}
        assert left[str(w.guild.id)] is None
        assert left["4711"] is not None
        await w.env.bot.on_ready()
        assert left == {workspace.external_id: workspace.left_at for workspace in read(w, Workspace)}


async def test_who_left_the_server_is_found_within_a_day_and_who_stayed_is_not_taken_for_gone(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        cat = w.person("cat")
        await w.at(1, 9, 30)
        for person in (w.ben, cat):
            await person.click(w.posts()[0], label="B")
        del w.env.backend.get_guild(w.guild.id).members[cat.id]
        await w.at(2, 10, 0)
        left = {member.name: member.left_at is not None for member in read(w, Member)}
        assert left["cat"]
        assert not left["ben"]
        w.guild.add_member(cat.user)
        await cat.click(w.posts()[-1], label="B")
        assert [member.left_at for member in read(w, Member) if member.name == "cat"] == [None]


async def test_where_discord_cannot_be_asked_nobody_is_taken_for_gone(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        await w.ben.click(w.posts()[0], label="B")
        for code, status in ((0, 404), (10004, 404), (0, 503), (50001, 403)):
            w.env.inject_error("GET", f"/guilds/{w.guild.id}/members/{w.ben.id}", status=status, code=code)
            assert await leavers.sweep(w.app, w.env.bot) == 0
        assert await leavers.sweep(w.app, w.env.bot) == 0


# --- direct messages -------------------------------------------------------------------------------------------------


def test_a_button_in_a_direct_message_names_its_server_and_keeps_its_meaning() -> None:
    card = Card("t", (Paragraph(("x",)), Buttons((Button("Again", "retry:7", "primary"),))))
    (_, row) = addressed(card, "100").parts
    assert isinstance(row, Buttons)
    assert row.buttons == (Button("Again", "@100:retry:7", "primary"),)
    assert whose("@100:retry:7") == ("100", "retry:7")
    assert whose("answer:1:a") == ("", "answer:1:a")
    assert whose("@x:answer:1:a") == ("", "@x:answer:1:a")


async def press_in_dm(w: World, who: Any, action: str) -> Any:
    card = Card("t", (Paragraph(("x",)), Buttons((Button("Press", action),))))
    await w.app.chats["discord"].tell(str(w.guild.id), str(who.id), card)
    (message,) = [m for m in who.user.dm_channel.history() if m.components][-1:]
    return await who.user.click(message, label="Press")


async def test_a_button_in_a_direct_message_is_answered_there_and_stored_for_its_server(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        answered = await press_in_dm(w, w.ben, "answer:1:b")
        assert "right" in texts(answered.response).lower()
        again = await w.ben.click(w.posts()[0], label="A")
        assert "B" in texts(again.response)
        assert len(read(w, Workspace)) == 1


async def test_rights_are_asked_of_the_server_when_a_button_is_pressed_in_a_direct_message(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        shown = await w.admin.slash(w.channel, "drill-admin setup", time="10:00")
        assert shown.response is not None
        refused = await press_in_dm(w, w.ben, "drop:1")
        assert "Only admins" in texts(refused.response)
        role = w.guild.create_role("Drillers")
        w.env.backend.get_guild(w.guild.id).members[w.ben.id].role_ids.append(role.id)

        def add(tx: Any) -> None:
            tx.add(DrillAdmin(workspace_id=1, kind="role", external_id=str(role.id), made_at=w.clock.now()))

        w.app.database.write(add).result()
        # Delegated, but the proposal is another's; the manager may drop it.
        assert "Only admins" not in texts((await press_in_dm(w, w.ben, "drop:1")).response)
        assert texts((await press_in_dm(w, w.admin, "drop:1")).response) != ""


async def test_whoever_left_the_server_gets_a_sentence_for_its_buttons(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        card = Card("t", (Paragraph(("x",)), Buttons((Button("Press", "answer:1:b"),))))
        await w.app.chats["discord"].tell(str(w.guild.id), str(w.ben.id), card)
        (message,) = [m for m in w.ben.user.dm_channel.history() if m.components]
        del w.env.backend.get_guild(w.guild.id).members[w.ben.id]
        answered = await w.ben.user.click(message, label="Press")
        assert "is not known here any more" in texts(answered.response)


async def test_closed_direct_messages_are_a_permanent_refusal_of_that_person_alone(tmp_path: Path) -> None:
    import pytest

    from bot.chat import ChatError

    async with world(tmp_path, [SINGLE]) as w:
        w.env.inject_error("POST", f"/channels/{w.ben.user.dm_channel.id}/messages", status=403, code=50007)
        with pytest.raises(ChatError) as refused:
            await w.app.chats["discord"].tell(str(w.guild.id), str(w.ben.id), Card("t", (Paragraph(("x",)),)))
        assert (refused.value.outcome, refused.value.cure) == ("permanent", "person-closed")
        assert w.posts() == []
