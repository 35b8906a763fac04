"""Where the bot dies: between any two steps, in the order of a seed, and at every kind of step at least once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from random import Random
from typing import TypeVar

from sqlmodel import Session

from storage.database import Database

T = TypeVar("T")


class Crash(BaseException):
    """The process ends here: no ``except Exception`` may catch it, as none can catch a ``kill -9``."""


class CrashPoints:
    """Called at each step. ``rate`` is the chance to die there; 0 lets the bot live for ever."""

    def __init__(self, rng: Random, rate: float = 0.0) -> None:
        self.rate = rate
        self.seen: Counter[str] = Counter()
        self.died: Counter[str] = Counter()
        self._rng = rng

    def point(self, step: str) -> None:
        """The bot is at ``step``: raise ``Crash`` or go on."""
        self.seen[step] += 1
        if not self.rate:
            return
        # The first time a step is seen nothing has gone right yet; from the second on each has its turn.
        due = step not in self.died and self.seen[step] > 1
        if due or self._rng.random() < self.rate:
            self.died[step] += 1
            raise Crash(step)

    def watch(self, database: Database) -> None:
        """Make every write of ``database`` two points: before it is begun, and after it is durable but not yet told."""
        write = database.write

        def watched(verb: Callable[[Session], T]) -> Future[T]:
            name = _name_of(verb)
            self.point(f"{name} is about to be stored")
            future = write(verb)
            if self.rate:
                future.exception()
                self.point(f"{name} was stored")
            return future

        database.write = watched  # type: ignore[method-assign]


def _name_of(verb: Callable[[Session], object]) -> str:
    """What a verb does, for people: a lambda is named after what it calls first."""
    name = verb.__qualname__.replace(".<locals>", "")
    return name.replace("<lambda>", verb.__code__.co_names[0]) if name.endswith("<lambda>") else name
