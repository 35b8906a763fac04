"""Keycaps under trouble: news in any order, twice or never; a bot that dies, a list that fails, a crowd."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

import pytest
from sqlmodel import Session, select

from bot.chat import ChatError, Reacted
from bot.drill.keycaps import KEYCAPS
from bot.outbox import MOST_LISTS
from bot.simulate.crashes import Crash, CrashPoints
from storage.tables import Member
from tests.faults.ledger import Ledger, at, lost, raising
from tests.faults.test_kill_at_every_step import KillAt
from tests.usecases.stage import HERE, buttons, card

OPEN, CLOSE = at("2026-11-30 09:30"), at("2026-11-30 17:30")
SETUP = "setup time=09:30 zone=UTC days=daily kinds=single mode=together reactions=on window=8h"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path) as made:
        made.save(SETUP)
        made.until(OPEN)
        yield made


@dataclass
class World:
    """What people really do under the message, and the news of it. It is asked what should come of it."""

    ledger: Ledger
    rng: Random
    left: dict[str, list[int]] = field(default_factory=dict)
    """Member → the keycaps that stand, in the order in which they were left."""
    news: list[Reacted] = field(default_factory=list)

    def act(self, moment: datetime) -> None:
        """Somebody leaves a keycap or takes one away."""
        name, place = f"m{self.rng.randrange(40)}", self.rng.randrange(4)
        mine = self.left.setdefault(name, [])
        added = place not in mine
        mine.append(place) if added else mine.remove(place)
        message = self.ledger.rounds("posted")[-1].message_id
        self.ledger.chat.leave(HERE, message, name, KEYCAPS[place], there=added)
        who = self.ledger.who(name)
        self.news.append(Reacted("playground", HERE, message, KEYCAPS[place], added, who, moment))

    def play(self, acts: int) -> None:
        for number in range(acts):
            self.act(OPEN + timedelta(minutes=1, seconds=number))

    def hear(self, news: list[Reacted]) -> None:
        async def all_of_it() -> None:
            for event in news:
                assert await self.ledger.app.conversation.reacted(event)

        self.ledger._runner.run(all_of_it())

    def answers(self) -> dict[str, int]:
        """Member → the option (as shown) that their answer says."""
        order = self.ledger.rounds("posted")[-1].option_order
        names = {who.id: who.external_id for who in self.ledger.read(_members)}
        return {names[a.member_id]: order.index(a.choices[0]) for a in self.ledger.answers()}


def _members(tx: Session) -> list[Member]:
    return list(tx.exec(select(Member)))


@pytest.mark.parametrize("seed", range(4))
def test_news_in_any_order_and_twice_comes_to_the_same(ledger: Ledger, seed: int) -> None:
    """The moment that the platform gives decides, not the order in which the news comes."""
    world = World(ledger, Random(seed))
    world.play(160)
    shuffled = world.news + world.rng.sample(world.news, 40)
    world.rng.shuffle(shuffled)
    ledger.clock.move_to(OPEN + timedelta(hours=1))
    world.hear(shuffled)
    expected = {name: places[-1] for name, places in world.left.items() if places}
    assert world.answers() == expected
    ledger.until(CLOSE + timedelta(minutes=1))
    assert world.answers() == expected
    assert f"of {len(expected)} right" in ledger.chat.made()[-1].card.text  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", range(4))
def test_news_that_never_came_is_made_up_for_from_the_list(ledger: Ledger, seed: int) -> None:
    """Who left one keycap has that answer, who left none has none; of several none is made up."""
    world = World(ledger, Random(seed))
    world.play(160)
    heard = [event for event in world.news if world.rng.random() < 0.5]
    ledger.clock.move_to(OPEN + timedelta(hours=1))
    world.hear(heard)
    ledger.until(CLOSE + timedelta(minutes=1))
    found = world.answers()
    for name, places in world.left.items():
        if len(places) <= 1:
            assert found.get(name) == (places[0] if places else None), name
        else:
            assert found.get(name) in (None, *places), name
    assert ledger.rounds("posted")[-1].reactions_read_at is not None


def test_nothing_at_all_was_heard_and_the_list_says_it_all(ledger: Ledger) -> None:
    """The bot is down from just after the question until just after the close."""
    world = World(ledger, Random(7))
    world.play(160)
    ledger.stop()
    ledger.clock.move_to(CLOSE + timedelta(minutes=5))
    ledger.start()
    ledger.beat()
    assert world.answers() == {name: places[0] for name, places in world.left.items() if len(places) == 1}


def test_five_hundred_keycaps_at_once_are_five_hundred_answers(ledger: Ledger) -> None:
    """None is lost; the message shows the new count with a few edits, not with five hundred."""
    message = ledger.rounds("posted")[-1].message_id

    async def crowd() -> None:
        news = [
            Reacted("playground", HERE, message, KEYCAPS[number % 4], added=True, who=ledger.who(f"p{number}"))
            for number in range(500)
        ]
        assert all(await asyncio.gather(*map(ledger.app.conversation.reacted, news)))

    for number in range(500):
        ledger.chat.leave(HERE, message, f"p{number}", KEYCAPS[number % 4])
    ledger._runner.run(crowd())
    assert len(ledger.answers()) == 500
    edits = [call for call in ledger.chat.calls if call.verb == "edit"]
    ledger.forward(minutes=1)
    assert len([call for call in ledger.chat.calls if call.verb == "edit"]) - len(edits) <= 2
    ledger.until(CLOSE + timedelta(minutes=1))
    assert len(ledger.answers()) == 500
    assert "125 of 500 right" in ledger.chat.made()[-1].card.text  # type: ignore[union-attr]


# --- a list that fails -------------------------------------------------------------------------------------------


def test_a_list_that_fails_is_asked_for_again_before_anything_is_shown(ledger: Ledger) -> None:
    ledger.chat.leave(HERE, ledger.rounds("posted")[-1].message_id, "ann", KEYCAPS[0])
    ledger.chat.before = raising(ChatError("unsure", "http_500"), on="list", times=3)
    ledger.until(CLOSE)
    assert len(ledger.chat.made()) == 1
    ledger.forward(minutes=5)
    assert len(ledger.answers()) == 1
    assert "of 1 right" in ledger.chat.made()[-1].card.text  # type: ignore[union-attr]
    assert [notice.code for notice in ledger.notices()] == []


@pytest.mark.parametrize(
    ("error", "tries"),
    [(ChatError("unsure", "http_500"), MOST_LISTS), (ChatError("permanent", "missing_scope", cure="scope"), 1)],
)
def test_a_list_that_cannot_be_read_holds_the_close_up_for_a_while_only(
    ledger: Ledger, error: ChatError, tries: int
) -> None:
    """Then it ends with what was heard, and an admin is told why."""
    message = ledger.rounds("posted")[-1].message_id
    ledger.chat.leave(HERE, message, "bea", KEYCAPS[1])
    event = Reacted("playground", HERE, message, KEYCAPS[0], added=True, who=ledger.who("ann"))
    ledger._runner.run(ledger.app.conversation.reacted(event))
    ledger.chat.before = raising(error, on="list", times=1000)
    ledger.until(CLOSE)
    ledger.forward(hours=1)
    assert len([call for call in ledger.chat.calls if call.verb == "list"]) == tries
    assert len(ledger.answers()) == 1
    assert "of 1 right" in ledger.chat.made()[-1].card.text  # type: ignore[union-attr]
    assert [notice.code for notice in ledger.notices()] == ["reactions-unread"]
    assert len([text for text in ledger.chat.told() if text.startswith("The reactions in #drills could not")]) == 1


# --- keycaps that cannot be left ---------------------------------------------------------------------------------


def unseeded(tmp_path: Path, error: ChatError, times: int) -> Ledger:
    ledger = Ledger(tmp_path)
    ledger.save(SETUP)
    ledger.chat.before = raising(error, on="react", times=times)
    ledger.until(OPEN)
    return ledger


def seeds(ledger: Ledger) -> list[tuple[str, tuple[str, ...]]]:
    shown = ledger.chat.message(HERE, ledger.rounds("posted")[-1].message_id)
    assert shown is not None
    return list(shown.reactions)


def test_keycaps_that_could_not_be_left_at_once_are_left_later(tmp_path: Path) -> None:
    with unseeded(tmp_path, ChatError("retry", "ratelimited", 5.0), 2) as ledger:
        ledger.forward(minutes=2)
        assert seeds(ledger) == [(keycap, ("",)) for keycap in KEYCAPS[:4]]


def test_keycaps_that_may_not_be_left_are_told_to_an_admin_who_can_have_it_tried_again(tmp_path: Path) -> None:
    """The question, its answers and its close go on without them."""
    with unseeded(tmp_path, ChatError("permanent", "50013", cure="react"), 1) as ledger:
        ledger.forward(minutes=2)
        assert seeds(ledger) == []
        (notice,) = ledger.notices()
        assert notice.code == "seed-refused"
        assert any("keycap" in text.lower() for text in ledger.chat.told()), ledger.chat.told()
        told = next(write.card for write in reversed(ledger.chat.log) if write.kind == "tell" and write.card)
        (again,) = buttons(told)
        assert "Trying again" in card(ledger.tap("boss", again.action, admin=True)).text
        ledger.beat()
        assert len(seeds(ledger)) == 4
        ledger.right("ann")
        ledger.until(CLOSE + timedelta(minutes=1))
        assert "1 of 1 right" in ledger.chat.made()[-1].card.text  # type: ignore[union-attr]
        assert "done already" in card(ledger.tap("boss", again.action, admin=True)).text


def test_keycaps_are_not_left_under_a_closed_question(tmp_path: Path) -> None:
    with unseeded(tmp_path, ChatError("unsure", "http_500"), 10_000) as ledger:
        ledger.until(CLOSE + timedelta(minutes=1))
        ledger.chat.before = lambda call: None
        ledger.forward(hours=2)
        assert seeds(ledger) == []
        assert len(ledger.chat.made()) == 2


# --- a bot that dies ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    with Ledger(folder) as ledger:
        ledger.save(SETUP)
    return folder / "drills.db"


def live(saved: Path, folder: Path, points: CrashPoints) -> Ledger:
    """A day: the question, its keycaps, two people of whom one is heard, the list, the close, the result."""
    folder.mkdir()
    shutil.copyfile(saved, folder / "drills.db")
    ledger = Ledger(folder, points)
    ledger.until(OPEN)
    ledger.forward(minutes=10)
    message = ledger.rounds("posted")[-1].message_id
    ledger.chat.leave(HERE, message, "ann", KEYCAPS[0])
    ledger.chat.leave(HERE, message, "bea", KEYCAPS[1])
    event = Reacted("playground", HERE, message, KEYCAPS[0], added=True, who=ledger.who("ann"))
    while True:  # as a platform does that is told that it was not heard
        try:
            assert ledger._runner.run(ledger.app.conversation.reacted(event))
            break
        except Crash:
            ledger.restart()
    ledger.until(CLOSE)
    ledger.forward(minutes=20)
    return ledger


def test_a_bot_that_dies_at_any_step_leaves_each_keycap_once_and_counts_each_answer_once(
    saved: Path, tmp_path: Path
) -> None:
    folders = (tmp_path / str(number) for number in count())
    calm = KillAt()
    live(saved, next(folders), calm).stop()
    # Planning and claiming are gone through for every kind of round elsewhere.
    own = [n for n, step in enumerate(calm.steps, 1) if "plan_rounds" not in step and "_claim" not in step]
    assert len(own) > 20
    for number in own:
        ledger = live(saved, next(folders), KillAt(number))
        try:
            died = calm.steps[number - 1]
            assert len(ledger.answers()) == 2, died
            seeded = [write for write in ledger.chat.log if write.kind == "react" and not write.only]
            assert [write.emoji for write in seeded] == list(KEYCAPS[:4]), died
            assert len(ledger.chat.made()) == 2, died
            assert "of 2 right" in ledger.chat.made()[-1].card.text, died  # type: ignore[union-attr]
        finally:
            ledger.stop()


def test_a_reply_that_is_lost_leaves_no_second_keycap(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.save(SETUP)
        ledger.chat.after = lambda call: lost(call) if call.verb == "react" and call.number < 6 else None
        ledger.until(OPEN)
        ledger.forward(minutes=5)
        assert seeds(ledger) == [(keycap, ("",)) for keycap in KEYCAPS[:4]]
