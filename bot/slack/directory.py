"""Many workspaces: each with the token of its own installation, from the database, remembered for ten minutes.

What is remembered is forgotten at once when the app is removed, its token is refused, or it is installed anew here.
Another process notices within those ten minutes, or by the first refusal; a refusal of an older token than the one
that stands in the database says nothing about that one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from slack_sdk.web.async_client import AsyncWebClient

from bot.chat import ChatError
from bot.slack.faults import as_chat_errors
from bot.slack.grants import Client, read_pair
from bot.slack.standing import Installation, Standing, not_installed
from bot.slack.whose import bot_of, candidates, for_whole_organisation
from bot.slack.wording import JSON
from bot.usecases.install_workspace import uninstall_workspace
from storage import installations
from storage.database import Database
from storage.installations import Held
from storage.seal import Keyring, SealFault

log = logging.getLogger(__name__)

REMEMBERED = 600.0
"""Seconds for which an installation is remembered."""

MOST_REMEMBERED = 2_000

EARLY = timedelta(minutes=30)
"""A token that ends is traded so long before its end: longer than it is remembered."""

WAIT_FOR_ANOTHER = 10.0
"""Seconds to wait, at most, while another process trades the token that has ended."""


@dataclass(frozen=True, slots=True)
class _Known:
    installation: Installation
    client: AsyncWebClient
    good_until: float


class ManyWorkspaces(Standing):
    """``now`` is the time of day, ``monotonic`` (seconds) ages what is remembered; ``make`` gives a client for a
    token; ``changed`` is called when a workspace was lost.
    """

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        client: Client,
        make: Callable[[str], AsyncWebClient],
        now: Callable[[], datetime],
        changed: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.database = database
        self.keyring = keyring
        self._oauth = client
        self._make = make
        self._now = now
        self._changed = changed
        self._monotonic = monotonic
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._forgotten = 0

    async def installation(self, workspace: str) -> Installation | None:
        """The app there. Raises ``ChatError`` where its token cannot be had now."""
        try:
            return (await self._find(workspace)).installation
        except ChatError as error:
            if error.code == not_installed().code:
                return None
            raise

    async def client(self, workspace: str) -> AsyncWebClient:
        """The Web API with that workspace's token."""
        return (await self._find(workspace)).client

    async def workspace_of(self, body: JSON) -> str | None:
        """By the bot that posted what was tapped, then by the workspaces that the payload names."""
        if for_whole_organisation(body):
            return None
        named = candidates(body)
        if bot := bot_of(body):
            # In a shared channel both sides may have the app: the message is of one of them.
            owner = next((name for name in named if self._is_bot_of(name, bot)), None) or await self._owner(bot)
            if owner is not None and owner in named:
                return owner
        for name in named:
            if await self.installation(name) is not None:
                return name
        return None

    async def lose(self, workspace: str, code: str, *, at: float | None = None, token: str = "") -> None:
        """Its tokens are deleted and nothing more is sent with them, unless a newer installation stands there."""
        now = self._now()
        if code == "token_expired" and await self._expire(workspace, token, now):
            return
        self.forget(workspace)
        gone = await asyncio.wrap_future(
            self.database.write(
                lambda tx: uninstall_workspace(tx, self.keyring, "slack", workspace, code, now, at=at, token=token)
            )
        )
        self.forget(workspace)
        if gone:
            log.warning(
                "Slack: a workspace is without the app (%s); what is due there waits until it is installed", code
            )
            self._changed()

    def forget(self, workspace: str) -> None:
        """Ask the database again before the next call."""
        self._forgotten += 1
        self._known.pop(workspace, None)

    # --- finding -------------------------------------------------------------------------------------------------

    async def _find(self, workspace: str) -> _Known:
        found = self._known.get(workspace)
        while found is None or found.good_until < self._monotonic():
            forgotten = self._forgotten
            found = self._remember(await self._held(workspace), forgotten)
        return found

    def _remember(self, held: Held, forgotten: int) -> _Known | None:
        """``None``: something was forgotten while we looked, so what we found may be it."""
        if forgotten != self._forgotten:
            return None
        grant = held.grant
        installation = Installation(grant.workspace, grant.name, grant.bot_user, grant.bot_id)
        # One that has to be traded soon is asked for again soon.
        soon = grant.expires_at is not None and grant.expires_at - EARLY <= self._now()
        found = _Known(installation, self._make(grant.token), self._monotonic() + (1.0 if soon else REMEMBERED))
        self._known[grant.workspace] = found
        self._known.move_to_end(grant.workspace)
        while len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
        return found

    async def _held(self, workspace: str) -> Held:
        held = await self._read(workspace)
        expires_at = held.grant.expires_at
        if expires_at is None or not held.grant.refresh_token or self._now() < expires_at - EARLY:
            return held
        return await self._refreshed(held)

    async def _read(self, workspace: str) -> Held:
        now = self._now()
        try:
            held = await asyncio.wrap_future(
                self.database.read(lambda tx: installations.held(tx, self.keyring, "slack", workspace, now))
            )
        except SealFault as fault:
            log.error("Slack: %s", fault)
            raise ChatError("retry", "sealed", 60.0, "token") from None
        if held is None:
            raise not_installed()
        return held

    def _is_bot_of(self, workspace: str, bot: str) -> bool:
        found = self._known.get(workspace)
        return found is not None and found.installation.bot_id == bot

    async def _owner(self, bot: str) -> str | None:
        return await asyncio.wrap_future(self.database.read(lambda tx: installations.by_bot(tx, "slack", bot)))

    # --- tokens that rotate --------------------------------------------------------------------------------------

    async def _refreshed(self, held: Held) -> Held:
        """Trade the refresh token, one process at a time; meanwhile the old token serves while it lasts."""
        workspace, now = held.grant.workspace, self._now()
        taken = await asyncio.wrap_future(
            self.database.write(
                lambda tx: installations.begin_refresh(tx, self.keyring, "slack", workspace, now, now + EARLY)
            )
        )
        if taken is not None:
            return await self._trade(taken)
        if held.grant.expires_at is not None and now < held.grant.expires_at:
            return held
        return await self._wait_for_another(workspace)

    async def _trade(self, taken: Held) -> Held:
        before, workspace = taken.grant, taken.grant.workspace
        try:
            with as_chat_errors():
                answer = await self._oauth.refresh(before.refresh_token)
            pair = read_pair(answer, self._now())
        except ChatError as error:
            if error.outcome == "permanent" and error.cure == "token":
                await self.lose(workspace, error.code, token=before.token)
                raise not_installed() from error
            await asyncio.wrap_future(
                self.database.write(lambda tx: installations.leave_refresh(tx, "slack", workspace))
            )
            if before.expires_at is not None and self._now() < before.expires_at:
                log.warning("Slack: a token could not be renewed (%s); trying again soon", error.code)
                return taken
            raise ChatError("retry", error.code, error.retry_after, error.cure) from error
        now = self._now()
        await asyncio.wrap_future(
            self.database.write(
                lambda tx: installations.end_refresh(
                    tx, self.keyring, "slack", before, pair.token, pair.refresh_token, pair.expires_at, now
                )
            )
        )
        return await self._read(workspace)

    async def _wait_for_another(self, workspace: str) -> Held:
        until = self._monotonic() + WAIT_FOR_ANOTHER
        while self._monotonic() < until:
            await asyncio.sleep(0.1)
            held = await self._read(workspace)
            if held.grant.expires_at is None or self._now() < held.grant.expires_at:
                return held
            if not held.refreshing:
                break
        raise ChatError("retry", "token_refresh", 5.0, "outage")

    async def _expire(self, workspace: str, token: str, now: datetime) -> bool:
        """Slack says that the token has ended: is there a refresh token to trade for a new one?"""
        self.forget(workspace)
        try:
            held = await self._read(workspace)
        except ChatError:
            return False
        if not held.grant.refresh_token:
            return False
        if held.grant.token == token:
            await asyncio.wrap_future(
                self.database.write(lambda tx: installations.leave_refresh(tx, "slack", workspace, now))
            )
        return True


__all__ = ["ManyWorkspaces"]
