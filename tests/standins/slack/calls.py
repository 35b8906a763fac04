"""One Web API call: its arguments read, and the table of methods the stand-in knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tests.standins.slack.core import Core
from tests.standins.slack.model import JSON, Channel, SlackError, Workspace

Token = Literal["bot", "app", "none"]
TRUE = (True, 1, "1", "true", "True")


@dataclass(frozen=True, slots=True)
class Call:
    core: Core
    space: Workspace
    method: str
    args: JSON
    token: str = ""

    def text(self, name: str) -> str:
        value = self.args.get(name)
        return "" if value is None else str(value)

    def need(self, name: str) -> str:
        if not (value := self.text(name)):
            raise SlackError("invalid_arguments", (f"missing required field: {name} [json-pointer:/{name}]",))
        return value

    def flag(self, name: str) -> bool:
        return self.args.get(name) in TRUE

    def number(self, name: str, default: int, most: int) -> int:
        try:
            value = int(self.args.get(name) or default)
        except ValueError:
            raise SlackError("invalid_arguments", (f"{name} must be a number [json-pointer:/{name}]",)) from None
        if not 1 <= value <= most:
            raise SlackError("invalid_limit")
        return value

    def channel(self, name: str = "channel") -> Channel:
        """The channel by id, as far as the bot may know of it."""
        found = self.space.channels.get(self.need(name))
        if found is None or (found.is_private and self.space.bot_user not in found.members):
            raise SlackError("channel_not_found")
        return found

    def joined(self, name: str = "channel") -> Channel:
        """A channel the bot is in."""
        found = self.channel(name)
        if self.space.bot_user not in found.members:
            raise SlackError("not_in_channel")
        return found

    def accept(self, payload: JSON, *, channel: str = "", ts: str = "") -> None:
        self.core.accept(self.method, self.space.id, payload, channel=channel, ts=ts)

    def page(self, items: list[Any], default: int = 100, most: int = 1000, given: int = 1000) -> tuple[list[Any], JSON]:
        """One page of ``items``, never more than ``given``, and the ``response_metadata`` that leads on."""
        limit = min(given, self.number("limit", default, most))
        cursor = self.text("cursor")
        if cursor and not cursor.removeprefix("next:").isdigit():
            raise SlackError("invalid_cursor")
        start = int(cursor.removeprefix("next:") or 0)
        more = start + limit < len(items)
        return items[start : start + limit], {"next_cursor": f"next:{start + limit}" if more else ""}


@dataclass(frozen=True, slots=True)
class Method:
    run: Callable[[Call], JSON]
    scopes: tuple[str, ...]
    takes: frozenset[str]
    token: Token


# Bolt's client adds the workspace to every call.
EVERYWHERE = {"token", "team_id"}
METHODS: dict[str, Method] = {}


def method(
    name: str, *, takes: str = "", scopes: str = "", token: Token = "bot"
) -> Callable[[Callable[[Call], JSON]], Callable[[Call], JSON]]:
    """Enter a function as a Web API method. ``takes`` names its arguments; ``scopes``: any one of them is enough."""

    def enter(run: Callable[[Call], JSON]) -> Callable[[Call], JSON]:
        METHODS[name] = Method(run, tuple(scopes.split()), frozenset(takes.split()) | EVERYWHERE, token)
        return run

    return enter
