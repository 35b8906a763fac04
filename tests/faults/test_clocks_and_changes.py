"""The wall clock is set wrong, and admins change things in the midst of a round: nothing is undone by either."""

from __future__ import annotations

from datetime import timedelta

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
