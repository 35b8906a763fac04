"""The playground's chat: a platform like Slack and Discord, in memory, with a journal where it must outlive a restart.

It shows what the engine hands it and remembers every write it accepted in ``log``, so that a simulation can count
posts from the outside. It does not help the engine: the same key posted twice stands there twice.
Call it from one event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from bot.card import Card
from bot.chat import ChatError, Message, Place, Platform, Reaction
from bot.clock import Clock
from bot.web.playground.journal import Journal, JournalFault, from_plain, to_plain


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the playground. ``language`` is ``en`` or ``zh``; ``zone`` an IANA name or ``""``."""

    id: str
    name: str
    language: str = "en"
    zone: str = ""
    admin: bool = False
    visitor: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as it stands. ``only``: the one person who sees it; ``about``: what a private reply answers.

    ``number`` is the write that made it (their order in the channel), ``revision`` the last one that changed it
    or its thread. ``reactions``: emoji → who left it, in their order; the bot itself is ``""``.
    """

    id: str
    place: Place
    card: Card
    at: datetime
    number: int
    revision: int
    key: str = ""
    thread: str = ""
    only: str = ""
    about: str = ""
    edits: int = 0
    reactions: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Write:
    """One write that the chat accepted, in the order of ``number``."""

    number: int
    kind: Literal["open", "join", "post", "reply", "edit", "tell", "whisper", "dismiss", "react", "unreact"]
    at: datetime
    place: Place
    id: str = ""
    key: str = ""
    thread: str = ""
    only: str = ""
    about: str = ""
    name: str = ""
    emoji: str = ""
    card: Card | None = None
    person: Person | None = None


@dataclass(slots=True)
class _Channel:
    name: str
    messages: dict[str, Shown] = field(default_factory=dict)


class PlaygroundChat:
    """Channels, people, threads, private replies and direct messages; implements ``bot.chat.Chat``."""

    platform: Platform = "playground"

    def __init__(self, clock: Clock, journal: Journal | None = None) -> None:
        self.clock = clock
        self.log: list[Write] = []
        self.people: dict[tuple[str, str], Person] = {}
        self._channels: dict[Place, _Channel] = {}
        self._direct: dict[tuple[str, str], list[Shown]] = {}
        self._journal: Journal | None = None
        self._changed = asyncio.Event()
        for entry in journal.replay() if journal else ():
            try:
                self._apply(_read(entry, len(self.log) + 1))
            except (KeyError, TypeError, ValueError, AssertionError) as error:
                raise JournalFault("The playground's journal is damaged: start afresh, without --keep.") from error
        self._journal = journal

    # --- what the engine asks of a chat ----------------------------------------------------------------------

    async def post(self, place: Place, card: Card, key: str) -> Message:
        self._need(place)
        return Message(self._write("post", place, id=self._new_id(), key=key, card=card).id)

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        self._need(place, to.id)
        return Message(self._write("reply", place, id=self._new_id(), key=key, card=card, thread=to.id).id, to.id)

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        self._need(place, message.id)
        self._write("edit", place, id=message.id, card=card)

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        parent = thread.id if thread else ""
        for shown in self._need(place).messages.values():
            if shown.key == key and shown.thread == parent and shown.at >= since:
                return Message(shown.id, shown.thread)
        return None

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        self._write("tell", Place(workspace, ""), id=self._new_id(), only=member, card=card)

    async def was_told(self, workspace: str, member: str, card: Card, since: datetime) -> bool | None:
        return any(
            write.kind == "tell" and write.only == member and write.card == card and write.at >= since
            for write in self.log
            if write.place.workspace == workspace
        )

    async def react(self, place: Place, message: Message, emoji: Sequence[str]) -> None:
        for one in emoji:
            self.leave(place, message.id, "", one)

    async def reactions(
        self, place: Place, message: Message, emoji: Sequence[str], known: Collection[str] = ()
    ) -> Sequence[Reaction]:
        shown = self._need(place, message.id).messages[message.id]
        return [
            Reaction(member, self._name(place.workspace, member), one)
            for one, members in shown.reactions
            for member in members
            if member and one in emoji
        ]

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        """A channel of the playground lacks nothing; only one that does not exist does."""
        return () if place in self._channels else ("deleted",)

    # --- what the page asks of it ----------------------------------------------------------------------------

    def open_channel(self, place: Place, name: str) -> None:
        """Make a channel; one that is there already keeps its messages and takes the name."""
        if place not in self._channels or self._channels[place].name != name:
            self._write("open", place, name=name)

    def join(self, workspace: str, person: Person) -> None:
        """Somebody comes in, or comes back with another name or language."""
        if self.people.get((workspace, person.id)) != person:
            self._write("join", Place(workspace, ""), person=person)

    def whisper(self, place: Place, member: str, card: Card, about: str = "", instead: str = "") -> Shown:
        """Show a card to one person in a channel: where ``instead`` stands, or below and in place of an earlier one
        ``about`` the same."""
        if instead and self._is_private(place, instead, member):
            self._write("whisper", place, id=instead, only=member, about=about, card=card)
            return self._channels[place].messages[instead]
        for earlier in [m for m in self.seen_by(place, member) if m.only and about and m.about == about]:
            self._write("dismiss", place, id=earlier.id, only=member)
        write = self._write("whisper", place, id=self._new_id(), only=member, about=about, card=card)
        return self._channels[place].messages[write.id]

    def dismiss(self, place: Place, member: str, message_id: str) -> bool:
        """Take one person's private reply away; ``False`` where it is not theirs or not there."""
        if not self._is_private(place, message_id, member):
            return False
        self._write("dismiss", place, id=message_id, only=member)
        return True

    def leave(self, place: Place, message_id: str, member: str, emoji: str, *, there: bool = True) -> bool:
        """Somebody (``""``: the bot) leaves an emoji under a message or takes it away; ``False`` where that changes
        nothing."""
        shown = self._need(place, message_id).messages[message_id]
        if (member in dict(shown.reactions).get(emoji, ())) == there:
            return False
        self._write("react" if there else "unreact", place, id=message_id, only=member, emoji=emoji)
        return True

    def _name(self, workspace: str, member: str) -> str:
        person = self.people.get((workspace, member))
        return person.name if person else member

    def channel_name(self, place: Place) -> str:
        """Raises ``ChatError`` for a channel that does not exist."""
        return self._need(place).name

    def channels(self, workspace: str) -> list[Place]:
        return [place for place in self._channels if place.workspace == workspace]

    def message(self, place: Place, message_id: str) -> Shown | None:
        return self._need(place).messages.get(message_id)

    def seen_by(self, place: Place, member: str) -> list[Shown]:
        """The channel as this member sees it, oldest first, without what stands in threads."""
        kept = self._need(place).messages.values()
        return [m for m in kept if not m.thread and m.only in ("", member)]

    def thread(self, place: Place, message_id: str) -> list[Shown]:
        """The replies to a message, oldest first."""
        return [m for m in self._need(place).messages.values() if m.thread == message_id]

    def threads(self, place: Place) -> dict[str, list[Shown]]:
        """Every thread of the channel by the message it hangs on, oldest reply first."""
        found: dict[str, list[Shown]] = {}
        for message in self._need(place).messages.values():
            if message.thread:
                found.setdefault(message.thread, []).append(message)
        return found

    def direct(self, workspace: str, member: str) -> list[Shown]:
        """Direct messages to this member, oldest first."""
        return list(self._direct.get((workspace, member), ()))

    @property
    def writes(self) -> int:
        """How many writes were accepted: it grows whenever something may look different."""
        return len(self.log)

    @property
    def last_at(self) -> datetime | None:
        """When the last write was accepted."""
        return self.log[-1].at if self.log else None

    async def wait_beyond(self, writes: int, timeout: float) -> int:  # noqa: ASYNC109 — a page is told "nothing new"
        """Wait until more than ``writes`` writes were accepted, at most ``timeout`` seconds; how many there are."""
        if self.writes <= writes:
            try:
                async with asyncio.timeout(timeout):
                    await self._changed.wait()
            except TimeoutError:
                pass
        return self.writes

    # --- inside ----------------------------------------------------------------------------------------------

    def _need(self, place: Place, message_id: str = "") -> _Channel:
        channel = self._channels.get(place)
        if channel is None:
            raise ChatError("permanent", "channel_not_found")
        if message_id and (message_id not in channel.messages or channel.messages[message_id].only):
            raise ChatError("permanent", "message_not_found")
        return channel

    def _is_private(self, place: Place, message_id: str, member: str) -> bool:
        found = self._need(place).messages.get(message_id)
        return found is not None and found.only == member != ""

    def _new_id(self) -> str:
        return f"m{len(self.log) + 1}"

    def _write(self, kind: Any, place: Place, **values: Any) -> Write:
        write = Write(len(self.log) + 1, kind, self.clock.now(), place, **values)
        if self._journal is not None:
            self._journal.append(to_plain_write(write))
        self._apply(write)
        return write

    def _apply(self, write: Write) -> None:
        self.log.append(write)
        channel = self._channels.get(write.place)
        if write.kind == "open":
            if channel is None:
                self._channels[write.place] = _Channel(write.name)
            else:
                channel.name = write.name
        elif write.person is not None:
            self.people[write.place.workspace, write.person.id] = write.person
        elif write.kind == "tell":
            self._direct.setdefault((write.place.workspace, write.only), []).append(_shown(write))
        elif channel is not None:
            _change(channel.messages, write)
        # Whoever waits now is woken by the old event; whoever comes later waits for the next write.
        self._changed.set()
        self._changed = asyncio.Event()


def _shown(write: Write) -> Shown:
    assert write.card is not None
    number = write.number
    return Shown(
        write.id,
        write.place,
        write.card,
        write.at,
        number,
        number,
        write.key,
        write.thread,
        write.only,
        write.about,
    )


def _change(messages: dict[str, Shown], write: Write) -> None:
    if write.kind == "dismiss":
        messages.pop(write.id, None)
    elif write.kind == "edit":
        shown = messages[write.id]
        assert write.card is not None
        messages[write.id] = replace(shown, card=write.card, revision=write.number, edits=shown.edits + 1)
    elif write.kind in ("react", "unreact"):
        left = dict(messages[write.id].reactions)
        others = tuple(member for member in left.get(write.emoji, ()) if member != write.only)
        left[write.emoji] = (*others, write.only) if write.kind == "react" else others
        kept = tuple((emoji, members) for emoji, members in left.items() if members)
        messages[write.id] = replace(messages[write.id], revision=write.number, reactions=kept)
    else:
        messages[write.id] = _shown(write)
    parent = messages.get(messages[write.id].thread) if write.id in messages else None
    if parent is not None:
        messages[parent.id] = replace(parent, revision=write.number)


_TEXTS = ("id", "key", "thread", "only", "about", "name", "emoji")


def to_plain_write(write: Write) -> dict[str, Any]:
    """A write as an entry of the journal; what is empty is left out."""
    plain: dict[str, Any] = {"kind": write.kind, "at": write.at.isoformat()}
    plain |= {"workspace": write.place.workspace, "channel": write.place.channel}
    plain |= {name: getattr(write, name) for name in _TEXTS if getattr(write, name)}
    if write.card is not None:
        plain["card"] = to_plain(write.card)
    if write.person is not None:
        person = write.person
        plain["person"] = {name: getattr(person, name) for name in ("id", "name", "language", "zone")}
        plain["person"] |= {"admin": person.admin, "visitor": person.visitor}
    return plain


def _read(plain: dict[str, Any], number: int) -> Write:
    texts = {name: plain[name] for name in _TEXTS if name in plain}
    card = from_plain(plain["card"]) if "card" in plain else None
    person = Person(**plain["person"]) if "person" in plain else None
    place = Place(plain["workspace"], plain["channel"])
    at = datetime.fromisoformat(plain["at"])
    return Write(number, plain["kind"], at, place, card=card, person=person, **texts)
