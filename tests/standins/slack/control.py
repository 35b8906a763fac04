"""/_control/…: another process drives people and faults and reads the log, by the names ``SlackStandin`` uses.

``POST /_control/tap`` with ``{"user": "U…", "where": "<ts>", "wanted": "A"}`` does ``slack.tap(…)`` and answers with
what it returned, as JSON. What no person could do is answered 409, wrong arguments 400, a time-out 504, each with
``{"error": sentence}``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.standins.slack.clock import MovingClock
from tests.standins.slack.forms import CannotDo
from tests.standins.slack.model import JSON, Channel, Ephemeral, Message, User, View, Workspace
from tests.standins.slack.seen import Seen, pings, shown_text

if TYPE_CHECKING:
    from tests.standins.slack.server import SlackStandin

SAME_NAME = (
    "add_user",
    "add_workspace",
    "archive",
    "at_consent",
    "close",
    "command",
    "connected",
    "delete_channel",
    "delete_message",
    "fail",
    "join_channel",
    "leave_channel",
    "limits",
    "messages",
    "oauth_code",
    "open_home",
    "react",
    "reload",
    "rename",
    "revoke",
    "say",
    "seen_by",
    "submit",
    "tap",
    "uninstall",
    "unreact",
    "use_http",
    "writes",
)


class Control:
    def __init__(self, slack: SlackStandin) -> None:
        self._slack = slack
        self._verbs: dict[str, Callable[..., Any]] = {name: getattr(slack, name) for name in SAME_NAME} | {
            "state": self._state,
            "add_channel": self._add_channel,
            "log": self._log,
            "calls": self._calls,
            "violations": lambda: slack.violations,
            "clear_faults": slack.core.faults.pending.clear,
            "subscribe": self._subscribe,
            "advance": self._advance,
            "refresh_sockets": slack.sockets.refresh,
            "cut_sockets": slack.sockets.cut,
            "stall_sockets": slack.sockets.stall,
        }

    async def handle(self, request: web.Request) -> web.Response:
        verb = self._verbs.get(request.match_info["name"])
        if verb is None:
            return _wrong(404, f"There is no {request.match_info['name']}; there are {sorted(self._verbs)}.")
        try:
            raw = await request.read()
            args = {key: int(value) for key, value in request.query.items()} | (json.loads(raw) if raw else {})
            result = verb(**args)
            if inspect.isawaitable(result):
                result = await result
        except CannotDo as error:
            return _wrong(409, str(error))
        except TimeoutError:
            return _wrong(504, "It did not happen in time.")
        except (TypeError, ValueError, KeyError, RuntimeError) as error:
            return _wrong(400, f"{type(error).__name__}: {error}")
        return web.json_response(plain(result))

    def _state(self) -> JSON:
        slack = self._slack
        return {
            "base_url": slack.base_url,
            "bot_token": slack.bot_token,
            "app_token": slack.app_token,
            "signing_secret": slack.signing_secret,
            "bot_user": slack.bot.id,
            "workspace": slack.workspace.id,
            "connections": len(slack.sockets.connections),
            "log": len(slack.log),
        }

    def _add_channel(self, name: str, members: tuple[str, ...] = (), **more: Any) -> Channel:
        return self._slack.add_channel(name, *members, **more)

    def _log(self, since: int = 0) -> list[Any]:
        """Accepted writes after the ``since``-th."""
        return self._slack.log[since:]

    def _calls(self, since: int = 0) -> list[Any]:
        return self._slack.calls[since:]

    def _subscribe(self, events: list[str]) -> None:
        self._slack.subscriptions = set(events)

    def _advance(self, seconds: float) -> None:
        clock = self._slack.core.clock
        if not isinstance(clock, MovingClock):
            raise ValueError("This stand-in's clock cannot be moved; give it a MovingClock.")
        clock.advance(seconds)


def _wrong(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)


def plain(value: Any) -> Any:
    """As JSON: what has a shape at Slack in that shape, the rest field by field."""
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if isinstance(value, Message):
        return value.wire(with_metadata=True) | {"shown": shown_text(value), "pings": pings(value)}
    if isinstance(value, Ephemeral):
        return asdict(value) | {"shown": shown_text(value)}
    if isinstance(value, View):
        return value.wire() | {"errors": value.errors, "trouble": value.trouble, "shown": shown_text(value)}
    if isinstance(value, Seen):
        return {name: plain(getattr(value, name)) for name in ("messages", "ephemerals", "modals", "home", "text")}
    if isinstance(value, User):
        return value.wire(with_locale=True)
    if isinstance(value, Channel):
        return {"id": value.id, "name": value.name, "members": value.members}
    if isinstance(value, Workspace):
        return {"id": value.id, "name": value.name, "bot_token": value.bot_token, "bot_user": value.bot_user}
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
