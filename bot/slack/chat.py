"""Slack as a ``Chat``: posts, threads, edits, look-ups and direct messages through the Web API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Card, Image
from bot.chat import ChatError, Message, Place, Platform
from bot.slack.checks import lacks, scopes_of
from bot.slack.faults import DEAD, as_chat_errors
from bot.slack.outbound import MOST_ALT, message
from bot.slack.wording import JSON, cut

log = logging.getLogger(__name__)

EVENT_TYPE = "team_drill"
"""The type of our message metadata. Its payload holds the delivery's key and nothing else: anyone may read it."""

PAGE = 200
MOST_PAGES = 20
FRESH_FILE_WAITS = (0.3, 0.7, 1.5, 3.0)
"""Seconds between tries while Slack does not know a file yet that it just took."""


class SlackChat:
    """One workspace, one bot token. ``client`` must not retry by itself: a repeated post is a second post.

    ``lost`` is called with Slack's code when the token turns out to be dead.
    """

    platform: Platform = "slack"

    def __init__(
        self,
        client: AsyncWebClient,
        session: aiohttp.ClientSession,
        workspace: str,
        bot_id: str = "",
        lost: Callable[[str], None] = lambda code: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        assert not client.retry_handlers, "the SDK must not post again by itself"
        self.client = client
        self.session = session
        self.workspace = workspace
        self.bot_id = bot_id
        self._lost = lost
        self._sleep = sleep

    async def post(self, place: Place, card: Card, key: str) -> Message:
        """Post a new message to the channel."""
        return await self._post(place, card, key)

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        """Post into the thread of ``to``."""
        return await self._post(place, card, key, thread=to.thread or to.id)

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        """Show ``card`` in place of what the message shows; its metadata stays."""
        self._check(place.workspace)

        async def update(body: JSON) -> Any:
            return await self._call(self.client.chat_update, channel=place.channel, ts=message.id, **body)

        await self._with_pictures(card, update)

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        """The message of ours that carries ``key``, posted at or after ``since``."""
        self._check(place.workspace)
        read = self.client.conversations_replies if thread else self.client.conversations_history
        asked: JSON = {
            "channel": place.channel,
            "oldest": f"{since.timestamp():.6f}",
            "inclusive": True,
            "include_all_metadata": True,
            "limit": PAGE,
        }
        if thread is not None:
            asked["ts"] = thread.thread or thread.id
        for _ in range(MOST_PAGES):
            try:
                page = await self._call(read, **asked)
            except ChatError as error:
                if error.code in ("thread_not_found", "message_not_found"):
                    return None
                raise
            for found in page.get("messages") or []:
                if self._is_ours(found, key):
                    return Message(found["ts"], found.get("thread_ts", "") if thread else "")
            asked["cursor"] = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not asked["cursor"]:
                return None
        # So much was said since that we cannot tell; the ledger asks again rather than post twice.
        raise ChatError("unsure", "too_many_messages")

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        """A direct message to one person."""
        self._check(workspace)
        opened = await self._call(self.client.conversations_open, users=member)
        channel = opened["channel"]["id"]

        async def send(body: JSON) -> Any:
            return await self._call(self.client.chat_postMessage, channel=channel, **body, **_PLAIN)

        await self._with_pictures(card, send)

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        """What is missing for drills in the channel, as names of cures."""
        self._check(place.workspace)
        try:
            found = await self._call(self.client.conversations_info, channel=place.channel)
        except ChatError as error:
            if error.outcome != "permanent":
                raise
            return (error.cure or "unknown",)
        return lacks(found["channel"], scopes_of(getattr(found, "headers", None)), reactions=reactions)

    # --- posting ---------------------------------------------------------------------------------------------

    async def _post(self, place: Place, card: Card, key: str, thread: str = "") -> Message:
        self._check(place.workspace)
        rest: JSON = {"metadata": {"event_type": EVENT_TYPE, "event_payload": {"key": key}}, **_PLAIN}
        if thread:
            rest["thread_ts"] = thread

        async def send(body: JSON) -> Any:
            return await self._call(self.client.chat_postMessage, channel=place.channel, **body, **rest)

        sent = await self._with_pictures(card, send)
        return Message(str(sent["ts"]), thread)

    async def _with_pictures(self, card: Card, send: Callable[[JSON], Awaitable[Any]]) -> Any:
        """Send the card with its pictures, or with their texts where Slack does not take them."""
        pictures = await self.upload([part for part in card.parts if isinstance(part, Image)])
        if not any(pictures):
            return await send(message(card))
        for wait in (*FRESH_FILE_WAITS, None):
            try:
                return await send(message(card, pictures))
            except ChatError as error:
                if error.code != "invalid_blocks":
                    raise
            if wait is not None:
                await self._sleep(wait)
        log.warning("Slack does not show the picture; the message goes without it")
        return await send(message(card))

    async def upload(self, images: Sequence[Image]) -> list[str]:
        """A file id for each picture, shared nowhere yet; ``""`` where Slack refuses it for good.

        Nothing was posted when this fails, so the whole delivery may be tried again.
        """
        return [await self._upload(image) for image in images]

    async def _upload(self, image: Image) -> str:
        alt = cut(image.alt, MOST_ALT)
        try:
            with as_chat_errors():
                given = await self.client.files_getUploadURLExternal(
                    filename=image.name, length=len(image.png), alt_txt=alt
                )
                async with self.session.post(given["upload_url"], data=image.png) as answer:
                    if answer.status != 200:
                        raise ChatError("retry", f"upload_{answer.status}")
                await self.client.files_completeUploadExternal(files=[{"id": given["file_id"], "title": image.name}])
        except ChatError as error:
            if error.outcome != "permanent":
                raise ChatError("retry", error.code, error.retry_after) from error
            if error.code in DEAD:
                self._lost(error.code)
                raise
            log.warning("Slack refuses pictures (%s); messages go without them", error.code)
            return ""
        return str(given["file_id"])

    # --- calls -----------------------------------------------------------------------------------------------

    async def _call(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> Any:
        try:
            with as_chat_errors():
                return await method(**arguments)
        except ChatError as error:
            if error.code in DEAD:
                self._lost(error.code)
            raise

    def _check(self, workspace: str) -> None:
        """A message for another workspace must never reach this one, whatever the database says."""
        if workspace != self.workspace:
            raise ChatError("permanent", "team_access_not_granted")

    def _is_ours(self, found: JSON, key: str) -> bool:
        metadata = found.get("metadata")
        if not isinstance(metadata, dict) or metadata.get("event_type") != EVENT_TYPE:
            return False
        # Anyone's app may write metadata: only the bot's own message settles a delivery of ours.
        mine = not self.bot_id or found.get("bot_id") == self.bot_id
        return mine and (metadata.get("event_payload") or {}).get("key") == key


_PLAIN: JSON = {"unfurl_links": False, "unfurl_media": False, "mrkdwn": False}
"""The notification text is text; nothing in it is looked up or unfolded."""
