"""Where the app is installed, with which token, and whether that token still works. Bolt's authorisation.

Bolt's own either asks auth.test at every request or remembers for ever; this one remembers, asks again in the
background, and forgets at once when the app is removed.
"""

from __future__ import annotations

import logging
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.chat import ChatError
from bot.slack.faults import DEAD, as_chat_errors
from bot.slack.tasks import Tasks
from bot.slack.wording import JSON

log = logging.getLogger(__name__)

REMEMBERED = 3600.0
"""Seconds after which auth.test is asked again."""


NOT_INSTALLED = "not_installed"


@dataclass(frozen=True, slots=True)
class Installation:
    """The app in one workspace."""

    workspace: str
    name: str
    bot_user: str
    bot_id: str


def not_installed() -> ChatError:
    """There is no token for that workspace: whatever is due there waits until the app is installed."""
    return ChatError("retry", NOT_INSTALLED, cure="uninstalled")


class Standing(AsyncAuthorize):
    """Which workspaces the app serves. ``OneWorkspace`` has its token in the settings; with OAuth there are many."""

    @abstractmethod
    async def installation(self, workspace: str) -> Installation | None:
        """The app there, or ``None`` where it is not installed (any more)."""

    @abstractmethod
    async def client(self, workspace: str) -> AsyncWebClient:
        """The Web API with that workspace's token, and no other's. Ask for it before every call.

        Raises ``ChatError`` (*retry*: what waits goes on waiting) where the app is not installed.
        """

    @abstractmethod
    async def workspace_of(self, body: JSON) -> str | None:
        """The workspace whose installation a payload is meant for; ``None``: it is not installed there.

        In a shared channel that is not the workspace of the person who acts.
        """

    @abstractmethod
    async def lose(self, workspace: str, code: str, *, at: float | None = None, token: str = "") -> None:
        """The token is dead (Slack's code): nothing more is sent with it, and what is due waits.

        ``at``: when Slack says that it happened (seconds since 1970); ``token``: the one that was refused. What is
        older than the installation says nothing about it.
        """

    async def call(self, workspace: str, method: Callable[..., Awaitable[Any]], **arguments: Any) -> Any:
        """One call with that workspace's own token; ``method`` is one of ``AsyncWebClient``'s. Raises ``ChatError``.

        Where the token turns out to be dead the workspace is lost: nothing has been done, so that is a *retry*.
        """
        try:
            client = await self.client(workspace)
        except ChatError as error:
            if error.code == NOT_INSTALLED:
                await self._lose(workspace, NOT_INSTALLED)
            raise
        assert not client.retry_handlers, "the SDK must not post again by itself"
        try:
            with as_chat_errors():
                return await method(client, **arguments)
        except ChatError as error:
            if error.code not in DEAD:
                raise
            await self._lose(workspace, error.code, client.token or "")
            raise ChatError("retry", error.code, cure=error.cure) from error

    async def _lose(self, workspace: str, code: str, token: str = "") -> None:
        try:
            await self.lose(workspace, code, token=token)
        except Exception:  # the call has failed already; what could not be noted now is noted at the next one
            log.exception("that a workspace is lost could not be noted")

    async def __call__(
        self,
        *,
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
        actor_enterprise_id: str | None = None,
        actor_team_id: str | None = None,
        actor_user_id: str | None = None,
    ) -> AuthorizeResult | None:
        """Bolt asks this at every request; ``team_id`` is what ``workspace_of`` said."""
        found = await self.installation(team_id) if team_id else None
        if found is None:
            return None
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=found.workspace,
            bot_user_id=found.bot_user,
            bot_id=found.bot_id,
            bot_token=(await self.client(found.workspace)).token,
        )


class OneWorkspace(Standing):
    """The app with one bot token. ``lost`` is called once, with the workspace and Slack's code, when it is dead."""

    def __init__(
        self,
        client: AsyncWebClient,
        tasks: Tasks,
        lost: Callable[[str, str], Awaitable[None]],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.web = client
        self.found: Installation | None = None
        self.dead = ""
        self._tasks = tasks
        self._lost = lost
        self._monotonic = monotonic
        self._good_until = float("-inf")

    async def look(self) -> Installation:
        """Ask auth.test. Raises ``ChatError``."""
        # Whatever comes of it, ask again in a while: an outage of Slack is no reason to ask at every tap.
        self._good_until = self._monotonic() + REMEMBERED
        with as_chat_errors():
            found = await self.web.auth_test()
        self.found = Installation(
            str(found["team_id"]), str(found.get("team") or ""), str(found["user_id"]), str(found.get("bot_id") or "")
        )
        return self.found

    async def _look_again(self) -> None:
        try:
            await self.look()
        except ChatError as error:
            if error.code in DEAD:
                await self.lose(self.found.workspace if self.found else "", error.code)

    async def installation(self, workspace: str) -> Installation | None:
        """The one, if it is meant."""
        if self.dead:
            return None
        if self.found is None:
            await self.look()
        elif self._good_until < self._monotonic():
            self._good_until = self._monotonic() + REMEMBERED
            self._tasks.start(self._look_again())
        return self.found if self.found and self.found.workspace == workspace else None

    async def client(self, workspace: str) -> AsyncWebClient:
        """The one client; a message for another workspace must never reach this one, whatever the database says."""
        if self.dead:
            raise ChatError("retry", self.dead, cure="token")
        if self.found is None or workspace != self.found.workspace:
            raise not_installed()
        return self.web

    async def workspace_of(self, body: JSON) -> str | None:
        """The one: this token gets nobody else's payloads."""
        if self.dead:
            return None
        return (self.found or await self.look()).workspace

    async def lose(self, workspace: str, code: str, *, at: float | None = None, token: str = "") -> None:
        """The token is dead: nothing more is sent with it. Of another workspace: there never was one."""
        if self.found is not None and workspace != self.found.workspace:
            await self._lost(workspace, code)
        elif not self.dead:
            self.dead = code
            log.error(
                "Slack: the bot token does not work any more (%s). Install the app again, put the new token into "
                "DRILLS_SLACK_BOT_TOKEN and start again; until then nothing is sent to Slack.",
                code,
            )
            await self._lost(workspace, code)
