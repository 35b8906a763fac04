"""Slack as a ``Chat``: posts, threads, edits, look-ups and direct messages through the Web API."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Card, Image
from bot.chat import ChatError, Message, Place, Platform, Reaction
from bot.slack.checks import lacks, scopes_of
from bot.slack.emoji import emoji_of, name_of
from bot.slack.faults import DEAD, as_chat_errors
from bot.slack.files import files_of, send_files
from bot.slack.outbound import MOST_ALT, message
from bot.slack.people import is_bot, name_of_user
from bot.slack.rests import Rests
from bot.slack.standing import Standing
from bot.slack.wording import JSON, cut

log = logging.getLogger(__name__)

EVENT_TYPE = "team_drill"
"""The type of our message metadata. Its payload holds the delivery's key and nothing else: anyone may read it."""

PAGE = 200
MOST_PERSONS = 20_000
SEARCHED_AT_ONCE = 15
"""Messages in one page of a search: the most that Slack gives to apps which are sold outside its Marketplace."""

MOST_PAGES = 100
MOST_SEARCHES = 1000
"""Searches that wait at a time."""

FRESH_FILE_WAITS = (0.3, 0.7, 1.5, 3.0)
"""Seconds between tries while Slack does not know a file yet that it just took."""


class SlackChat:
    """Every workspace that the app serves, each with its own token. The clients must not retry by themselves: a
    repeated post is a second post. ``monotonic`` (seconds) ages what Slack said about limits.
    """

    platform: Platform = "slack"

    def __init__(
        self,
        standing: Standing,
        session: aiohttp.ClientSession,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.standing = standing
        self.session = session
        self._sleep = sleep
        self._rests = Rests(monotonic)
        self._searches: OrderedDict[tuple[Place, str, str], str] = OrderedDict()
        self._persons: dict[tuple[str, str], str | None] = {}

    async def post(self, place: Place, card: Card, key: str) -> Message:
        """Post a new message to the channel."""
        return await self._post(place, card, key)

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        """Post into the thread of ``to``; into the channel itself where ``to`` was deleted."""
        try:
            return await self._post(place, card, key, thread=to.thread or to.id)
        except ChatError as error:
            if error.cure != "message-gone":
                raise
        return await self._post(place, card, key)

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        """Show ``card`` in place of what the message shows; its metadata stays."""

        async def update(body: JSON) -> Any:
            return await self._call(
                place.workspace, AsyncWebClient.chat_update, channel=place.channel, ts=message.id, **body
            )

        await self._with_pictures(place.workspace, card, update)

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        """The message of ours that carries ``key``, posted at or after ``since``.

        Apps that are sold outside Slack's Marketplace get fifteen messages a minute: a search that has to wait goes on
        where it stood when it is asked for again, and nothing is sent before it came to an end.
        """
        bot_id = await self._bot_id(place.workspace)
        read = AsyncWebClient.conversations_replies if thread else AsyncWebClient.conversations_history
        asked: JSON = {
            "channel": place.channel,
            "oldest": f"{since.timestamp():.6f}",
            "inclusive": True,
            "include_all_metadata": True,
            "limit": SEARCHED_AT_ONCE,
        }
        if thread is not None:
            asked["ts"] = thread.thread or thread.id
        search = (place, key, str(asked.get("ts", "")))
        asked["cursor"] = self._searches.pop(search, "")
        for _ in range(MOST_PAGES):
            try:
                page = await self._call(place.workspace, read, **asked)
            except ChatError as error:
                if error.outcome == "retry" and asked["cursor"]:
                    self._remember(search, asked["cursor"])
                if error.code == "invalid_cursor":
                    raise ChatError("retry", error.code) from None  # it grew too old: begin again
                if error.code not in ("thread_not_found", "message_not_found"):
                    raise
                # The question was deleted: what belongs to it may stand in the channel itself.
                return await self.find(place, key, since) if thread is not None else None
            for found in page.get("messages") or []:
                if _is_ours(found, key, bot_id):
                    return Message(found["ts"], found.get("thread_ts", "") if thread else "")
            asked["cursor"] = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not asked["cursor"]:
                return None
        # So much was said since that we cannot tell; the ledger asks again rather than post twice.
        raise ChatError("unsure", "too_many_messages")

    def _remember(self, search: tuple[Place, str, str], cursor: str) -> None:
        self._searches[search] = cursor
        while len(self._searches) > MOST_SEARCHES:
            self._searches.popitem(last=False)

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        """A direct message to one person."""
        opened = await self._call(workspace, AsyncWebClient.conversations_open, users=member)
        channel = opened["channel"]["id"]
        if files := files_of(card):
            await send_files(self.standing, workspace, self.session, member, files)

        async def send(body: JSON) -> Any:
            return await self._call(workspace, AsyncWebClient.chat_postMessage, channel=channel, **body, **_PLAIN)

        await self._with_pictures(workspace, card, send)

    async def was_told(self, workspace: str, member: str, card: Card, since: datetime) -> bool | None:
        """Whether the card stands there, told by its text. ``None`` where the app may not read its own messages."""
        bot_id = await self._bot_id(workspace)
        opened = await self._call(workspace, AsyncWebClient.conversations_open, users=member)
        try:
            page = await self._call(
                workspace,
                AsyncWebClient.conversations_history,
                channel=opened["channel"]["id"],
                oldest=f"{since.timestamp():.6f}",
                limit=PAGE,
            )
        except ChatError as error:
            if error.outcome != "permanent" or error.code in DEAD:
                raise
            return None
        wanted = message(card)["text"]
        return any(
            found.get("text") == wanted and (not bot_id or found.get("bot_id") == bot_id)
            for found in page.get("messages") or []
        )

    async def react(self, place: Place, message: Message, emoji: Sequence[str]) -> None:
        """Leave these keycaps under the message, in this order."""
        for one in emoji:
            name = name_of(one)
            assert name is not None, f"Slack has no name for {one}"
            try:
                await self._call(
                    place.workspace,
                    AsyncWebClient.reactions_add,
                    channel=place.channel,
                    timestamp=message.id,
                    name=name,
                )
            except ChatError as error:
                if error.code != "already_reacted":
                    raise

    async def reactions(
        self, place: Place, message: Message, emoji: Sequence[str], known: Collection[str] = ()
    ) -> Sequence[Reaction]:
        """Who has left which of these keycaps. Slack says of nobody there whether it is a bot, so strangers are asked
        after one by one, each once in the life of this process.
        """
        found = await self._call(
            place.workspace, AsyncWebClient.reactions_get, channel=place.channel, timestamp=message.id, full=True
        )
        shown: JSON = found.get("message") or {}
        left: list[Reaction] = []
        for listed in shown.get("reactions") or []:
            keycap = emoji_of(str(listed.get("name")))
            if keycap is None or keycap not in emoji:
                continue
            for member in listed.get("users") or []:
                if member == shown.get("user"):
                    continue
                name = "" if member in known else await self._name_of_person(place.workspace, member)
                if name is not None:
                    left.append(Reaction(member, name, keycap))
        return left

    async def _name_of_person(self, workspace: str, member: str) -> str | None:
        """The name of a person; ``None`` for a bot, and for somebody whom Slack does not know."""
        key = (workspace, member)
        if key not in self._persons:
            try:
                found = await self._call(workspace, AsyncWebClient.users_info, user=member)
            except ChatError as error:
                if error.code not in ("user_not_found", "user_not_visible"):
                    raise
                return None
            user: JSON = found.get("user") or {}
            if len(self._persons) >= MOST_PERSONS:
                self._persons.clear()
            self._persons[key] = None if is_bot(user) else name_of_user(user)
        return self._persons[key]

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        """What is missing for drills in the channel, as names of cures."""
        try:
            found = await self._call(place.workspace, AsyncWebClient.conversations_info, channel=place.channel)
        except ChatError as error:
            if error.outcome != "permanent":
                raise
            return (error.cure or "unknown",)
        return lacks(found["channel"], scopes_of(getattr(found, "headers", None)), reactions=reactions)

    # --- posting ---------------------------------------------------------------------------------------------

    async def _post(self, place: Place, card: Card, key: str, thread: str = "") -> Message:
        if files_of(card):
            raise ValueError("a file is for one person: it cannot stand in a channel")
        rest: JSON = {"metadata": {"event_type": EVENT_TYPE, "event_payload": {"key": key}}, **_PLAIN}
        if thread:
            rest["thread_ts"] = thread

        async def send(body: JSON) -> Any:
            return await self._call(
                place.workspace, AsyncWebClient.chat_postMessage, channel=place.channel, **body, **rest
            )

        sent = await self._with_pictures(place.workspace, card, send)
        return Message(str(sent["ts"]), thread)

    async def _with_pictures(self, workspace: str, card: Card, send: Callable[[JSON], Awaitable[Any]]) -> Any:
        """Send the card with its pictures, or with their texts where Slack does not take them."""
        pictures = await self.upload(workspace, [part for part in card.parts if isinstance(part, Image)])
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

    async def upload(self, workspace: str, images: Sequence[Image]) -> list[str]:
        """A file id for each picture, shared nowhere yet; ``""`` where Slack refuses it for good.

        Nothing was posted when this fails, so the whole delivery may be tried again.
        """
        return [await self._upload(workspace, image) for image in images]

    async def _upload(self, workspace: str, image: Image) -> str:
        alt = cut(image.alt, MOST_ALT)
        files = [{"title": image.name}]
        try:
            given = await self._call(
                workspace,
                AsyncWebClient.files_getUploadURLExternal,
                filename=image.name,
                length=len(image.png),
                alt_txt=alt,
            )
            with as_chat_errors():
                async with self.session.post(given["upload_url"], data=image.png) as answer:
                    if answer.status != 200:
                        raise ChatError("retry", f"upload_{answer.status}")
            files[0]["id"] = given["file_id"]
            await self._call(workspace, AsyncWebClient.files_completeUploadExternal, files=files)
        except ChatError as error:
            if error.outcome != "permanent":
                raise ChatError("retry", error.code, error.retry_after, error.cure) from error
            log.warning("Slack refuses pictures (%s); messages go without them", error.code)
            return ""
        return str(given["file_id"])

    # --- calls -----------------------------------------------------------------------------------------------

    async def _call(self, workspace: str, method: Callable[..., Awaitable[Any]], **arguments: Any) -> Any:
        """One call with that workspace's own token, unless Slack said that such calls shall wait."""
        scope = (workspace, method.__name__, str(arguments.get("channel", "")) if method in _BY_CHANNEL else "")
        self._rests.check(scope)
        try:
            return await self.standing.call(workspace, method, **arguments)
        except ChatError as error:
            self._rests.note(scope, error)
            raise

    async def _bot_id(self, workspace: str) -> str:
        found = await self.standing.installation(workspace)
        return found.bot_id if found else ""


def _is_ours(found: JSON, key: str, bot_id: str) -> bool:
    metadata = found.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("event_type") != EVENT_TYPE:
        return False
    # Anyone's app may write metadata: only the bot's own message settles a delivery of ours.
    mine = not bot_id or found.get("bot_id") == bot_id
    return mine and (metadata.get("event_payload") or {}).get("key") == key


_BY_CHANNEL = frozenset({AsyncWebClient.chat_postMessage})
"""Slack counts these by channel; every other method by workspace."""

_PLAIN: JSON = {"unfurl_links": False, "unfurl_media": False, "mrkdwn": False}
"""The notification text is text; nothing in it is looked up or unfolded."""
