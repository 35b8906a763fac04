"""The stand-in itself: one aiohttp server on 127.0.0.1 that is Slack to the app, and the hands of a test on it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import aiohttp
from aiohttp import web

from tests.standins.slack.control import Control
from tests.standins.slack.core import SCOPES as KNOWN_SCOPES
from tests.standins.slack.core import Core
from tests.standins.slack.delivery import HttpTransport, Kind, Postman, Reply
from tests.standins.slack.faults import Fault
from tests.standins.slack.happenings import SUBSCRIPTIONS, Happenings
from tests.standins.slack.hooks import Hooks
from tests.standins.slack.model import (
    JSON,
    Accepted,
    Called,
    Channel,
    Consent,
    Message,
    OAuthCode,
    SlackError,
    User,
    Violation,
    Workspace,
)
from tests.standins.slack.sockets import SocketHub
from tests.standins.slack.web_api import WebApi

T = TypeVar("T")
# A picture larger than this is no picture of ours.
MOST_UPLOAD = 20 * 1024**2


class SlackStandin(Happenings):
    """``async with SlackStandin() as slack`` serves until the block ends. It has one workspace; more can be added.

    ``clock`` (seconds since 1970) dates messages and ages triggers, response URLs and rates; ``ack_timeout`` and
    ``retry_delays`` are real seconds, because the app answers in real time. ``log_file`` gets one JSON line per
    accepted write, so that the log outlives both the app and the stand-in.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        ack_timeout: float = 3.0,
        retry_delays: tuple[float, ...] = (0.0, 0.05, 0.1),
        log_file: Path | None = None,
        port: int = 0,
    ) -> None:
        self.core = Core(clock, log_file)
        self.postman = Postman(ack_timeout, retry_delays)
        self.signing_secret = secrets.token_hex(16)
        self.subscriptions = set(SUBSCRIPTIONS)
        self.workspace = self.core.add_workspace("Acme")
        self._port = port
        self._api = WebApi(self.core)
        self._hooks = Hooks(self.core)
        self._sending: set[asyncio.Task[Reply]] = set()
        self.core.caused = self._send_on
        # Socket Mode is the way of delivery until ``use_http`` is called.
        self.sockets = SocketHub(self.core, ack_timeout)
        self.postman.transport = self.sockets

    # --- serving ---

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession()
        server = web.Application(client_max_size=MOST_UPLOAD)
        server.router.add_route("*", "/api/{method}", self._api.handle)
        server.router.add_route("*", "/_control/{name}", Control(self).handle)
        server.router.add_get("/oauth/v2/authorize", self._authorize)
        server.router.add_get("/link/", self.sockets.handle)
        server.router.add_post("/actions/{team}/{key}", self._hooks.handle)
        server.router.add_post("/commands/{team}/{key}", self._hooks.handle)
        server.router.add_post("/files/upload/{file}", self._upload)
        server.router.add_get("/files/private/{file}/{name}", self._download)
        self._runner = web.AppRunner(server, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.core.base_url = f"http://127.0.0.1:{self._port}/api/"
        self.core.files_url = f"http://127.0.0.1:{self._port}/files/"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._sending:
            task.cancel()
        await self.sockets.close()
        await self._runner.cleanup()
        await self._session.close()

    def _send_on(self, space: Workspace, event: JSON) -> None:
        task = asyncio.get_running_loop().create_task(self.emit(space, event))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def use_http(self, url: str | Mapping[Kind, str], *, now: Callable[[], float] = time.time) -> None:
        """Deliver by signed HTTP to ``url`` (or one per kind), after Slack's handshake with the events URL.

        Raises ``RuntimeError`` when the app does not give the challenge back, as Slack's settings page would.
        """
        kinds: tuple[Kind, ...] = ("events_api", "interactive", "slash_commands")
        urls = dict.fromkeys(kinds, url) if isinstance(url, str) else dict(url)
        transport = HttpTransport(self._session, urls, self.signing_secret, self.postman.ack_timeout, now)
        challenge = secrets.token_urlsafe(16)
        asked = {"token": "made-up-verification-token", "challenge": challenge, "type": "url_verification"}
        attempt = await transport.once("events_api", asked, 0, "")
        given = attempt.body.get("challenge") if isinstance(attempt.body, dict) else attempt.body
        if not attempt.acknowledged or given != challenge:
            raise RuntimeError(f"The app did not answer the URL's challenge: {attempt}.")
        self.postman.transport = transport

    async def connected(self, count: int = 1, within: float = 10.0) -> None:
        """Wait until the app has ``count`` Socket Mode connections."""
        await self.until(lambda: len(self.sockets.connections) >= count, within)

    # --- setting the scene ---

    @property
    def base_url(self) -> str:
        """For ``AsyncWebClient(base_url=…)``; ends in ``/api/``."""
        return self.core.base_url

    @property
    def bot_token(self) -> str:
        return self.workspace.bot_token

    @property
    def app_token(self) -> str:
        return self.core.app_token

    @property
    def bot(self) -> User:
        """The app's own user in the first workspace."""
        return self.workspace.users[self.workspace.bot_user]

    def add_workspace(self, name: str, scopes: list[str] | None = None) -> Workspace:
        return self.core.add_workspace(name, scopes)

    def add_user(
        self,
        name: str,
        *,
        tz: str = "Europe/Berlin",
        locale: str = "en-US",
        real_name: str = "",
        is_admin: bool = False,
        is_owner: bool = False,
        is_bot: bool = False,
        workspace: Workspace | str | None = None,
    ) -> User:
        space = self._workspace(workspace)
        offset = datetime.fromtimestamp(self.core.clock(), UTC).astimezone(ZoneInfo(tz)).utcoffset()
        seconds = int(offset.total_seconds()) if offset else 0
        user = User(
            self.core.ids.new("U"), space.id, name, real_name or name.title(), tz, seconds, locale, is_admin, is_owner
        )
        user.is_bot = is_bot
        space.users[user.id] = user
        return user

    def add_channel(
        self,
        name: str,
        *members: User | str,
        bot: bool = True,
        private: bool = False,
        archived: bool = False,
        workspace: Workspace | str | None = None,
    ) -> Channel:
        """A channel with these people, and with the bot in it unless ``bot=False``."""
        space = self._workspace(workspace)
        channel = Channel(self.core.ids.new("C"), space.id, name, is_private=private, is_archived=archived)
        channel.created = int(self.core.clock())
        channel.members = [member if isinstance(member, str) else member.id for member in members]
        if bot:
            channel.members.append(space.bot_user)
        space.channels[channel.id] = channel
        return channel

    def oauth_code(
        self,
        workspace: Workspace | str,
        user: User | str = "",
        redirect_uri: str = "",
        scopes: tuple[str, ...] = (),
        organisation: bool = False,
    ) -> str:
        """The code an installing admin's browser brings to the app; good for one oauth.v2.access in ten minutes."""
        code = secrets.token_urlsafe(12)
        space = self._workspace(workspace)
        who = user if isinstance(user, str) else user.id
        owner = who or next((u.id for u in space.users.values() if u.is_admin), space.bot_user)
        self.core.oauth_codes[code] = OAuthCode(space.id, owner, redirect_uri, scopes, self.core.clock(), organisation)
        return code

    def at_consent(
        self,
        workspace: Workspace | str,
        user: User | str,
        decision: Literal["allow", "decline", "organisation"] = "allow",
    ) -> None:
        """What the next person does whose browser comes to Slack's consent page."""
        who = user if isinstance(user, str) else user.id
        self.core.consent = Consent(self._workspace(workspace).id, who, decision)

    async def _authorize(self, request: web.Request) -> web.Response:
        """Slack's consent page: whoever is announced by ``at_consent`` decides at once and is sent back."""
        asked = request.query
        scopes = tuple(asked.get("scope", "").split(","))
        faults = []
        if asked.get("client_id") != self.core.client_id:
            faults.append("unknown client_id")
        if asked.get("redirect_uri") not in self.core.redirect_urls:
            faults.append("redirect_uri is not one of the app's")
        if not asked.get("state"):
            faults.append("without a state anybody may finish what another began")
        if odd := [scope for scope in scopes if scope not in KNOWN_SCOPES]:
            faults.append(f"unknown scopes: {odd}")
        if odd := sorted(set(asked) - {"client_id", "redirect_uri", "state", "scope", "user_scope"}):
            faults.append(f"unknown parameters: {odd}")
        consent = self.core.consent
        if faults or consent is None:
            self.core.violate("oauth/v2/authorize", tuple(faults) or ("nobody was expected",), dict(asked))
            return web.Response(status=400, text="; ".join(faults))
        self.core.consent = None
        back = {"state": asked["state"]}
        if consent.decision == "decline":
            back["error"] = "access_denied"
        else:
            space = self.core.workspaces[consent.workspace]
            back["code"] = self.oauth_code(
                space, consent.user, asked["redirect_uri"], scopes, consent.decision == "organisation"
            )
        raise web.HTTPFound(f"{asked['redirect_uri']}?{urlencode(back)}")

    def limits(self, *, on: bool = True, commercial: bool = False, per_minute: dict[str, int] | None = None) -> None:
        """Switch rate limits on (counting afresh) or off. ``per_minute`` overrides single methods' limits."""
        self.core.rates.switch(on=on, commercial=commercial, overrides=per_minute or {})

    def fail(
        self,
        method: str,
        *,
        times: int = 1,
        channel: str = "",
        status: int = 0,
        error: str = "",
        retry_after: int = 0,
        reset: Literal["", "before", "after"] = "",
        delay: float = 0.0,
        late: bool = False,
    ) -> Fault:
        """Order a fault for the next ``times`` calls of ``method``; see ``Fault``."""
        fault = Fault(method, times, channel, status, error, retry_after, reset, delay, late)
        self.core.faults.pending.append(fault)
        return fault

    # --- looking ---

    @property
    def log(self) -> list[Accepted]:
        """Every write that was accepted, in order: the oracle. Never shortened."""
        return self.core.log

    @property
    def calls(self) -> list[Called]:
        """Every request and how it ended, refusals and faults included."""
        return self.core.calls

    @property
    def violations(self) -> list[Violation]:
        """What real Slack refuses or a careful app never does; the fixture wants this empty at a test's end."""
        return self.core.violations

    def writes(self, method: str, channel: str = "") -> list[Accepted]:
        return [entry for entry in self.log if entry.method == method and channel in ("", entry.channel)]

    def messages(self, channel: Channel | str, thread: str | None = "") -> list[Message]:
        """What stands in the channel itself, or in the thread of that ts, or (``thread=None``) both, oldest first."""
        _, place = self._known(channel)
        return [m for m in place.messages.values() if thread is None or m.thread_ts == thread]

    async def until(self, condition: Callable[[], T], within: float = 5.0) -> T:
        """Wait (real seconds) until ``condition()`` is true, and return its value: apps answer in their own time."""
        async with asyncio.timeout(within):
            while not (value := condition()):
                # A condition may also look at what is not ours, which nothing tells us of: look again now and then.
                await self.core.changed(at_most=0.02)
        return value

    # --- files ---

    async def _upload(self, request: web.Request) -> web.Response:
        file = self._file(request.match_info["file"])
        fault = self.core.faults.take("upload", "")
        if fault and fault.reset == "before" and request.transport:
            request.transport.abort()
            return web.Response()
        if fault and fault.status:
            return web.Response(status=fault.status)
        content = await self._content(request)
        if len(content) != file.length:
            self.core.violate("upload", (f"{len(content)} bytes came, {file.length} were announced",), file.id)
            return web.Response(status=400, text="length mismatch")
        file.content = content
        return web.Response(text=f"OK - {len(content)}")

    async def _content(self, request: web.Request) -> bytes:
        if not request.content_type.startswith("multipart/"):
            return await request.read()
        for part in (await request.post()).values():
            if isinstance(part, web.FileField):
                return part.file.read()
        return b""

    async def _download(self, request: web.Request) -> web.Response:
        file = self._file(request.match_info["file"])
        if not request.headers.get("Authorization", "").startswith("Bearer ") or file.content is None:
            return web.Response(status=403)
        return web.Response(body=file.content)

    def _file(self, number: str) -> Any:
        for space in self.core.workspaces.values():
            if number in space.files:
                return space.files[number]
        raise web.HTTPNotFound


__all__ = ["SlackError", "SlackStandin"]
