"""Answers under trouble: counted once, on the right side of the deadline, and never acknowledged without a row."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import Session

from bot.chat import Reply, Submission, Tap
from storage.database import sqlite_module
from tests.faults.ledger import at
from tests.usecases.stage import HERE, Stage, said

CLOSES = at("2026-12-01 09:30")


def at_once(taps: list[Callable[[], Reply]], threads: int = 32) -> list[str]:
    """What is said to all of them, sent from many threads at the same moment."""
    with ThreadPoolExecutor(threads) as pool:
        return [said(reply) for reply in pool.map(lambda tap: tap(), taps)]


# --- once -----------------------------------------------------------------------------------------------------------


def test_a_double_tap_two_devices_and_three_redeliveries_are_one_answer(drill: Stage) -> None:
    """Whichever choice is stored first counts, every reply tells of that one, and the points are counted once."""
    taps = [lambda key=key: drill.tap("ann", f"answer:{drill.open}:{key}") for key in "cacaccca"]  # type: ignore[misc]
    replies = at_once(taps)
    (answer,) = drill.answers()
    assert answer.changes == 0
    right = answer.choices == ["c"]
    assert all(("Right!" in reply) == right for reply in replies)
    assert sum("stands" not in reply for reply in replies) == 1
    drill.until(CLOSES)
    assert f"1\nAnn\n{'10' if right else '0'}\n1" in said(drill.typed("ann", "board week"))


def test_in_together_mode_the_last_of_many_taps_counts_and_is_one_answer(together: Stage) -> None:
    for key in "abcd":
        together.tap("ann", f"answer:{together.open}:{key}")
    at_once([lambda: together.tap("ann", f"answer:{together.open}:b")] * 8)  # the same tap, delivered again
    assert [(a.choices, a.changes) for a in together.answers()] == [(["b"], 4)]


def test_a_thousand_answers_at_once_are_a_thousand_rows(drill: Stage) -> None:
    replies = at_once([lambda n=n: drill.tap(f"m{n}", f"answer:{drill.open}:c") for n in range(1000)])  # type: ignore[misc]
    assert all("Right!" in reply for reply in replies)
    assert len(drill.answers()) == 1000
    assert len({answer.member_id for answer in drill.answers()}) == 1000


# --- the deadline -----------------------------------------------------------------------------------------------------


def test_at_the_deadline_the_moment_of_receipt_decides_for_each_of_200_answers(drill: Stage) -> None:
    """Stored later than received: a queue in front of the writer makes nobody late, and nobody early."""
    round_id, rng = drill.open, Random(3)
    drill.clock.set(CLOSES - timedelta(milliseconds=100))
    hold = threading.Event()
    drill.app.database.write(lambda tx: hold.wait(10))
    offsets = [rng.randrange(-100, 100) for _ in range(196)] + [-1, 0, 0, 1]
    waiting = []
    for number, offset in enumerate(offsets):
        drill.clock.set(CLOSES + timedelta(milliseconds=offset))
        tap = Tap(drill.who(f"m{number}"), f"answer:{round_id}:c", HERE)
        waiting.append((offset, drill.app.conversation.begin(tap)))
    hold.set()
    told = [(offset, said(finish())) for offset, finish in waiting]
    assert all(("no points" in reply) == (offset >= 0) for offset, reply in told)
    rows = drill.answers()
    assert len(rows) == 200
    assert all(row.late == (row.answered_at >= CLOSES) for row in rows)
    assert all(row.points == (0 if row.late else 1000) for row in rows)
    drill.until(CLOSES + timedelta(seconds=1))
    timely = sum(offset < 0 for offset in offsets)
    assert f"{timely} of {timely} right" in said(drill.chat.message(HERE, drill.rounds("posted")[0].message_id).card)  # type: ignore[union-attr]


def test_in_together_mode_no_change_is_taken_after_the_deadline(together: Stage) -> None:
    round_id = together.open
    together.wrong("ann")
    together.clock.set(CLOSES)
    assert "Your answer stands." in said(together.tap("ann", f"answer:{round_id}:c"))
    assert [(a.correct, a.late) for a in together.answers()] == [(False, False)]


# --- a database that fails --------------------------------------------------------------------------------------------


def locked(drill: Stage) -> Any:
    """Another connection that holds the file until it rolls back."""
    other = sqlite_module()[0].connect(drill.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_while_the_file_is_locked_a_tap_is_told_that_nothing_was_saved_and_the_next_one_works(drill: Stage) -> None:
    other = locked(drill)
    assert "nothing was saved" in said(drill.right("ann"))
    other.execute("ROLLBACK")
    other.close()
    assert drill.answers() == []
    assert "Right!" in said(drill.right("ann"))


@pytest.mark.parametrize("way", ["taps", "forms", "taps on one loop"])
def test_on_a_full_disk_who_is_told_of_an_answer_has_a_row_and_who_has_none_is_told_so(drill: Stage, way: str) -> None:
    """Many tap at once while the file cannot grow; the commit they share fails for some or for all."""

    def limit(tx: Session) -> None:
        pages = tx.connection().execute(text("PRAGMA page_count")).scalar_one()
        tx.connection().execute(text(f"PRAGMA max_page_count = {pages + 2}"))

    drill.change(limit)
    action, round_id = f"answer:{drill.open}:c", drill.open

    def one(number: int) -> Callable[[], Reply]:
        who = drill.who(f"m{number}")
        if way == "forms":
            return lambda: drill.hear(Submission(who, f"answer:{round_id}", {"answer": ("c",)}, HERE))
        return lambda: drill.hear(Tap(who, action, HERE))

    if way == "taps on one loop":
        taps = [Tap(drill.who(f"m{number}"), action, HERE) for number in range(400)]

        async def together() -> list[Reply]:
            return await asyncio.gather(*(drill.app.conversation.hear(tap) for tap in taps))

        replies = [said(reply) for reply in asyncio.run(together())]
    else:
        replies = at_once([one(number) for number in range(400)])
    told = sum("Right!" in reply for reply in replies)
    refused = sum("nothing was saved" in reply for reply in replies)
    assert told + refused == 400
    assert refused > 0
    assert len(drill.answers()) == told
    drill.change(lambda tx: tx.connection().execute(text("PRAGMA max_page_count = 100000")).scalar_one())
    assert "Right!" in said(one(999)())


CLICKER = """
import sys
from datetime import UTC, datetime
from bot.chat import Who
from bot.usecases.meet_member import meet_member
from bot.usecases.submit_answer import submit_answer
from content.question import Response
from storage.database import Database

database, now = Database(sys.argv[1]), datetime(2026, 11, 30, 9, 45, tzinfo=UTC)
def answer(name):
    def verb(tx):
        met = meet_member(tx, Who("playground", "w", name, name), now)
        submit_answer(tx, met, int(sys.argv[2]), Response(("c",)), now)
    return verb
for first in range(0, 100000, 8):
    batch = [(n, database.write(answer(f"m{n}"))) for n in range(first, first + 8)]
    for n, future in batch:
        future.result()
        print(n, flush=True)
"""


def test_a_process_killed_in_the_midst_of_clicks_loses_no_answer_that_it_acknowledged(drill: Stage) -> None:
    """kill -9 while batches are committed: every acknowledged answer has its row, and the file is whole."""
    acknowledged: set[str] = set()
    for enough in (30, 200, 500):
        process = subprocess.Popen(
            [sys.executable, "-c", CLICKER, drill.url, str(drill.open)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            acknowledged.add(f"m{line.strip()}")
            if len(acknowledged) >= enough:
                break
        process.kill()
        acknowledged |= {f"m{line.strip()}" for line in process.stdout if line.endswith("\n")}
        process.wait(10)
    query = "SELECT member.external_id FROM answer JOIN member ON member.id = answer.member_id"
    stored = {row[0] for row in drill.read(lambda tx: tx.connection().execute(text(query)).all())}
    assert len(acknowledged) >= 500
    assert acknowledged <= stored
    assert drill.read(lambda tx: tx.connection().execute(text("PRAGMA integrity_check")).scalar_one()) == "ok"


def test_an_event_that_makes_no_sense_is_answered_and_stops_nothing(drill: Stage) -> None:
    """Poisoned ids, forms and names, among good taps."""
    bad = [
        f"answer:{2**70}:c",
        "answer:x:c",
        "answer:1",
        "form:",
        "mine:-1",
        "read:1:xx",
        "save:1",
        "",
        ":::",
        "💥" * 500,
    ]
    for action in bad:
        assert said(drill.tap("ann", action))
    long_name = drill.who("eve\u202e\x00" + "n" * 10_000)
    assert "Right!" in said(drill.hear(Tap(long_name, f"answer:{drill.open}:c", HERE)))
    drill.hear(Submission(drill.who("bob"), f"answer:{drill.open}", {"answer": "x" * 1_000_000}, HERE))
    drill.hear(Submission(drill.who("bob"), f"answer:{drill.open}", {}, HERE))
    assert "Right!" in said(drill.right("cyd"))
    assert len(drill.answers()) == 2


def test_a_locked_file_delays_a_post_and_neither_loses_nor_doubles_it(drill: Stage) -> None:
    """The beat fails while another process holds the file; the next one tries again."""
    drill.clock.move_to(CLOSES)
    other = locked(drill)
    ticker = drill.app.ticker
    assert asyncio.run(ticker.beat()) == 0
    assert ticker.failures == 1
    other.execute("ROLLBACK")
    other.close()
    drill.forward(minutes=2)
    assert [write.kind for write in drill.chat.log if write.kind in ("post", "reply")] == ["post", "reply", "post"]
