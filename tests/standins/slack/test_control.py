"""A stand-in in its own process is driven, broken and read from another."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.slack import CannotDo, SlackStandin
from tests.standins.slack.example_app import drill, over_http
from tests.standins.slack.remote import RemoteSlack

ROOT = Path(__file__).resolve().parents[3]


@asynccontextmanager
async def other_process(log: Path) -> AsyncIterator[tuple[dict[str, Any], RemoteSlack]]:
    command = (sys.executable, "-m", "tests.standins.slack", "--log", str(log))
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout
        line = json.loads(await process.stdout.readline())
        async with aiohttp.ClientSession() as session:
            yield line, RemoteSlack(session, line["base_url"])
    finally:
        process.terminate()
        assert await process.wait() == 0


async def test_another_process_sets_the_scene_orders_faults_and_reads_the_log(tmp_path: Path) -> None:
    async with other_process(tmp_path / "log.jsonl") as (line, remote):
        ada = await remote.do("add_user", name="ada", tz="Asia/Tokyo")
        channel = await remote.do("add_channel", name="general", members=[ada["id"]])
        web = AsyncWebClient(line["bot_token"], base_url=line["base_url"], retry_handlers=[])
        await remote.do("fail", method="chat.postMessage", error="restricted_action")
        with pytest.raises(SlackApiError, match="restricted_action"):
            await web.chat_postMessage(channel=channel["id"], text="x")
        ts = (await web.chat_postMessage(channel=channel["id"], text="<!channel>"))["ts"]
        seen = await remote.do("seen_by", user=ada["id"], channel=channel["id"])
        assert seen["messages"][0]["pings"] == ["<!channel>"]
        assert [entry["ts"] for entry in await remote.do("log")] == [ts]
        assert await remote.do("log", since=1) == []
        assert [call["outcome"] for call in await remote.do("calls")] == ["restricted_action", "ok"]
        assert (await remote.do("open_home", user=ada["id"]))["problem"] == "no_connection"
        assert await remote.do("violations") == []
        await remote.do("advance", seconds=3600)
        later = (await web.chat_postMessage(channel=channel["id"], text="x"))["ts"]
        assert float(later) - float(ts) > 3600
    lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["ts"] for line in lines] == [ts, later]


async def test_people_are_driven_over_the_control_api(slack: SlackStandin) -> None:
    async with over_http(slack) as app, aiohttp.ClientSession() as session:
        remote = RemoteSlack(session, slack.base_url)
        ada = slack.add_user("ada")
        channel = slack.add_channel("general", ada)
        ts = (await app.client.chat_postMessage(channel=channel.id, text="Drill", blocks=drill("A")))["ts"]
        assert (await remote.do("tap", user=ada.id, where=ts, wanted="A"))["acknowledged"]
        await remote.do("tap", user=ada.id, where=ts, wanted="form")
        assert (await remote.do("seen_by", user=ada.id))["modals"][0]["callback_id"] == "case"
        assert (await remote.do("submit", user=ada.id, values={"answer": "x"}))["acknowledged"]
        assert (await remote.do("command", user=ada.id, channel=channel.id, command="/drill"))["body"] == "You typed "
        with pytest.raises(CannotDo, match="nothing called"):
            await remote.do("tap", user=ada.id, where=ts, wanted="Z")
        with pytest.raises(ValueError, match="unexpected keyword"):
            await remote.do("tap", who=ada.id)
        with pytest.raises(ValueError, match="There is no dance"):
            await remote.do("dance")
