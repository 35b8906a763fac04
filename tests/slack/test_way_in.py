"""What comes in: signed or not, whole or broken, over sockets that are renewed, cut and silent."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import time
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.settings import SettingsFault
from bot.slack.app import start_slack
from bot.slack.entrance import Signatures, SlackHttp
from tests.slack.conftest import Start
from tests.slack.team import Bot, Way, settings
from tests.slack.test_answers import posted
from tests.standins.slack import SlackStandin

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


def sign(secret: str, body: bytes, stamp: int) -> str:
    return "v0=" + hmac.new(secret.encode(), b"v0:%d:%s" % (stamp, body), hashlib.sha256).hexdigest()


def test_a_signature_is_good_once_and_for_five_minutes() -> None:
    """Forged, old, early and repeated requests are refused; one that failed may come again."""
    now = 1_800_000_000.0
    signatures = Signatures(SECRET, lambda: now)
    stamp = int(now)
    good = sign(SECRET, b"{}", stamp)
    assert signatures.accept(b"{}", str(stamp), good)
    assert not signatures.accept(b"{}", str(stamp), good)
    signatures.forget(good)
    assert signatures.accept(b"{}", str(stamp), good)
    assert not signatures.accept(b"{ }", str(stamp), good)
    assert not signatures.accept(b"{}", str(stamp), sign("another", b"{}", stamp))
    for other in (stamp - 301, stamp + 301):
        assert not signatures.accept(b"{}", str(other), sign(SECRET, b"{}", other))
    for odd in ("", "now", "-1", "1" * 40, "١٢٣"):
        assert not signatures.accept(b"{}", odd, good)
    now += 700
    assert not signatures.accept(b"{}", str(stamp), good)


async def send(bot: Bot, body: bytes, **rest: Any) -> int:
    """POST to the bot, signed unless ``headers`` says otherwise; the status."""
    address = bot.slack.postman.transport.urls["interactive"]  # type: ignore[union-attr]
    stamp = int(time.time())
    headers = {
        "X-Slack-Request-Timestamp": str(stamp),
        "X-Slack-Signature": sign(bot.slack.signing_secret, body, stamp),
        "Content-Type": rest.pop("content_type", "application/x-www-form-urlencoded"),
    }
    method = rest.pop("method", "POST")
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, address, data=body, headers=headers | rest) as answer,
    ):
        return answer.status


BROKEN: list[Any] = [
    b"",
    b"payload=",
    b"payload=%7Bnot-json",
    b"[1, 2]",
    b"{}",
    b"null",
    *(
        urlencode({"payload": json.dumps(payload)}).encode()
        for payload in (
            [],
            "text",
            {"type": "block_actions"},
            {"type": "block_actions", "actions": []},
            {"type": "block_actions", "actions": ["x"], "user": {"id": "U1"}},
            {"type": "block_actions", "actions": [{}], "user": {"id": "U1"}, "team": "T1"},
            {"type": "block_actions", "actions": [{"action_id": "drill:1", "type": "button"}], "user": {"id": "U1"}},
            {
                "type": "block_actions",
                "actions": [{"action_id": "drill:1", "type": "button", "value": {"a": 1}}],
                "user": {"id": "U1"},
                "team": {"id": "T1"},
            },
            {
                "type": "block_actions",
                "actions": [{"action_id": "drill:1", "type": "button", "value": "answer:" + "9" * 400}],
                "user": {"id": "U1", "name": "x" * 10_000 + "\ud800"},
                "team": {"id": "T1"},
            },
            {"type": "block_actions", "actions": [{"action_id": 7}], "user": {"id": "U1"}, "team": {"id": "T1"}},
            {"type": "view_submission", "user": {"id": "U1"}, "team": {"id": "T1"}, "view": {}},
            {"type": "view_submission", "user": {"id": "U1"}, "team": {"id": "T1"}, "view": {"callback_id": "drill"}},
            {
                "type": "view_submission",
                "user": {"id": "U1"},
                "team": {"id": "T1"},
                "view": {"type": "modal", "callback_id": "drill", "private_metadata": "{}", "state": {"values": {}}},
            },
            {
                "type": "view_submission",
                "user": {"id": "U1"},
                "team": {"id": "T1"},
                "view": {
                    "type": "modal",
                    "callback_id": "drill",
                    "private_metadata": '{"form": "answer:1"}',
                    "state": {"values": {"answer": {"value": {"type": "datepicker"}}}},
                },
            },
            {"type": "shortcut", "callback_id": "x", "user": {"id": "U1"}, "team": {"id": "T1"}},
            {"type": {"a": 1}},
            {"type": "event_callback"},
            {"type": "event_callback", "event": {"type": 7}},
            {"type": "event_callback", "event": {"type": "tokens_revoked", "tokens": "all"}, "authorizations": 3},
        )
    ),
    urlencode({"command": "/drill", "text": "today"}).encode(),
    urlencode({"command": "/drill", "user_id": "U1"}).encode(),
]


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_malformed_payloads_are_answered_neutrally_and_stop_nothing(
    start: Start, way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    """Signed nonsense gets an empty acknowledgement, is logged without its content, and the next tap works."""
    bot = await start(way)
    ada, channel, message = await posted(bot, "single")
    if way == "http":
        for body in BROKEN:
            assert await send(bot, body) == 200, body
        assert await send(bot, b"\xff\xfe\x00") == 401
    else:
        for body in BROKEN:
            payload = _as_payload(body)
            if isinstance(payload, dict):
                assert (await bot.slack.postman.deliver("interactive", payload)).acknowledged, payload
    assert "Traceback" not in caplog.text
    assert "x" * 100 not in caplog.text
    await bot.slack.tap(ada, message, "B")
    await bot.note(ada, channel, "Right!")


def _as_payload(body: bytes) -> Any:
    from urllib.parse import parse_qs

    text = body.decode("utf-8", "replace")
    fields = parse_qs(text)
    try:
        return json.loads(fields["payload"][0]) if "payload" in fields else json.loads(text)
    except ValueError:
        return {key: values[0] for key, values in fields.items()}


async def test_what_slack_did_not_sign_is_refused_before_it_is_read(start: Start) -> None:
    """A forged, repeated or oversized request changes nothing and tells nothing."""
    bot = await start("http")
    body = urlencode({"payload": json.dumps({"type": "block_actions", "actions": []})}).encode()
    assert await send(bot, body, **{"X-Slack-Signature": "v0=" + "0" * 64}) == 401
    assert await send(bot, body, **{"X-Slack-Signature": "v0=é"}) == 401, "a signature that no digest can be"
    assert await send(bot, body, **{"X-Slack-Request-Timestamp": str(int(time.time()) - 400)}) == 401
    assert await send(bot, b"a" * (1024 * 1024 + 1)) == 413
    assert await send(bot, b"", method="GET") == 405
    stamp = int(time.time())
    fixed = {
        "X-Slack-Request-Timestamp": str(stamp),
        "X-Slack-Signature": sign(bot.slack.signing_secret, b"a=1", stamp),
    }
    assert await send(bot, b"a=1", **fixed) == 200
    assert await send(bot, b"a=1", **fixed) == 401


async def test_a_request_that_is_dribbled_in_is_given_up(bot: Bot) -> None:
    """Whoever sends no end of a body, signed or not, does not keep a connection for ever."""
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def respond(message: Any) -> None:
        sent.append(message)

    http = SlackHttp(bot.running.bolt, SECRET, body_within=0.01)
    await http({"type": "http", "method": "POST", "headers": [(b"content-length", b"10")]}, receive, respond)
    assert sent[0]["status"] == 408


async def test_a_failing_listener_lets_slack_send_the_event_again(start: Start, slack: SlackStandin) -> None:
    """What was not handled is not acknowledged: Slack delivers it again, and then it is."""
    bot = await start("http")
    lose = bot.running.standing.lose
    calls: list[str] = []

    async def once(workspace: str, code: str, **rest: Any) -> None:
        calls.append(code)
        if len(calls) == 1:
            raise RuntimeError("our own fault")
        await lose(workspace, code, **rest)

    bot.running.standing.lose = once  # type: ignore[method-assign]
    await slack.revoke()
    await slack.until(lambda: "slack" not in bot.app.chats)
    assert len(calls) == 2


async def test_sockets_come_back_after_a_renewal_and_a_cut(brisk: Bot) -> None:
    """Slack renews sockets and networks break; taps are answered again a moment later."""
    ada, _, message = await posted(brisk, "single")
    await brisk.slack.sockets.refresh()
    await brisk.slack.connected(2)
    assert (await brisk.slack.tap(ada, message, "B")).acknowledged
    brisk.slack.sockets.cut()
    await brisk.slack.connected(2)
    assert (await brisk.slack.tap(ada, message, "B")).acknowledged


async def test_while_one_socket_is_renewed_the_other_listens(brisk: Bot) -> None:
    """There are two sockets, so a renewal leaves no gap."""
    ada, _, message = await posted(brisk, "single")
    old = brisk.slack.sockets.connections[0]
    old.leaving = True
    await old.send({"type": "disconnect", "reason": "refresh_requested", "debug_info": {}})
    for _ in range(10):
        assert (await brisk.slack.tap(ada, message, "B")).acknowledged
    await brisk.slack.until(lambda: old not in brisk.slack.sockets.connections)
    await brisk.slack.connected(2)


async def test_a_silent_socket_is_given_up(brisk: Bot) -> None:
    """A connection that looks open and swallows everything is replaced."""
    ada, _, message = await posted(brisk, "single")
    stalled = list(brisk.slack.sockets.connections)
    brisk.slack.sockets.stall()
    await brisk.slack.until(lambda: not set(stalled) & set(brisk.slack.sockets.connections), within=10)
    await brisk.slack.connected(2)
    assert (await brisk.slack.tap(ada, message, "B")).acknowledged


async def test_slack_may_be_down_at_the_start(start: Start, slack: SlackStandin, tmp_path: Any) -> None:
    """The bot starts without Slack, says so, and goes on by itself when Slack is back."""
    slack.fail("auth.test", status=503, times=1)
    bot = Bot(slack, _clock(start), tmp_path / "other.db", "socket", _library(), _rng())
    from bot.app import build

    bot.app = build(bot.settings, clock=bot.clock, library=_library())
    bot.running = await start_slack(bot.app, bot.settings, ping_every=0.2)
    assert "slack" not in bot.app.chats
    await asyncio.wait_for(bot.running.ready.wait(), 5)
    assert "slack" in bot.app.chats
    await bot.end()


def _clock(_: Start) -> Any:
    from bot.clock import SystemClock

    return SystemClock()


def _library() -> Any:
    from tests.slack.bank import LIBRARY

    return LIBRARY


def _rng() -> Any:
    from random import Random

    return Random(1)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"slack_bot_token": "xoxb-1-wrong"}, "DRILLS_SLACK_BOT_TOKEN: Slack refuses it"),
        ({"slack_app_token": "xapp-1-wrong"}, "DRILLS_SLACK_APP_TOKEN: it refuses the app-level token"),
    ],
)
async def test_a_wrong_token_is_one_sentence(
    slack: SlackStandin, tmp_path: Any, wrong: dict[str, str], sentence: str
) -> None:
    """A token that Slack refuses stops the start with what to do; the token itself is nowhere in it."""
    from bot.app import build

    good = settings(slack, tmp_path / "drills.db", "socket")
    given = type(good)(**{**good.model_dump(), **wrong})
    app = build(given, library=_library())
    with pytest.raises(SettingsFault) as caught:
        await start_slack(app, given)
    assert sentence in str(caught.value)
    assert next(iter(wrong.values())) not in str(caught.value)
    app.close()
    slack.violations.clear()


async def test_an_address_that_is_not_slack_is_one_sentence(slack: SlackStandin, tmp_path: Any) -> None:
    """A wrong API address is told from a wrong token."""
    from bot.app import build

    good = settings(slack, tmp_path / "drills.db", "socket")
    given = type(good)(**{**good.model_dump(), "slack_api_url": slack.base_url.replace("/api/", "/nothing/")})
    app = build(given, library=_library())
    with pytest.raises(SettingsFault, match="DRILLS_SLACK_API_URL"):
        await start_slack(app, given)
    app.close()


async def test_nothing_that_is_logged_holds_a_token_or_a_name(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    """At the level operators use, logs carry no token, no secret and nobody's answer."""
    caplog.set_level(logging.INFO)
    bot = await start("http")
    _, channel, message = await posted(bot, "single")
    bot.slack.fail("response_url", status=500, times=2)
    bot.slack.fail("users.info", status=500)
    ben = bot.slack.add_user("benedict")
    channel.members.append(ben.id)
    await bot.slack.tap(ben, message, "B")
    await bot.note(ben, channel, "Right!")
    await send(bot, b"junk=benedict", **{"X-Slack-Signature": "v0=0"})
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("bot."))
    for secret in (bot.slack.bot_token, bot.slack.signing_secret, "benedict", "answer:"):
        assert secret not in ours
