"""Ordered faults and rate limits, as the real slack_sdk client meets them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.slack import MovingClock, SlackStandin
from tests.standins.slack.limits import TIERS
from tests.standins.slack.schema import SPEC

PUBLISHED = SPEC.parent / "slack-rate-limit-tiers.json"


def client(slack: SlackStandin) -> AsyncWebClient:
    return AsyncWebClient(slack.bot_token, base_url=slack.base_url, retry_handlers=[])


async def test_a_429_names_the_wait_and_takes_nothing(slack: SlackStandin) -> None:
    channel = slack.add_channel("general")
    slack.fail("chat.postMessage", retry_after=7)
    with pytest.raises(SlackApiError) as caught:
        await client(slack).chat_postMessage(channel=channel.id, text="x")
    response = caught.value.response
    assert (response.status_code, response.headers["Retry-After"], response["error"]) == (429, "7", "ratelimited")
    assert slack.log == []
    assert (await client(slack).chat_postMessage(channel=channel.id, text="x"))["ok"], "a fault comes as often as asked"


@pytest.mark.parametrize("status", [500, 503])
async def test_an_http_error_takes_nothing(slack: SlackStandin, status: int) -> None:
    channel = slack.add_channel("general")
    slack.fail("chat.postMessage", status=status, times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError):
            await client(slack).chat_postMessage(channel=channel.id, text="x")
    await client(slack).chat_postMessage(channel=channel.id, text="x")
    assert [call.outcome for call in slack.calls] == [f"http {status}", f"http {status}", "ok"]
    assert len(slack.messages(channel)) == 1


async def test_a_refusal_can_be_ordered_for_one_channel(slack: SlackStandin) -> None:
    good, bad = slack.add_channel("good"), slack.add_channel("bad")
    slack.fail("*", error="is_archived", channel=bad.id, times=99)
    await client(slack).chat_postMessage(channel=good.id, text="x")
    with pytest.raises(SlackApiError, match="is_archived"):
        await client(slack).chat_postMessage(channel=bad.id, text="x")


@pytest.mark.parametrize(("when", "stand"), [("before", 0), ("after", 1)])
async def test_a_connection_is_cut_before_or_after_the_write(slack: SlackStandin, when: str, stand: int) -> None:
    channel = slack.add_channel("general")
    slack.fail("chat.postMessage", reset=when)  # type: ignore[arg-type]
    with pytest.raises(aiohttp.ClientError):
        await client(slack).chat_postMessage(channel=channel.id, text="x")
    assert len(slack.messages(channel)) == len(slack.log) == stand
    assert slack.calls[-1].outcome == f"reset {when}"


async def test_the_sdks_own_retry_after_a_lost_reply_makes_a_second_post(slack: SlackStandin) -> None:
    """Why a client that posts needs ``retry_handlers=[]``: the default one posts again."""
    channel = slack.add_channel("general")
    slack.fail("chat.postMessage", reset="after")
    careless = AsyncWebClient(slack.bot_token, base_url=slack.base_url)
    await careless.chat_postMessage(channel=channel.id, text="x")
    assert len(slack.messages(channel)) == 2


@pytest.mark.parametrize(("late", "stand"), [(False, 0), (True, 1)])
async def test_a_call_can_be_held_up_before_or_after_the_write(slack: SlackStandin, late: bool, stand: int) -> None:
    channel = slack.add_channel("general")
    slack.fail("chat.postMessage", delay=30, late=late)
    call = asyncio.create_task(client(slack).chat_postMessage(channel=channel.id, text="x"))
    await asyncio.sleep(0.1)
    assert not call.done()
    assert len(slack.messages(channel)) == stand
    call.cancel()


async def test_exactly_one_kind_of_fault_is_ordered_at_once(slack: SlackStandin) -> None:
    with pytest.raises(ValueError, match="exactly one"):
        slack.fail("chat.update", status=500, error="is_archived")


@pytest.mark.skipif(not PUBLISHED.exists(), reason="Slack's table of tiers (../shared/specs) is not at hand")
def test_our_tiers_are_slacks() -> None:
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert {method: published.get(method, tier) for method, tier in TIERS.items()} == TIERS


async def test_a_tier_lets_so_many_calls_a_minute_through_and_says_how_long_to_wait() -> None:
    clock = MovingClock(1_700_000_000.0)
    async with SlackStandin(clock=clock) as slack:
        channel = slack.add_channel("general")
        web = client(slack)
        ts = (await web.chat_postMessage(channel=channel.id, text="x"))["ts"]
        slack.limits(on=True)
        for _ in range(50):
            await web.chat_update(channel=channel.id, ts=ts, text="y")
        clock.advance(20.5)
        with pytest.raises(SlackApiError) as caught:
            await web.chat_update(channel=channel.id, ts=ts, text="y")
        assert caught.value.response.headers["Retry-After"] == "40"
        await web.conversations_info(channel=channel.id)
        clock.advance(39.5)
        await web.chat_update(channel=channel.id, ts=ts, text="y")
        slack.limits(on=False)
        for _ in range(60):
            await web.chat_update(channel=channel.id, ts=ts, text="y")


async def test_a_channel_takes_one_message_a_second_after_a_short_burst() -> None:
    clock = MovingClock(1_700_000_000.0)
    async with SlackStandin(clock=clock) as slack:
        slack.limits(on=True)
        web, first, second = client(slack), slack.add_channel("first"), slack.add_channel("second")
        for _ in range(3):
            await web.chat_postMessage(channel=first.id, text="x")
        with pytest.raises(SlackApiError, match="ratelimited"):
            await web.chat_postMessage(channel=first.id, text="x")
        await web.chat_postMessage(channel=second.id, text="x")
        clock.advance(1)
        await web.chat_postMessage(channel=first.id, text="x")
        assert len(slack.writes("chat.postMessage", first.id)) == 4


async def test_an_app_sold_outside_the_marketplace_reads_history_once_a_minute_fifteen_at_a_time() -> None:
    clock = MovingClock(1_700_000_000.0)
    async with SlackStandin(clock=clock) as slack:
        web, channel = client(slack), slack.add_channel("general")
        for n in range(16):
            await web.chat_postMessage(channel=channel.id, text=str(n))
        slack.limits(on=True, commercial=True)
        answer = await web.conversations_history(channel=channel.id)
        assert (len(answer["messages"]), answer["has_more"]) == (15, True)
        with pytest.raises(SlackApiError, match="ratelimited"):
            await web.conversations_history(channel=channel.id)


async def test_the_log_is_one_json_line_per_accepted_write(tmp_path: Path) -> None:
    async with SlackStandin(log_file=tmp_path / "log.jsonl") as slack:
        channel = slack.add_channel("general")
        web = client(slack)
        slack.fail("chat.postMessage", error="is_archived")
        with pytest.raises(SlackApiError):
            await web.chat_postMessage(channel=channel.id, text="refused")
        ts = (await web.chat_postMessage(channel=channel.id, text="题"))["ts"]
        lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["n"], line["method"], line["ts"], line["payload"]["text"]) for line in lines] == [
        (1, "chat.postMessage", ts, "题")
    ]
