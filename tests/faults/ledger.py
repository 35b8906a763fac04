"""A stage whose platform misbehaves on request and whose bot can die at any step and be started again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Literal

from sqlmodel import select

from bot.app import build
from bot.card import Card
from bot.chat import ChatError, Message, Place, Reaction
from bot.clock import Clock
from bot.settings import Settings
from bot.simulate.crashes import Crash, CrashPoints
from bot.web.playground.chat import PlaygroundChat, Write
from content.library import Library
from storage.tables import Delivery, Notice
from tests.usecases.stage import HERE, LIBRARY, Stage

Verb = Literal["post", "reply", "edit", "find", "tell", "react", "list"]
Trouble = Callable[["Call"], None]


class Call:
    """One call as the platform sees it: ``number`` counts all of them, ``done`` is whether it was carried out."""

    def __init__(self, number: int, verb: Verb, place: Place, key: str, at: datetime) -> None:
        self.number = number
        self.verb = verb
        self.place = place
        self.key = key
        self.at = at
        self.done = False

    def __repr__(self) -> str:
        return f"{self.number}:{self.verb}:{self.place.channel}:{self.key[:4]}@{self.at:%d %H:%M:%S}"


class Rough(PlaygroundChat):
    """The playground's chat, behind a bad line. ``before`` and ``after`` may raise what a platform or a line does.

    ``calls`` is the log of everything that was asked for; ``log`` of what was done. Both are outside the bot.
    """

    def __init__(self, clock: Clock, points: CrashPoints | None = None) -> None:
        super().__init__(clock)
        self.calls: list[Call] = []
        self.before: Trouble = lambda call: None
        self.after: Trouble = lambda call: None
        self.points = points or CrashPoints(Random(0))
        self.lacks: Sequence[str] | None = None
        self.checks: list[tuple[datetime, Place]] = []

    def _begin(self, verb: Verb, place: Place, key: str = "") -> Call:
        call = Call(len(self.calls) + 1, verb, place, key, self.clock.now())
        self.calls.append(call)
        self.points.point(f"{verb} is about to be sent")
        self.before(call)
        return call

    def _end(self, call: Call) -> None:
        call.done = True
        self.points.point(f"{call.verb} was done")
        self.after(call)

    async def post(self, place: Place, card: Card, key: str) -> Message:
        call = self._begin("post", place, key)
        message = await super().post(place, card, key)
        self._end(call)
        return message

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        call = self._begin("reply", place, key)
        message = await super().reply(place, to, card, key)
        self._end(call)
        return message

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        call = self._begin("edit", place)
        await super().edit(place, message, card)
        self._end(call)

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        call = self._begin("find", place, key)
        found = await super().find(place, key, since, thread)
        self._end(call)
        return found

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        call = self._begin("tell", Place(workspace, member))
        await super().tell(workspace, member, card)
        self._end(call)

    async def react(self, place: Place, message: Message, emoji: Sequence[str]) -> None:
        call = self._begin("react", place)
        await super().react(place, message, emoji)
        self._end(call)

    async def reactions(
        self, place: Place, message: Message, emoji: Sequence[str], known: Collection[str] = ()
    ) -> Sequence[Reaction]:
        call = self._begin("list", place)
        found = await super().reactions(place, message, emoji, known)
        self._end(call)
        return found

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        self.checks.append((self.clock.now(), place))
        return self.lacks if self.lacks is not None else await super().check(place, reactions=reactions)

    def made(self, place: Place = HERE) -> list[Write]:
        """Messages that stand in the channel or its threads, in the order in which they were made."""
        return [write for write in self.log if write.kind in ("post", "reply") and write.place == place]

    def told(self) -> list[str]:
        return [write.card.text for write in self.log if write.kind == "tell" and write.card is not None]


class Ledger(Stage):
    """A stage that lives on after a ``Crash``: the next process opens the same file, the chat is what it was."""

    def __init__(
        self, path: Path, points: CrashPoints | None = None, start: datetime | None = None, library: Library = LIBRARY
    ) -> None:
        super().__init__(path, library=library, **({"start": start} if start is not None else {}))
        self.points = points or CrashPoints(Random(0))
        self.chat: Rough = Rough(self.clock, self.points)
        self.chat.open_channel(HERE, "drills")
        self.starts = 0
        self._library = library
        self._join()

    def _join(self) -> None:
        self.app.chats["playground"] = self.chat
        self.points.watch(self.app.database)

    def stop(self) -> None:
        """The process ends."""
        self.app.close()

    def start(self) -> None:
        """A new process on the same file."""
        self.starts += 1
        self.app = build(
            Settings(database_url=self.url),
            clock=self.clock,
            library=self._library,
            rng=Random(f"start {self.starts}"),
            pictures=False,
        )
        self._join()
        self.app.outbox.void_leases()
        self._runner.run(self.app.outbox.find_stale())

    def restart(self, after: timedelta = timedelta(seconds=3)) -> None:
        self.stop()
        self.clock.forward(after)
        while True:
            try:
                return self.start()
            except Crash:
                self.stop()

    def beat(self) -> int:
        """As the ticker beats: what fails on our side is logged, and the next beat tries again."""
        while True:
            try:
                return self._runner.run(self.app.ticker.beat())
            except Crash:
                self.restart()

    # --- what is looked at -------------------------------------------------------------------------------------

    def channel(self, name: str, text: str = "setup time=09:30 zone=UTC days=daily kinds=single") -> Place:
        """One more channel with drills."""
        place = Place("w", name)
        self.chat.open_channel(place, name)
        self.save(text, place)
        return place

    def deliveries(self, *states: str) -> list[Delivery]:
        rows = self.read(lambda tx: tx.exec(select(Delivery).order_by(Delivery.id)).all())  # type: ignore[arg-type]
        return [row for row in rows if not states or row.state in states]

    def notices(self) -> list[Notice]:
        return list(self.read(lambda tx: tx.exec(select(Notice)).all()))

    def check_whole(self, place: Place = HERE) -> None:
        """Nothing stands twice, and the ledger calls sent exactly what stands."""
        keys = Counter(write.key for write in self.chat.made(place))
        assert set(keys.values()) <= {1}, f"made twice: {[key for key, n in keys.items() if n > 1]}"
        sent = {row.key for row in self.deliveries("sent") if row.step not in ("close", "seed")}
        assert sent == {write.key for write in self.chat.made()} if place == HERE else True


def lost(call: Call) -> None:
    """The platform has done it, the reply never came."""
    raise ChatError("unsure", "connection_reset")


def raising(error: BaseException, *, on: Verb | None = None, times: int = 1, where: Any = None) -> Trouble:
    """A trouble that raises ``error`` the first ``times`` times (for calls of one verb, in one channel)."""
    left = times

    def trouble(call: Call) -> None:
        nonlocal left
        if left and (on is None or call.verb == on) and (where is None or call.place == where):
            left -= 1
            raise error

    return trouble


def at(text: str) -> datetime:
    """``2026-12-01 09:30`` in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
