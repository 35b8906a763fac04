"""Whose is a request? The workspace whose installation it is meant for, found before Bolt authorises it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from bot.slack.standing import Standing
from bot.slack.wording import JSON

NOT_HERE = (
    "Team Drills is not installed in this workspace (any more); a workspace admin can install it. · "
    "Team Drills 没有安装到这个工作区（或已被移除）；工作区管理员可以安装。"
)
"""Where there is no installation there is no member either, so nobody's language is known."""

Next = Callable[[], Awaitable[None]]


def whose(standing: Standing) -> Callable[..., Awaitable[BoltResponse | None]]:
    """Bolt's middleware: puts the workspace into the context, or answers neutrally where there is none."""

    async def find(context: AsyncBoltContext, body: JSON, next: Next) -> BoltResponse | None:
        if body.get("type") in ("url_verification", "ssl_check") or "ssl_check" in body:
            await next()
            return None
        workspace = await standing.workspace_of(body)
        if workspace is None:
            # A typed command is answered in its acknowledgement; nothing is asked of Slack without a token.
            return BoltResponse(status=200, body=NOT_HERE if isinstance(body.get("command"), str) else "")
        context["team_id"] = workspace
        await next()
        return None

    return find


def candidates(body: JSON) -> list[str]:
    """The workspaces that a payload names, the likeliest first. In a shared channel several are named.

    ``view.app_installed_team_id`` and ``authorizations`` name the installation itself, ``message.team`` the workspace
    of the bot that posted what was tapped; the person's own comes last.
    """
    return list(dict.fromkeys(name for name in _named(body) if isinstance(name, str) and name))


def _named(body: JSON) -> Iterator[Any]:
    yield _in(body.get("view"), "app_installed_team_id")
    authorizations = body.get("authorizations")
    yield from (_in(one, "team_id") for one in (authorizations if isinstance(authorizations, list) else ()))
    yield _in(body.get("message"), "team")
    yield _in(body.get("team"), "id")
    yield body.get("context_team_id")
    yield body.get("team_id")
    yield _in(body.get("view"), "team_id")
    yield _in(body.get("user"), "team_id")


def bot_of(body: JSON) -> str:
    """The bot that posted the message that was tapped; a bot belongs to one installation."""
    found = _in(body.get("message"), "bot_id")
    return found if isinstance(found, str) else ""


def for_whole_organisation(body: JSON) -> bool:
    """Is it meant for an organisation-wide installation, which we do not have?"""
    authorizations = body.get("authorizations")
    first = authorizations[0] if isinstance(authorizations, list) and authorizations else body
    return _in(first, "is_enterprise_install") in (True, "true")


def _in(part: Any, key: str) -> Any:
    return part.get(key) if isinstance(part, dict) else None
