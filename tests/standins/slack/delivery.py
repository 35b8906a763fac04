"""Carries what happens in Slack to the app: signed HTTP requests or Socket Mode envelopes, events with redelivery."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from urllib.parse import urlencode

import aiohttp

from tests.standins.slack.model import JSON

Kind = Literal["interactive", "slash_commands", "events_api"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a delivery. ``body`` is the acknowledgement (JSON or text, empty for a bare one).

    ``problem`` is Slack's word for what went wrong (``http_timeout``, ``http_error``, ``connection_failed``,
    ``timeout``) or ours for what was not even tried (``no_connection``, ``not_subscribed``,
    ``not_installed``, ``not_in_channel``), and ``seconds`` the real time until the answer.
    """

    acknowledged: bool
    kind: Kind
    payload: JSON = field(repr=False)
    body: Any = ""
    status: int = 0
    seconds: float = 0.0
    attempts: int = 1
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    acknowledged: bool
    body: Any = ""
    status: int = 0
    problem: str = ""
    retry: bool = True


class Transport(Protocol):
    async def once(self, kind: Kind, payload: JSON, number: int, reason: str) -> Attempt:
        """Deliver once; ``number`` counts the earlier tries and ``reason`` says why the last one failed."""
        ...


class Postman:
    """``retry_delays`` are the real seconds before each redelivery of an event: Slack's own are at once, 60 and 300.

    Interactions and commands are delivered once, as in Slack: the person sees a warning and must do it again.
    """

    def __init__(self, ack_timeout: float, retry_delays: tuple[float, ...]) -> None:
        self.ack_timeout = ack_timeout
        self.retry_delays = retry_delays
        self.transport: Transport | None = None

    async def deliver(self, kind: Kind, payload: JSON, number: int = 0, reason: str = "") -> Reply:
        delays = iter(self.retry_delays if kind == "events_api" else ())
        started = time.monotonic()
        tries = 0
        while True:
            attempt = Attempt(False, problem="no_connection")
            if self.transport:
                attempt = await self.transport.once(kind, payload, number + tries, reason)
            tries += 1
            delay = None if attempt.acknowledged or not attempt.retry else next(delays, None)
            if delay is None:
                break
            reason = attempt.problem
            await asyncio.sleep(delay)
        seconds = time.monotonic() - started
        return Reply(attempt.acknowledged, kind, payload, attempt.body, attempt.status, seconds, tries, attempt.problem)


@dataclass(slots=True)
class HttpTransport:
    """Posts to the app's request URLs, signed with its signing secret over the raw body.

    ``now`` dates the signature; the app checks it against the real clock, so tests seldom change it.
    """

    session: aiohttp.ClientSession
    urls: dict[Kind, str]
    secret: str
    ack_timeout: float
    now: Callable[[], float] = time.time

    async def once(self, kind: Kind, payload: JSON, number: int, reason: str) -> Attempt:
        body, content_type = encode(kind, payload)
        headers = self.headers(body) | {"Content-Type": content_type}
        if number:
            headers |= {"X-Slack-Retry-Num": str(number), "X-Slack-Retry-Reason": reason}
        timeout = aiohttp.ClientTimeout(total=self.ack_timeout)
        try:
            async with self.session.post(
                self.urls[kind], data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                text = await response.text()
                return _attempt(response, text)
        except TimeoutError:
            return Attempt(False, problem="http_timeout")
        except aiohttp.ClientError:
            return Attempt(False, problem="connection_failed")

    def headers(self, body: bytes) -> dict[str, str]:
        stamp = str(int(self.now()))
        digest = hmac.new(self.secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        return {
            "X-Slack-Signature": f"v0={digest}",
            "X-Slack-Request-Timestamp": stamp,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        }


def _attempt(response: aiohttp.ClientResponse, text: str) -> Attempt:
    retry = response.headers.get("X-Slack-No-Retry") != "1"
    if 300 <= response.status < 400:
        return Attempt(False, text, response.status, "too_many_redirects", retry)
    if not 200 <= response.status < 300:
        return Attempt(False, text, response.status, "http_error", retry)
    is_json = response.content_type == "application/json" and text.strip()
    return Attempt(True, json.loads(text) if is_json else text, response.status, retry=retry)


def encode(kind: Kind, payload: JSON) -> tuple[bytes, str]:
    """The request body Slack would send, and its content type."""
    if kind == "events_api":
        return json.dumps(payload).encode(), "application/json"
    fields = {"payload": json.dumps(payload)} if kind == "interactive" else payload
    return urlencode(fields).encode(), "application/x-www-form-urlencoded"
