"""Keycaps of people who want nothing recorded: nothing new is kept, what was kept before stands or is taken back."""

from __future__ import annotations

import pytest

from bot.chat import Reacted, Reaction
from bot.drill.keycaps import KEYCAPS
from bot.usecases.note_reaction import settle_reactions
from storage.tables import ReactionMark
from tests.usecases.stage import HERE, Stage


@pytest.fixture
def keyed(stage: Stage) -> Stage:
    """A channel with a question that takes keycaps."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single mode=together reactions=on")
    stage.local("2026-11-30 09:30")
    return stage


def react(stage: Stage, name: str, place: int, *, added: bool = True) -> None:
    message = stage.rounds("posted")[-1].message_id
    timed = {"at": stage.clock.now()}
    event = Reacted("playground", HERE, message, KEYCAPS[place], added, stage.who(name), **timed)
    assert stage._runner.run(stage.app.conversation.reacted(event))


def settle(stage: Stage, *listed: tuple[str, int]) -> None:
    found = [Reaction(name, name.title(), KEYCAPS[place]) for name, place in listed]
    stage.clock.move_to(stage.rounds("posted")[-1].closes_at)
    now, round_id = stage.clock.now(), stage.open
    stage.change(lambda tx: settle_reactions(tx, round_id, "playground", found, now))


def test_nothing_is_kept_of_a_keycap_that_they_leave_or_take_away(keyed: Stage) -> None:
    keyed.typed("noor", "settings recording=off")
    react(keyed, "noor", 0)
    react(keyed, "noor", 1, added=False)
    settle(keyed, ("noor", 0), ("noor", 2))
    assert (keyed.count(ReactionMark), keyed.answers()) == (0, [])


def test_the_answer_that_they_had_left_before_stands_at_close(keyed: Stage) -> None:
    """As one by a button does."""
    react(keyed, "noor", 0)
    keyed.typed("noor", "settings recording=off")
    settle(keyed, ("noor", 0), ("noor", 1))
    assert [answer.choices for answer in keyed.answers()] == [[keyed.rounds("posted")[-1].option_order[0]]]


def test_they_can_still_take_back_what_they_had_left_before(keyed: Stage) -> None:
    react(keyed, "noor", 0)
    keyed.typed("noor", "settings recording=off")
    keyed.forward(minutes=1)
    react(keyed, "noor", 0, added=False)
    assert keyed.answers() == []
    settle(keyed)
    assert keyed.answers() == []
