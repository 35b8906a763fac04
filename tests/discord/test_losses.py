"""Restarts, lost replies, refusals, foreign buttons: nothing is posted twice, nobody is left without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest

from bot.chat import ChatError, Message, Place
from bot.discord.app import DrillClient
from bot.discord.chat import chat_error
from tests.discord.questions import NUMERIC, SINGLE
from tests.discord.world import START, buttons, lose_replies, texts, world


async def test_a_button_of_any_age_works_in_a_new_process(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        await w.restart()
        answered = await w.ben.click(w.posts()[0], label="B")
        assert texts(answered.response).startswith("### Right!")
        await w.beat()
        assert "1 answered" in texts(w.posts()[0])
        await w.restart()
        await w.at(2, 9, 30)
        assert len(w.posts()) == 2
        assert "**Closed** · 1 of 1 right" in texts(w.posts()[0])


async def test_the_buttons_of_private_cards_never_switch_off_the_others(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        await w.ben.slash(w.channel, "drill today")
        # discord.py forgets a private message's buttons after 15 minutes.
        await w.env.advance_time(3600)
        answered = await w.ben.click(w.posts()[0], label="B")
        assert answered.acknowledged


async def test_a_form_that_was_opened_before_a_restart_can_be_sent_after_it(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        panel = await w.admin.slash(w.channel, "drill-admin setup")
        page = await w.admin.click(panel.response, label=buttons(panel.response)[0])
        await w.restart()
        typed = {"days": ["1"], "time": "10:15", "zone": "UTC", "topics": "", "difficulty": "1-5"}
        shown = await w.admin.submit_modal(page, typed)
        assert "**Time**: 10:15 · UTC" in texts(shown.response)


@pytest.mark.parametrize(
    "error", [aiohttp.ServerDisconnectedError(), ConnectionResetError(104, "reset"), TimeoutError()]
)
async def test_a_post_whose_reply_was_lost_stands_once(tmp_path: Path, error: Exception) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        done = lose_replies(w, lambda route: route.method == "POST" and route.path.endswith("/messages"), error)
        await w.at(1, 9, 30)
        assert done
        await w.at(1, 9, 31)
        assert len(w.posts()) == 1
        answered = await w.ben.click(w.posts()[0], label="B")
        assert texts(answered.response).startswith("### Right!")
        sent = [r for r in w.env.http_requests if r.method == "POST" and r.path.endswith(f"{w.channel.id}/messages")]
        assert len(sent) == 1


async def test_a_post_that_arrived_before_the_process_died_stands_once(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        lose_replies(w, lambda route: route.path.endswith("/messages"), TimeoutError())
        await w.at(1, 9, 30)
        await w.restart()
        await w.at(1, 9, 35)
        assert len(w.posts()) == 1
        await w.at(2, 9, 30)
        assert "**Closed**" in texts(w.posts()[0])


async def test_a_post_that_did_not_arrive_is_sent_again(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        w.env.inject_error("POST", f"/channels/{w.channel.id}/messages", status=500)
        await w.at(1, 9, 30)
        await w.at(1, 9, 31)
        await w.beat()
        assert len(w.posts()) == 1


@pytest.mark.parametrize("path", ["/threads", "/messages"])
async def test_a_result_whose_reply_was_lost_stands_once_in_one_thread(tmp_path: Path, path: str) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(days="thu")
        await w.at(1, 9, 30)
        lose_replies(w, lambda route: route.method == "POST" and route.path.endswith(path), TimeoutError())
        await w.at(2, 9, 30)
        await w.at(2, 9, 31)
        await w.beat()
        (thread,) = w.threads
        assert len(w.posts(thread)) == 1
        assert len(w.posts()) == 1


async def test_where_the_message_was_deleted_the_result_stands_in_the_channel(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(days="thu")
        await w.at(1, 9, 30)
        w.env.backend.delete_message(w.channel.id, w.posts()[0].id)
        await w.at(2, 9, 30)
        assert [texts(p).splitlines()[0] for p in w.posts()] == ["### Answer: B"]


async def test_the_key_is_kept_through_edits_and_restarts(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(days="thu")
        await w.at(1, 9, 30)
        sent = next(r for r in w.env.http_requests if r.path == f"/channels/{w.channel.id}/messages")
        key = sent.json["nonce"]
        assert sent.json["enforce_nonce"] is True
        assert len(key) <= 25
        await w.restart()
        await w.at(2, 9, 30)
        place = Place(str(w.guild.id), str(w.channel.id))
        chat = w.app.chats["discord"]
        found = await chat.find(place, key, START)
        assert found == Message(str(w.posts()[0].id))
        assert await chat.find(place, "another-key", START) is None


async def test_an_edit_that_discord_puts_off_is_made_later(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(days="thu")
        await w.at(1, 9, 30)
        w.env.inject_error("PATCH", "/channels/*/messages/*", status=429, code=30046)
        w.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=30046)
        await w.at(2, 9, 30)
        assert "**Closed**" not in texts(w.posts()[0])
        await w.at(2, 9, 33)
        await w.at(2, 9, 36)
        assert "**Closed**" in texts(w.posts()[0])


async def test_a_closed_direct_message_channel_is_permanent(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        w.env.inject_error("POST", "/channels/*/messages", status=403, code=50007)
        card = w.app.conversation.cards.posting_now("en")
        with pytest.raises(ChatError) as refused:
            await w.app.chats["discord"].tell(str(w.guild.id), str(w.ben.id), card)
        assert (refused.value.outcome, refused.value.code) == ("permanent", "50007")


class Answer:
    """What discord.py keeps of a response."""

    def __init__(self, status: int, **headers: str) -> None:
        self.status = status
        self.reason = "reason"
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def refused(kind: type[discord.HTTPException], status: int, code: int, **headers: str) -> discord.HTTPException:
    return kind(Answer(status, **headers), {"code": code, "message": "no"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "outcome", "code", "retry_after"),
    [
        (refused(discord.Forbidden, 403, 50013), "permanent", "50013", None),
        (refused(discord.Forbidden, 403, 50001), "permanent", "50001", None),
        (refused(discord.NotFound, 404, 10003), "permanent", "10003", None),
        (refused(discord.HTTPException, 400, 50035), "permanent", "50035", None),
        (refused(discord.HTTPException, 401, 0), "permanent", "http-401", None),
        (refused(discord.HTTPException, 429, 0, Retry_After="2.5"), "retry", "http-429", 2.5),
        (refused(discord.HTTPException, 429, 0), "retry", "http-429", 5.0),
        (refused(discord.HTTPException, 400, 30046), "retry", "30046", 60.0),
        (refused(discord.HTTPException, 400, 20016), "retry", "20016", 10.0),
        (refused(discord.DiscordServerError, 503, 0), "unsure", "http-503", None),
        (discord.RateLimited(40.0), "retry", "rate-limited", 40.0),
        (aiohttp.ServerDisconnectedError(), "unsure", "ServerDisconnectedError", None),
        (TimeoutError(), "unsure", "TimeoutError", None),
        (
            aiohttp.ClientConnectorError(None, OSError(111, "refused")),  # type: ignore[arg-type]
            "retry",
            "unreachable",
            None,
        ),
    ],
)
def test_every_failure_says_what_the_ledger_may_conclude(
    error: Exception, outcome: str, code: str, retry_after: float | None
) -> None:
    found = chat_error(error)
    assert (found.outcome, found.code, found.retry_after) == (outcome, code, retry_after)


FOREIGN = [
    "drill:answer:999999:a",
    "drill:answer:1:zz",
    "drill:answer:x:a",
    "drill:answer:1'; DROP TABLE answers;--:a",
    "drill:form:999",
    "drill:mine:١٢",
    "drill:save:999999",
    "drill:page:1:",
    "drill:page:9:setup",
    "drill:page:x:setup",
    "drill:page:1:page:1:setup",
    "drill:page:1:save:1",
    "drill:page:0:answer:1:b",
    "drill:",
    "drill:" + "九" * 90,
    "drill:page:1:setup@4711",
    "drill:page:1:setup@九",
    "drill:page:0:help",
    "drill:page:9:settings",
    "drill:mend:answer:99:x",
    "drill:mend:setup:4711:x",
    "drill:mend:nothing",
    "drill:@4711:answer:1:b",
    "drill:@4711:mend:answer:1",
    "drill:@4711:page:1:setup",
    "someone-else:12",
    "\n",
]


async def test_a_form_that_was_filled_wrongly_is_opened_again_with_what_was_typed_and_by_another_process(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, [NUMERIC]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        opened = await w.ben.click(w.posts()[0], label="Answer")
        wrong = await w.ben.submit_modal(opened, {"answer": "about many"})
        assert buttons(wrong.response) == ["Answer"]
        again = await w.ben.click(wrong.response, label="Answer")
        (field,) = [part["component"] for part in again.modal["components"] if "component" in part]
        assert field["value"] == "about many"
        await w.restart()
        anew = await w.ben.click(wrong.response, label="Answer")
        right = await w.ben.submit_modal(anew, {"answer": "512 MiB"})
        assert texts(right.response).startswith("### Right!")


async def test_a_button_that_names_another_servers_channel_sets_nothing_up(tmp_path: Path) -> None:
    """Ids go through the person's client, which may send others."""
    async with world(tmp_path, [SINGLE]) as w:
        elsewhere = w.env.create_guild(name="Elsewhere").create_text_channel("theirs")
        for action in (f"page:0:setup@{elsewhere.id}", f"page:1:setup@{elsewhere.id}"):
            view = discord.ui.View(timeout=None)
            view.add_item(discord.ui.Button[Any](label="?", custom_id=f"drill:{action}"))
            view.stop()
            message = await w.env.bot.get_channel(w.channel.id).send("?", view=view)
            shown = await w.admin.click(message, label="?")
            assert "not known here" in texts(shown.response)


@pytest.mark.parametrize("custom_id", FOREIGN)
async def test_a_foreign_or_malformed_button_gets_one_neutral_sentence(tmp_path: Path, custom_id: str) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        button = discord.ui.Button[Any](label="?", custom_id=custom_id)
        view = discord.ui.View(timeout=None)
        view.add_item(button)
        view.stop()
        message = await w.env.bot.get_channel(w.channel.id).send("?", view=view)
        pressed = await w.admin.click(message, label="?")
        assert pressed.acknowledged
        assert pressed.ephemeral
        assert pressed.response is not None
        assert texts(pressed.response)
        assert w.env.errors == []


async def test_a_button_of_another_server_opens_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        elsewhere = w.env.create_guild(name="Elsewhere")
        channel = elsewhere.create_text_channel("general")
        eve = elsewhere.add_member(w.env.create_user("eve"))
        view = discord.ui.View(timeout=None)
        view.add_item(discord.ui.Button[Any](label="B", custom_id="drill:answer:1:b"))
        view.stop()
        message = await w.env.bot.get_channel(channel.id).send("?", view=view)
        pressed = await eve.click(message, label="B")
        assert "not known here" in texts(pressed.response)
        await w.beat()
        assert "0 answered" in texts(w.posts()[0])


async def test_a_fault_of_ours_is_said_and_logged_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with world(tmp_path, [SINGLE], check_errors=False) as w:
        await w.setup()
        await w.at(1, 9, 30)
        # A reply that Discord refuses stands for every fault on the way out.
        w.env.inject_error("POST", "/interactions/*/*/callback", status=400, code=50035)
        pressed = await w.ben.click(w.posts()[0], label="B")
        assert "Something went wrong on our side" in texts(pressed.response)
        assert "a reply could not be shown" in caplog.text
        again = await w.ben.click(w.posts()[0], label="B")
        assert texts(again.response).startswith("### Right!")


async def test_an_interaction_that_another_process_has_answered_is_let_be(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE], check_errors=False) as w:
        await w.setup()
        await w.at(1, 9, 30)
        for code in (40060, 10062):
            w.env.inject_error("POST", "/interactions/*/*/callback", status=400, code=code)
            pressed = await w.ben.click(w.posts()[0], label="B")
            assert pressed.response is None
        callbacks = [r for r in w.env.http_requests if r.path.endswith("/callback")]
        assert len([r for r in callbacks if r.json["type"] == 4]) == 3


async def test_the_chat_is_there_while_the_client_lives(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        client = w.env.bot
        assert isinstance(client, DrillClient)
        assert w.app.chats["discord"] is client.chat
        await client.close()
        assert "discord" not in w.app.chats
