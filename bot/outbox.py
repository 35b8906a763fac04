"""The outbox: one beat plans, claims what is due, sends it, and writes down what became of it.

The ledger in the database decides; a beat may run at any time, as often as anyone likes, in any number of
processes. A crash anywhere leaves a row that says *waiting*, *sending* (unsure once its lease is over) or
*sent*, and an unsure one is looked up on the platform before anything is sent again.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import TypeVar

from sqlmodel import Session

from bot.card import Card
from bot.cards import Cards
from bot.chat import Chat, ChatError, Message, Place
from bot.clock import Clock
from bot.compose import card_of, view_of
from bot.drill.trouble import cure
from bot.letters import Letters
from bot.texts import language_of
from bot.usecases.claim_deliveries import Job, claim_deliveries
from bot.usecases.note_check import Look, due_looks, note_check
from bot.usecases.note_reaction import people_of, settle_reactions
from bot.usecases.plan_rounds import plan_rounds
from bot.usecases.record_delivery import SETTLE_AFTER, record_absent, record_sent, record_trouble
from bot.usecases.show_round import show_round
from bot.usecases.tell_notice import Telling, mark_refused, mark_told, mark_untold, take, tellings
from content.library import Library
from storage import audit, deliveries, rounds
from storage.database import Database
from storage.deliveries import Step

log = logging.getLogger(__name__)
T = TypeVar("T")

SEND_TIMEOUT = 20.0
"""Seconds one platform call may take: less than half a lease."""

LOOK_BACK = timedelta(hours=2)
"""How long before our first try a message is looked for: the platform stamps it, and our clock may have been wrong."""

TELL_AGAIN = 60.0
"""Seconds until an admin who could not be told is tried again."""

LOOK_AROUND = 60.0
"""Seconds between two searches for channels that should be looked at."""

MOST_LISTS = 8
"""How often the list of a round's keycaps is asked for in vain before the round ends with what was heard of them."""

REFRESH_EVERY = 4.0
"""Seconds between two refreshes of one message's count."""

AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a call goes that is no delivery: a channel, or a person in place of one."""

    platform: str
    place: Place


class Outbox:
    """Sends what the ledger says. ``chats`` by platform; what goes to a platform that is not running waits.

    ``pictures=False`` posts boards and results without their drawings.
    """

    def __init__(
        self,
        database: Database,
        library: Library,
        cards: Cards,
        clock: Clock,
        chats: Mapping[str, Chat],
        rng: Random | None = None,
        new_key: Callable[[], str] = lambda: secrets.token_hex(10),
        holder: str = "",
        pictures: bool = True,
    ) -> None:
        self.database = database
        self.library = library
        self.cards = cards
        self.clock = clock
        self.chats = chats
        self.holder = holder or secrets.token_hex(6)
        self.pictures = pictures
        self._rng = rng or Random()  # noqa: S311 — jitter, not a secret
        self._new_key = new_key
        self._stale: dict[int, float] = {}
        self._looked_at = float("-inf")
        self._tell_after: dict[tuple[str, str, str], float] = {}
        self._limits: dict[tuple[str, str, Place], float] = {}
        self._channels: dict[int, asyncio.Lock] = {}
        self._room = asyncio.Semaphore(AT_ONCE)
        self.letters = Letters(database, clock, chats, self._tell_person)
        self.posted = 0
        self.last_beat = clock.monotonic()

    def void_leases(self) -> int:
        """Call at start, under the lock that says no other process uses this database."""
        look_at = self.clock.now() + SETTLE_AFTER

        def void(tx: Session) -> int:
            audit.void_taken(tx)
            return deliveries.void_leases(tx, look_at)

        return self.database.write(void).result()

    def mark_stale(self, round_id: int) -> None:
        """The round's count has changed: refresh its message soon."""
        self._stale.setdefault(round_id, float("-inf"))

    async def beat(self) -> int:
        """Do all that is due now; how many deliveries were worked on."""
        worked = 0
        now = self.clock.now()
        await self._write(lambda tx: plan_rounds(tx, self.library, now, self._new_key))
        while True:
            jobs = await self._write(self._claim)
            if not jobs:
                break
            worked += len(jobs)
            await asyncio.gather(*(self._deliver(job) for job in jobs))
        await self._look_at_channels()
        await self._tell_admins()
        await self.letters.beat()
        await self.refresh_counts()
        self.last_beat = self.clock.monotonic()
        return worked

    def _claim(self, tx: Session) -> list[Job]:
        return claim_deliveries(tx, self.library, self.clock.now(), self.holder, tuple(self.chats))

    async def _deliver(self, job: Job) -> None:
        async with self._room, self._lock(job.claim.schedule_id):
            try:
                await self._send(job)
            except ChatError as error:
                log.warning("delivery %s (%s): %s", job.claim.id, job.claim.step, error)
                await self._trouble(job, error)
            except TimeoutError:
                await self._trouble(job, ChatError("unsure", "timeout", cure="outage"))
            except Exception:
                log.exception("delivery %s (%s) failed on our side", job.claim.id, job.claim.step)
                await self._trouble(job, ChatError("unsure", "internal"))

    async def _send(self, job: Job) -> None:
        chat, claim = self.chats[job.platform], job.claim
        if claim.step is Step.SEED:
            await self._seed(chat, job)
            return
        if claim.look_first and claim.step is not Step.CLOSE:
            thread = job.target if claim.step is Step.RESULT else None
            since = min(claim.first_sent_at, self.clock.now()) - LOOK_BACK
            found = await self._call("find", job, lambda: chat.find(job.place, claim.key, since, thread))
            now = self.clock.now()
            if found is not None:
                await self._write(lambda tx: record_sent(tx, claim, found, now, self._new_key))
                if claim.step is Step.POST:
                    self.mark_stale(claim.subject_id)  # it could be answered since it stood there
            else:
                await self._write(lambda tx: record_absent(tx, claim, now))
            return
        unread = await self._read_reactions(chat, job) if job.unread else ""
        card = await self._compose(job)
        message = await self._show(chat, job, card)
        now = self.clock.now()
        if await self._write(lambda tx: record_sent(tx, claim, message, now, self._new_key, unread)):
            self.posted += claim.step is Step.POST

    async def _seed(self, chat: Chat, job: Job) -> None:
        """Leave the keycaps under a question, so that they need only be tapped."""
        target, claim = job.target, job.claim
        assert target is not None
        await self._call("react", job, lambda: chat.react(job.place, target, job.keycaps))
        now = self.clock.now()
        await self._write(lambda tx: record_sent(tx, claim, None, now, self._new_key))

    async def _read_reactions(self, chat: Chat, job: Job) -> str:
        """Before it is shown how a round ended: who has left which keycap. Why that cannot be read, if it cannot.

        A list that fails is asked for again with the whole delivery, ``MOST_LISTS`` times.
        """
        target, claim = job.target, job.claim
        assert target is not None
        known = await asyncio.wrap_future(self.database.read(lambda tx: people_of(tx, claim.schedule_id)))
        try:
            listed = await self._call(
                "reactions", job, lambda: chat.reactions(job.place, target, job.keycaps, frozenset(known))
            )
        except (ChatError, TimeoutError) as error:
            reason = error.reason if isinstance(error, ChatError) else "outage:timeout"
            if claim.attempt < MOST_LISTS and not (isinstance(error, ChatError) and error.outcome == "permanent"):
                raise
            log.warning("the keycaps of round %s could not be listed: %s", claim.subject_id, reason)
            return reason
        now = self.clock.now()
        await self._write(lambda tx: settle_reactions(tx, claim.subject_id, chat.platform, listed, now))
        return ""

    async def _show(self, chat: Chat, job: Job, card: Card) -> Message | None:
        claim, target = job.claim, job.target
        if claim.step in (Step.POST, Step.BOARD):
            return await self._call("post", job, lambda: chat.post(job.place, card, claim.key))
        assert target is not None
        if claim.step is Step.RESULT:
            return await self._call("reply", job, lambda: chat.reply(job.place, target, card, claim.key))
        await self._call("edit", job, lambda: chat.edit(job.place, target, card))
        return None

    async def _call(self, verb: str, where: Job | Spot, call: Callable[[], Awaitable[T]]) -> T:
        """One platform call, in its time, and not before the platform's last *retry after* for such calls is over."""
        scope = (verb, where.platform, where.place)
        left = self._limits.get(scope, 0.0) - self.clock.monotonic()
        if left > 0:
            raise ChatError("retry", "ratelimited", left, "busy")
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                return await call()
        except ChatError as error:
            if error.retry_after:
                self._limits[scope] = self.clock.monotonic() + error.retry_after
            raise

    async def _compose(self, job: Job) -> Card:
        now = self.clock.now()
        view = await asyncio.wrap_future(self.database.read(lambda tx: view_of(tx, job.claim, now)))
        if not self.pictures:
            return card_of(job.claim, view, self.cards, pictures=False)
        return await asyncio.to_thread(card_of, job.claim, view, self.cards)

    async def _trouble(self, job: Job, error: ChatError) -> None:
        now = self.clock.now()
        await self._write(lambda tx: record_trouble(tx, job.claim, error, now, self._rng))

    async def refresh_counts(self) -> None:
        """Show new counts, each message at most once in ``REFRESH_EVERY`` seconds, whatever the number of answers."""
        ran = self.clock.monotonic()
        due = [round_id for round_id, at in self._stale.items() if ran - at >= REFRESH_EVERY]
        await asyncio.gather(*(self._refresh(round_id, ran) for round_id in due))

    async def find_stale(self) -> None:
        """After a start: open rounds whose message shows an old count."""
        now = self.clock.now()
        for round_id in await asyncio.wrap_future(self.database.read(lambda tx: rounds.stale(tx, now))):
            self.mark_stale(round_id)

    async def _refresh(self, round_id: int, ran: float) -> None:
        found = await asyncio.wrap_future(self.database.read(lambda tx: rounds.where_shown(tx, round_id)))
        if found is None:
            self._stale.pop(round_id, None)
            return
        platform, workspace, channel, message_id, thread, schedule_id = found
        place, message = Place(workspace, channel), Message(message_id, thread)
        chat = self.chats.get(platform)
        if chat is None:
            return
        async with self._lock(schedule_id):
            now = self.clock.now()
            view = await asyncio.wrap_future(self.database.read(lambda tx: show_round(tx, round_id, now)))
            # The close writes the last word into this message; a count that comes after it must not.
            if view.closed or view.answered == view.round.shown_count:
                self._stale.pop(round_id, None)
                return
            self._stale[round_id] = ran
            card = self.cards.question(view)
            try:
                await self._call("edit", Spot(platform, place), lambda: chat.edit(place, message, card))
            except (ChatError, TimeoutError) as error:
                log.info("the count of round %s could not be refreshed: %s", round_id, error)
                if isinstance(error, ChatError) and error.outcome == "permanent":
                    self._stale.pop(round_id, None)
                elif isinstance(error, ChatError) and error.retry_after:
                    self._stale[round_id] = ran + error.retry_after
                return
            await self._write(lambda tx: rounds.count_shown(tx, round_id, view.answered))

    async def _look_at_channels(self) -> None:
        """Ask, shortly before a drill, whether it can be shown; and once a day whether a parked channel is back."""
        ran = self.clock.monotonic()
        if ran - self._looked_at < LOOK_AROUND:
            return
        self._looked_at = ran
        now, platforms = self.clock.now(), tuple(self.chats)
        found = await asyncio.wrap_future(self.database.read(lambda tx: due_looks(tx, now, platforms, AT_ONCE)))
        await asyncio.gather(*(self._look_at(look) for look in found))

    async def _look_at(self, look: Look) -> None:
        chat = self.chats[look.platform]
        spot = Spot(look.platform, look.place)
        try:
            lacks = await self._call("check", spot, lambda: chat.check(look.place, reactions=look.reactions))
        except (ChatError, TimeoutError) as error:
            log.info("the channel of schedule %s could not be looked at: %s", look.schedule_id, error)
            return
        now = self.clock.now()
        await self._write(lambda tx: note_check(tx, look.schedule_id, lacks, now))

    async def _tell_admins(self) -> None:
        now = self.clock.now()
        found = await asyncio.wrap_future(self.database.read(lambda tx: tellings(tx, now)))
        for telling in found:
            await self._tell(telling)

    async def _tell(self, telling: Telling) -> None:
        chat = self.chats.get(telling.platform)
        ran, person = self.clock.monotonic(), (telling.platform, telling.workspace, telling.member)
        if chat is None or ran < self._tell_after.get(person, ran):
            return
        # Taken first: should this process die on the way, the next one looks before it tells it again.
        now = self.clock.now()
        if not await self._write(lambda tx: take(tx, telling, now)) or not telling.member:
            return
        card = self.cards.notice(telling.code, telling.detail, telling.channel, language_of(telling.language))
        spot = Spot(telling.platform, Place(telling.workspace, telling.member))
        try:
            if not await self._was_told(chat, telling, spot, card):
                await self._call("tell", spot, lambda: chat.tell(telling.workspace, telling.member, card))
        except (ChatError, TimeoutError) as error:
            log.warning("an admin could not be told of %s: %s", telling.code, error)
            await self._not_told(telling, error)
            return
        now = self.clock.now()
        await self._write(lambda tx: mark_told(tx, telling, now))

    async def _was_told(self, chat: Chat, telling: Telling, spot: Spot, card: Card) -> bool:
        """Where that cannot be seen it is told (again): twice is better than never."""
        if telling.look_since is None:
            return False
        since = telling.look_since - LOOK_BACK
        look = lambda: chat.was_told(telling.workspace, telling.member, card, since)  # noqa: E731
        return await self._call("tell", spot, look) is True

    async def _not_told(self, telling: Telling, error: ChatError | TimeoutError) -> None:
        if isinstance(error, TimeoutError) or error.outcome != "permanent":
            person = (telling.platform, telling.workspace, telling.member)
            self._tell_after[person] = self.clock.monotonic() + TELL_AGAIN
            if isinstance(error, ChatError) and error.outcome == "retry" and telling.look_since is None:
                await self._write(lambda tx: mark_untold(tx, telling))  # surely not told
            return
        # A dead token reaches nobody else either; whoever takes no messages has colleagues who may.
        personal = cure(error.cure).personal or not error.cure
        await self._write(lambda tx: mark_refused(tx, telling, personal=personal))

    async def _tell_person(self, platform: str, workspace: str, member: str, card: Card) -> None:
        """A direct message, within its time and the platform's limits."""
        chat, spot = self.chats[platform], Spot(platform, Place(workspace, member))
        await self._call("tell", spot, lambda: chat.tell(workspace, member, card))

    def _lock(self, schedule_id: int) -> asyncio.Lock:
        return self._channels.setdefault(schedule_id, asyncio.Lock())

    async def _write(self, verb: Callable[[Session], T]) -> T:
        return await asyncio.wrap_future(self.database.write(verb))
