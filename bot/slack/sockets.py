"""Socket Mode: two web sockets that we dial, so that one serves while the other is renewed.

The SDK's aiohttp client closes the old socket before it opens the new one, and a tap that comes in between is lost.
Slack renews each socket at its own time, so with two of them there is one that listens.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_bolt.adapter.socket_mode.internals import build_headers
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.chat import ChatError
from bot.slack.entrance import dispatch
from bot.slack.faults import as_chat_errors

log = logging.getLogger(__name__)

LINKS = 2
PING_EVERY = 5.0
"""Seconds between pings; a connection that swallows them is given up within two of them."""

SLOWEST = 60.0
"""Seconds between two tries while Slack cannot be reached, at most."""


class Link(SocketModeClient):
    """One socket. Where Slack cannot be reached it tries again, ever slower; where the token is refused it ends."""

    async def issue_new_wss_url(self) -> str:
        wait = 1.0
        while True:
            try:
                return await open_link(self.web_client, self.app_token)
            except ChatError as error:
                if error.outcome == "permanent":
                    log.error("Slack: %s", refused_link(error.code))
                    self.closed = True
                    raise
                pause = error.retry_after or wait
                log.warning("Slack cannot be reached (%s); trying again in %.0f s", error.code, pause)
                await asyncio.sleep(pause)
                wait = min(SLOWEST, wait * 2)


async def open_link(client: AsyncWebClient, app_token: str) -> str:
    """The address of a new web socket. Raises ``ChatError``."""
    with as_chat_errors():
        answer = await client.apps_connections_open(app_token=app_token)
    return str(answer["url"])


def refused_link(code: str) -> str:
    """What to do when Slack refuses a socket."""
    return (
        f"it refuses the app-level token ({code}). Switch Socket Mode on, make an app-level token with "
        "connections:write under Basic Information, and put it into DRILLS_SLACK_APP_TOKEN."
    )


class Sockets:
    """The sockets of one app. ``ping_every`` in seconds."""

    def __init__(
        self, bolt: AsyncApp, client: AsyncWebClient, app_token: str, links: int = LINKS, ping_every: float = PING_EVERY
    ) -> None:
        self._bolt = bolt
        self._links = [
            Link(app_token, logging.getLogger(f"{__name__}.link"), client, ping_interval=ping_every)
            for _ in range(links)
        ]
        for link in self._links:
            link.socket_mode_request_listeners.append(self._handle)
        self._dialling: list[asyncio.Task[Any]] = []

    def dial(self, first: str = "") -> None:
        """Connect and stay connected; ``first`` is an address that was issued already."""
        for link in self._links:
            link.wss_uri = first or None
            first = ""
            self._dialling.append(asyncio.create_task(_connect(link)))

    async def close(self) -> None:
        """Hang up."""
        for link in self._links:
            link.closed = True
        for task in self._dialling:
            task.cancel()
        await asyncio.gather(*self._dialling, return_exceptions=True)
        for link in self._links:
            await link.close()  # type: ignore[no-untyped-call]
            rest = [link.message_processor, link.current_session_monitor, link.message_receiver]
            await asyncio.gather(*(task for task in rest if task is not None), return_exceptions=True)

    async def _handle(self, link: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        response = await dispatch(
            self._bolt,
            lambda: AsyncBoltRequest(mode="socket_mode", body=request.payload, headers=build_headers(request)),
        )
        await send_async_response(link, request, response, 0.0)


async def _connect(link: Link) -> None:
    await link.connect()  # type: ignore[no-untyped-call]
