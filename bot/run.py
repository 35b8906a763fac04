"""``drills run``: start whatever has tokens, in one process, say what was started, and stop cleanly."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import uvicorn
from fastapi import FastAPI

from bot.app import App, build
from bot.settings import Settings, SettingsFault, misspelt
from content.library import default_bank_path
from content.loader import load_bank
from storage.backup import upgrade_safely
from storage.database import sqlite_path
from storage.lock import ProcessLock
from storage.migrate import look

log = logging.getLogger(__name__)

NOTHING_TO_DO = """\
There is no token, so there is nothing to start. Choose one or both:

  Slack    DRILLS_SLACK_BOT_TOKEN=xoxb-…  and  DRILLS_SLACK_APP_TOKEN=xapp-…   (docs/slack.md)
           or, for many workspaces, DRILLS_SLACK_CLIENT_ID=… and its secret   (docs/slack.md)
  Discord  DRILLS_DISCORD_TOKEN=…                                             (docs/discord.md)

To see the product without any token:  drills demo"""


def run_bot(settings: Settings) -> int:
    """Run until SIGINT or SIGTERM; the exit code. Raises faults (exit 2) before anything is changed."""
    for doubt in misspelt(os.environ):
        _say(doubt)
    if not (settings.slack_way or settings.discord_token):
        raise SettingsFault(NOTHING_TO_DO)
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for chatty in ("apscheduler", "alembic"):  # they would log every beat, and every look at the revision
        logging.getLogger(chatty).setLevel(logging.WARNING)
    library = load_bank(settings.bank or default_bank_path())
    look(settings.database_url)
    listening = _listen(settings)
    path = sqlite_path(settings.database_url)
    lock = ProcessLock(path) if path is not None else None
    try:
        if lock is not None:
            lock.wait(lambda: _say("Another process runs on this database; standing by until it ends."))
        _say(upgrade_safely(settings.database_url, datetime.now(UTC)))
        app = build(settings, library=library)
        try:
            app.outbox.void_leases()
            return asyncio.run(_run(app, settings, listening))
        finally:
            app.close()
    finally:
        listening.close()
        if lock is not None:
            lock.release()


async def _run(app: App, settings: Settings, listening: socket.socket) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    web = FastAPI(title="Team Drills", docs_url=None, redoc_url=None, openapi_url=None)
    _add_health(web, app)
    async with AsyncExitStack() as stack:
        if settings.slack_way:
            from bot.slack.app import start_slack

            running = await start_slack(app, settings, web)
            stack.push_async_callback(running.stop)
            _say(running.says)
        if settings.discord_token:
            from bot.discord.app import start_discord

            gateway = await start_discord(app, settings)
            stack.push_async_callback(gateway.stop)
            _say(gateway.says)
        server = uvicorn.Server(uvicorn.Config(web, log_level="warning", lifespan="off", access_log=False))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not serving.done():  # noqa: ASYNC110 — uvicorn has no event for it
            await asyncio.sleep(0.01)
        host, port = listening.getsockname()[:2]
        _say(f"Health: http://{host}:{port}/healthz")
        await app.ticker.start()
        await stop.wait()
        _say("Stopping: finishing what is under way.")
        await app.ticker.stop()
        server.should_exit = True
        await serving
    return 0


def _add_health(web: FastAPI, app: App) -> None:
    @web.get("/healthz")
    async def healthz() -> dict[str, object]:
        """The process lives and its beat goes on."""
        late = app.clock.monotonic() - app.outbox.last_beat
        return {"status": "ok" if late < 60 else "stalled", "seconds_since_beat": round(late, 1)}


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.http_host else socket.AF_INET
    # Named as TCP, else asyncio leaves Nagle's algorithm on and every answer waits some 40 ms for an acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.http_host, settings.http_port))
    except OSError as error:
        listening.close()
        raise SettingsFault(
            f"DRILLS_HTTP_PORT: {settings.http_host}:{settings.http_port} cannot be used ({error.strerror}); "
            "choose another port or address."
        ) from None
    return listening


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 — the operator's terminal
