"""``drills run`` on Discord as operators run it: a process of its own, and a Discord outside it over real sockets.

What happened is read from the stand-in's own log, which knows nothing of the bot's database.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from tests.standins.discord import DiscordStandin
from tests.standins.discord.server import TOKEN
from tests.standins.discord.state import Message

MESSAGES = r"/channels/\d+/messages"


@pytest_asyncio.fixture
async def discord() -> AsyncIterator[DiscordStandin]:
    async with DiscordStandin() as standin:
        yield standin


class Bot:
    """The process, and what it has said so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said: list[str] = []

    async def listen(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.said.append(line.decode().rstrip())


@asynccontextmanager
async def running(discord: DiscordStandin, folder: Path) -> AsyncIterator[Bot]:
    """``drills run`` on a database in ``folder``; killed if a test leaves it running."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRILLS_")}
    env = kept | {
        "DRILLS_DISCORD_TOKEN": TOKEN,
        "DRILLS_DISCORD_API_URL": discord.url,
        "DRILLS_DATABASE_URL": f"sqlite:///{folder / 'drills.db'}",
        "DRILLS_HTTP_PORT": "0",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.cli", "run", env=env, stderr=asyncio.subprocess.PIPE
    )
    bot = Bot(process)
    listening = asyncio.create_task(bot.listen())
    try:
        yield bot
    except BaseException:
        print("\n".join(bot.said))  # noqa: T201 — shown with the failure
        raise
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await listening


async def connected(discord: DiscordStandin) -> None:
    await discord.until(lambda: discord.commands and discord.gateway.sockets and discord.gateway.sockets[0].session)


async def set_up(discord: DiscordStandin) -> None:
    """A manager sets the channel up and saves."""
    ann = discord.add_person("ann", manages=True)
    proposal = await discord.slash(ann, "drill-admin setup", days="mon-sun", kinds="single", language="en", zone="UTC")
    assert "Save" in await text_of(discord, proposal)
    saved = await discord.click(ann, proposal.said[-1], "Save")
    assert "Saved" in await discord.answered(saved)


async def text_of(discord: DiscordStandin, made: object) -> str:
    shown = await discord.answered(made)  # type: ignore[arg-type]
    return shown + " ".join(label for message in made.said for label in message.buttons)  # type: ignore[attr-defined]


async def post_now(discord: DiscordStandin) -> Message:
    """Today's question, once it stands in the channel."""
    ann = next(person for person in discord.people.values() if person.name == "ann")
    await discord.answered(await discord.slash(ann, "drill-admin now"))
    await discord.until(questions(discord))
    return questions(discord)()[0]


def questions(discord: DiscordStandin):  # type: ignore[no-untyped-def]
    return lambda: [message for message in discord.posts() if "Daily drill #1" in message.text]


async def test_a_day_on_discord(discord: DiscordStandin, tmp_path: Path) -> None:
    """Log in over compression, register the commands, set up, post, answer, be told privately, end cleanly."""
    async with running(discord, tmp_path) as bot:
        await connected(discord)
        assert discord.gateway.compressed
        await set_up(discord)
        post = await post_now(discord)
        ben = discord.add_person("ben", locale="zh-CN")
        letter = next(label for label in post.buttons if label in "ABCD")
        verdict = await discord.answered(await discord.click(ben, post, letter))
        assert "你的答案" in verdict
        assert letter not in {message.text for message in discord.posts()}
        await discord.until(lambda: "1 answered" in post.text)
        again = await discord.answered(await discord.click(ben, post, letter))
        assert "你的第一次答案" in again or "第一次" in again
        bot.process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(bot.process.wait(), 20) == 0
    assert len(questions(discord)()) == 1


async def test_a_cut_is_resumed_and_no_tap_is_lost(discord: DiscordStandin, tmp_path: Path) -> None:
    """What was tapped while the connection was away is replayed; there is one IDENTIFY. Then op 7, the same."""
    async with running(discord, tmp_path):
        await connected(discord)
        await set_up(discord)
        post = await post_now(discord)
        for number, breaks in enumerate((discord.gateway.cut, discord.gateway.reconnect)):
            person = discord.add_person(f"person-{number}")
            done = breaks()
            if done is not None:
                await done
            await discord.until(lambda number=number: discord.gateway.resumes == number + 1)
            assert "You answered" in await discord.answered(await discord.click(person, post, "A"))
        assert discord.gateway.identifies == 1


async def test_a_lost_session_is_begun_anew(discord: DiscordStandin, tmp_path: Path) -> None:
    """Op 9 that cannot be resumed: one more IDENTIFY; events of odd shape end nothing."""
    async with running(discord, tmp_path):
        await connected(discord)
        await set_up(discord)
        post = await post_now(discord)
        await discord.gateway.malformed()
        await discord.gateway.invalidate(resumable=False)
        await discord.until(lambda: discord.gateway.identifies == 2)
        await connected(discord)
        await discord.gateway.malformed()
        ben = discord.add_person("ben")
        assert "You answered" in await discord.answered(await discord.click(ben, post, "A"))


async def test_discord_may_be_down_at_the_start_and_its_servers_late(discord: DiscordStandin, tmp_path: Path) -> None:
    """The first connections are refused; when it answers, commands work before any server has come."""
    discord.down, discord.gateway.slow = True, True
    async with running(discord, tmp_path) as bot:
        await discord.until(lambda: any("Discord" in line for line in bot.said))
        discord.down = False
        await connected(discord)
        await set_up(discord)
        assert await post_now(discord)
        await discord.gateway.arrive()


@pytest.mark.parametrize("fault", ["lose", "status", "limit"])
async def test_a_post_that_goes_wrong_is_one_message(discord: DiscordStandin, tmp_path: Path, fault: str) -> None:
    """Accepted and the reply lost, answered with an error of the server's, or told to wait: one message in the end."""
    async with running(discord, tmp_path):
        await connected(discord)
        await set_up(discord)
        rest = {"lose": {}, "status": {"status": 502}, "limit": {"retry_after": 1.0}}[fault]
        discord.fail("POST", MESSAGES, fault, **rest)  # type: ignore[arg-type]
        await post_now(discord)
        asked = [entry for entry in discord.log if entry.method == "POST" and entry.path.endswith("/messages")]
        assert not discord.faults, "the fault was met"
        if fault == "limit":
            (refused,) = [at for at, _, status in discord.refusals if status == 0]
            assert asked[0].at - refused >= 1.0
        ben = discord.add_person("ben")
        assert "You answered" in await discord.answered(await discord.click(ben, questions(discord)()[0], "A"))
    assert len(questions(discord)()) == 1


async def test_a_killed_process_leaves_working_buttons_and_one_message(discord: DiscordStandin, tmp_path: Path) -> None:
    """kill -9; its successor registers no command again, answers the old message, and knows what was answered."""
    async with running(discord, tmp_path) as first:
        await connected(discord)
        await set_up(discord)
        post = await post_now(discord)
        ben = discord.add_person("ben")
        await discord.answered(await discord.click(ben, post, "A"))
        first.process.kill()
        await first.process.wait()
    registered = len([entry for entry in discord.log if entry.method == "PUT" and entry.path.endswith("/commands")])
    discord.gateway.sessions.clear()
    async with running(discord, tmp_path):
        await connected(discord)
        assert "Your first answer stands." in await discord.answered(await discord.click(ben, post, "B"))
        assert "Slot" not in await discord.answered(
            await discord.slash(next(p for p in discord.people.values() if p.name == "ann"), "drill-admin status")
        )
    puts = [entry for entry in discord.log if entry.method == "PUT" and entry.path.endswith("/commands")]
    assert (len(puts), registered) == (1, 1)
    assert len(questions(discord)()) == 1


async def test_a_late_or_second_acknowledgement_harms_nothing(discord: DiscordStandin, tmp_path: Path) -> None:
    """Discord gives an interaction up (10062), or says that it was answered (40060): the answer is stored."""
    async with running(discord, tmp_path) as bot:
        await connected(discord)
        await set_up(discord)
        post = await post_now(discord)
        ben, kim = discord.add_person("ben"), discord.add_person("kim")
        for person, code in ((ben, "late"), (kim, "twice")):
            os.kill(bot.process.pid, signal.SIGSTOP)
            made = await discord.click(person, post, "A")
            if code == "late":
                made.at -= 10
            else:
                made.answered = 4
            os.kill(bot.process.pid, signal.SIGCONT)
            await discord.until(lambda: any(status in (400, 404) for _, _, status in discord.refusals))
            discord.refusals.clear()
        await discord.until(lambda: "2 answered" in post.text)
        assert "Your first answer stands." in await discord.answered(await discord.click(ben, post, "B"))
