"""What goes wrong on Discord itself: permissions by channel and role, codes, messages that may have arrived."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import pytest

from bot.card import Card, Paragraph
from bot.chat import ChatError, Place
from bot.discord.checks import ADMINISTRATOR, ATTACH, EVERYTHING, SEND, VIEW, permissions
from bot.discord.errors import MEANINGS, meaning_of
from bot.drill.trouble import CURES
from tests.discord.world import World, texts, world
from tests.slack.bank import SINGLE


def place_of(w: World, channel: Any) -> Place:
    return Place(str(w.guild.id), str(channel.id))


async def test_what_a_channel_lacks_is_reckoned_as_discord_does(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        chat = w.app.chats["discord"]
        everyone = w.guild.default_role

        def closed(name: str, **rights: bool) -> Any:
            return w.guild.create_text_channel(name, overwrites={everyone: discord.PermissionOverwrite(**rights)})

        assert list(await chat.check(place_of(w, w.channel), reactions=True)) == []
        assert list(await chat.check(place_of(w, closed("a", view_channel=False)))) == ["view"]
        assert list(await chat.check(place_of(w, closed("b", send_messages=False)))) == ["send"]
        both = closed("c", create_public_threads=False, attach_files=False, read_message_history=False)
        assert list(await chat.check(place_of(w, both))) == ["threads", "files", "history"]
        mute = closed("d", add_reactions=False)
        assert list(await chat.check(place_of(w, mute))) == []
        assert list(await chat.check(place_of(w, mute), reactions=True)) == ["react"]
        assert list(await chat.check(place_of(w, w.guild.create_voice_channel("talk")))) == ["no-text"]
        assert list(await chat.check(Place(str(w.guild.id), "404"))) == ["deleted"]
        assert [r.path for r in w.env.http_requests if r.method == "POST" and r.path.endswith("/messages")] == []


async def test_a_check_that_cannot_be_made_now_says_so(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        w.env.inject_error("GET", f"/channels/{w.channel.id}", status=503, code=0, times=None)
        with pytest.raises(ChatError) as down:
            await w.app.chats["discord"].check(place_of(w, w.channel))
        assert (down.value.outcome, down.value.cure) == ("unsure", "outage")


GUILD = {
    "id": "1",
    "owner_id": "9",
    "roles": [
        {"id": "1", "permissions": str(VIEW | SEND)},
        {"id": "2", "permissions": str(ATTACH)},
        {"id": "3", "permissions": str(ADMINISTRATOR)},
    ],
}


def member(me: str, *roles: str) -> dict[str, Any]:
    return {"user": {"id": me}, "roles": list(roles)}


@pytest.mark.parametrize(
    ("overwrites", "who", "has"),
    [
        ([], member("5"), VIEW | SEND),
        ([], member("5", "2"), VIEW | SEND | ATTACH),
        ([{"id": "1", "deny": str(SEND)}], member("5", "2"), VIEW | ATTACH),
        ([{"id": "1", "deny": str(SEND)}, {"id": "2", "allow": str(SEND)}], member("5", "2"), VIEW | SEND | ATTACH),
        ([{"id": "2", "allow": str(SEND)}, {"id": "5", "deny": str(SEND)}], member("5", "2"), VIEW | ATTACH),
        ([{"id": "5", "allow": str(SEND)}, {"id": "1", "deny": str(SEND | VIEW)}], member("5"), SEND),
        ([{"id": "1", "deny": str(EVERYTHING)}], member("5", "3"), EVERYTHING),
        ([{"id": "1", "deny": str(EVERYTHING)}], member("9"), EVERYTHING),
        ([{"id": "7", "deny": str(EVERYTHING)}, {"id": "1", "deny": None}], member("5"), VIEW | SEND),
    ],
)
def test_overwrites_go_over_roles_in_the_documented_order(overwrites: Any, who: Any, has: int) -> None:
    """Everyone, then the roles (an allowance wins), then the member; the owner and administrators may all."""
    assert permissions(overwrites, GUILD, who) == has


async def test_a_message_that_may_have_been_told_is_looked_for(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        chat, guild = w.app.chats["discord"], str(w.guild.id)
        note, other = Card("*a* <b>", (Paragraph(("*a* <b>",)),)), Card("c", (Paragraph(("c",)),))
        since = w.clock.now() - timedelta(hours=2)
        await chat.tell(guild, str(w.ben.id), note)
        assert await chat.was_told(guild, str(w.ben.id), note, since) is True
        assert await chat.was_told(guild, str(w.ben.id), other, since) is False


async def test_a_lost_permission_is_told_with_its_name_and_mended_by_the_button(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        w.env.inject_error("POST", f"/channels/{w.channel.id}/messages", status=403, code=50013, times=1)
        await w.at(1, 9, 30)
        await w.beat()
        (told,) = [m for m in w.admin.user.dm_channel.history() if m.components]
        assert "give it Send Messages" in texts(told)
        pressed = await w.admin.user.click(told, label="Try again")
        assert "Trying again" in texts(pressed.response)
        await w.at(1, 9, 32)
        assert len(w.posts()) == 1


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_code_names_a_cure_that_has_a_sentence() -> None:
    assert len(MEANINGS) > 230
    assert {meaning.cure for meaning in MEANINGS.values()} <= set(CURES)
    for code, meaning in MEANINGS.items():
        assert (meaning.outcome == "permanent") == (meaning.cure not in ("busy", "outage", "clash")), code


@pytest.mark.parametrize(
    ("code", "status", "outcome", "cure"),
    [
        (0, 401, "permanent", "token"),
        (0, 403, "permanent", "send"),
        (0, 500, "unsure", "outage"),
        (10003, 503, "unsure", "outage"),
        (50013, 429, "retry", "busy"),
        (999_999, 400, "permanent", "unknown"),
        (0, 400, "permanent", "defect"),
        (130000, 503, "retry", "busy"),
    ],
)
def test_what_has_no_code_of_its_own_goes_by_its_status(code: int, status: int, outcome: str, cure: str) -> None:
    """A server that fails, or a limit, is never taken for a refusal for good."""
    assert (meaning_of(code, status).outcome, meaning_of(code, status).cure) == (outcome, cure)
