"""Drills in a thread and in a forum: posted there, answered there, closed there, and found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.card import Card, Heading, Paragraph
from bot.chat import Message, Place
from tests.discord.questions import MULTIPLE, SINGLE
from tests.discord.world import World, buttons, lose_replies, texts, world

OPTIONS = {"days": "mon-sun", "time": "09:30", "zone": "UTC", "window": "8h"}


async def set_up(w: World, where: Any, **options: Any) -> Any:
    shown = await w.admin.slash(where, "drill-admin setup", **OPTIONS, **options)
    return await w.admin.click(shown.response, label="Save")


def thread_of(w: World, name: str) -> Any:
    w.env.backend.create_thread(w.channel.id, name, w.admin.id)
    return next(thread for thread in w.channel.threads if thread.name == name)


async def test_in_a_thread_the_round_is_a_message_and_its_result_answers_it(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        thread = thread_of(w, "side")
        await set_up(w, thread)
        await w.at(1, 9, 30)
        (question,) = w.posts(thread)
        assert w.posts() == []
        answered = await w.ben.click(question, label="B")
        assert "right" in texts(answered.response).lower()
        today = await w.ben.slash(thread, "drill today")
        assert "KV cache" in texts(today.response)
        await w.at(1, 17, 30)
        question, result = w.posts(thread)
        assert "closed" in texts(question).lower()
        assert result.reference is not None
        assert result.reference.message_id == question.id
        assert "512 MiB" in texts(result)
        assert len(w.channel.threads) == 1


async def test_a_thread_and_its_channel_can_both_have_drills(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        thread = thread_of(w, "side")
        in_channel = await w.admin.slash(thread, "drill-admin status")
        assert "side" not in texts(in_channel.response)
        await set_up(w, thread, difficulty="2")
        await w.at(1, 9, 30)
        assert len(w.posts()) == len(w.posts(thread)) == 1
        status = await w.admin.slash(thread, "drill-admin schedule")
        assert "**Difficulty**: 2" in texts(status.response)


async def test_in_the_thread_of_a_round_commands_speak_of_its_channel(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(window="8h")
        await w.at(1, 9, 30)
        await w.at(1, 17, 30)
        (thread,) = w.threads
        shown = await w.admin.slash(thread, "drill-admin setup", time="10:00")
        saved = await w.admin.click(shown.response, label="Save")
        assert "10:00" in texts(saved.response)
        status = await w.admin.slash(w.channel, "drill-admin status")
        assert "10:00" in texts(status.response)


async def test_in_a_forum_each_round_is_a_post_whose_comments_are_its_thread(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        forum = w.guild.create_forum_channel("quiz")
        await set_up(w, w.channel, channel=forum)
        await w.at(1, 9, 30)
        (post,) = forum.threads
        assert post.name.startswith("Daily drill #1")
        (question,) = w.posts(post)
        answered = await w.ben.click(question, label="B")
        assert answered.response is not None
        assert "KV cache" in texts((await w.ben.slash(post, "drill today")).response)
        status = await w.admin.slash(post, "drill-admin status")
        assert "1 round posted" in texts(status.response)
        await w.at(1, 17, 30)
        question, result = w.posts(post)
        assert "closed" in texts(question).lower()
        assert "512 MiB" in texts(result)
        await w.at(2, 9, 30)
        assert len(forum.threads) == 2
        assert w.posts() == []


async def test_setup_in_a_post_of_a_forum_means_the_forum_and_its_panel_too(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        forum = w.guild.create_forum_channel("quiz")
        w.env.backend.create_thread(forum.id, "hello", w.admin.id)
        (hello,) = forum.threads
        panel = await w.admin.slash(hello, "drill-admin setup")
        shown = await w.admin.click(panel.response, label="Look at it")
        await w.admin.click(shown.response, label="Save")
        await w.at(1, 9, 30)
        assert len(forum.threads) == 2


async def test_a_panel_for_another_channel_keeps_to_it(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        other = w.guild.create_text_channel("other")
        panel = await w.admin.slash(w.channel, "drill-admin setup", channel=other)
        page = await w.admin.click(panel.response, label=buttons(panel.response)[0])
        typed = {"days": ["5"], "time": "25:00", "zone": "UTC", "topics": "", "difficulty": "1-5"}
        wrong = await w.admin.submit_modal(page, typed)
        page = await w.admin.click(wrong.response, label="Change")
        shown = await w.admin.submit_modal(page, {**typed, "time": "09:30"})
        await w.admin.click(shown.response, label="Save")
        await w.at(2, 9, 30)
        assert w.posts() == []
        assert len(w.posts(other)) == 1


async def test_a_post_in_a_forum_whose_reply_was_lost_is_found_and_not_made_twice(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        forum = w.guild.create_forum_channel("quiz")
        await set_up(w, w.channel, channel=forum)
        path = f"/channels/{forum.id}/threads"
        done = lose_replies(w, lambda route: route.method == "POST" and route.url.endswith(path), TimeoutError())
        await w.at(1, 9, 30)
        for minute in (31, 32, 33):
            await w.at(1, 9, minute)
        assert done
        (post,) = forum.threads
        (question,) = w.posts(post)
        assert (await w.ben.click(question, label="B")).response is not None


async def test_a_folded_thread_is_opened_where_its_message_must_change(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        thread = thread_of(w, "side")
        await set_up(w, thread)
        await w.at(1, 9, 30)
        (question,) = w.posts(thread)
        path = f"/channels/{thread.id}/messages/{question.id}"
        w.env.inject_error("PATCH", path, status=400, code=50083, times=1)
        await w.at(1, 17, 30)
        assert "closed" in texts(w.posts(thread)[0]).lower()
        opened = [r for r in w.env.http_requests if r.method == "PATCH" and r.path == f"/channels/{thread.id}"]
        assert [r.json for r in opened] == [{"archived": False}]


@pytest.mark.parametrize(
    ("tags", "needed", "given"),
    [
        ([("Help", False)], False, None),
        ([("Help", False)], True, "Help"),
        ([("Help", False), ("Quiz", False)], False, "Quiz"),
        ([("Rules", True), ("每日一题", False)], True, "每日一题"),
        ([("Rules", True)], True, None),
    ],
)
async def test_a_post_has_a_tag_of_ours_or_any_where_the_forum_demands_one(
    tmp_path: Path, tags: list[tuple[str, bool]], needed: bool, given: str | None
) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        forum = w.guild.create_forum_channel("quiz")
        model = w.env.backend.get_channel(forum.id)
        model.available_tags = [
            {"id": str(n), "name": name, "moderated": moderated, "emoji_id": None, "emoji_name": None}
            for n, (name, moderated) in enumerate(tags, 1)
        ]
        cached: Any = w.env.bot.get_channel(forum.id)
        cached._update(cached.guild, {**payload(w, forum), "flags": 16 if needed else 0})
        chat = w.app.chats["discord"]
        card = Card("t", (Heading(("Drill",)), Paragraph(("Hello",))))
        await chat.post(Place(str(w.guild.id), str(forum.id)), card, "key")
        (opened,) = [r for r in w.env.http_requests if r.path == f"/channels/{forum.id}/threads"]
        names = {str(n): name for n, (name, _) in enumerate(tags, 1)}
        assert [names[tag] for tag in opened.json.get("applied_tags", [])] == ([given] if given else [])


def payload(w: World, channel: Any) -> Any:
    from simcord.backend import serializers

    return serializers.channel_payload(w.env.backend, w.env.backend.get_channel(channel.id))


async def test_what_the_bot_lacks_in_a_thread_or_forum_is_named(tmp_path: Path) -> None:
    async with world(tmp_path, [MULTIPLE]) as w:
        chat = w.app.chats["discord"]
        thread, forum = thread_of(w, "side"), w.guild.create_forum_channel("quiz")
        for place in (w.channel, thread, forum):
            assert list(await chat.check(Place(str(w.guild.id), str(place.id)))) == []
        w.env.backend.get_channel(thread.id).thread_metadata.archived = True
        w.env.backend.get_channel(thread.id).thread_metadata.locked = True
        assert list(await chat.check(Place(str(w.guild.id), str(thread.id)))) == ["locked"]
        talk = w.guild.create_voice_channel("talk")
        assert list(await chat.check(Place(str(w.guild.id), str(talk.id)))) == ["no-text"]


async def test_a_result_whose_forum_post_was_deleted_is_a_post_of_its_own(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        forum = w.guild.create_forum_channel("quiz")
        place = Place(str(w.guild.id), str(forum.id))
        chat = w.app.chats["discord"]
        card = Card("t", (Heading(("Drill",)), Paragraph(("Hello",))))
        told = await chat.reply(place, Message("4711", "4711"), card, "key")
        assert [str(thread.id) for thread in forum.threads] == [told.thread]
