"""What a failed call to Slack lets the ledger conclude. The one table of it.

- *retry*: surely not done. Slack said "too often" or "not now" before it did anything, or was never reached.
- *unsure*: may have been done. The answer was lost, came too late, or is Slack's word for a fault of its own.
- *permanent*: refused, and will be refused again until a person mends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import aiohttp
from slack_sdk.errors import SlackApiError, SlackRequestError

from bot.chat import ChatError

Outcome = Literal["retry", "unsure", "permanent"]

BY_CODE: dict[str, Outcome] = {
    "ratelimited": "retry",
    "rate_limited": "retry",
    "message_limit_exceeded": "retry",
    "accesslimited": "retry",
    "request_timeout": "retry",
    "team_added_to_org": "retry",
    "fatal_error": "unsure",
    "internal_error": "unsure",
    "service_unavailable": "unsure",
}
"""Slack's error codes; every other one is permanent."""

DEAD = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})
"""The token will never work again."""

PATIENCE = {"message_limit_exceeded": 60.0, "team_added_to_org": 60.0, "accesslimited": 60.0}
"""Seconds to wait where Slack asks for patience without saying how much."""


def chat_error(error: Exception) -> ChatError:
    """The failure as a ``ChatError``. Raises anything that is not a failed call again."""
    match error:
        case ChatError():
            return error
        case SlackApiError():
            return _refused(error)
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError() | aiohttp.InvalidURL():
            return ChatError("retry", "unreachable")
        case TimeoutError():
            return ChatError("unsure", "timeout")
        case aiohttp.ClientError() | SlackRequestError() | OSError():
            return ChatError("unsure", "lost_reply")
    raise error


def _refused(error: SlackApiError) -> ChatError:
    # Where the body was no JSON the SDK hands on aiohttp's own response, which has no data.
    response = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)
    data = getattr(response, "data", None)
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    if status == 429:
        return ChatError("retry", "ratelimited", _retry_after(getattr(response, "headers", None)))
    if status >= 500 or status == 408 or (status == 200 and not code):
        return ChatError("unsure", code or f"http_{status}")
    return ChatError(BY_CODE.get(code, "permanent"), code or f"http_{status}", PATIENCE.get(code))


def _retry_after(headers: object) -> float:
    try:
        return max(1.0, float(headers["Retry-After"]))  # type: ignore[index]
    except (KeyError, TypeError, ValueError):
        return 30.0


@contextmanager
def as_chat_errors() -> Iterator[None]:
    """Within it a failed call is a ``ChatError``."""
    try:
        yield
    except Exception as error:
        raise chat_error(error) from error
