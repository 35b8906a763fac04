"""``drills simulate``: months of a channel, replayed offline with the real engine and counted from the outside."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.simulate.options import SimulationOptions, checked
from bot.simulate.report import SimulationReport, make_report
from bot.simulate.script import write_script
from bot.simulate.world import World
from content.library import default_bank_path
from content.loader import load_bank

__all__ = ["SimulationOptions", "SimulationReport", "simulate"]


def simulate(options: SimulationOptions) -> SimulationReport:
    """Replay ``options.days`` days and count. Deterministic for its options; touches nothing but a temporary folder.

    Raises ``SettingsFault`` for a wrong zone, set of faults or number.
    """
    options = checked(options)
    script = write_script(options)
    library = load_bank(default_bank_path())
    with (
        tempfile.TemporaryDirectory(prefix="drills-simulate-", dir=_fast_folder()) as folder,
        _engine_errors() as errors,
    ):
        world = World(options, script, library, f"sqlite:///{Path(folder) / 'drills.db'}")
        asyncio.run(world.run())
    return make_report(world, errors)


def _fast_folder() -> str | None:
    """A folder in memory where there is one: no power cut is simulated, so nothing has to reach a disk."""
    memory = Path("/dev/shm")  # noqa: S108 — a folder of our own with a random name is made in it
    return str(memory) if memory.is_dir() and os.access(memory, os.W_OK) else None


class _Errors(logging.Handler):
    """Keeps what the engine calls an error; what it expects of a bad platform (warnings) is no news here."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        fault = record.exc_info[1] if record.exc_info else None
        self.messages.append(record.getMessage() + (f" {fault!r}" if fault is not None else ""))


@contextmanager
def _engine_errors() -> Iterator[list[str]]:
    """Listen to the engine's log, and keep it off the terminal meanwhile."""
    log, handler = logging.getLogger("bot"), _Errors()
    level, propagate = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.ERROR)
    log.propagate = False
    try:
        yield handler.messages
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = propagate
