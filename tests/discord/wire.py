"""As much of Discord as a client needs to log in, connect, hear and answer: over real HTTP and a real WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

import discord
import pytest
import yarl
from aiohttp import WSMsgType, web

TOKEN = "right-token"
ME = {"id": "500", "username": "drills", "discriminator": "0", "avatar": None, "global_name": None, "bot": True}
READY = {
    "v": 10,
    "user": ME,
    "guilds": [],
    "session_id": "s",
    "shard": [0, 1],
    "application": {"id": "900", "flags": 0},
}

APPLICATION = {
    "id": "900",
    "name": "drills",
    "description": "",
    "icon": None,
    "owner": ME,
    "flags": 0,
    "verify_key": "",
    "bot_public": False,
    "bot_require_code_grant": False,
}


class Wire:
    """A server on loopback. ``requests`` are (method, path, body); ``hellos`` the identify payloads."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.hellos: list[dict[str, Any]] = []
        self.refuse_gateway = 0
        """How many connections to the gateway are turned away."""
        self.close_code = 0
        """With what the gateway ends a connection instead of greeting it."""
        self.commands: list[dict[str, Any]] = []
        """What Discord has of our commands."""
        self.guilds: list[dict[str, Any]] = []
        """The servers that READY names, with whatever else it tells of them."""
        self.limits = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        self.resumes: list[dict[str, Any]] = []
        self._changed = asyncio.Condition()
        self._sockets: list[web.WebSocketResponse] = []
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/gateway/", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]

    async def stop(self) -> None:
        for socket in self._sockets:
            await socket.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    def point_to(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Makes the library talk to this server."""
        monkeypatch.setattr(discord.http.Route, "BASE", f"http://127.0.0.1:{self._port}/api/v10")
        monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", self._url)

    @property
    def _url(self) -> yarl.URL:
        return yarl.URL(f"ws://127.0.0.1:{self._port}/gateway/")

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits for something to arrive."""
        async with self._changed, asyncio.timeout(20):
            await self._changed.wait_for(condition)

    async def say(self, event: str, payload: dict[str, Any]) -> None:
        """An event for whoever is connected."""
        await self.send({"op": 0, "t": event, "s": 2, "d": payload})

    async def send(self, frame: Any) -> None:
        """A frame for whoever is connected, whatever it holds."""
        for socket in self._sockets:
            if not socket.closed:
                await socket.send_str(json.dumps(frame))

    def asked(self, method: str, ending: str) -> list[Any]:
        """The bodies of the requests to paths with this ending."""
        return [body for how, path, body in self.requests if how == method and path.endswith(ending)]

    async def _note(self, note: Callable[[], None]) -> None:
        async with self._changed:
            note()
            self._changed.notify_all()

    async def _rest(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        body = await request.json() if request.content_type == "application/json" and request.can_read_body else None
        await self._note(lambda: self.requests.append((request.method, path, body)))
        if request.headers.get("Authorization") != f"Bot {TOKEN}" and not path.startswith(
            ("/interactions", "/webhooks")
        ):
            return as_json({"message": "401: Unauthorized", "code": 0}, status=401)
        if path.endswith("/900/commands") and request.method == "PUT":
            self.commands = [{**command, "id": str(901 + n)} for n, command in enumerate(body)]
        answers: dict[str, Any] = {
            "/gateway/bot": {"url": str(self._url), "shards": 1, "session_start_limit": self.limits},
            "/users/@me": ME,
            "/oauth2/applications/@me": APPLICATION,
            "/applications/900/commands": self.commands,
        }
        if path.startswith("/channels/"):
            return as_json(message("77", channel_id=path.split("/")[2], id="77", name="t"))
        if path.endswith("/callback"):
            return as_json({"interaction": {"id": path.split("/")[2], "type": 3}})
        if path.endswith("@original"):
            return as_json({**message("77"), "components": (body or {}).get("components", [])})
        return as_json(answers.get(path, {}))

    async def _gateway(self, request: web.Request) -> web.StreamResponse:
        if self.refuse_gateway:
            self.refuse_gateway -= 1
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._sockets.append(socket)
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": 41250}}))
        with contextlib.suppress(ConnectionResetError):
            async for received in socket:
                if received.type is WSMsgType.TEXT:
                    await self._heard(socket, json.loads(received.data))
        return socket

    async def _heard(self, socket: web.WebSocketResponse, payload: dict[str, Any]) -> None:
        if payload["op"] == 1:
            await socket.send_str(json.dumps({"op": 11}))
        if payload["op"] == 2 and self.close_code:
            await socket.close(code=self.close_code)
        elif payload["op"] == 2:
            await self._note(lambda: self.hellos.append(payload["d"]))
            ready = {**READY, "guilds": self.guilds, "resume_gateway_url": str(self._url)}
            await socket.send_str(json.dumps({"op": 0, "t": "READY", "s": 1, "d": ready}))
        elif payload["op"] == 6:
            await self._note(lambda: self.resumes.append(payload["d"]))
            await socket.send_str(json.dumps({"op": 0, "t": "RESUMED", "s": 3, "d": {}}))


def as_json(body: Any, status: int = 200) -> web.Response:
    # The library looks for exactly this content type, as Discord sends it.
    return web.Response(body=json.dumps(body).encode(), content_type="application/json", status=status)


def message(message_id: str, **more: Any) -> dict[str, Any]:
    return {
        "id": message_id,
        "channel_id": "200",
        "author": ME,
        "content": "",
        "timestamp": "2026-01-01T00:00:00+00:00",
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
        "flags": 1 << 15,
        "components": [],
        **more,
    }


def press(custom_id: str, interaction_id: str = "700") -> dict[str, Any]:
    """INTERACTION_CREATE for a button on a message of ours."""
    button = {"type": 2, "id": 3, "style": 2, "label": "?", "custom_id": custom_id}
    return {
        "id": interaction_id,
        "application_id": "900",
        "type": 3,
        "token": f"token-{interaction_id}",
        "version": 1,
        "guild_id": "100",
        "channel_id": "200",
        "channel": {"id": "200", "type": 0, "name": "drills", "guild_id": "100", "position": 0},
        "locale": "zh-CN",
        "app_permissions": "0",
        "attachment_size_limit": 1,
        "entitlements": [],
        "member": {
            "user": {"id": "300", "username": "ben", "discriminator": "0", "avatar": None, "global_name": "Ben"},
            "roles": [],
            "joined_at": "2026-01-01T00:00:00+00:00",
            "deaf": False,
            "mute": False,
            "flags": 0,
            "permissions": "0",
        },
        "data": {"custom_id": custom_id, "component_type": 2, "id": 3},
        "message": message("77", components=[{"type": 1, "id": 2, "components": [button]}]),
    }
