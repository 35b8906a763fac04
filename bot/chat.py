"""The chat: what the engine asks of a platform. Slack, Discord and the playground each implement it.

The engine knows places, members and messages only by the platform's own ids, as text.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from bot.card import Card, Form

Platform = Literal["slack", "discord", "playground"]


@dataclass(frozen=True, slots=True)
class Place:
    """A channel: the platform's workspace id (Slack team, Discord guild) and channel id."""

    workspace: str
    channel: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message that stands in a channel; ``id`` is Slack's ts or Discord's message id."""

    id: str
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Who:
    """The person behind a tap, form or command, as the platform knows them now.

    ``admin`` is asked of the platform at this very use, never remembered. ``language`` is the client's
    locale (``en-US``, ``zh-CN``, or ``""`` unknown); ``zone`` an IANA name or ``""``; ``roles`` are the ids of the
    roles (Discord) or user groups they have.
    """

    platform: Platform
    workspace: str
    member: str
    name: str
    workspace_name: str = ""
    language: str = ""
    zone: str = ""
    admin: bool = False
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tap:
    """A button was pressed. ``action`` is the button's own id; ``place`` where it stood, if known."""

    who: Who
    action: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A form came back: for every field its text, or the tuple of chosen values.

    ``place``: where it was asked for, or the channel that was chosen in it; ``channel_name``: its name, if known then.
    """

    who: Who
    form: str
    values: dict[str, str | tuple[str, ...]]
    place: Place | None = None
    channel_name: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A typed command: ``name`` (``board``) and its options by name, all as text."""

    who: Who
    place: Place
    name: str
    options: dict[str, str] = field(default_factory=dict)
    channel_name: str = ""


HappeningKind = Literal[
    "channel_renamed",
    "channel_archived",
    "channel_unarchived",
    "channel_deleted",
    "channel_converted",
    "channel_shared",
    "bot_removed",
    "bot_added",
    "workspace_left",
    "workspace_joined",
    "member_left",
]


@dataclass(frozen=True, slots=True)
class Happening:
    """The platform tells of something that nobody said to the bot.

    ``channel_converted``: public became private or the other way (``moved_to``: its new id, where that changed).
    ``channel_shared``: with another organisation (Slack Connect). ``bot_removed`` and ``bot_added``: from or to the
    channel. ``name``: the channel's (or workspace's) name now, where the platform told it. ``member``: who left, or
    who brought the bot. Heard twice, or in any order, it does no harm.
    """

    platform: Platform
    workspace: str
    kind: HappeningKind
    channel: str = ""
    name: str = ""
    member: str = ""
    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class Reacted:
    """Somebody left an emoji under a message, or took it away.

    ``who`` is never a bot; ``None`` where the platform only says that all were taken away: of this emoji, or of every
    emoji where ``emoji`` is empty too. ``at`` is when the platform says that it happened (``None``: it does not say).
    Heard twice, or in any order, it does no harm.
    """

    platform: Platform
    place: Place
    message: str
    emoji: str
    added: bool
    who: Who | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reaction:
    """An emoji (a keycap, as ``bot/drill/keycaps.py`` writes it) that one member has left under a message."""

    member: str
    name: str
    emoji: str


Event = Tap | Submission | Command


@dataclass(frozen=True, slots=True)
class Say:
    """Tell it to this one person only. ``replace``: in place of the private card the tap came from."""

    card: Card
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """Open this form for this person."""

    form: Form


@dataclass(frozen=True, slots=True)
class Wrong:
    """A form was filled wrongly: a sentence for each faulty field; nothing was saved."""

    faults: dict[str, str]


Reply = Say | Ask | Wrong

LONGEST_ASKED = 86_400.0
"""Seconds for which a platform may ask for patience; a longer time is taken for a mistake of its own."""


class ChatError(Exception):
    """A call to the platform failed.

    ``outcome`` says what the ledger may conclude: ``retry`` — surely not done, try again (after
    ``retry_after`` seconds where given); ``unsure`` — may have been done (lost reply, time-out, 5xx);
    ``permanent`` — will not work until a person mends it; ``code`` is the platform's own word for it, ``cure``
    what mends it (a name in ``bot/drill/trouble.py``; ``""``: not known).
    """

    def __init__(
        self,
        outcome: Literal["retry", "unsure", "permanent"],
        code: str,
        retry_after: float | None = None,
        cure: str = "",
    ) -> None:
        super().__init__(f"{code} ({outcome})")
        self.outcome = outcome
        self.code = code
        self.cure = cure
        if retry_after is not None and not retry_after <= LONGEST_ASKED:  # also no number, or without end
            retry_after = LONGEST_ASKED
        self.retry_after = retry_after

    @property
    def reason(self) -> str:
        """How it is stored: ``cure:code``, or the code alone."""
        return f"{self.cure}:{self.code}" if self.cure else self.code


class Chat(Protocol):
    """A platform that can show cards. Every method raises ``ChatError`` alone when the platform refuses.

    ``key`` (≤ 25 ASCII characters) names a delivery for ever: the platform puts it where ``find`` can see
    it again (Slack: message metadata; Discord: nonce, and a marker in a custom id).
    """

    platform: Platform

    async def post(self, place: Place, card: Card, key: str) -> Message:
        """Post a new message to the channel."""
        ...

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        """Post into the thread of ``to``, opening the thread where the platform needs that."""
        ...

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        """Show ``card`` in place of what the message shows."""
        ...

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        """The message that carries ``key`` in the channel (or in the thread), posted at or after ``since``."""
        ...

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        """A direct message to one person."""
        ...

    async def was_told(self, workspace: str, member: str, card: Card, since: datetime) -> bool | None:
        """Does this card stand among the direct messages to that person since then? ``None``: that cannot be seen."""
        ...

    async def react(self, place: Place, message: Message, emoji: Sequence[str]) -> None:
        """Leave these emoji under the message, in this order. One that the bot has left there before is no error."""
        ...

    async def reactions(
        self, place: Place, message: Message, emoji: Sequence[str], known: Collection[str] = ()
    ) -> Sequence[Reaction]:
        """Who has left which of these emoji under the message: the platform's whole list, without bots.

        ``known``: ids of those who are known to be people.
        """
        ...

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        """What is missing for drills in the channel (``reactions``: also with keycaps), as names of cures.

        Only looks; nothing is posted. Empty: all is well.
        """
        ...
