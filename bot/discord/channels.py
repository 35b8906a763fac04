"""Where drills stand on Discord: text channels, threads, and forums, whose every round is a post of its own.

- A text or announcement channel: a round is a message, its result stands in the message's thread.
- A thread: it can hold no threads, so the result answers the round's message in the same thread.
- A forum: a round is a post with a title; its result is a comment of the post.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Literal

import discord
from discord.http import handle_message_parameters

from bot.chat import Message
from bot.discord.outbound import Dressed

Kind = Literal["text", "thread", "forum"]

REMEMBERED = 5000
OPEN_FOR: Literal[10080] = 10080
"""Minutes without a word after which Discord folds a forum's post away: the longest it takes, a week."""

ARCHIVED_LOOKED_AT = 50
NEEDS_TAG = 1 << 4
"""A forum's flag: each post must have a tag (discord.com/developers, Channel Flags)."""

OUR_TAGS = ("daily drill", "drill", "每日一题", "quiz", "question")
"""Names of tags that a post of ours is given where the forum has one; else the first that everybody may give."""

FOLDED_AWAY = 50083
UNKNOWN_CHANNEL = 10003
UNKNOWN_MESSAGE = 10008


class Channels:
    """Channels by id alone: a server that has not come yet is in no cache, and shall not wait for its question."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._kinds: OrderedDict[str, Kind] = OrderedDict()

    async def kind(self, channel_id: str) -> Kind:
        """What kind of place it is: known from the gateway, or asked once."""
        known = self._kinds.get(channel_id)
        if known is None:
            cached = self._client.get_channel(int(channel_id))
            if cached is not None and not isinstance(cached, discord.abc.PrivateChannel):
                known = _kind(int(cached.type.value))
            else:
                found: Any = await self._client.http.get_channel(int(channel_id))
                known = _kind(int(found.get("type") or 0))
            self._kinds[channel_id] = known
            while len(self._kinds) > REMEMBERED:
                self._kinds.popitem(last=False)
        return known

    async def home(self, channel_id: str, message: Message) -> str:
        """The channel in which a message stands: in a forum it is the post's own."""
        return message.thread or message.id if await self.kind(channel_id) == "forum" else channel_id

    async def open_post(self, forum: str, title: str, dressed: Dressed) -> Message:
        """A new post in a forum: its first message and its thread. It has no nonce; a lost reply is looked up."""
        payload: dict[str, Any] = {"name": title[:100].strip() or "…", "auto_archive_duration": OPEN_FOR}
        if tags := await self._tags(forum):
            payload["applied_tags"] = tags
        with handle_message_parameters(
            view=dressed.view,
            files=dressed.files or discord.utils.MISSING,
            allowed_mentions=discord.AllowedMentions.none(),
            channel_payload=payload,
        ) as params:
            opened: Any = await self._client.http.start_thread_in_forum(int(forum), params=params)
        return Message(str((opened.get("message") or opened)["id"]), str(opened["id"]))

    async def posts(self, workspace: str, forum: str, since: datetime) -> AsyncIterator[tuple[discord.Message, str]]:
        """The first messages of our own posts in a forum since then, and their threads, also those folded away."""
        http, me = self._client.http, self._client.user
        active: Any = await http.get_active_threads(int(workspace))
        archived: Any = await http.get_public_archived_threads(int(forum), limit=ARCHIVED_LOOKED_AT)
        oldest = discord.utils.time_snowflake(since)
        for thread in (*active["threads"], *archived["threads"]):
            ours = me is not None and str(thread.get("owner_id")) == str(me.id)
            if ours and str(thread.get("parent_id")) == forum and int(thread["id"]) >= oldest:
                channel = self._client.get_partial_messageable(int(thread["id"]))
                async for message in channel.history(limit=1, after=since, oldest_first=True):
                    yield message, str(thread["id"])

    async def unfold(self, error: discord.HTTPException, thread: str) -> bool:
        """Open a thread that was folded away and refused a change; ``False``: that was not what stood in the way.

        Posting opens it by itself, editing does not. Whoever may post may open it, unless it was locked.
        """
        if error.code != FOLDED_AWAY:
            return False
        await self._client.http.edit_channel(int(thread), archived=False)
        return True

    async def _tags(self, forum: str) -> list[str]:
        cached = self._client.get_channel(int(forum))
        if isinstance(cached, discord.ForumChannel):
            tags = [(str(tag.id), tag.name, tag.moderated) for tag in cached.available_tags]
            return _chosen(tags, cached.flags.require_tag)
        found: Any = await self._client.http.get_channel(int(forum))
        tags = [(str(t["id"]), str(t["name"]), bool(t.get("moderated"))) for t in found.get("available_tags") or ()]
        return _chosen(tags, bool(int(found.get("flags") or 0) & NEEDS_TAG))


def _kind(channel_type: int) -> Kind:
    kinds = discord.ChannelType
    if channel_type in (kinds.public_thread.value, kinds.private_thread.value, kinds.news_thread.value):
        return "thread"
    return "forum" if channel_type == kinds.forum.value else "text"


def _chosen(tags: list[tuple[str, str, bool]], needed: bool) -> list[str]:
    """A tag of our name; where the forum demands one, any that is not for moderators alone. (id, name, moderated)."""
    free = [(tag_id, name.strip().lower()) for tag_id, name, moderated in tags if not moderated]
    named = [tag_id for wanted in OUR_TAGS for tag_id, name in free if name == wanted]
    return (named or [tag_id for tag_id, _ in free if needed])[:1]
