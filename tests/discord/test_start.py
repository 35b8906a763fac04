"""Starting, losing and stopping the connection, with the real library on a real socket."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import discord
import pytest
from pydantic import SecretStr

from bot.app import App
from bot.card import Card, Paragraph
from bot.chat import Place
from bot.clock import HandClock
from bot.discord.app import Running, start_discord
from bot.discord.pace import Pace
from bot.settings import Settings, SettingsFault
from content.library import Library
from tests.discord.questions import SINGLE
from tests.discord.wire import TOKEN, Wire, press
from tests.discord.world import build_app

PRIVILEGED = discord.Intents(members=True, presences=True, message_content=True).value


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    clock = HandClock(datetime(2026, 1, 1, tzinfo=UTC))
    app = build_app(f"sqlite:///{tmp_path}/drills.db", Library.of([SINGLE]), clock)
    yield app
    app.close()


@pytest.fixture
async def wire(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
    wire = Wire()
    await wire.start()
    wire.point_to(monkeypatch)
    yield wire
    await wire.stop()


async def test_it_connects_without_privileged_intents_and_stops_cleanly(app: App, wire: Wire) -> None:
    running = await start_discord(app, Settings(discord_token=SecretStr(TOKEN)))
    assert running.says == "Discord: logged in as drills."
    assert app.chats["discord"].platform == "discord"
    await wire.until(lambda: bool(wire.hellos))
    asked = wire.hellos[0]["intents"]
    assert asked & PRIVILEGED == 0
    assert asked == discord.Intents(guilds=True, guild_reactions=True).value
    await running.stop()
    assert app.chats == {}
    assert running._task is not None
    assert running._task.done()
    assert [task for task in asyncio.all_tasks() if "discord" in task.get_name()] == []


async def test_the_commands_are_told_to_discord_when_it_has_others_and_not_at_every_start(app: App, wire: Wire) -> None:
    for _ in range(3):
        running = await start_discord(app, Settings(discord_token=SecretStr(TOKEN)))
        await running.stop()
    assert len(wire.asked("PUT", "/applications/900/commands")) == 1
    # Discord adds of its own, and gives permissions back as text.
    wire.commands = [
        {**command, "id": "1", "version": "2", "application_id": "900", "default_permission": True, "guild_id": None}
        | {"default_member_permissions": (bits := command["default_member_permissions"]) and str(bits)}
        for command in reversed(wire.commands)
    ]
    running = await start_discord(app, Settings(discord_token=SecretStr(TOKEN)))
    await running.stop()
    assert len(wire.asked("PUT", "/applications/900/commands")) == 1
    wire.commands[0]["options"][0]["description"] = "as an earlier version had it"
    running = await start_discord(app, Settings(discord_token=SecretStr(TOKEN)))
    await running.stop()
    assert len(wire.asked("PUT", "/applications/900/commands")) == 2
    assert [path for how, path, _ in wire.requests if "/guilds/" in path] == []


async def test_a_refused_token_is_one_sentence_with_the_cure(app: App, wire: Wire) -> None:
    with pytest.raises(SettingsFault, match=r"DRILLS_DISCORD_TOKEN: Discord refuses this token; copy .*Reset Token"):
        await start_discord(app, Settings(discord_token=SecretStr("wrong-token")))
    assert app.chats == {}
    assert len(wire.requests) == 1


async def test_without_a_token_nothing_is_started(app: App) -> None:
    with pytest.raises(SettingsFault, match="DRILLS_DISCORD_TOKEN"):
        await start_discord(app, Settings(discord_token=None))


async def test_an_unreachable_discord_is_waited_for(app: App, wire: Wire) -> None:
    await wire.stop()
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    assert running.says.startswith("Discord: not reached yet")
    assert app.chats == {}
    await wire.start()
    await wire.until(lambda: bool(wire.hellos))
    assert "discord" in app.chats
    await running.stop()


async def test_a_gateway_that_turns_the_first_connections_away_does_not_end_the_bot(app: App, wire: Wire) -> None:
    wire.refuse_gateway = 1
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    await wire.until(lambda: bool(wire.hellos))
    await running.stop()
    assert running.fault is None


async def test_an_event_that_breaks_the_library_is_left_out_and_the_connection_stays(app: App, wire: Wire) -> None:
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    await wire.until(lambda: len(wire.hellos) == 1)
    await wire.say("GUILD_CREATE", {"id": "not a number"})
    await wire.say("INTERACTION_CREATE", press("drill:answer:1:a"))
    await wire.until(lambda: bool(wire.asked("POST", "/callback")))
    await running.stop()
    assert len(wire.hellos) == 1


async def test_a_frame_that_breaks_the_connection_does_not_end_the_bot(app: App, wire: Wire) -> None:
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    await wire.until(lambda: len(wire.hellos) == 1)
    await wire.send(["no frame"])
    await wire.until(lambda: len(wire.hellos) == 2)
    await wire.say("INTERACTION_CREATE", press("drill:answer:1:a"))
    await wire.until(lambda: bool(wire.asked("POST", "/callback")))
    await running.stop()
    assert len(wire.asked("PUT", "/commands")) == 1


async def test_when_discord_asks_for_it_the_session_is_resumed_and_not_begun_anew(app: App, wire: Wire) -> None:
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    await wire.until(lambda: len(wire.hellos) == 1)
    await wire.say("RESUMED", {})
    await wire.send({"op": 7, "d": None})
    await wire.until(lambda: bool(wire.resumes))
    await wire.say("INTERACTION_CREATE", press("drill:answer:1:a"))
    await wire.until(lambda: bool(wire.asked("POST", "/callback")))
    await running.stop()
    assert len(wire.hellos) == 1


async def test_a_session_that_discord_calls_invalid_is_begun_anew(app: App, wire: Wire) -> None:
    """The library waits five seconds before it begins another session, as Discord asks."""
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    await wire.until(lambda: len(wire.hellos) == 1)
    await wire.send({"op": 9, "d": False})
    await wire.until(lambda: len(wire.hellos) == 2)
    await wire.say("INTERACTION_CREATE", press("drill:answer:1:a"))
    await wire.until(lambda: bool(wire.asked("POST", "/callback")))
    await running.stop()
    assert wire.resumes == []


async def test_where_discord_allows_no_more_sessions_it_waits_and_posting_works_meanwhile(app: App, wire: Wire) -> None:
    wire.limits |= {"remaining": 0, "reset_after": 86_400_000}
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    await wire.until(lambda: bool(wire.asked("GET", "/gateway/bot")))
    posted = await app.chats["discord"].post(Place("100", "200"), Card("t", (Paragraph(("Hello",)),)), "key")
    assert posted.id == "77"
    assert wire.hellos == []
    await running.stop()


async def test_a_channel_of_a_server_that_has_not_come_yet_is_posted_to(app: App, wire: Wire) -> None:
    wire.guilds = [{"id": "100", "unavailable": True}]
    running = Running(app, TOKEN)
    await running.start()
    await wire.until(lambda: bool(wire.hellos))
    place = Place("100", "200")
    posted = await app.chats["discord"].post(place, Card("t", (Paragraph(("Hello",)),)), "key")
    replied = await app.chats["discord"].reply(place, posted, Card("t", (Paragraph(("Hello",)),)), "key2")
    await app.chats["discord"].edit(place, posted, Card("t", (Paragraph(("Bye",)),)))
    assert replied.thread == posted.id
    await wire.say("INTERACTION_CREATE", press("drill:answer:1:a"))
    await wire.until(lambda: bool(wire.asked("POST", "/callback")))
    await running.stop()


def test_sessions_are_begun_at_a_pace_that_never_uses_up_a_days_thousand() -> None:
    pace, now, begun = Pace(), 0.0, 0
    while now < 86_400:
        now += pace.wait(now)
        begun += now < 86_400
    assert 500 < begun < 1000


@pytest.mark.parametrize(("code", "word"), [(4004, "DRILLS_DISCORD_TOKEN"), (4014, "privileged intents")])
async def test_a_connection_that_is_refused_for_good_is_given_up_with_a_sentence(
    app: App, wire: Wire, code: int, word: str
) -> None:
    wire.close_code = code
    running = Running(app, TOKEN, first_pause=0.01)
    await running.start()
    assert running._task is not None
    await asyncio.wait_for(running._task, 20)
    assert word in str(running.fault)
    assert app.chats == {}
    await running.stop()


async def test_a_slow_answer_is_announced_in_time_and_shown_when_it_is_there(app: App, wire: Wire) -> None:
    running = Running(app, TOKEN)
    await running.start()
    await wire.until(lambda: bool(wire.hellos))
    release = threading.Event()
    app.database.write(lambda _: release.wait(30))
    await wire.say("INTERACTION_CREATE", press("drill:answer:1:a"))
    await wire.until(lambda: bool(wire.asked("POST", "/callback")))
    assert wire.asked("POST", "/callback") == [{"type": 5, "data": {"flags": 64}}]
    assert wire.asked("PATCH", "@original") == []
    release.set()
    await wire.until(lambda: bool(wire.asked("PATCH", "@original")))
    (shown,) = wire.asked("PATCH", "@original")
    assert "这个按钮" in str(shown)
    assert shown["flags"] & 1 << 15, "an announced reply takes components only where the edit says so"
    await running.stop()


async def test_a_reply_under_way_is_given_before_the_end(app: App, wire: Wire) -> None:
    running = Running(app, TOKEN)
    await running.start()
    await wire.until(lambda: bool(wire.hellos))
    release = threading.Event()
    app.database.write(lambda _: release.wait(30))
    await wire.say("INTERACTION_CREATE", press("drill:answer:1:a"))
    await wire.until(lambda: bool(wire.asked("POST", "/callback")))
    stopping = asyncio.create_task(running.stop())
    await asyncio.sleep(0)
    release.set()
    await stopping
    assert len(wire.asked("PATCH", "@original")) == 1


def test_our_package_does_not_stand_in_the_librarys_way() -> None:
    import bot.discord.app as edge

    assert edge.discord.__name__ == "discord"
    assert edge.discord.Client is discord.Client
    assert hasattr(edge.discord, "ui")
