"""``drills run`` as operators run it: a process of its own, Slack's stand-in outside it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.standins.slack.fixture import slack
from tests.standins.slack.server import SlackStandin


def environment(slack: SlackStandin, folder: Path, *, socket_mode: bool) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRILLS_")}
    kept |= {
        "DRILLS_SLACK_BOT_TOKEN": slack.bot_token,
        "DRILLS_SLACK_SIGNING_SECRET": slack.signing_secret,
        "DRILLS_SLACK_API_URL": slack.base_url,
        "DRILLS_DATABASE_URL": f"sqlite:///{folder / 'drills.db'}",
        "DRILLS_HTTP_PORT": "0",
    }
    if socket_mode:
        kept["DRILLS_SLACK_APP_TOKEN"] = slack.app_token
    return kept


@asynccontextmanager
async def running(env: dict[str, str]) -> AsyncIterator[tuple[asyncio.subprocess.Process, list[str]]]:
    """The process with what it has said so far; it is killed if a test leaves it running."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.cli", "run", env=env, stderr=asyncio.subprocess.PIPE
    )
    said: list[str] = []

    async def listen() -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            said.append(line.decode().rstrip())

    listening = asyncio.create_task(listen())
    try:
        yield process, said
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await listening


async def health(said: list[str]) -> str:
    """The address of the health check, once the process has said it."""
    for _ in range(600):
        for line in said:
            if found := re.search(r"http://\S+/healthz", line):
                return found[0]
        await asyncio.sleep(0.05)
    raise AssertionError("\n".join(said))


@pytest.mark.parametrize("socket_mode", [True, False], ids=["socket", "http"])
async def test_a_killed_process_loses_no_answer_and_its_successor_serves_the_old_button(
    slack: SlackStandin, tmp_path: Path, socket_mode: bool
) -> None:
    env = environment(slack, tmp_path, socket_mode=socket_mode)
    admin, mira = slack.add_user("admin", is_admin=True), slack.add_user("mira", locale="zh-CN")
    channel = slack.add_channel("drills", admin, mira, bot=True)

    async def reach(said: list[str]) -> None:
        address = await health(said)
        if socket_mode:
            await slack.connected()
        else:
            await slack.use_http(address.replace("/healthz", "/slack/events"))

    async with running(env) as (first, said):
        await reach(said)
        assert any(line.startswith("Slack: on ") for line in said), said
        await slack.command(admin, channel, "/drill", "setup days=daily kinds=single language=en")
        await slack.until(lambda: "Save" in slack.seen_by(admin, channel).text)
        proposal = slack.seen_by(admin, channel).ephemerals[-1]
        assert (await slack.tap(admin, proposal, "Save")).acknowledged
        assert (await slack.command(admin, channel, "/drill", "now")).acknowledged
        await slack.until(lambda: bool(slack.messages(channel)), within=20)
        question = slack.messages(channel)[0]
        assert (await slack.tap(mira, question, "A")).acknowledged
        first.send_signal(signal.SIGKILL)
        await first.wait()

    async with running(env) as (second, said):
        await reach(said)
        again = await slack.tap(mira, question, "B")
        assert again.acknowledged
        await slack.until(lambda: "以你的第一次作答为准" in slack.seen_by(mira, channel).text, within=20)
        assert len(slack.messages(channel)) == 1, "the question was posted twice"
        async with httpx.AsyncClient() as client:
            assert (await client.get(await health(said))).json()["status"] == "ok"
        second.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(second.wait(), 20) == 0
        assert not any("Traceback" in line for line in said), "\n".join(said)


async def test_a_second_process_stands_by_and_takes_over(slack: SlackStandin, tmp_path: Path) -> None:
    env = environment(slack, tmp_path, socket_mode=True)
    async with running(env) as (first, said):
        await health(said)
        async with running(env) as (second, waiting):
            for _ in range(400):
                if any("standing by" in line for line in waiting):
                    break
                await asyncio.sleep(0.05)
            assert any("standing by" in line for line in waiting), "\n".join(waiting)
            first.send_signal(signal.SIGKILL)
            await first.wait()
            await health(waiting)
            second.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(second.wait(), 20) == 0


__all__ = ["slack"]
