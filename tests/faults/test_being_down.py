"""The bot was down over something: on start it does what can still be done, says what cannot, and never in a burst."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.card import Table
from storage.backup import backup, restore
from tests.faults.ledger import Ledger, at, raising
from tests.usecases.stage import HERE, button, said

SETUP = "setup time=09:30 zone=UTC days=daily kinds=single board=mon"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A channel whose round is due on Monday, 30 November, at 09:30; it is 08:00."""
    with Ledger(tmp_path) as ledger:
        ledger.save(SETUP)
        yield ledger


def down(ledger: Ledger, begin: str, end: str) -> None:
    ledger.until(at(begin))
    ledger.stop()
    ledger.clock.move_to(at(end))
    ledger.start()
    ledger.beat()


def test_down_for_five_minutes_over_the_due_time_the_question_comes_late_and_closes_as_planned(ledger: Ledger) -> None:
    down(ledger, "2026-11-30 09:28", "2026-11-30 09:33")
    posted = ledger.rounds("posted")
    assert [(r.posted_at, r.closes_at) for r in posted] == [(at("2026-11-30 09:33"), at("2026-12-01 09:30"))]
    assert ledger.chat.told() == []


def test_down_past_the_catch_up_the_round_is_missed_with_its_reason_and_the_next_one_comes(ledger: Ledger) -> None:
    down(ledger, "2026-11-30 09:28", "2026-11-30 13:31")
    assert [(r.local_date.day, r.reason) for r in ledger.rounds("missed")] == [(30, "down")]
    assert ledger.chat.told() == [
        "The drill of Mon 30 Nov in #drills was missed: the bot was not running at that time."
    ]
    ledger.local("2026-12-01 09:30")
    assert [r.local_date.day for r in ledger.rounds("posted")] == [1]
    assert "was missed" in said(ledger.admin("now")) or "taken" in said(ledger.admin("now"))


def test_down_for_days_is_one_message_to_the_admin_and_no_burst_of_questions(ledger: Ledger) -> None:
    ledger.local("2026-11-30 10:00")
    down(ledger, "2026-11-30 10:00", "2026-12-04 10:00")
    ledger.forward(minutes=1)
    made = [write.card.text.split(":")[0] for write in ledger.chat.made() if write.card is not None]
    assert made == ["Daily drill #1", "Answer", "Daily drill #2"]
    assert [r.local_date.day for r in ledger.rounds("posted")] == [30, 4]
    missed = [text for text in ledger.chat.told() if "missed" in text]
    assert missed == [
        "The drills of Tue 1 Dec, Wed 2 Dec, Thu 3 Dec in #drills were missed: the bot was not running at that time."
    ]


def test_down_over_the_close_answers_still_stop_at_the_planned_moment(ledger: Ledger) -> None:
    ledger.local("2026-11-30 09:30")
    ledger.right("ann")
    down(ledger, "2026-11-30 12:00", "2026-12-01 20:00")
    assert "no points" in said(ledger.tap("bob", f"answer:{ledger.open}:c"))
    first = ledger.chat.message(HERE, ledger.chat.made()[0].id)
    assert first is not None
    assert "1 of 1 right" in first.card.text


def test_a_board_missed_while_down_is_made_on_start_as_it_would_have_been(ledger: Ledger, tmp_path: Path) -> None:
    """The same rows give the same board, a day and a half late."""
    with Ledger(_folder(tmp_path / "never-down")) as other:
        other.save(SETUP)
        for stage in (other, ledger):
            for day in ("2026-12-01", "2026-12-03", "2026-12-05"):
                stage.until(at(f"{day} 09:31"))
                stage.right("ann")
                stage.wrong("bob")
        other.until(at("2026-12-08 22:00"))
        down(ledger, "2026-12-07 08:00", "2026-12-08 22:00")
        ledger.forward(minutes=1)
        assert _boards(ledger) == _boards(other)
    assert len(_boards(ledger)) == 1


def test_a_week_of_which_nothing_was_posted_has_no_board_and_holds_up_no_question(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.save("setup time=09:30 zone=UTC days=mon kinds=single board=mon")
        down(ledger, "2026-11-30 09:00", "2026-12-01 12:00")
        ledger.local("2026-12-07 09:30")
        assert _boards(ledger) == []
        assert [r.posted_at for r in ledger.rounds("posted")] == [at("2026-12-07 09:30")]


def test_a_new_process_answers_taps_on_messages_of_weeks_ago(ledger: Ledger) -> None:
    ledger.local("2026-11-30 09:30")
    tap = button(ledger.chat.made()[0].card, "answer")  # type: ignore[arg-type]
    ledger.right("ann")
    down(ledger, "2026-12-01 09:00", "2026-12-24 09:00")
    assert "Your first answer stands." in said(ledger.tap("ann", tap))
    assert "feedback only, nothing was recorded" in said(ledger.tap("bob", tap))
    assert len(ledger.answers()) == 1


def test_who_taps_before_the_bot_knows_that_its_message_stands_is_answered(ledger: Ledger) -> None:
    """The reply was lost and the process died: the message can be seen, so it can be answered, and counts later."""
    from bot.chat import ChatError

    ledger.chat.after = raising(ChatError("unsure", "connection_reset"), on="post")
    ledger.chat.before = raising(ChatError("unsure", "http_503"), on="find", times=20)
    ledger.local("2026-11-30 09:31")
    assert ledger.rounds("posted") == []
    tap = button(ledger.chat.made()[0].card, "answer")  # type: ignore[arg-type]
    round_id = tap.split(":")[1]
    ledger.restart()
    assert "Right!" in said(ledger.tap("ann", f"answer:{round_id}:c"))
    assert "Right!" in said(ledger.tap("ann", f"mine:{round_id}"))
    ledger.chat.before = lambda call: None
    ledger.forward(minutes=20)
    shown = ledger.chat.message(HERE, ledger.chat.made()[0].id)
    assert shown is not None
    assert "1 answered" in said(shown.card)
    ledger.check_whole()


def test_a_round_that_nobody_has_begun_to_post_takes_no_answers(ledger: Ledger) -> None:
    planned = ledger.rounds("planned")[0].id
    assert "not known here" in said(ledger.tap("ann", f"answer:{planned}:c"))
    assert ledger.answers() == []


# --- after a restore --------------------------------------------------------------------------------------------------


def test_after_a_restore_nothing_that_stands_is_posted_again(ledger: Ledger, tmp_path: Path) -> None:
    """The backup knows nothing of today's question, the channel shows it: the ledger asks the channel."""
    kept = backup(ledger.url, tmp_path / "kept.db", ledger.clock.now()).path
    ledger.local("2026-11-30 10:00")
    ledger.right("ann")
    ledger.stop()
    restore(ledger.url, kept, ledger.clock.now())
    ledger.start()
    ledger.forward(minutes=5)
    assert [write.kind for write in ledger.chat.made()] == ["post"]
    assert [r.message_id for r in ledger.rounds("posted")] == [ledger.chat.made()[0].id]
    assert ledger.answers() == [], "answers since the backup are gone, and are not guessed"
    assert "Right!" in said(ledger.right("ann"))
    ledger.local("2026-12-01 10:00")
    assert [write.kind for write in ledger.chat.made()] == ["post", "reply", "post"]
    ledger.check_whole()


def test_after_a_restore_a_question_that_was_not_posted_yet_is_posted(ledger: Ledger, tmp_path: Path) -> None:
    kept = backup(ledger.url, tmp_path / "kept.db", ledger.clock.now()).path
    ledger.stop()
    ledger.clock.move_to(at("2026-11-30 10:00"))
    restore(ledger.url, kept, ledger.clock.now())
    ledger.start()
    ledger.forward(minutes=1)
    assert [write.kind for write in ledger.chat.made()] == ["post"]
    ledger.check_whole()


def test_after_a_restore_of_a_month_ago_no_date_in_between_is_posted_or_guessed(ledger: Ledger, tmp_path: Path) -> None:
    """Rounds that the backup has not planned may stand in the channel under names it does not know."""
    kept = backup(ledger.url, tmp_path / "kept.db", ledger.clock.now()).path
    ledger.until(at("2026-12-30 10:00"))
    ledger.stop()
    before = len(ledger.chat.made())
    restore(ledger.url, kept, ledger.clock.now())
    ledger.start()
    ledger.forward(minutes=30)
    assert len(ledger.chat.made()) == before
    ledger.until(at("2026-12-31 09:31"))
    assert [write.kind for write in ledger.chat.made()[before:]] == ["post"]
    keys = [write.key for write in ledger.chat.made()]
    assert len(keys) == len(set(keys))


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _boards(ledger: Ledger) -> list[tuple[tuple[str, ...], ...]]:
    cards = [write.card for write in ledger.chat.made() if write.card is not None]
    return [part.rows for card in cards if "Board" in card.text for part in card.parts if isinstance(part, Table)]


def test_a_pause_that_ends_while_the_bot_is_down_ends_all_the_same(ledger: Ledger) -> None:
    ledger.admin("pause 2026-12-02")
    down(ledger, "2026-11-30 08:30", "2026-12-03 08:00")
    ledger.local("2026-12-03 09:31")
    assert [(r.local_date.day, r.state) for r in ledger.rounds("posted", "missed")] == [(3, "posted")]
    assert ledger.chat.told() == []


def test_a_process_that_starts_again_and_again_says_nothing_twice(ledger: Ledger) -> None:
    ledger.local("2026-11-30 09:31")
    for _ in range(10):
        ledger.restart(timedelta(minutes=3))
        ledger.beat()
    assert [call.verb for call in ledger.chat.calls] == ["post"]
