"""The composition root: the only file that knows which class stands where."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bot.chat import Chat, Place
from bot.clock import Clock, SystemClock
from bot.conversation import Conversation
from bot.outbox import Outbox
from bot.settings import Settings
from bot.ticker import Ticker
from content.library import Library, default_bank_path
from content.loader import load_bank
from content.taxonomy import Taxonomy, default_taxonomy
from storage.database import Database
from storage.migrate import upgrade

log = logging.getLogger(__name__)


@dataclass(slots=True)
class App:
    """Everything that a running product is made of, without any platform. Platforms are put into ``chats``."""

    settings: Settings
    database: Database
    library: Library
    taxonomy: Taxonomy
    clock: Clock
    chats: dict[str, Chat]
    outbox: Outbox
    conversation: Conversation
    ticker: Ticker
    closers: list[Callable[[], None]] = field(default_factory=list)

    def close(self) -> None:
        """Let go of everything; queued answers are stored first."""
        self.database.close()
        for close in self.closers:
            close()


async def _check(chats: Mapping[str, Chat], platform: str, place: Place) -> Sequence[str]:
    chat = chats.get(platform)
    return await chat.check(place, reactions=True) if chat is not None else ()


def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    library: Library | None = None,
    rng: Random | None = None,
    beat_every: float = 1.0,
    pictures: bool = True,
) -> App:
    """An app on ``settings``: opens (and upgrades) the database, loads the bank, wires the engine.

    ``pictures=False`` leaves the drawn boards and distributions out, where nobody looks at them.

    Raises ``SettingsFault``, ``DatabaseFault`` or ``BankFault`` before anything is changed.
    """
    clock = clock or SystemClock()
    if library is None:
        library = load_bank(settings.bank or default_bank_path())
    taxonomy = default_taxonomy()
    upgrade(settings.database_url)
    database = Database(settings.database_url)
    chats: dict[str, Chat] = {}
    keys: dict[str, Any] = {} if rng is None else {"new_key": lambda: f"{rng.getrandbits(80):020x}"}
    seeds: dict[str, Any] = {} if rng is None else {"new_seed": lambda: rng.getrandbits(31)}
    conversation = Conversation(
        database,
        library,
        taxonomy,
        clock,
        answered=lambda round_id: outbox.mark_stale(round_id),
        woken=lambda: ticker.wake(),
        check=lambda platform, place: _check(chats, platform, place),
        **keys,
        **seeds,
    )
    outbox = Outbox(database, library, conversation.cards, clock, chats, rng=rng, pictures=pictures, **keys)
    ticker = Ticker(outbox, beat_every)
    return App(settings, database, library, taxonomy, clock, chats, outbox, conversation, ticker)
