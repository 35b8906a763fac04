"""Slack, wired: the Web API's client, Bolt, the listeners, and one of two ways in."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

import aiohttp
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient
from starlette.applications import Starlette

from bot.app import App
from bot.chat import ChatError, Happening
from bot.settings import Settings, SettingsFault
from bot.slack.chat import SlackChat
from bot.slack.directory import ManyWorkspaces
from bot.slack.entrance import SlackHttp
from bot.slack.grants import Client
from bot.slack.hearing import Hearing
from bot.slack.oauth import Install
from bot.slack.paths import EVENTS_PATH, INSTALL
from bot.slack.people import People
from bot.slack.replies import Replies
from bot.slack.sockets import PING_EVERY, Sockets, open_link, refused_link
from bot.slack.standing import OneWorkspace, Standing
from bot.slack.tasks import Tasks
from bot.slack.whose import whose
from bot.usecases.install_workspace import uninstall_workspace
from storage.seal import Keyring

log = logging.getLogger(__name__)

CALL_TIMEOUT = 12
"""Seconds for one call of the Web API: less than the outbox gives a whole delivery."""

CONNECT_TIMEOUT = 5
SLOWEST = 60.0
"""Seconds between two tries to start while Slack cannot be reached, at most."""

FINISH_WITHIN = 5.0
"""Seconds that private replies under way may take at the end."""


@dataclass(slots=True)
class Running:
    """Slack, started. ``says`` is one line for the operator; ``http`` answers ``POST /slack/events`` where that is
    the way in; ``web`` is the Web API without any workspace's token. ``ready`` is set once posts can be made.
    """

    says: str
    bolt: AsyncApp
    standing: Standing
    web: AsyncWebClient
    http: SlackHttp | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    _sockets: Sockets | None = None
    _session: aiohttp.ClientSession | None = None
    _tasks: Tasks = field(default_factory=Tasks)
    _starting: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Hear nothing more, finish the replies under way, let go of every connection."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        if self._sockets is not None:
            await self._sockets.close()
        await self._tasks.finish(FINISH_WITHIN)
        if self._session is not None:
            await self._session.close()


async def start_slack(
    app: App, settings: Settings, web: Starlette | None = None, *, ping_every: float = PING_EVERY
) -> Running:
    """Start Slack: Socket Mode where there is an app token, else signed HTTP on ``web`` (or on ``Running.http``).

    Where Slack cannot be reached it goes on trying in the background. Raises ``SettingsFault`` when Slack refuses a
    token.
    """
    running = _wire(app, settings, web)
    try:
        if settings.slack_app_token is None:
            assert running.http is not None
            if web is not None:
                web.router.add_route(EVENTS_PATH, running.http)  # type: ignore[arg-type]
        try:
            await _begin(app, running, settings, ping_every)
        except ChatError as error:
            if error.outcome == "permanent":
                raise SettingsFault(_refused(error.code)) from None
            log.warning("Slack cannot be reached (%s); trying again in the background", error.code)
            running._starting = asyncio.create_task(_keep_trying(app, running, settings, ping_every))
    except BaseException:
        await running.stop()
        raise
    return running


def _wire(app: App, settings: Settings, web: Starlette | None) -> Running:
    """Everything in its place; nothing is asked of Slack yet."""
    timeout = aiohttp.ClientTimeout(total=CALL_TIMEOUT, sock_connect=CONNECT_TIMEOUT)
    session = aiohttp.ClientSession(timeout=timeout)
    tasks = Tasks()
    standing: Standing
    if settings.slack_bot_token is not None:
        if settings.slack_client_id:
            log.warning("DRILLS_SLACK_BOT_TOKEN wins: one workspace is served, DRILLS_SLACK_CLIENT_ID is not used")
        standing = _one(app, settings.slack_bot_token.get_secret_value(), settings, session, tasks)
    else:
        standing = _many(app, settings, session, web)
    secret = settings.slack_signing_secret.get_secret_value() if settings.slack_signing_secret else ""
    bare = _client(settings, session, None)
    # Commit, then acknowledge: Bolt's default answers Slack first and hides a failure.
    bolt = AsyncApp(
        name="Team Drills",
        logger=logging.getLogger("bot.slack.bolt"),
        client=bare,
        before_authorize=whose(standing),
        authorize=standing,  # type: ignore[arg-type]
        signing_secret=secret,
        process_before_response=True,
        raise_error_for_unhandled_request=True,
        attaching_function_token_enabled=False,
        attaching_conversation_kwargs_enabled=False,
    )
    cards = app.conversation.cards
    replies = Replies(standing, session, cards.broken)
    Hearing(app.conversation, People(standing, tasks), replies, standing, tasks).listen(bolt)
    over_socket = settings.slack_app_token is not None
    says = (
        "Slack: on Socket Mode" if over_socket else f"Slack: on signed HTTP, {settings.public_url or ''}{EVENTS_PATH}"
    )
    http = None if over_socket else SlackHttp(bolt, secret)
    return Running(says, bolt, standing, bare, http, _session=session, _tasks=tasks)


def _one(app: App, token: str, settings: Settings, session: aiohttp.ClientSession, tasks: Tasks) -> Standing:
    """The app of one workspace."""

    async def lost(workspace: str, code: str) -> None:
        if one.dead:
            # Without a token nothing is sent; what is due waits in the ledger, and no schedule is blamed for it.
            app.chats.pop("slack", None)
        now = app.clock.now()
        await asyncio.wrap_future(
            app.database.write(lambda tx: uninstall_workspace(tx, None, "slack", workspace, code, now))
        )

    one = OneWorkspace(_client(settings, session, token), tasks, lost)
    return one


def _many(app: App, settings: Settings, session: aiohttp.ClientSession, web: Starlette | None) -> ManyWorkspaces:
    """The app of many workspaces, and the pages with which it is installed."""
    assert settings.slack_client_secret is not None
    assert settings.secret_key is not None
    client = Client(
        _client(settings, session, None), settings.slack_client_id, settings.slack_client_secret.get_secret_value()
    )

    def make(token: str) -> AsyncWebClient:
        return _client(settings, session, token)

    keyring = Keyring.parse(settings.secret_key.get_secret_value())
    many = ManyWorkspaces(
        app.database, keyring, client, make, app.clock.now, app.ticker.wake, monotonic=app.clock.monotonic
    )
    if web is not None:
        slack_url = settings.slack_api_url.removesuffix("api/")
        pages = Install(
            app.database, many, client, make, settings.public_url, slack_url, app.clock.now, app.ticker.wake
        )
        pages.add_to(web.router)
    return many


def _client(settings: Settings, session: aiohttp.ClientSession, token: str | None) -> AsyncWebClient:
    """The SDK posts again by itself when a reply is lost, unless it is told not to."""
    return AsyncWebClient(
        token, base_url=settings.slack_api_url, timeout=CALL_TIMEOUT, session=session, retry_handlers=[]
    )


async def _begin(app: App, running: Running, settings: Settings, ping_every: float) -> None:
    """Ask where we are, then post and listen. Raises ``ChatError``."""
    if isinstance(running.standing, OneWorkspace):
        found = await running.standing.look()
        where = found.name or found.workspace
        await app.conversation.happened(Happening("slack", found.workspace, "workspace_joined", name=found.name))
    else:
        where = f"many workspaces, installed at {settings.public_url}{INSTALL}"
    if settings.slack_app_token is not None:
        token = settings.slack_app_token.get_secret_value()
        try:
            first = await open_link(running.web, token)
        except ChatError as error:
            raise ChatError(error.outcome, f"link:{error.code}", error.retry_after) from error
        running._sockets = Sockets(running.bolt, running.web, token, ping_every=ping_every)
        running._sockets.dial(first)
    assert running._session is not None
    app.chats["slack"] = SlackChat(running.standing, running._session, monotonic=app.clock.monotonic)
    running.says = f"{running.says} · {where}"
    running.ready.set()
    app.ticker.wake()


async def _keep_trying(app: App, running: Running, settings: Settings, ping_every: float) -> None:
    wait = 1.0
    while True:
        await asyncio.sleep(wait)
        wait = min(SLOWEST, wait * 2)
        try:
            await _begin(app, running, settings, ping_every)
        except ChatError as error:
            if error.outcome == "permanent":
                log.error("%s", _refused(error.code))
                return
            wait = max(wait, error.retry_after or 0.0)
            log.warning("Slack cannot be reached (%s); trying again in %.0f s", error.code, wait)
        else:
            log.info("%s", running.says)
            return


def _refused(code: str) -> str:
    kind, _, rest = code.partition(":")
    if rest.startswith("http_") or kind.startswith("http_"):
        return f"DRILLS_SLACK_API_URL: what answers there ({rest or kind}) is not Slack's Web API; leave it unset."
    if kind == "link":
        return f"DRILLS_SLACK_APP_TOKEN: {refused_link(rest)}"
    return (
        f"DRILLS_SLACK_BOT_TOKEN: Slack refuses it ({code}); copy the Bot User OAuth Token of OAuth & Permissions "
        "again, after installing the app to your workspace."
    )


def slack_http(bolt: AsyncApp, signing_secret: str) -> SlackHttp:
    """The ASGI application that answers Slack's requests; mount it as a route of ``POST /slack/events``."""
    return SlackHttp(bolt, signing_secret)


__all__ = ["Running", "slack_http", "start_slack"]
