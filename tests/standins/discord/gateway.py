"""Gateway v10: hello, identify, resume with replay, heartbeats, compression, and what goes wrong on it."""

from __future__ import annotations

import asyncio
import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.standins.discord.state import JSON, snowflake

PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15)
HEARTBEAT_MS = 2000


@dataclass(slots=True)
class Session:
    """What was sent in it, so that it can be resumed."""

    id: str
    sent: list[JSON] = field(default_factory=list)
    seq: int = 0


@dataclass(slots=True, eq=False)
class Socket:
    ws: web.WebSocketResponse
    request: web.Request
    compress: Any = None
    session: Session | None = None

    async def send(self, body: JSON) -> None:
        await self.send_raw(json.dumps(body))

    async def send_raw(self, text: str) -> None:
        if self.ws.closed:
            return
        if self.compress is None:
            await self.ws.send_str(text)
        else:
            packed = self.compress.compress(text.encode()) + self.compress.flush(zlib.Z_SYNC_FLUSH)
            await self.ws.send_bytes(packed)


class Gateway:
    """``guilds`` gives the payloads of GUILD_CREATE; ``slow``: they stay unavailable until ``arrive`` is called."""

    def __init__(self, token: str, bot: JSON, guilds: Any) -> None:
        self._token = token
        self._bot = bot
        self._guilds = guilds
        self.url = ""
        self.slow = False
        self.sockets: list[Socket] = []
        self.sessions: dict[str, Session] = {}
        self.identifies = 0
        self.resumes = 0
        self.compressed = False
        self.heartbeats = 0

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        ws = web.WebSocketResponse(max_msg_size=0)
        await ws.prepare(request)
        socket = Socket(ws, request)
        if request.query.get("compress") == "zlib-stream":
            socket.compress, self.compressed = zlib.compressobj(), True
        self.sockets.append(socket)
        await socket.send({"op": 10, "d": {"heartbeat_interval": HEARTBEAT_MS}, "s": None, "t": None})
        try:
            async for message in ws:
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    await self._hear(socket, json.loads(message.data))
        finally:
            if socket in self.sockets:
                self.sockets.remove(socket)
        return ws

    async def _hear(self, socket: Socket, body: JSON) -> None:
        match body["op"]:
            case 1:
                self.heartbeats += 1
                await socket.send({"op": 11, "d": None, "s": None, "t": None})
            case 2:
                await self._identify(socket, body["d"])
            case 6:
                await self._resume(socket, body["d"])

    async def _identify(self, socket: Socket, given: JSON) -> None:
        self.identifies += 1
        if given["token"].removeprefix("Bot ") != self._token:
            await socket.ws.close(code=4004)
            return
        if given["intents"] & PRIVILEGED:
            await socket.ws.close(code=4014)
            return
        session = Session(snowflake())
        self.sessions[session.id] = socket.session = session
        if not self.slow:
            pass
        ready = {
            "v": 10,
            "user": self._bot,
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "shard": given.get("shard"),
            "guilds": [{"id": guild["id"], "unavailable": True} for guild in self._guilds()],
            "application": {"id": self._bot["id"], "flags": 0},
            "private_channels": [],
            "relationships": [],
        }
        await self._send(session, "READY", ready)
        if not self.slow:
            await self.arrive(session)

    async def arrive(self, session: Session | None = None) -> None:
        """The servers become available."""
        for one in [session] if session else list(self.sessions.values()):
            for guild in self._guilds():
                await self._send(one, "GUILD_CREATE", guild)

    async def _resume(self, socket: Socket, given: JSON) -> None:
        session = self.sessions.get(given["session_id"])
        if session is None or given["seq"] > session.seq:
            await socket.send({"op": 9, "d": False, "s": None, "t": None})
            return
        self.resumes += 1
        socket.session = session
        for event in [event for event in session.sent if event["s"] > given["seq"]]:
            await socket.send(event)
        await self._send(session, "RESUMED", {})

    async def emit(self, event: str, data: JSON) -> None:
        """To every session; one without a socket hears it when it resumes."""
        for session in list(self.sessions.values()):
            await self._send(session, event, data)

    async def _send(self, session: Session, event: str, data: JSON) -> None:
        session.seq += 1
        body = {"op": 0, "t": event, "s": session.seq, "d": data}
        session.sent.append(body)
        for socket in [socket for socket in self.sockets if socket.session is session]:
            await socket.send(body)

    # --- what a test does to it ---

    def cut(self) -> None:
        """The network breaks without a word."""
        for socket in list(self.sockets):
            self.sockets.remove(socket)
            if socket.request.transport:
                socket.request.transport.abort()

    async def reconnect(self) -> None:
        """Op 7: come again and resume."""
        for socket in list(self.sockets):
            await socket.send({"op": 7, "d": None, "s": None, "t": None})

    async def invalidate(self, *, resumable: bool) -> None:
        """Op 9; what cannot be resumed is forgotten."""
        if not resumable:
            self.sessions.clear()
        for socket in list(self.sockets):
            await socket.send({"op": 9, "d": resumable, "s": None, "t": None})

    async def malformed(self) -> None:
        """Events that have not the shape they should."""
        for session in list(self.sessions.values()):
            await self._send(session, "GUILD_ROLE_UPDATE", {"guild_id": "x"})
            await self._send(session, "CHANNEL_UPDATE", {"id": None})
            await self._send(session, "SOMETHING_NEW", {"no": ["body", "knows"]})

    async def close(self) -> None:
        for socket in list(self.sockets):
            await socket.ws.close()
        await asyncio.sleep(0)
