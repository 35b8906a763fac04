"""response_url: five answers within thirty minutes, to the person alone, to all, or in place of the original."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web

from tests.standins.slack.blocks import MESSAGE_TEXT, text_length
from tests.standins.slack.core import Core
from tests.standins.slack.methods.chat import remove
from tests.standins.slack.model import JSON, Called, Channel, Ephemeral, Message, ResponseUrl, SlackError, Workspace

MOST_USES = 5
LIFE = 30 * 60.0
TAKES = {
    "text",
    "blocks",
    "attachments",
    "response_type",
    "replace_original",
    "delete_original",
    "thread_ts",
    "metadata",
    "unfurl_links",
    "unfurl_media",
    "mrkdwn",
    "link_names",
}


class Hooks:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def handle(self, request: web.Request) -> web.StreamResponse:
        core, space = self._core, self._core.workspaces.get(request.match_info["team"])
        url = space.response_urls.get(request.match_info["key"]) if space else None
        if space is None or url is None:
            return _refused(404, "no_service")
        raw = await request.text()
        fault = core.faults.take("response_url", url.channel)
        if fault and fault.delay and not fault.late:
            await asyncio.sleep(fault.delay)
        elif fault and fault.reset == "before":
            return self._cut(request, space, url, "reset before")
        elif fault and (fault.status or fault.retry_after or fault.error):
            headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after else {}
            status = fault.status or (429 if fault.retry_after else 400)
            self._called(space, url, f"http {status}")
            return web.Response(status=status, text=fault.error or "error", headers=headers)
        response = self._use(space, url, raw)
        if fault and fault.late:
            await asyncio.sleep(fault.delay)
        if fault and fault.reset == "after":
            return self._cut(request, space, url, "reset after")
        return response

    def _use(self, space: Workspace, url: ResponseUrl, raw: str) -> web.Response:
        if self._core.clock() - url.issued_at > LIFE:
            self._called(space, url, "expired_url")
            return _refused(404, "expired_url")
        if url.uses >= MOST_USES:
            self._called(space, url, "used_url")
            return _refused(404, "used_url")
        try:
            body = json.loads(raw)
            if not isinstance(body, dict):
                raise SlackError("invalid_payload")
            answer(self._core, space, url, body)
        except ValueError:
            self._core.violate("response_url", ("invalid_payload",), raw)
            return _refused(400, "invalid_payload")
        except SlackError as error:
            if error.blame:
                self._core.violate("response_url", (error.code, *error.faults), raw)
            self._called(space, url, error.code)
            return _refused(400, error.code)
        url.uses += 1
        self._called(space, url, "ok")
        return web.Response(text="ok", content_type="text/html")

    def _cut(self, request: web.Request, space: Workspace, url: ResponseUrl, outcome: str) -> web.Response:
        self._called(space, url, outcome)
        if request.transport:
            request.transport.abort()
        return web.Response()

    def _called(self, space: Workspace, url: ResponseUrl, outcome: str) -> None:
        self._core.calls.append(Called(self._core.clock(), "response_url", space.id, url.channel, outcome))
        self._core.touch()


def _refused(status: int, error: str) -> web.Response:
    return web.json_response({"ok": False, "error": error}, status=status)


def answer(core: Core, space: Workspace, url: ResponseUrl, body: JSON, method: str = "response_url") -> None:
    """Do what an app says through a response_url, or in the acknowledgement of a command."""
    if odd := sorted(set(body) - TAKES):
        core.violate(method, tuple(f"unknown argument: {key}" for key in odd), body)
    channel = space.channels[url.channel]
    original = channel.messages.get(url.original) or channel.ephemerals.get(url.original)
    if _true(body.get("delete_original")):
        _delete(channel, original)
    elif _true(body.get("replace_original")) and original is not None:
        _replace(core, space, original, body)
    else:
        if _true(body.get("replace_original")) and not url.original:
            core.violate(method, ("a command has no original to replace",), body)
        _new(core, space, channel, url, body)
    core.accept(method, space.id, {"user": url.user, **body}, channel=channel.id, ts=url.original)


def _true(value: Any) -> bool:
    return value in (True, "true", 1)


def _delete(channel: Channel, original: Message | Ephemeral | None) -> None:
    if isinstance(original, Ephemeral):
        del channel.ephemerals[original.ts]
    elif original is not None:
        remove(channel, original.ts)


def _checked(core: Core, space: Workspace, body: JSON) -> tuple[str, list[JSON]]:
    text, blocks = str(body.get("text") or ""), body.get("blocks") or []
    core.blocks_or_refuse(space, blocks, "message")
    if len(text) > 40_000:
        raise SlackError("msg_too_long")
    if text_length(blocks) > MESSAGE_TEXT:
        raise SlackError("msg_blocks_too_long")
    if not (text.strip() or blocks or body.get("attachments")):
        raise SlackError("no_text")
    if blocks and not text.strip():
        core.violate("response_url", ("text is missing: notifications and screen readers get nothing",), body)
    return text, core.stored(blocks)


def _replace(core: Core, space: Workspace, original: Message | Ephemeral, body: JSON) -> None:
    original.text, original.blocks = _checked(core, space, body)
    if isinstance(original, Message):
        original.edited_ts = f"{core.clock():.6f}"


def _new(core: Core, space: Workspace, channel: Channel, url: ResponseUrl, body: JSON) -> None:
    kind = body.get("response_type") or "ephemeral"
    if kind not in ("ephemeral", "in_channel"):
        raise SlackError("invalid_arguments", (f"unknown response_type: {kind}",))
    text, blocks = _checked(core, space, body)
    ts = space.next_ts(core.clock())
    thread = str(body.get("thread_ts") or url.thread_ts)
    if kind == "ephemeral":
        channel.ephemerals[ts] = Ephemeral(ts, channel.id, url.user, text, blocks, thread)
        return
    message = Message(ts, channel.id, space.id, space.bot_user, text, space.bot_id, core.app_id, blocks)
    message.thread_ts = thread
    channel.messages[ts] = message
