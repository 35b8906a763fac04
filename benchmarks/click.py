"""A click through the real Bolt app over signed HTTP: graded, committed durably, acknowledged.

The floor is the same server with the same Bolt app whose one listener only acknowledges. Server and load run in
processes of their own on one machine; the stand-in for Slack answers what the product says back.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import multiprocessing
import re
import socket
import statistics
import tempfile
import time
import urllib.parse
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

SECRET = "benchmark-signing-secret"
CLICKS, CONNECTIONS, REPEAT = 800, (1, 16, 64), 3


def payload(action: str, user: int, response_url: str) -> bytes:
    """A block_actions payload of the size that Slack sends."""
    body = {
        "type": "block_actions",
        "user": {"id": f"U{user:08d}", "username": f"user{user}", "name": f"user{user}", "team_id": "T1"},
        "api_app_id": "A00000001",
        "token": "verification",
        "container": {"type": "message", "message_ts": "1.1", "channel_id": "C1", "is_ephemeral": False},
        "trigger_id": f"1.2.{user}",
        "team": {"id": "T1", "domain": "bench"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": "C1", "name": "bench"},
        "message": {"type": "message", "ts": "1.1", "text": "x" * 1200, "user": "UBOT", "bot_id": "B1"},
        "response_url": response_url,
        "actions": [
            {
                "type": "button",
                "action_id": "drill:0",
                "block_id": "answers",
                "value": action,
                "text": {"type": "plain_text", "text": "A", "emoji": True},
                "action_ts": "1.0",
            }
        ],
    }
    return urllib.parse.urlencode({"payload": json.dumps(body)}).encode()


def request(body: bytes) -> bytes:
    stamp = str(int(time.time()))
    base = b"v0:" + stamp.encode() + b":" + body
    signature = "v0=" + hmac.new(SECRET.encode(), base, hashlib.sha256).hexdigest()
    head = (
        f"POST /slack/events HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"X-Slack-Request-Timestamp: {stamp}\r\nX-Slack-Signature: {signature}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def load(port: int, requests: list[bytes], connections: int) -> float:
    """Requests a second over keep-alive connections; every answer must be 200."""
    waiting = iter(requests)

    async def person() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for data in waiting:
            writer.write(data)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
            if b"chunked" in fields.get(b"transfer-encoding", b""):
                await reader.readuntil(b"0\r\n\r\n")
            else:
                await reader.readexactly(int(fields.get(b"content-length", b"0")))
        writer.close()

    start = time.perf_counter()
    await asyncio.gather(*(person() for _ in range(connections)))
    return len(requests) / (time.perf_counter() - start)


# --- the servers, each in a process of its own --------------------------------------------------------------------


def serve_slack(pipe: Connection) -> None:
    """As much of Slack as a click needs, answering at once: it must not cost the product time."""
    asyncio.run(_serve_slack(pipe))


async def _serve_slack(pipe: Connection) -> None:
    from aiohttp import web

    posted = 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal posted
        method = request.path.rsplit("/", 1)[-1]
        form = {**request.query, **(await request.post())} if method == "users.info" else {}
        posted += method == "chat.postMessage"
        user = str(form.get("user", "U0"))
        profile = {"id": user, "name": user, "tz": "UTC", "locale": "en-US", "is_admin": True, "profile": {}}
        known: dict[str, Any] = {
            "auth.test": {"team": "Bench", "team_id": "T1", "user_id": "UBOT", "bot_id": "B1", "url": "http://bench/"},
            "users.info": {"user": profile},
            "chat.postMessage": {"channel": "C1", "ts": f"{time.time():.0f}.{posted:06d}"},
        }
        return web.json_response({"ok": True, **known.get(method, {})})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    pipe.send(runner.addresses[0][1])
    await asyncio.to_thread(pipe.recv)
    await runner.cleanup()


def serve(kind: str, pipe: Connection, folder: str, slack: int) -> None:
    asyncio.run(_serve(kind, pipe, Path(folder), slack))


async def _serve(kind: str, pipe: Connection, folder: Path, slack: int) -> None:
    import uvicorn
    from fastapi import FastAPI

    web = FastAPI()
    product = None if kind == "ack" else await Product.start(web, folder, slack)
    if product is None:
        _ack_only(web)
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(web, log_level="error", lifespan="off", access_log=False))
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:  # noqa: ASYNC110 — uvicorn has no event for it
        await asyncio.sleep(0.01)
    pipe.send(listening.getsockname()[1])
    while (asked := await asyncio.to_thread(pipe.recv)) != "stop":
        pipe.send("answer:1:a" if product is None else await product.next_round() if asked == "next" else "")
    server.should_exit = True
    await task
    pipe.send(0 if product is None else product.stored())


def _ack_only(web: Any) -> None:
    from slack_bolt.app.async_app import AsyncApp
    from slack_bolt.authorization import AuthorizeResult

    from bot.slack.entrance import PATH, SlackHttp

    result = AuthorizeResult(enterprise_id=None, team_id="T1", bot_token="xoxb-1", bot_id="B1", bot_user_id="UBOT")

    async def authorize(**_: Any) -> AuthorizeResult:
        return result

    bolt = AsyncApp(signing_secret=SECRET, authorize=authorize, process_before_response=True)

    @bolt.action(re.compile(".*"))
    async def only_ack(ack: Any) -> None:
        await ack()

    web.router.add_route(PATH, SlackHttp(bolt, SECRET))


class Product:
    """The real app on a real file, with one channel whose rounds are posted when asked for."""

    def __init__(self, app: Any, clock: Any) -> None:
        self.app = app
        self.clock = clock

    @classmethod
    async def start(cls, web: Any, folder: Path, slack: int) -> Product:
        from bot.app import build
        from bot.chat import Command, Tap
        from bot.clock import HandClock
        from bot.settings import load_settings
        from bot.slack.app import start_slack

        settings = load_settings(
            slack_bot_token="xoxb-1",
            slack_signing_secret=SECRET,
            slack_api_url=f"http://127.0.0.1:{slack}/api/",
            database_url=f"sqlite:///{folder / 'bench.db'}",
        )
        clock = HandClock(datetime.now(UTC))
        product = cls(build(settings, clock=clock, pictures=False), clock)
        await start_slack(product.app, settings, web)
        at = (clock.now() + timedelta(hours=1)).strftime("%H:%M")
        options = {"days": "daily", "time": at, "kinds": "single", "window": "23h"}
        hear = product.app.conversation.hear
        await hear(Command(product.admin, product.place, "setup", options))
        await hear(Tap(product.admin, "save:1", product.place))
        clock.forward(timedelta(hours=1) - timedelta(days=1))
        return product

    @property
    def place(self) -> Any:
        from bot.chat import Place

        return Place("T1", "C1")

    @property
    def admin(self) -> Any:
        from bot.chat import Who

        return Who("slack", "T1", "UADMIN", "admin", zone="UTC", admin=True)

    async def next_round(self) -> str:
        """Let a day pass, post, and give the action of the new round's first button."""
        from bot.card import Buttons
        from bot.chat import Command, Say

        self.clock.forward(timedelta(days=1))
        await self.app.outbox.beat()
        today = await self.app.conversation.hear(Command(self.admin, self.place, "today"))
        assert isinstance(today, Say)
        return next(b.action for part in today.card.parts if isinstance(part, Buttons) for b in part.buttons)

    def stored(self) -> int:
        from sqlalchemy import func, select

        from storage.tables import Answer

        count = self.app.database.read(
            lambda tx: int(tx.connection().execute(select(func.count()).select_from(Answer)).scalar_one())
        ).result()
        self.app.close()
        return int(count)


def measure() -> dict[int, tuple[float, float]]:
    """Requests a second at each number of connections: (the product, the floor), medians of interleaved runs.

    Everybody has clicked once before (their profile is known, as it is on any day but the first), and nobody
    clicks twice in a round: each click is a new answer.
    """
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        near, far = spawn.Pipe()
        spawn.Process(target=serve_slack, args=(far,), daemon=True).start()
        slack = near.recv()
        servers = {}
        for kind in ("ack", "product"):
            ours, theirs = spawn.Pipe()
            spawn.Process(target=serve, args=(kind, theirs, folder, slack), daemon=True).start()
            servers[kind] = (ours, ours.recv())
        rates, clicks = {}, 0

        def click(kind: str, connections: int) -> float:
            pipe, port = servers[kind]
            pipe.send("next")
            action = pipe.recv()
            requests = [request(payload(action, n, f"http://127.0.0.1:{slack}/reply")) for n in range(CLICKS)]
            return asyncio.run(asyncio.wait_for(load(port, requests, connections), 120))

        click("product", 16)
        clicks += CLICKS
        for connections in CONNECTIONS:
            samples: dict[str, list[float]] = {"ack": [], "product": []}
            for _ in range(REPEAT):
                for kind, found in samples.items():
                    found.append(click(kind, connections))
                clicks += CLICKS
            rates[connections] = (statistics.median(samples["product"]), statistics.median(samples["ack"]))
        for kind, (pipe, _) in servers.items():
            pipe.send("stop")
            stored = pipe.recv()
            assert kind == "ack" or stored == clicks, f"{clicks} clicks were acknowledged, {stored} answers are stored"
        near.send("stop")
    return rates


def main() -> None:
    print(f"a click: Bolt over HTTP, graded, committed (synchronous=FULL), acknowledged; {CLICKS} people a run")
    for connections, (product, floor) in measure().items():
        wanted = " (wanted: at least 0.35)" if connections == 16 else ""
        rates = f"{product:6.0f}/s, ack only {floor:6.0f}/s, ratio {product / floor:.2f}"
        print(f"  {connections:3} connections: {rates}{wanted}")


if __name__ == "__main__":
    main()
