"""The wall clock is set wrong, and admins change things in the midst of a round: nothing is undone by either."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Literal

import pytest
from sqlmodel import select

from bot.card import Card
from bot.chat import ChatError, Message, Place
from bot.clock import HandClock
from bot.web.playground.chat import PlaygroundChat
from storage.tables import Notice
from tests.usecases.stage import Stage, said


def test_a_change_to_together_mode_does_not_let_a_final_answer_be_changed(drill: Stage) -> None:
    """Who has seen the verdict cannot answer again, whatever the schedule says now."""
    assert "Not this time." in said(drill.wrong("ann"))
    drill.save("schedule mode=together")
    assert "Your first answer stands." in said(drill.right("ann"))
    assert [(a.correct, a.points, a.changes) for a in drill.answers()] == [(False, 0, 0)]


def test_a_change_to_instant_mode_does_not_reveal_a_round_that_was_posted_in_together_mode(together: Stage) -> None:
    """It said that the last answer counts and that the key comes at close: both hold to its end."""
    together.wrong("ann")
    together.save("schedule mode=instant")
    reply = said(together.right("ann"))
    assert reply.startswith("Changed: ")
    assert "Because of cedar itself." not in reply
    assert [(a.correct, a.changes) for a in together.answers()] == [(True, 1)]


def test_a_clock_set_back_after_the_close_does_not_open_the_round_again(drill: Stage) -> None:
    """The key stands in the thread: an answer that comes now is late, also for a clock that is an hour behind."""
    round_id = drill.open
    drill.local("2026-12-01 09:30")
    drill.clock.set(drill.clock.now() - timedelta(hours=1))
    assert "no points" in said(drill.tap("ann", f"answer:{round_id}:c"))
    assert [(a.late, a.points) for a in drill.answers()] == [(True, 0)]


def test_a_clock_set_back_posts_no_date_twice_and_holds_nothing_up(drill: Stage) -> None:
    """An hour back in the minute after the post: the same date's post is not made again, the next one comes."""
    drill.clock.set(drill.clock.now() - timedelta(hours=1))
    drill.forward(hours=26)
    assert [r.local_date.day for r in drill.rounds("posted")] == [30, 1]
    assert sum(write.kind == "post" for write in drill.chat.log) == 2


def test_a_clock_set_forward_posts_each_date_once(drill: Stage) -> None:
    drill.clock.set(drill.clock.now() + timedelta(hours=24))
    drill.beat()
    drill.clock.set(drill.clock.now() - timedelta(hours=24))
    drill.forward(hours=25)
    assert [r.local_date.day for r in drill.rounds("posted")] == [30, 1]
    assert sum(write.kind == "post" for write in drill.chat.log) == 2


@pytest.mark.parametrize("days", [3, 30, 500, 20_000], ids=["3 days", "a month", "past all planning", "half a century"])
def test_a_clock_that_ran_days_ahead_for_a_moment_silences_no_channel(drill: Stage, days: int) -> None:
    """What it gave up as missed was still to come: it is promised again, and nobody keeps being told otherwise."""
    drill.clock.set(drill.clock.now() + timedelta(days=days))
    drill.beat()
    drill.clock.set(drill.clock.now() - timedelta(days=days))
    drill.forward(days=9)
    due = [date(2026, 11, 30) + timedelta(days=n) for n in range(10)]
    posted = [r.local_date for r in drill.rounds("posted")]
    assert [day for day in posted if day <= due[-1]] == due
    assert len({w.key for w in drill.chat.log if w.kind == "post"}) == sum(w.kind == "post" for w in drill.chat.log)
    assert not [r for r in drill.rounds("missed") if r.posts_at > drill.clock.now()]
    assert not [n for n in notices(drill) if n.code == "missed" and n.detail["date"] > "2026-12-09"]


def test_the_board_of_a_week_that_a_fast_clock_thought_empty_comes_in_its_time(drill: Stage) -> None:
    drill.right("ann")
    drill.clock.set(drill.clock.now() + timedelta(days=30))
    drill.beat()
    drill.clock.set(drill.clock.now() - timedelta(days=30))
    drill.forward(days=8)
    drill.right("ann")
    drill.local("2026-12-14 09:30")
    assert "Mon 7 Dec – Sun 13 Dec" in "\n".join(said(w.card) for w in drill.chat.log if w.kind == "post" and w.card)


def test_a_schedule_saved_while_the_clock_ran_ahead_begins_at_once_when_it_is_right(stage: Stage) -> None:
    stage.clock.set(stage.clock.now() + timedelta(days=30))
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.clock.set(stage.clock.now() - timedelta(days=30))
    stage.local("2026-12-01 09:30")
    assert [r.local_date for r in stage.rounds("posted")] == [date(2026, 11, 30), date(2026, 12, 1)]


def test_a_delivery_that_was_put_off_while_the_clock_ran_ahead_does_not_wait_for_that_day(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.local("2026-11-30 09:29")
    stage.app.chats["playground"] = Refusing("retry", 30.0)
    stage.clock.set(stage.clock.now() + timedelta(days=30, hours=3))
    stage.beat()
    stage.clock.set(stage.clock.now() - timedelta(days=30, hours=3))
    stage.app.chats["playground"] = stage.chat
    stage.forward(hours=4)
    assert [r.local_date for r in stage.rounds("posted")] == [date(2026, 11, 30)]


@pytest.mark.parametrize("asked", [float("inf"), float("nan"), 1e300, -1.0, 1e6])
def test_however_long_a_platform_asks_to_wait_the_channel_goes_on(stage: Stage, asked: float) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.app.chats["playground"] = Refusing("retry", asked)
    stage.local("2026-11-30 09:30")
    stage.app.chats["playground"] = stage.chat
    stage.forward(hours=49)
    assert stage.rounds("posted")


class Refusing(PlaygroundChat):
    """A chat that takes nothing."""

    def __init__(self, outcome: Literal["retry", "unsure"], retry_after: float) -> None:
        super().__init__(HandClock(datetime(2026, 1, 1, tzinfo=UTC)))
        self.error = ChatError(outcome, "ratelimited", retry_after)

    async def post(self, place: Place, card: Card, key: str) -> Message:
        raise self.error


def notices(stage: Stage) -> list[Notice]:
    return list(stage.read(lambda tx: tx.exec(select(Notice)).all()))


def test_the_typed_answer_goes_to_the_round_that_was_posted_last(drill: Stage) -> None:
    """Not to the one that a fast clock posted a month too early, although its date is later."""
    drill.clock.set(drill.clock.now() + timedelta(days=30))
    drill.beat()
    drill.clock.set(drill.clock.now() - timedelta(days=30))
    drill.forward(days=1)
    newest = next(r for r in drill.rounds("posted") if r.local_date == date(2026, 12, 1))
    drill.typed("ann", "answer C")
    assert [a.round_id for a in drill.answers()] == [newest.id]
