"""Files for one person: uploaded into the direct messages with them, where nobody else can open them.

A reply that Slack shows to one person alone (ephemeral, or a modal) can hold no file.
"""

from __future__ import annotations

from collections.abc import Sequence

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Card, File
from bot.chat import ChatError
from bot.slack.faults import as_chat_errors
from bot.slack.standing import Standing


def files_of(card: Card) -> list[File]:
    return [part for part in card.parts if isinstance(part, File)]


async def send_files(
    standing: Standing, workspace: str, session: aiohttp.ClientSession, member: str, files: Sequence[File]
) -> str:
    """Upload into the direct messages with ``member``; the channel's id. Raises ``ChatError``."""
    opened = await standing.call(workspace, AsyncWebClient.conversations_open, users=member)
    channel = str(opened["channel"]["id"])
    for file in files:
        given = await standing.call(
            workspace, AsyncWebClient.files_getUploadURLExternal, filename=file.name, length=len(file.data)
        )
        with as_chat_errors():
            async with session.post(given["upload_url"], data=file.data) as answer:
                if answer.status != 200:
                    raise ChatError("retry", f"upload_{answer.status}")
        named = [{"id": given["file_id"], "title": file.name}]
        await standing.call(workspace, AsyncWebClient.files_completeUploadExternal, files=named, channel_id=channel)
    return channel
