"""What admins do on Discord: setting a channel up by options or by the panel, and everything after that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import discord

from bot.commands import COMMANDS
from storage import members
from storage.tables import DrillAdmin
from tests.discord.questions import EVERY_KIND, SINGLE
from tests.discord.world import World, buttons, texts, world


async def test_setup_by_options_shows_the_next_dates_and_saves_on_save_alone(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        shown = await w.admin.slash(
            w.channel, "drill-admin setup", days="周一到周五", time="上午9:30", zone="Asia/Shanghai", difficulty="1-3"
        )
        assert shown.ephemeral
        assert "Fri 2 Jan 09:30" in texts(shown.response)
        assert "**Time**: 09:30 · Asia/Shanghai" in texts(shown.response)
        before = await w.admin.slash(w.channel, "drill-admin status")
        assert "no drills yet" in texts(before.response)
        saved = await w.admin.click(shown.response, label="Save")
        assert texts(saved.response).startswith("### Saved. The next rounds:")
        assert saved.response.id == shown.response.id
        after = await w.admin.slash(w.channel, "drill-admin status")
        assert "0 rounds posted" in texts(after.response)


async def test_setup_without_options_is_a_panel_whose_pages_keep_what_the_others_said(tmp_path: Path) -> None:
    async with world(tmp_path, list(EVERY_KIND)) as w:
        panel = await w.admin.slash(w.channel, "drill-admin setup")
        when, what, look = buttons(panel.response)
        assert look == "Look at it"
        page = await w.admin.click(panel.response, label=when)
        typed = {"days": ["6"], "time": "10:15", "zone": "Europe/Berlin", "topics": "", "difficulty": "1-4"}
        shown = await w.admin.submit_modal(page, typed)
        assert shown.response.id == panel.response.id
        again = await w.admin.click(shown.response, label="Change")
        page = await w.admin.click(again.response, label=what)
        chosen = {"kinds": ["single", "multiple"], "language": "zh+en", "mode": "together", "holidays": "DE"}
        shown = await w.admin.submit_modal(page, chosen)
        text = texts(shown.response)
        for line in (
            "**Days**: Sat",
            "**Time**: 10:15 · Europe/Berlin",
            "**Difficulty**: 1–4",
            "**Kinds**: single choice, multiple choice",
            "**Language**: 中文 + English",
            "**Holidays**: DE",
        ):
            assert line in text
        saved = await w.admin.click(shown.response, label="Save")
        assert "Sat 3 Jan 10:15" in texts(saved.response)


async def test_the_panel_can_be_taken_as_it_is(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        panel = await w.admin.slash(w.channel, "drill-admin setup")
        shown = await w.admin.click(panel.response, label="Look at it")
        assert "Mon Tue Wed Thu Fri" in texts(shown.response)
        dropped = await w.admin.click(shown.response, label="Cancel")
        assert texts(dropped.response) == "Nothing was changed."


async def test_a_wrong_field_gets_a_sentence_and_the_form_comes_back_as_it_was_typed(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        panel = await w.admin.slash(w.channel, "drill-admin setup")
        page = await w.admin.click(panel.response, label=buttons(panel.response)[0])
        typed = {"days": ["1"], "time": "25:00", "zone": "Nowhere/City", "topics": "", "difficulty": "1-5"}
        wrong = await w.admin.submit_modal(page, typed)
        assert wrong.ephemeral
        assert "**Time**: “25:00” is not a time of day" in texts(wrong.response)
        assert "**Time zone**: " in texts(wrong.response)
        back = await w.admin.click(wrong.response, label="Change")
        values = {c["component"]["custom_id"]: c["component"].get("value") for c in back.modal["components"]}
        assert values["time"] == "25:00"
        assert values["zone"] == "Nowhere/City"


async def test_a_wrong_option_of_a_command_gets_a_sentence_and_nothing_is_saved(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        shown = await w.admin.slash(w.channel, "drill-admin setup", topics="underwater basket")
        assert "There is no topic “underwater basket”" in texts(shown.response)
        status = await w.admin.slash(w.channel, "drill-admin status")
        assert "no drills yet" in texts(status.response)


ADMINS_COMMANDS = [spec.name for spec in COMMANDS if spec.admin]


async def test_who_may_not_manage_the_server_sees_no_admin_command_and_is_refused_every_one(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        assert "drill-admin status" in w.admin.available_commands(w.channel)
        assert {name.split()[0] for name in w.ben.available_commands(w.channel)} == {"drill"}
        for name in ADMINS_COMMANDS:
            refused = await w.ben.slash(w.channel, "drill admin", line=name)
            assert texts(refused.response) == "Only admins of this workspace can do that. Ask one of them.", name


async def test_those_to_whom_the_drills_are_delegated_by_role_type_what_they_are_not_shown(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        role = w.guild.create_role("Drillers")
        cat = w.guild.add_member(w.env.create_user("cat"), roles=[role])
        delegate(w, "role", str(role.id))
        shown = await cat.slash(w.channel, "drill admin", line="schedule time=10:15")
        assert "**Time**: 10:15 · UTC" in texts(shown.response)
        saved = await cat.click(shown.response, label="Save")
        assert texts(saved.response).startswith("### Saved.")
        chinese = await cat.slash(w.channel, "drill admin", line="状态")
        assert "10:15" in texts(chinese.response)
        help_ = texts((await cat.slash(w.channel, "drill help")).response)
        assert "/drill-admin setup" in help_
        assert "If you do not see /drill-admin: type /drill admin line:status." in help_
        assert "drill-admin" not in texts((await w.ben.slash(w.channel, "drill help")).response)
        assert "If you do not see" not in texts((await w.admin.slash(w.channel, "drill help")).response)
        assert "Only admins" in texts((await w.ben.slash(w.channel, "drill admin", line="pause")).response)


async def test_a_line_that_is_no_command_gets_a_sentence(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        wrong = await w.admin.slash(w.channel, "drill admin", line="stauts")
        assert "Did you mean /drill-admin status?" in texts(wrong.response)
        wrong = await w.admin.slash(w.channel, "drill admin", line="schedule nonsense")
        assert "schedule does not understand “nonsense”" in texts(wrong.response)


def delegate(w: World, kind: str, external_id: str) -> None:
    def add(tx: Any) -> None:
        workspace = members.find_workspace(tx, "discord", str(w.guild.id))
        tx.add(DrillAdmin(workspace_id=workspace, kind=kind, external_id=external_id, made_at=w.clock.now()))

    w.app.database.write(add).result()


async def test_rights_are_asked_at_use_and_not_when_the_button_was_made(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        role = w.guild.create_role("Once", permissions=discord.Permissions(manage_guild=True))
        cat = w.guild.add_member(w.env.create_user("cat"), roles=[role])
        shown = await cat.slash(w.channel, "drill-admin setup", time="10:00")
        w.env.backend.get_guild(w.guild.id).members[cat.id].role_ids.clear()
        refused = await cat.click(shown.response, label="Save")
        assert "Only admins" in texts(refused.response)


async def test_now_pause_resume_topics_and_status(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        posting = await w.admin.slash(w.channel, "drill-admin now")
        assert "on its way" in texts(posting.response)
        await w.beat()
        assert len(w.posts()) == 1
        taken = await w.admin.slash(w.channel, "drill-admin now")
        assert "Today's slot is taken" in texts(taken.response)
        paused = await w.admin.slash(w.channel, "drill-admin pause", until="2026-01-03")
        assert "Paused through Sat 3 Jan" in texts(paused.response)
        await w.at(2, 9, 30)
        assert [p for p in w.posts() if "#2" in texts(p)] == []
        resumed = await w.admin.slash(w.channel, "drill-admin resume")
        assert "Sat 3 Jan 09:30" in texts(resumed.response)
        topics = await w.admin.slash(w.channel, "drill-admin topics", search="KV")
        assert "kv-cache" in texts(topics.response)
        status = await w.admin.slash(w.channel, "drill-admin status")
        assert "1 round posted" in texts(status.response)


async def test_after_saving_the_admin_hears_which_permission_is_missing(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        closed = w.guild.create_text_channel(
            "closed",
            overwrites={w.guild.default_role: discord.PermissionOverwrite(create_public_threads=False)},
        )
        shown = await w.admin.slash(closed, "drill-admin setup", time="10:00")
        saved = await w.admin.click(shown.response, label="Save")
        assert "Create Public Threads" in texts(saved.response)


async def test_where_no_message_can_have_a_thread_no_schedule_is_made(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        refused = await w.admin.slash(w.guild.create_voice_channel("talk"), "drill-admin setup", time="10:00")
        assert texts(refused.response).startswith("Drills need a text channel")
        news = await w.admin.slash(w.guild.create_news_channel("news"), "drill-admin setup", time="10:00")
        assert "Start daily drills here?" in texts(news.response)


async def test_topics_and_zones_are_suggested_while_typing(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        found = await w.admin.autocomplete(w.channel, "drill-admin setup", "topics", "lora, kv")
        assert any(choice["value"] == "lora, kv-cache" for choice in found)
        zones = await w.admin.autocomplete(w.channel, "drill-admin setup", "zone", "shang")
        assert zones[0]["value"] == "Asia/Shanghai"
        assert len(await w.admin.autocomplete(w.channel, "drill-admin setup", "zone", "")) == 25
        assert await w.admin.autocomplete(w.channel, "drill-admin schedule", "zone", "no such zone") == []


async def test_an_admin_whose_posts_are_refused_is_told_why(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        w.env.inject_error("POST", f"/channels/{w.channel.id}/messages", status=403, code=50013, times=None)
        for day in (1, 2, 3):
            await w.at(day, 9, 30)
        await w.beat()
        told = [texts(m) for m in _direct_messages(w)]
        assert any("paused" in text and "Create Public Threads" in text for text in told)


def _direct_messages(w: World) -> list[Any]:
    return [m for m in w.admin.user.dm_channel.history() if m.components]
