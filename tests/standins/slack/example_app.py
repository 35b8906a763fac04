"""A small real Bolt app with which the stand-in's own tests check both ways of delivery."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.slack.server import SlackStandin

MODAL = {
    "type": "modal",
    "callback_id": "case",
    "title": {"type": "plain_text", "text": "Your answer"},
    "submit": {"type": "plain_text", "text": "Send"},
    "notify_on_close": True,
    "private_metadata": "round-1",
    "blocks": [
        {
            "type": "input",
            "block_id": "answer",
            "label": {"type": "plain_text", "text": "Answer"},
            "element": {"type": "plain_text_input", "action_id": "text", "max_length": 100},
        },
        {
            "type": "input",
            "block_id": "parts",
            "optional": True,
            "label": {"type": "plain_text", "text": "Parts"},
            "element": {
                "type": "checkboxes",
                "action_id": "boxes",
                "options": [{"text": {"type": "plain_text", "text": x}, "value": x} for x in "ABC"],
            },
        },
        {
            "type": "input",
            "block_id": "when",
            "optional": True,
            "label": {"type": "plain_text", "text": "When"},
            "element": {"type": "timepicker", "action_id": "time", "initial_time": "09:00"},
        },
    ],
}


def drill(*letters: str) -> list[dict[str, Any]]:
    """A message with one button per letter, and one that opens the form."""
    names = [*letters, "form"]
    buttons = [
        {"type": "button", "action_id": f"answer:{x}", "value": x, "text": {"type": "plain_text", "text": x}}
        for x in names
    ]
    text = {"type": "mrkdwn", "text": "*Daily drill*"}
    return [{"type": "section", "text": text}, {"type": "actions", "block_id": "answers", "elements": buttons}]


class ExampleApp:
    """Remembers every payload it got in ``got``; ``slow`` (seconds) makes it late, ``broken`` makes it raise."""

    def __init__(self, slack: SlackStandin) -> None:
        self.got: list[dict[str, Any]] = []
        self.slow = 0.0
        self.broken = False
        self.verdict: dict[str, Any] = {}
        self.client = AsyncWebClient(slack.bot_token, base_url=slack.base_url, retry_handlers=[])
        self.bolt = AsyncApp(client=self.client, signing_secret=slack.signing_secret, process_before_response=True)
        self.bolt.action({"action_id": "answer:form"})(self.on_form)
        self.bolt.action({"block_id": "answers"})(self.on_answer)
        self.bolt.action("again")(self.on_again)
        self.bolt.view("case")(self.on_case)
        self.bolt.view_closed("case")(self.on_closed)
        self.bolt.command("/drill")(self.on_command)
        for name in ("app_home_opened", "reaction_added", "member_joined_channel", "app_uninstalled", "tokens_revoked"):
            self.bolt.event(name)(self.on_event)

    async def _receive(self, body: dict[str, Any]) -> None:
        self.got.append(body)
        await asyncio.sleep(self.slow)
        if self.broken:
            raise RuntimeError("The example app was told to break.")

    async def on_answer(self, ack: Any, body: dict[str, Any], respond: Any) -> None:
        await self._receive(body)
        await ack()
        again = {"type": "button", "action_id": "again", "text": {"type": "plain_text", "text": "Again"}}
        blocks = [
            {"type": "section", "text": {"type": "plain_text", "text": f"You chose {body['actions'][0]['value']}"}},
            {"type": "actions", "elements": [again]},
        ]
        await respond(text="Recorded", blocks=blocks, replace_original=False)

    async def on_again(self, ack: Any, body: dict[str, Any], respond: Any) -> None:
        await self._receive(body)
        await ack()
        await respond(text="Said again", replace_original=True)

    async def on_form(self, ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        await self._receive(body)
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL)
        await ack()

    async def on_case(self, ack: Any, body: dict[str, Any]) -> None:
        await self._receive(body)
        await ack(**self.verdict)

    async def on_closed(self, ack: Any, body: dict[str, Any]) -> None:
        await self._receive(body)
        await ack()

    async def on_command(self, ack: Any, body: dict[str, Any]) -> None:
        await self._receive(body)
        await ack(f"You typed {body['text']}")

    async def on_event(self, body: dict[str, Any]) -> None:
        await self._receive(body)


@asynccontextmanager
async def over_http(slack: SlackStandin) -> AsyncIterator[ExampleApp]:
    """The app behind a request URL of its own."""
    app = ExampleApp(slack)
    runner = web.AppRunner(app.bolt.web_app(path="/slack/events"), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await slack.use_http(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
    try:
        yield app
    finally:
        await runner.cleanup()


@asynccontextmanager
async def over_socket(slack: SlackStandin) -> AsyncIterator[ExampleApp]:
    """The app on a web socket that it dialled itself; it looks for a dead connection five times a second."""
    app = ExampleApp(slack)
    handler = AsyncSocketModeHandler(app.bolt, slack.app_token, ping_interval=0.2)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    await slack.connected()
    try:
        yield app
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]
        await handler.client.aiohttp_client_session.close()
