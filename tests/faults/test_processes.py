"""Real processes on a real file, killed with -9 at chosen moments of their talk with a real server.

The oracle is the server's log: it knows what it accepted, whoever asked, and whether the caller lived to hear of it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import select

from bot.chat import Place
from storage.database import Database
from storage.tables import Delivery, Round
from tests.faults.ledger import at
from tests.usecases.stage import Stage

CHANNELS = 5
ROOT = Path(__file__).parents[2]


class Platform(ThreadingHTTPServer):
    """Accepts posts and remembers them. ``before`` and ``after`` are called with the number of the request: before
    it is carried out, and after, when the caller has not been answered yet. They may say what to answer instead."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.log: list[dict[str, Any]] = []
        self.requests = 0
        self.before: Callable[[int], int | None] = lambda number: None
        self.after: Callable[[int], int | None] = lambda number: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def made(self) -> list[dict[str, Any]]:
        with self.lock:
            return [entry for entry in self.log if entry["verb"] == "post"]


class _Handler(BaseHTTPRequestHandler):
    server: Platform
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        verb, platform = self.path.strip("/"), self.server
        with platform.lock:
            platform.requests += 1
            number = platform.requests
        instead = platform.before(number)
        if instead is None:
            answer = self._carry_out(verb, asked)
            instead = platform.after(number)
        if instead == 0:  # the line breaks
            self.close_connection = True
            self.connection.close()
            return
        body = json.dumps(answer if instead is None else {}).encode()
        self.send_response(instead or 200)
        if instead == 429:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _carry_out(self, verb: str, asked: dict[str, Any]) -> dict[str, Any]:
        platform = self.server
        with platform.lock:
            if verb == "find":
                kept = [e for e in platform.log if e["verb"] == "post" and e["key"] == asked["key"]]
                return {"id": kept[0]["id"] if kept else ""}
            entry = {"id": f"m{len(platform.log)}", "verb": verb, **asked}
            platform.log.append(entry)
            return entry

    def handle(self) -> None:
        with suppress(ConnectionError, ValueError):  # a killed caller
            super().handle()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def platform() -> Iterator[Platform]:
    with Platform() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def due(tmp_path: Path) -> Path:
    """A file with many channels: each has a round to close, a result, a board and a round to post, all due at once."""
    with Stage(tmp_path, start=at("2026-12-06 08:00")) as stage:
        for number in range(CHANNELS):
            place = Place("w", f"c{number:02}")
            stage.chat.open_channel(place, place.channel)
            stage.save("setup time=09:30 zone=UTC days=daily kinds=all board=mon", place)
        stage.local("2026-12-06 09:30")
        assert len(stage.rounds("posted")) == CHANNELS
    return tmp_path / "drills.db"


class Workers:
    """Processes of the bot, one beating and one standing by, newest last."""

    def __init__(self, database: Path, platform: Platform) -> None:
        self.arguments = [str(database), platform.url]
        self.began = time.monotonic()
        self.alive: list[subprocess.Popen[str]] = []
        self.killed = 0

    def add(self) -> None:
        # A later life begins later: the clock of a dead process is not set back for the next one.
        now = at("2026-12-07 09:30") + timedelta(seconds=time.monotonic() - self.began)
        command = [sys.executable, "-m", "tests.faults.worker", *self.arguments, now.isoformat()]
        pipe = subprocess.PIPE
        self.alive.append(
            subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        )

    def kill_first(self) -> None:
        """kill -9 to the one that runs; whoever stands by takes over, and another comes to stand by."""
        self.alive.pop(0).kill()
        self.killed += 1
        self.add()

    def end(self) -> None:
        for process in self.alive:
            process.kill()
            process.wait(10)


@pytest.fixture
def workers(due: Path, platform: Platform) -> Iterator[Workers]:
    found = Workers(due, platform)
    found.add()
    found.add()
    yield found
    found.end()


def wait_until_done(database: Path, seconds: float = 60) -> None:
    """Until the ledger has nothing left that was due."""
    deadline = time.monotonic() + seconds
    with Database(f"sqlite:///{database}") as looking:
        while True:
            left = looking.read(
                lambda tx: tx.exec(
                    select(Delivery.step, Delivery.state, Delivery.error).where(
                        Delivery.due_at <= at("2026-12-07 09:30"),
                        Delivery.state.not_in(["sent", "dropped"]),  # type: ignore[attr-defined]
                    )
                ).all()
            ).result()
            if not left:
                return
            assert time.monotonic() < deadline, Counter(left)
            time.sleep(0.1)


def check(database: Path, platform: Platform) -> None:
    """Every due key exactly once, in the order of its channel, and the ledger calls sent what the server has."""
    made = platform.made()
    assert [key for key, n in Counter(entry["key"] for entry in made).items() if n > 1] == []
    for number in range(CHANNELS):
        texts = [entry["text"].split(":")[0] for entry in made if entry["channel"] == f"c{number:02}"]
        assert [text.split(" ")[0] for text in texts] == [texts[0].split(" ")[0], "Board", "Daily"], texts
        assert "Daily" not in texts[0], "the result comes first"
    closes = [entry for entry in platform.log if entry["verb"] == "edit" and "Closed" in entry["text"]]
    assert {entry["channel"] for entry in closes} == {f"c{number:02}" for number in range(CHANNELS)}
    with Database(f"sqlite:///{database}") as looking:
        rows = looking.read(lambda tx: tx.exec(select(Delivery)).all()).result()
        rounds = looking.read(
            lambda tx: tx.exec(select(Round).where(Round.local_date == at("2026-12-07").date())).all()
        )
        posted = {round_.message_id for round_ in rounds.result()}
        whole = looking.read(lambda tx: tx.connection().execute(text("PRAGMA integrity_check")).scalar_one()).result()
    before = {row.key for row in rows if row.step == "post" and row.due_at < at("2026-12-07 09:30")}
    sent = {row.key for row in rows if row.state == "sent" and row.step != "close"} - before
    assert sent == {entry["key"] for entry in made}
    assert posted == {entry["id"] for entry in made if entry["text"].startswith("Daily")}
    assert whole == "ok"


def test_processes_killed_before_and_after_the_platform_accepted_post_everything_once(
    due: Path, platform: Platform, workers: Workers
) -> None:
    """Five kills at chosen requests, one process always standing by; the last one finishes."""
    kills = {3: "before", 7: "after", 12: "after", 16: "before", 20: "after"}

    def killing(moment: str) -> Callable[[int], int | None]:
        def at_request(number: int) -> int | None:
            if kills.get(number) == moment:
                workers.kill_first()
                return 0
            return None

        return at_request

    platform.before, platform.after = killing("before"), killing("after")
    wait_until_done(due)
    assert workers.killed == len(kills)
    check(due, platform)


def test_a_line_that_breaks_and_a_platform_that_fails_and_limits_double_and_lose_nothing(
    due: Path, platform: Platform, workers: Workers
) -> None:
    """Every sixth reply is lost, every ninth call fails, every eleventh is limited; and one kill in the midst."""

    def before(number: int) -> int | None:
        return 500 if number % 9 == 0 else 429 if number % 11 == 0 else None

    def after(number: int) -> int | None:
        if number == 13:
            workers.kill_first()
            return 0
        return 0 if number % 6 == 0 else None

    platform.before, platform.after = before, after
    wait_until_done(due, 90)
    check(due, platform)


def test_a_second_process_posts_nothing_while_the_first_lives(due: Path, platform: Platform, workers: Workers) -> None:
    first, second = workers.alive
    assert first.stdout is not None
    assert second.stdout is not None
    said = {first.stdout.readline().strip(), second.stdout.readline().strip()}
    assert said == {"running", "standing by"}
    wait_until_done(due)
    check(due, platform)
    for process in workers.alive:
        assert process.poll() is None


def test_a_process_that_is_asked_to_stop_finishes_and_leaves_no_lease(due: Path, platform: Platform) -> None:
    """A clean end in the midst of the work: the next start has nothing to look up."""
    workers = Workers(due, platform)
    reached = threading.Event()
    platform.after = lambda number: reached.set() if number >= 6 else None  # type: ignore[func-returns-value]
    workers.add()
    assert reached.wait(30)
    process = workers.alive[0]
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(30) == 0
    with Database(f"sqlite:///{due}") as looking:
        held = looking.read(lambda tx: tx.exec(select(Delivery).where(Delivery.holder != "")).all()).result()
    assert held == []
    workers.alive.clear()
    workers.add()
    wait_until_done(due)
    workers.end()
    check(due, platform)
    assert not [entry for entry in platform.log if entry["verb"] == "find"]
