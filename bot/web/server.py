"""The web server: uvicorn on a socket of ours, inside the running loop, without its own signal handlers."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

GRACE = 3
"""Seconds that requests under way get when the server stops."""


class ListenFault(Exception):
    """The server cannot listen there; the text says why and what to do."""


class PortTaken(ListenFault):
    """Another program listens on that port."""


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to ``host`` and ``port`` (0: the system picks one). Raises ``PortTaken`` or ``ListenFault``."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ListenFault(f"The address {host} cannot be used ({error.strerror or error}): try 127.0.0.1.") from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(128)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(f"Port {port} is taken by another program: choose another one.") from error
        reason = error.strerror or error
        raise ListenFault(f"The server cannot listen on {host}:{port} ({reason}): choose another port.") from error
    return bound


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the program's own business: it stops everything in its order."""
        yield


class WebServer:
    """Serves one ASGI app. ``before_stop`` ends what would else never end by itself, such as event streams."""

    def __init__(self, app: ASGIApp, bound: socket.socket, before_stop: Callable[[], None] = lambda: None) -> None:
        self._socket = bound
        self._before_stop = before_stop
        host, port = bound.getsockname()[:2]
        self.host: str = host
        self.port: int = port
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=GRACE,
        )
        self._server = _Uvicorn(config)
        self._task: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it, without a slash at the end."""
        shown = "127.0.0.1" if self.host == "0.0.0.0" else "[::1]" if self.host in ("::", "::1") else self.host  # noqa: S104
        return f"http://{shown}:{self.port}"

    async def start(self) -> None:
        """Begin to serve; returns when requests are answered."""
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        while not self._server.started:
            if self._task.done():
                await self._task
                raise ListenFault("The web server ended while it started.")
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """Let requests under way finish, then close."""
        self._before_stop()
        self._server.should_exit = True
        if self._task is not None:
            with suppress(asyncio.CancelledError):
                await self._task
        self._socket.close()
