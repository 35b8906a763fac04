"""``python -m tests.standins.slack [--port N] [--log FILE]``: the stand-in in a process of its own.

Prints one JSON line (addresses, tokens, ids) when it serves, and serves until it is told to stop (SIGINT, SIGTERM).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from tests.standins.slack.clock import MovingClock
from tests.standins.slack.server import SlackStandin


async def serve(port: int, log_file: Path | None) -> None:
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    async with SlackStandin(clock=MovingClock(), port=port, log_file=log_file) as slack:
        line = {
            "base_url": slack.base_url,
            "bot_token": slack.bot_token,
            "app_token": slack.app_token,
            "signing_secret": slack.signing_secret,
            "workspace": slack.workspace.id,
            "bot_user": slack.bot.id,
        }
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.standins.slack")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--log", type=Path, default=None, help="append accepted writes here, one JSON line each")
    given = parser.parse_args()
    asyncio.run(serve(given.port, given.log))


if __name__ == "__main__":
    main()
