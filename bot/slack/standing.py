"""Where the app is installed, and whether its token still works. Bolt's authorisation, remembered for an hour.

Bolt's own either asks auth.test at every request or remembers for ever; this one remembers, asks again in the
background, and forgets at once when the app is removed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.chat import ChatError
from bot.slack.faults import DEAD, as_chat_errors
from bot.slack.tasks import Tasks

log = logging.getLogger(__name__)

REMEMBERED = 3600.0
"""Seconds after which auth.test is asked again."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What auth.test says."""

    workspace: str
    name: str
    bot_user: str
    bot_id: str


class Standing(AsyncAuthorize):
    """``lost`` is called once, with Slack's code, when the token turns out to be dead."""

    def __init__(
        self,
        client: AsyncWebClient,
        tasks: Tasks,
        lost: Callable[[str], None] = lambda code: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client = client
        self.installation: Installation | None = None
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
            found = await self.client.auth_test()
        self.installation = Installation(
            str(found["team_id"]), str(found.get("team") or ""), str(found["user_id"]), str(found.get("bot_id") or "")
        )
        return self.installation

    async def _look_again(self) -> None:
        try:
            await self.look()
        except ChatError as error:
            if error.code in DEAD:
                self.lose(error.code)

    def lose(self, code: str) -> None:
        """The token is dead: nothing more is sent with it."""
        if not self.dead:
            self.dead = code
            log.error(
                "Slack: the bot token does not work any more (%s). Install the app again, put the new token into "
                "DRILLS_SLACK_BOT_TOKEN and start again; until then nothing is sent to Slack.",
                code,
            )
            self._lost(code)

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
        """Bolt asks this at every request."""
        if self.dead:
            return None
        if self.installation is None:
            await self.look()
        elif self._good_until < self._monotonic():
            self._good_until = self._monotonic() + REMEMBERED
            self._tasks.start(self._look_again())
        found = self.installation
        assert found is not None
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=found.workspace,
            bot_user_id=found.bot_user,
            bot_id=found.bot_id,
            bot_token=self.client.token,
        )
