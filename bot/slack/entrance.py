"""The way in: signed HTTP requests or Socket Mode envelopes, checked before Bolt sees them."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import Clock, SignatureVerifier

from bot.slack import inbound
from bot.slack.paths import EVENTS_PATH as PATH

log = logging.getLogger(__name__)

MOST_BODY = 1024 * 1024
BODY_WITHIN = 10.0
"""Seconds: Slack itself gives up after three."""

SEEN_FOR = 600.0
"""Seconds for which a signature is remembered; Slack's own are good for five minutes either way."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


async def dispatch(bolt: AsyncApp, read: Callable[[], AsyncBoltRequest]) -> BoltResponse:
    """Let Bolt answer, or answer neutrally what has not the shape of anything Slack sends."""
    try:
        request = read()
        readable = inbound.is_readable(request.body)
    except Exception as error:
        # Bolt looks into the body while it makes a request of it, and trusts its shape.
        log.warning("an unreadable request from Slack: %s", type(error).__name__)
        return BoltResponse(status=200, body="")
    if not readable:
        log.warning("an unreadable request from Slack: its parts are missing")
        return BoltResponse(status=200, body="")
    try:
        return await bolt.async_dispatch(request)
    except Exception:
        # Bolt catches what its listeners raise, but not what its own look into the body does.
        log.exception("Bolt could not handle a request from Slack")
        return BoltResponse(status=500, body="")


class Signatures:
    """Is a request Slack's, and is it its first time? ``now`` is the time in seconds since 1970."""

    def __init__(self, secret: str, now: Callable[[], float] = time.time) -> None:
        clock = Clock()
        clock.now = now  # type: ignore[method-assign]
        self._verifier = SignatureVerifier(secret, clock)
        self._now = now
        self._seen: OrderedDict[str, float] = OrderedDict()

    def accept(self, body: bytes, timestamp: str, signature: str) -> bool:
        """True once for each request that is signed with the secret and no older than five minutes."""
        if not re.fullmatch("[0-9]{1,12}", timestamp) or not signature.isascii() or signature in self._seen:
            return False
        try:
            if not self._verifier.is_valid(body, timestamp, signature):
                return False
        except UnicodeDecodeError:
            return False
        self._forget_old()
        self._seen[signature] = self._now() + SEEN_FOR
        return True

    def forget(self, signature: str) -> None:
        """The request failed: Slack may send the very same again."""
        self._seen.pop(signature, None)

    def _forget_old(self) -> None:
        while self._seen and next(iter(self._seen.values())) < self._now():
            self._seen.popitem(last=False)


class SlackHttp:
    """An ASGI application for ``POST /slack/events``. The signature is checked before anything is parsed.

    ``body_within``: seconds in which a request has to be here whole.
    """

    def __init__(
        self,
        bolt: AsyncApp,
        signing_secret: str,
        now: Callable[[], float] = time.time,
        body_within: float = BODY_WITHIN,
    ) -> None:
        self.bolt = bolt
        self.body_within = body_within
        self.signatures = Signatures(signing_secret, now)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        if scope["method"] != "POST":
            await _respond(send, BoltResponse(status=405, body=""))
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            async with asyncio.timeout(self.body_within):
                body = await _body(headers, receive)
        except TimeoutError:
            # Whoever dribbles a request in would keep its connection for ever.
            await _respond(send, BoltResponse(status=408, body=""))
            return
        response = BoltResponse(status=413, body="") if body is None else await self._answer(headers, body)
        await _respond(send, response)

    async def _answer(self, headers: dict[str, str], body: bytes) -> BoltResponse:
        signature = headers.get("x-slack-signature", "")
        if not self.signatures.accept(body, headers.get("x-slack-request-timestamp", ""), signature):
            log.warning("a request to %s was not signed by Slack, or came a second time", PATH)
            return BoltResponse(status=401, body="")
        kept = {name: value for name, value in headers.items() if name.startswith("x-slack-") or name in _NEEDED}
        response = await dispatch(self.bolt, lambda: AsyncBoltRequest(body=body.decode("utf-8"), headers=kept))  # type: ignore[arg-type]
        if response.status >= 500:
            self.signatures.forget(signature)
        return response


_NEEDED = frozenset({"content-type"})


async def _body(headers: dict[str, str], receive: Receive) -> bytes | None:
    """The whole body, or ``None`` when it is longer than any of Slack's."""
    length = headers.get("content-length", "0")
    if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MOST_BODY:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > MOST_BODY:
            return None
        if not message.get("more_body", False):
            return bytes(body)


async def _respond(send: Send, response: BoltResponse) -> None:
    headers = [(name.encode(), value.encode()) for name, value in response.first_headers().items()]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": (response.body or "").encode()})
