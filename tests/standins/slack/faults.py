"""Faults a test can order: what the next calls of a method meet instead of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class Fault:
    """``method`` may be ``*``, ``response_url`` or ``upload``; ``channel`` narrows it to calls for one channel.

    Exactly one of ``status`` (an HTTP error), ``error`` (a refusal in Slack's words), ``retry_after`` (a 429),
    ``reset`` (the connection is cut ``before`` the write is taken or ``after`` it, so the reply is lost) and
    ``delay`` (seconds, real time, ``before`` the write; with ``late=True`` after it) says what happens.
    """

    method: str
    times: int = 1
    channel: str = ""
    status: int = 0
    error: str = ""
    retry_after: int = 0
    reset: Literal["", "before", "after"] = ""
    delay: float = 0.0
    late: bool = False

    def __post_init__(self) -> None:
        kinds = (self.status, self.error, self.retry_after, self.reset, self.delay)
        if sum(map(bool, kinds)) != 1:
            raise ValueError("Give exactly one of status, error, retry_after, reset, delay.")


class Faults:
    """The faults still to come, in the order they were asked for."""

    def __init__(self) -> None:
        self.pending: list[Fault] = []

    def take(self, method: str, channel: str) -> Fault | None:
        """The fault this call meets, if any; it is used up once it has come ``times`` times."""
        for fault in self.pending:
            if fault.method in (method, "*") and fault.channel in ("", channel):
                fault.times -= 1
                if fault.times <= 0:
                    self.pending.remove(fault)
                return fault
        return None
