"""A channel with its people, the same to look at whichever platform it stands on.

A test acts as a person (types, taps, fills forms) and reads what that person sees; each platform's stage does it with
that platform's own client and gives the text without its markup, so that it can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from bot.app import App
from content.library import Library

Name = Literal["slack-socket", "slack-http", "discord", "playground"]
STAGES: tuple[Name, ...] = ("slack-socket", "slack-http", "discord", "playground")

START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
"""A Monday; the first question is due at 09:30."""

MOST_WAIT = 20.0
"""Real seconds after which a person who heard nothing gives up."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the channel. ``language`` is that of their client."""

    name: str
    language: Literal["en", "zh"] = "en"
    admin: bool = False


ANN = Person("ann", admin=True)
BEN = Person("ben")
ZHOU = Person("zhou", "zh")
ODD = Person("@everyone <!channel> *x*")
KIM, LEA, MAX = Person("kim"), Person("lea"), Person("max")
CAST = (ANN, BEN, ZHOU, ODD, KIM, LEA, MAX)


@dataclass(frozen=True, slots=True)
class Shown:
    """A message, a private reply or an open form, as it is read.

    ``text`` is plain, one line for each line on the screen; marks are ✓ ✗ ●, and a moment is ⟨2026-01-05 09:30Z⟩.
    ``fields`` are the ids of a form's fields. ``pings`` is what in it would notify people. ``raw`` is the platform's.
    """

    id: str
    text: str
    buttons: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    pings: tuple[str, ...] = ()
    thread: tuple[Shown, ...] = ()
    raw: Any = field(default=None, repr=False, compare=False)

    @property
    def head(self) -> str:
        """The first line."""
        return self.text.partition("\n")[0]

    @property
    def words(self) -> str:
        """The text in one line, without the signs and gaps that each platform puts between the cells of a table."""
        return words(self.text)


def words(text: str) -> str:
    return " ".join(word for word in re.split(r"[\s·:：]+", text) if word)


class Stage(Protocol):
    """One channel on one platform, from the outside."""

    @property
    def name(self) -> Name: ...

    @property
    def app(self) -> App: ...

    async def command(self, who: Person, text: str) -> Shown:
        """Type ``/drill text`` in the channel; what that person then sees privately."""
        ...

    async def tap(self, who: Person, where: Shown, label: str) -> Shown:
        """Press the button with this label; what that person then sees privately (maybe a form)."""
        ...

    async def fill(self, who: Person, **values: str | tuple[str, ...]) -> Shown:
        """Fill in the form that stands open for this person and send it; what they then see. Ticks are tuples."""
        ...

    async def seen(self, who: Person) -> list[Shown]:
        """Everything that this person alone sees now: private replies, oldest first, and an open form."""
        ...

    async def channel(self) -> list[Shown]:
        """What stands in the channel for everybody, oldest first, each message with its thread."""
        ...

    async def exposed(self) -> str:
        """All that was ever sent to the channel, with ids and hidden data: what a curious member could find."""
        ...

    async def at(self, moment: datetime) -> None:
        """Let time pass until ``moment``; everything that is due by then is done."""
        ...

    async def restart(self) -> None:
        """Another process on the same database: a new app, a new connection to the platform."""
        ...

    async def lose_reply(self) -> Callable[[], int]:
        """The next post arrives, but the bot never hears so. The result counts the posts that were really made."""
        ...

    async def react(self, who: Person, where: Shown, emoji: str, *, there: bool = True, heard: bool = True) -> None:
        """Leave an emoji under a message, or take it away. Not ``heard``: the platform does not tell the bot."""
        ...

    async def react_as_bot(self, where: Shown, emoji: str, *, heard: bool = True) -> None:
        """Another bot leaves an emoji."""
        ...

    async def left(self, where: Shown) -> dict[str, int]:
        """The emoji that stand under the message, in their order, with how many left each."""
        ...

    async def forge(self, *actions: str) -> Shown:
        """A message with a button for each of these actions (labelled 1, 2, …), which the engine did not make."""
        ...


Open = Callable[[Path, Library], AbstractAsyncContextManager[Stage]]


def on(name: Name) -> Open:
    """How a stage of this platform is opened. Libraries of a platform load with its first stage."""
    if name == "discord":
        from tests.contracts.on_discord import discord_stage

        return discord_stage
    if name == "playground":
        from tests.contracts.on_playground import playground_stage

        return playground_stage
    from tests.contracts.on_slack import slack_stage

    way: Literal["socket", "http"] = "socket" if name == "slack-socket" else "http"
    return lambda folder, library: slack_stage(folder, library, way)


def moment(at: datetime | float) -> str:
    """A point in time as the stages write it, whatever the reader's clock."""
    when = at if isinstance(at, datetime) else datetime.fromtimestamp(at, UTC)
    return f"⟨{when.astimezone(UTC):%Y-%m-%d %H:%M}Z⟩"


async def set_up(stage: Stage, **options: str) -> Shown:
    """The admin sets the channel up by options and saves what is shown: a question a day at 09:30 UTC, for 8 hours."""
    given = {"days": "mon-sun", "time": "09:30", "zone": "UTC", "window": "8h", "difficulty": "1-5"} | options
    proposal = await stage.command(ANN, "setup " + " ".join(f"{name}={value}" for name, value in given.items()))
    return await stage.tap(ANN, proposal, "Save")


def day(number: int, hour: int, minute: int = 0, second: int = 1) -> datetime:
    """A moment of the first week: day 0 is the first Monday."""
    return datetime(2026, 1, 5 + number, hour, minute, second, tzinfo=UTC)


async def question(stage: Stage, number: int = 0) -> Shown:
    """Let time pass until the question of this day; the message that stands in the channel."""
    await stage.at(day(number, 9, 30))
    return (await stage.channel())[-1]
