"""The Home tab of one person: published when they open it, and again after what they did.

Nothing is published for people who never open it. A burst of changes is one publication; where Slack is busy it waits
as long as Slack says.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Card
from bot.chat import ChatError, Who
from bot.slack.outbound import home_view
from bot.slack.standing import Standing
from bot.slack.tasks import Tasks

log = logging.getLogger(__name__)

COALESCE = 0.5
"""Seconds in which several changes become one publication."""

TRIES = 4
LONGEST_WAIT = 60.0
REMEMBERED = 5000
"""People whose Home tab is known to be in use; others are found again when they open it."""

Key = tuple[str, str]


@dataclass(slots=True)
class _Tab:
    """``hash``: of what the tab shows; ``""`` where it is not known."""

    who: Who
    hash: str = ""
    stale: bool = False
    working: bool = False


class Homes:
    """``compose`` makes the card for a person as things stand now."""

    def __init__(
        self,
        standing: Standing,
        tasks: Tasks,
        compose: Callable[[Who], Awaitable[Card]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._standing = standing
        self._tasks = tasks
        self._compose = compose
        self._sleep = sleep
        self._tabs: OrderedDict[Key, _Tab] = OrderedDict()

    def opened(self, who: Who, hash_: str) -> None:
        """They look at it now; ``hash_`` is of what Slack shows them."""
        key = (who.workspace, who.member)
        tab = self._tabs.setdefault(key, _Tab(who))
        tab.who, tab.hash = who, hash_
        self._tabs.move_to_end(key)
        if len(self._tabs) > REMEMBERED:
            self._tabs.popitem(last=False)
        self._refresh(tab)

    def changed(self, who: Who) -> None:
        """They did something: what their tab shows may be old. Nothing where they never opened it."""
        tab = self._tabs.get((who.workspace, who.member))
        if tab is not None:
            self._refresh(tab)

    def _refresh(self, tab: _Tab) -> None:
        tab.stale = True
        if not tab.working:
            tab.working = True
            self._tasks.start(self._work(tab))

    async def _work(self, tab: _Tab) -> None:
        try:
            while tab.stale:
                tab.stale = False
                await self._publish(tab)
                if tab.stale:
                    await self._sleep(COALESCE)
        except ChatError as error:
            log.warning("a Home tab could not be published: %s", error)
        finally:
            tab.working = False

    async def _publish(self, tab: _Tab) -> None:
        for again in range(TRIES):
            view = home_view(await self._compose(tab.who))
            arguments = {"hash": tab.hash} if tab.hash else {}
            try:
                answer = await self._standing.call(
                    tab.who.workspace, AsyncWebClient.views_publish, user_id=tab.who.member, view=view, **arguments
                )
            except ChatError as error:
                if error.code == "hash_conflict":
                    # Somebody else published meanwhile (another process of ours): what stands there is not known.
                    tab.hash = ""
                elif error.outcome == "permanent" or again == TRIES - 1:
                    raise
                else:
                    await self._sleep(min(LONGEST_WAIT, error.retry_after or 2.0**again))
                continue
            tab.hash = str((answer.get("view") or {}).get("hash") or "")
            return
