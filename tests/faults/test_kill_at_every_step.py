"""The bot dies between every two steps of the ledger, once, twice, with a bad line besides: the channel never shows it.

The oracle is the chat's own log. A step is the moment before a database write or platform call, and the moment after it
before anybody was told.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest

from bot.chat import ChatError
from bot.simulate.crashes import Crash, CrashPoints
from tests.faults.ledger import Call, Ledger, at
from tests.usecases.stage import HERE, said

SUNDAY = at("2026-12-06 08:00")


class KillAt(CrashPoints):
    """Dies at the steps with these numbers, counted over all lives."""

    def __init__(self, *numbers: int) -> None:
        super().__init__(Random(0), rate=0.0)
        self.numbers = set(numbers)
        self.steps: list[str] = []
        self.rate = 1.0  # so that a write is waited for before the step after it

    def point(self, step: str) -> None:
        self.steps.append(step)
        if len(self.steps) in self.numbers:
            raise Crash(step)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a schedule whose next round is due on Sunday at 09:30, and its board on Monday."""
    folder = tmp_path_factory.mktemp("saved")
    with Ledger(folder, start=SUNDAY) as ledger:
        ledger.save("setup time=09:30 zone=UTC days=daily kinds=single board=mon window=24h")
    return folder / "drills.db"


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / str(number) for number in count())


def live(saved: Path, folder: Path, points: CrashPoints, trouble: Callable[[Ledger], None] = lambda _: None) -> Ledger:
    """From Sunday morning to Monday noon: a post, an answer, the close, the result, the board, the next post."""
    folder.mkdir()
    shutil.copyfile(saved, folder / "drills.db")
    ledger = Ledger(folder, points, start=SUNDAY)
    trouble(ledger)
    ledger.until(at("2026-12-06 09:40"))
    click(ledger)
    ledger.until(at("2026-12-07 09:40"))
    ledger.forward(minutes=10)
    return ledger


def click(ledger: Ledger) -> None:
    """A member taps, when there is something to tap, until somebody answers."""
    while not ledger.rounds("posted"):
        ledger.forward(minutes=1)
    while True:
        try:
            reply = said(ledger.right("ann"))
        except Crash:
            ledger.restart()
            continue
        assert "Right!" in reply
        return


def check(ledger: Ledger) -> None:
    """What must stand in the channel, whatever happened on the way."""
    shown = [(write.kind, write.card.text.split(":")[0]) for write in ledger.chat.made() if write.card is not None]
    assert shown == [
        ("post", "Daily drill #1"),
        ("reply", "Answer"),
        ("post", "Board of the week · Mon 30 Nov – Sun 6 Dec"),
        ("post", "Daily drill #2"),
    ]
    ledger.check_whole()
    first = ledger.chat.message(HERE, ledger.chat.made()[0].id)
    assert first is not None
    assert "Closed · 1 of 1 right" in first.card.text
    assert [(a.points, a.late) for a in ledger.answers()] == [(1000, False)]
    assert ledger.deliveries("sending", "unsure") == []
    close_edits = [w.number for w in ledger.chat.log if w.kind == "edit" and w.card and "Closed" in w.card.text]
    assert close_edits[0] < ledger.chat.made()[1].number, "the close is shown before the result"


def test_the_bot_dies_once_at_every_single_step(saved: Path, folders: Iterator[Path]) -> None:
    calm = KillAt()
    with live(saved, next(folders), calm) as ledger:
        check(ledger)
    steps = len(calm.steps)
    assert steps > 50
    assert {"post was done", "reply was done", "edit was done"} <= set(calm.steps)
    for number in range(1, steps + 1):
        points = KillAt(number)
        with live(saved, next(folders), points) as ledger:
            try:
                check(ledger)
            except AssertionError as fault:
                raise AssertionError(f"after a death where “{points.steps[number - 1]}” (step {number})") from fault
            assert ledger.starts == 1


def test_the_bot_dies_again_while_it_settles_what_the_first_death_left(saved: Path, folders: Iterator[Path]) -> None:
    rng = Random(20)
    for _ in range(25):
        first = rng.randrange(1, 60)
        points = KillAt(first, first + rng.randrange(1, 9), first + rng.randrange(9, 20))
        with live(saved, next(folders), points) as ledger:
            try:
                check(ledger)
            except AssertionError as fault:
                raise AssertionError(f"after deaths at {sorted(points.numbers)}") from fault
            assert ledger.starts >= 2


TROUBLES: dict[str, tuple[str, BaseException]] = {
    "the reply is lost": ("after", ChatError("unsure", "connection_reset")),
    "the call takes too long, and was done": ("after", TimeoutError()),
    "the call takes too long, and was not done": ("before", TimeoutError()),
    "the platform fails": ("before", ChatError("unsure", "http_500")),
    "the platform limits": ("before", ChatError("retry", "ratelimited", 7.0)),
    "our own code fails": ("after", RuntimeError("on purpose")),
}


@pytest.mark.parametrize("kind", TROUBLES)
def test_every_single_platform_call_goes_wrong_once(saved: Path, folders: Iterator[Path], kind: str) -> None:
    when, error = TROUBLES[kind]
    with live(saved, next(folders), CrashPoints(Random(0))) as ledger:
        calls = len(ledger.chat.calls)
    assert calls >= 5
    for number in range(1, calls + 1):

        def trouble(call: Call, number: int = number) -> None:
            if call.number == number and call.verb != "tell":
                raise error

        with live(
            saved, next(folders), CrashPoints(Random(0)), lambda ledger: setattr(ledger.chat, when, trouble)
        ) as it:
            try:
                check(it)
            except AssertionError as fault:
                raise AssertionError(f"after {kind} at {it.chat.calls[number - 1]}") from fault


def test_half_of_all_calls_go_wrong_and_the_bot_dies_now_and_then(saved: Path, folders: Iterator[Path]) -> None:
    """In any order and mixture, by seed."""
    for seed in range(15):
        rng = Random(seed)

        def trouble(call: Call, rng: Random = rng, when: str = "") -> None:
            if call.verb != "tell" and rng.random() < 0.25:
                raise rng.choice([error for moment, error in TROUBLES.values() if moment == when])

        def both(ledger: Ledger, trouble: Callable[..., None] = trouble) -> None:
            ledger.chat.before = lambda call: trouble(call, when="before")
            ledger.chat.after = lambda call: trouble(call, when="after")

        points = KillAt(*(rng.randrange(1, 150) for _ in range(6)))
        with live(saved, next(folders), points, both) as ledger:
            ledger.chat.before = ledger.chat.after = lambda call: None
            ledger.forward(hours=1)
            try:
                check(ledger)
            except AssertionError as fault:
                raise AssertionError(f"with seed {seed}, after deaths at {sorted(points.numbers)}") from fault
