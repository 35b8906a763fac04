"""A chat that keeps an append-only log: the outside that everything is counted from.

It helps the engine in nothing: what is posted twice stands there twice. It can lose replies, refuse, limit rates,
answer late, and it is a place where the bot can die.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Literal

from bot.card import Card
from bot.chat import ChatError, Message, Place, Platform, Reaction
from bot.simulate.crashes import CrashPoints

Verb = Literal["post", "reply", "edit", "find", "tell", "check", "react", "list"]

NOT_FOUND_FOR = timedelta(seconds=1)
"""A platform's history may lag behind what it has accepted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One call as the platform saw it. ``refused`` is its error code, empty where it was done.

    ``message`` is what was made or edited, ``thread`` the message it hangs under, ``member`` who was told.
    """

    at: datetime
    verb: Verb
    key: str = ""
    message: str = ""
    thread: str = ""
    member: str = ""
    card: Card | None = None
    refused: str = ""


@dataclass(slots=True)
class Weather:
    """How the platform feels. Probabilities are per call."""

    lost: float = 0.0
    broken: float = 0.0
    limited: float = 0.0
    unreachable: bool = False
    archived: bool = False


class SimulatedChat:
    """One channel of a chat, with direct messages. ``now`` is the platform's own (true) time.

    ``posted`` and ``replied`` are told of each message as it appears, whether or not the bot ever hears that it did.
    """

    platform: Platform = "playground"

    def __init__(self, now: Callable[[], datetime], weather: Weather, rng: Random, crashes: CrashPoints) -> None:
        self.now = now
        self.weather = weather
        self.log: list[Entry] = []
        self.posted: Callable[[Entry], None] = lambda entry: None
        self.replied: Callable[[Entry], None] = lambda entry: None
        self.counts: Counter[str] = Counter()
        self._rng = rng
        self._crashes = crashes
        self._limited_until: dict[tuple[str, str], datetime] = {}
        self._untold: set[tuple[str, str]] = set()

    async def post(self, place: Place, card: Card, key: str) -> Message:
        message = Message(f"m{len(self.log)}")
        entry = Entry(self.now(), "post", key, message.id, card=card)
        with self._call(entry) as call:
            self.posted(entry)
            call.done()
        return message

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        message = Message(f"m{len(self.log)}", to.id)
        entry = Entry(self.now(), "reply", key, message.id, to.id, card=card)
        with self._call(entry) as call:
            self.replied(entry)
            call.done()
        return message

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        with self._call(Entry(self.now(), "edit", message=message.id, card=card)) as call:
            call.done()

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        with self._call(Entry(self.now(), "find", key, thread=thread.id if thread else "")) as call:
            call.done()
        for entry in self.log:
            if entry.key == key and entry.verb in ("post", "reply") and not entry.refused:
                seen = since <= entry.at and entry.at <= self.now() - NOT_FOUND_FOR
                if seen and (thread.id if thread else "") == entry.thread:
                    return Message(entry.message, entry.thread)
        return None

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        with self._call(Entry(self.now(), "tell", member=member, card=card)) as call:
            call.done()

    async def was_told(self, workspace: str, member: str, card: Card, since: datetime) -> bool | None:
        with self._call(Entry(self.now(), "find", member=member)):
            told = [e for e in self.log if e.verb == "tell" and not e.refused and e.at >= since]
        return any(entry.member == member and entry.card == card for entry in told)

    async def react(self, place: Place, message: Message, emoji: Sequence[str]) -> None:
        with self._call(Entry(self.now(), "react", message=message.id)) as call:
            call.done()

    async def reactions(
        self, place: Place, message: Message, emoji: Sequence[str], known: Collection[str] = ()
    ) -> Sequence[Reaction]:
        with self._call(Entry(self.now(), "list", message=message.id)):
            return ()

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        """A rule that nobody can look at refuses posts: all seems well beforehand."""
        with self._call(Entry(self.now(), "check")):
            return ()

    def caller_died(self) -> None:
        """Limits that a dead process was told of, and may not have written down, are no fault of the next one."""
        self._untold = set(self._limited_until)

    def _call(self, entry: Entry) -> _Call:
        return _Call(self, entry)


class _Call:
    """One call: what may go wrong before the platform has done it, and after."""

    def __init__(self, chat: SimulatedChat, entry: Entry) -> None:
        self.chat = chat
        self.entry = entry

    def __enter__(self) -> _Call:
        chat, entry = self.chat, self.entry
        chat._crashes.point(f"{entry.verb} is about to be sent")
        weather = chat.weather
        self._limits()
        if weather.unreachable:
            self._refuse("unsure", "connection")
        if weather.archived and entry.verb not in ("tell", "check"):
            self._refuse("permanent", "is_archived")
        if chat._rng.random() < weather.limited:
            wait = chat._rng.choice((1.0, 5.0, 30.0, 90.0))
            chat._limited_until[self._scope] = entry.at + timedelta(seconds=wait)
            chat._untold.discard(self._scope)
            self._refuse("retry", "ratelimited", wait)
        if chat._rng.random() < weather.broken:
            self._refuse("unsure", "http_500")
        chat.log.append(entry)
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def done(self) -> None:
        """The platform has done it; the reply may still be lost, and the bot may die before it hears it."""
        chat, verb = self.chat, self.entry.verb
        if verb == "find":
            return
        chat._crashes.point(f"{verb} was accepted")
        if chat._rng.random() < chat.weather.lost:
            chat.counts["lost replies"] += 1
            if chat._rng.random() < 0.3:
                raise TimeoutError
            raise ChatError("unsure", "connection_reset")

    @property
    def _scope(self) -> tuple[str, str]:
        return self.entry.verb, self.entry.member

    def _limits(self) -> None:
        """Whoever calls before the platform's *retry after* is over does not keep its limits."""
        until = self.chat._limited_until.get(self._scope)
        if until is not None and self.entry.at < until:
            self.chat.counts["calls within a limit"] += self._scope not in self.chat._untold
            self.chat._untold.discard(self._scope)
            self._refuse("retry", "ratelimited", (until - self.entry.at).total_seconds())

    def _refuse(
        self, outcome: Literal["retry", "unsure", "permanent"], code: str, retry_after: float | None = None
    ) -> None:
        entry = self.entry
        self.chat.counts[code] += 1
        self.chat.log.append(
            Entry(entry.at, entry.verb, entry.key, entry.message, entry.thread, entry.member, entry.card, code)
        )
        raise ChatError(outcome, code, retry_after)
