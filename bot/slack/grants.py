"""What Slack's OAuth gives: tokens for one workspace, checked before anything of them is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.chat import ChatError
from storage.installations import Grant

LONGEST = timedelta(days=30)
"""Slack's tokens end after twelve hours where they rotate; what lasts longer than this is a mistake."""


class OddGrant(Exception):
    """Slack gave what cannot be used; ``code`` names the sentence to say."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Pair:
    """A token, and what it is traded with where tokens rotate."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Client:
    """The app's own id and secret at Slack. ``web`` has no workspace's token."""

    web: AsyncWebClient
    client_id: str
    client_secret: str = field(repr=False)

    async def access(self, code: str, redirect_uri: str) -> Mapping[str, Any]:
        """Trade the code that a browser brought. Raises what the SDK raises."""
        answer = await self.web.oauth_v2_access(
            client_id=self.client_id, client_secret=self.client_secret, code=code, redirect_uri=redirect_uri
        )
        return dict(answer.data) if isinstance(answer.data, dict) else {}

    async def refresh(self, refresh_token: str) -> Mapping[str, Any]:
        """Trade a refresh token for the next pair. Raises what the SDK raises."""
        answer = await self.web.oauth_v2_access(
            client_id=self.client_id,
            client_secret=self.client_secret,
            grant_type="refresh_token",
            refresh_token=refresh_token,
        )
        return dict(answer.data) if isinstance(answer.data, dict) else {}


def read_pair(answer: Mapping[str, Any], now: datetime) -> Pair:
    """The tokens of an answer. Raises ``ChatError`` where there are none."""
    token, refresh_token = _text(answer, "access_token"), _text(answer, "refresh_token")
    if not token or answer.get("token_type") != "bot":
        raise ChatError("unsure", "no_bot_token", cure="outage")
    lasts = answer.get("expires_in")
    if not refresh_token or not isinstance(lasts, int) or isinstance(lasts, bool) or lasts <= 0:
        return Pair(token, "", None)
    return Pair(token, refresh_token, now + min(timedelta(seconds=lasts), LONGEST))


def read_grant(answer: Mapping[str, Any], bot: Mapping[str, Any], now: datetime) -> Grant:
    """``answer`` of oauth.v2.access and ``bot`` of auth.test with its token. Raises ``OddGrant`` or ``ChatError``."""
    pair = read_pair(answer, now)
    team = _text(answer.get("team"), "id")
    if not team or _text(bot, "team_id") != team:
        raise OddGrant("other_team")
    return Grant(
        workspace=team,
        token=pair.token,
        bot_user=_text(bot, "user_id"),
        bot_id=_text(bot, "bot_id"),
        name=_text(answer.get("team"), "name"),
        enterprise=_text(answer.get("enterprise"), "id"),
        app_id=_text(answer, "app_id"),
        scopes=_text(answer, "scope"),
        installed_by=_text(answer.get("authed_user"), "id"),
        refresh_token=pair.refresh_token,
        expires_at=pair.expires_at,
    )


def _text(part: Any, key: str) -> str:
    found = part.get(key) if isinstance(part, Mapping) else None
    return found if isinstance(found, str) else ""
