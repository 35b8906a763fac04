"""What a failed call to Slack lets the ledger conclude. The table of its codes is ``errors.py``.

- *retry*: surely not done. Slack said "too often" or "not now" before it did anything, or was never reached.
- *unsure*: may have been done. The answer was lost, came too late, or is Slack's word for a fault of its own.
- *permanent*: refused, and will be refused again until a person mends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from slack_sdk.errors import SlackApiError, SlackRequestError

from bot.chat import ChatError
from bot.slack.errors import MEANINGS, meaning_of

DEAD = frozenset(code for code, meant in MEANINGS.items() if meant.cure in ("token", "uninstalled"))
"""The token will never work again."""


def chat_error(error: Exception) -> ChatError:
    """The failure as a ``ChatError``. Raises anything that is not a failed call again."""
    match error:
        case ChatError():
            return error
        case SlackApiError():
            return _refused(error)
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError() | aiohttp.InvalidURL():
            return ChatError("retry", "unreachable", cure="outage")
        case TimeoutError():
            return ChatError("unsure", "timeout", cure="outage")
        case aiohttp.ClientError() | SlackRequestError() | OSError():
            return ChatError("unsure", "lost_reply", cure="outage")
    raise error


def _refused(error: SlackApiError) -> ChatError:
    # Where the body was no JSON the SDK hands on aiohttp's own response, which has no data.
    response = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)
    data = getattr(response, "data", None)
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    if status == 429:
        return ChatError("retry", "ratelimited", _retry_after(getattr(response, "headers", None)), "busy")
    if status >= 500 or status == 408 or (status == 200 and not code):
        return ChatError("unsure", code or f"http_{status}", cure="outage")
    meant = meaning_of(code)
    return ChatError(meant.outcome, code or f"http_{status}", meant.patience, meant.cure)


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
