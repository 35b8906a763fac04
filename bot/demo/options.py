"""What the demo can be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path


class DemoFault(Exception):
    """The demo cannot run as asked; the text is one sentence that says how to mend it."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """``once``: end after the week. ``keep``: go on with what ``folder`` holds. ``port`` 0: any free one.

    ``seconds`` is about how long the week takes; ``zone`` the channel's (``""``: this machine's own); ``monday``
    any date of the first week (``None``: this week).
    """

    once: bool = False
    keep: bool = False
    bank: Path | None = None
    port: int = 8080
    seconds: float = 60.0
    language: str = "en"
    host: str = "127.0.0.1"
    folder: Path = Path("demo")
    zone: str = ""
    monday: date | None = None


def check(options: DemoOptions) -> None:
    """Raises ``DemoFault`` before anything is made or changed."""
    if options.language not in ("en", "zh"):
        raise DemoFault(f"“{options.language}” is no language of the narration: write --lang en or --lang zh.")
    if not 0 <= options.port <= 65535:
        raise DemoFault(f"{options.port} is no port: write --port with a number from 0 to 65535.")
    if not 0 < options.seconds <= 3600:
        raise DemoFault(f"A week cannot take {options.seconds:g} seconds: write --seconds with 1 to 3600.")
    if options.bank is not None and not options.bank.exists():
        raise DemoFault(f"There is no folder {options.bank}: give --bank one with question files.")
