"""Socket Mode: connections the app dials, envelopes with acknowledgements, warnings, refreshes, cuts and silences."""

from __future__ import annotations

import asyncio
import itertools
import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.standins.slack.core import Core
from tests.standins.slack.delivery import Attempt, Kind
from tests.standins.slack.model import JSON

MOST_CONNECTIONS = 10


@dataclass(slots=True)
class Envelope:
    id: str
    accepts_payload: bool
    answer: asyncio.Future[Any]


@dataclass(slots=True, eq=False)
class Connection:
    """One web socket. ``stalled``: the network swallows what either side sends, although the socket looks open."""

    number: int
    socket: web.WebSocketResponse
    request: web.Request
    open: dict[str, Envelope] = field(default_factory=dict)
    sent: int = 0
    stalled: bool = False
    leaving: bool = False

    async def send(self, body: JSON) -> None:
        if not self.stalled:
            await self.socket.send_str(json.dumps(body))

    def fail(self) -> None:
        """The connection is gone: what was not acknowledged on it never will be."""
        for envelope in self.open.values():
            if not envelope.answer.done():
                envelope.answer.set_exception(ConnectionResetError("The socket closed before the acknowledgement."))
        self.open.clear()


class SocketHub:
    """The ``Transport`` over Socket Mode: each envelope goes to any one of the open connections."""

    def __init__(self, core: Core, ack_timeout: float) -> None:
        self._core = core
        self.ack_timeout = ack_timeout
        self._numbers = itertools.count(1)
        self._turn = itertools.count()
        self.connections: list[Connection] = []
        # Acknowledgements that came after their three seconds, or after their connection.
        self.late: list[str] = []
        self._expired: set[str] = set()
        # Envelopes whose connection went away before they were acknowledged.
        self._orphans: set[str] = set()

    # --- the transport ---

    async def once(self, kind: Kind, payload: JSON, number: int, reason: str) -> Attempt:
        usable = [connection for connection in self.connections if not connection.leaving]
        if not usable:
            return Attempt(False, problem="no_connection")
        connection = usable[next(self._turn) % len(usable)]
        accepts = kind == "slash_commands" or payload.get("type") == "view_submission"
        envelope = Envelope(str(uuid.uuid4()), accepts, asyncio.get_running_loop().create_future())
        body: JSON = {"envelope_id": envelope.id, "payload": payload, "type": kind, "accepts_response_payload": accepts}
        if kind == "events_api":
            body |= {"retry_attempt": number, "retry_reason": reason}
        connection.open[envelope.id] = envelope
        connection.sent += 1
        try:
            await connection.send(body)
            answer = await asyncio.wait_for(envelope.answer, self.ack_timeout)
        except TimeoutError:
            self._expired.add(envelope.id)
            return Attempt(False, problem="timeout")
        except ConnectionError:
            self._orphans.add(envelope.id)
            return Attempt(False, problem="connection_failed")
        finally:
            connection.open.pop(envelope.id, None)
        return Attempt(True, "" if answer is None else answer, 200)

    # --- what a test does to the connections ---

    async def refresh(self, *, warning: float | None = 0.0, grace: float = 0.2) -> None:
        """Ask every connection to come again: a warning, ``warning`` real seconds later (Slack: about ten) the end.

        Until the end the connection still serves; ``warning=None`` leaves the warning out. With the end no new
        envelope comes, and what is still open ``grace`` seconds later is closed.
        """
        old = list(self.connections)
        if warning is not None:
            for connection in old:
                await connection.send(_disconnect("warning"))
            await asyncio.sleep(warning)
        for connection in old:
            connection.leaving = True
            if not connection.socket.closed:
                await connection.send(_disconnect("refresh_requested"))
        await asyncio.sleep(grace)
        for connection in old:
            if not connection.socket.closed:
                await connection.socket.close()

    async def disable(self) -> None:
        """Switch Socket Mode off for the app (``link_disabled``)."""
        for connection in list(self.connections):
            connection.leaving = True
            await connection.send(_disconnect("link_disabled"))
            await connection.socket.close()

    def cut(self) -> None:
        """Tear every connection down without a word, as a broken network does."""
        for connection in list(self.connections):
            self._drop(connection)
            if connection.request.transport:
                connection.request.transport.abort()

    def stall(self) -> None:
        """Half-open: from now on neither envelopes nor pongs arrive on the connections that are open now."""
        for connection in self.connections:
            connection.stalled = True

    async def close(self) -> None:
        for connection in list(self.connections):
            connection.leaving = True
            await connection.socket.close()

    # --- the server's side ---

    async def handle(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._core.tickets:
            return web.Response(status=404, text="This link was not issued or is used up.")
        self._core.tickets.discard(ticket)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        connection = Connection(next(self._numbers), socket, request)
        if len(self.connections) >= MOST_CONNECTIONS:
            await connection.send(_disconnect("too_many_websockets"))
            await socket.close()
            return socket
        self.connections.append(connection)
        await connection.send(self._hello())
        self._core.touch()
        try:
            async for message in socket:
                await self._receive(connection, message)
        finally:
            self._drop(connection)
        return socket

    async def _receive(self, connection: Connection, message: Any) -> None:
        if connection.stalled:
            return
        if message.type == WSMsgType.PING:
            await connection.socket.pong(message.data)
        elif message.type == WSMsgType.TEXT:
            self._acknowledge(connection, message.data)

    def _acknowledge(self, connection: Connection, text: str) -> None:
        try:
            body = json.loads(text)
            number = body["envelope_id"]
        except (ValueError, KeyError, TypeError):
            self._core.violate("socket", ("an acknowledgement must be JSON with an envelope_id",), text)
            return
        envelope = connection.open.get(number)
        if envelope is None:
            if number in self._expired:
                self.late.append(number)
            elif number in self._orphans:
                # The SDK sends again over the new socket what the old one did not take. Nobody waits for it here.
                self.late.append(number)
            else:
                self._core.violate("socket", (f"no envelope {number} is open on this connection",), body)
            return
        payload = body.get("payload")
        if payload and not envelope.accepts_payload:
            self._core.violate("socket", ("this envelope accepts no response payload",), body)
        if not envelope.answer.done():
            envelope.answer.set_result(_plain(payload))

    def _drop(self, connection: Connection) -> None:
        connection.fail()
        if connection in self.connections:
            self.connections.remove(connection)
        self._core.touch()

    def _hello(self) -> JSON:
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "debug_info": {"host": "applink-standin", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._core.app_id},
        }


def _plain(payload: Any) -> Any:
    """A payload of text alone says what a plain-text body says over HTTP."""
    return payload["text"] if isinstance(payload, dict) and set(payload) == {"text"} else payload


def _disconnect(reason: str) -> JSON:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "wss-standin"}}
