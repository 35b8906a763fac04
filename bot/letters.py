"""Direct messages to single people that nobody asked for just now: greetings and reminders.

Each is claimed in the database before it is sent, so that no crash, lost reply or second process sends it twice; one
that was surely not sent is tried again. They go out beside the beat: a slow direct message holds up no question.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from sqlmodel import Session

from bot.card import Card
from bot.cards import letters as cards
from bot.chat import Chat, ChatError
from bot.clock import Clock
from bot.usecases.greet_inviter import Greeting, claim_greetings, greetings_wait, not_greeted
from bot.usecases.remind_members import Reminding, claim_reminders, due_reminders, not_reminded, reminded
from storage.database import Database

log = logging.getLogger(__name__)
T = TypeVar("T")

REMIND_EVERY = 60.0
"""Seconds between two searches for people to remind; sooner where one search found more than was taken."""

AT_ONCE = 20
GRACE = 0.2
"""Seconds that a beat waits for its letters; slower ones go on beside the next beats."""

AGAIN = 60.0
"""Seconds until a greeting that was surely not sent is tried again."""

Tell = Callable[[str, str, str, Card], Awaitable[None]]
"""A direct message: platform, workspace, member, card. Raises ``ChatError`` or ``TimeoutError``."""


class Letters:
    """``chats`` by platform; nobody is written to on a platform that is not running."""

    def __init__(self, database: Database, clock: Clock, chats: Mapping[str, Chat], tell: Tell) -> None:
        self.database = database
        self.clock = clock
        self.chats = chats
        self._tell = tell
        self._remind_at = float("-inf")
        self._greet_at = float("-inf")
        self._sending: asyncio.Task[None] | None = None

    async def beat(self) -> None:
        """Send what is due, unless the letters of an earlier beat are on their way still."""
        if self._sending is not None and not self._sending.done():
            return
        ran = self.clock.monotonic()
        greet = ran >= self._greet_at and await self._read(lambda tx: greetings_wait(tx, tuple(self.chats)))
        remind = ran >= self._remind_at
        if not greet and not remind:
            return
        self._sending = asyncio.create_task(self._send(greet=greet, remind=remind))
        await asyncio.wait({self._sending}, timeout=GRACE)

    async def rest(self) -> None:
        """Let letters that are on their way arrive: call before stopping."""
        if self._sending is not None and self._sending.get_loop() is asyncio.get_running_loop():
            await asyncio.wait({self._sending})

    async def _send(self, *, greet: bool, remind: bool) -> None:
        try:
            if greet:
                await self._greet_all()
            if remind:
                await self._remind_all()
        except Exception:
            log.exception("letters could not be sent; they are tried again")

    async def _greet_all(self) -> None:
        now, platforms = self.clock.now(), tuple(self.chats)
        found = await self._write(lambda tx: claim_greetings(tx, now, platforms, AT_ONCE))
        await asyncio.gather(*map(self._greet, found))

    async def _greet(self, greeting: Greeting) -> None:
        card = cards.greeting(greeting)
        try:
            await self._tell(greeting.platform, greeting.workspace, greeting.member, card)
        except (ChatError, TimeoutError) as error:
            log.warning("who brought the bot could not be greeted: %s", error)
            if isinstance(error, ChatError) and error.outcome == "retry":
                self._greet_at = self.clock.monotonic() + AGAIN
                await self._write(lambda tx: not_greeted(tx, greeting))

    async def _remind_all(self) -> None:
        self._remind_at = self.clock.monotonic() + REMIND_EVERY
        now, platforms = self.clock.now(), tuple(self.chats)
        due = await self._read(lambda tx: due_reminders(tx, now, platforms, AT_ONCE))
        if not due:
            return
        found = await self._write(lambda tx: claim_reminders(tx, due, now))
        if len(due) == AT_ONCE:
            self._remind_at = float("-inf")
        await asyncio.gather(*map(self._remind, found))

    async def _remind(self, reminding: Reminding) -> None:
        to = reminding.to
        try:
            await self._tell(to.platform, to.workspace, to.member, cards.reminder(reminding))
        except (ChatError, TimeoutError) as error:
            log.info("a member could not be reminded: %s", error)
            again = isinstance(error, ChatError) and error.outcome == "retry"
            reason = error.reason if isinstance(error, ChatError) else "outage:timeout"
            if again:
                self._remind_at = self.clock.monotonic() + REMIND_EVERY
            await self._write(lambda tx: not_reminded(tx, reminding, reason, again=again))
            return
        now = self.clock.now()
        await self._write(lambda tx: reminded(tx, reminding, now))

    async def _write(self, verb: Callable[[Session], T]) -> T:
        return await asyncio.wrap_future(self.database.write(verb))

    async def _read(self, verb: Callable[[Session], T]) -> T:
        return await asyncio.wrap_future(self.database.read(verb))
