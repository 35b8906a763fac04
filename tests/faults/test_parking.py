"""What happens to a channel: its drills wait, an admin hears it once, and they go on with nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.chat import ChatError, Happening, Place
from storage.tables import Schedule
from tests.faults.ledger import Ledger, at, raising
from tests.usecases.stage import HERE, said

SETUP = "setup time=09:30 zone=UTC days=daily kinds=single"
ARCHIVED = ChatError("permanent", "is_archived", cure="archived")
NOT_THERE = ChatError("permanent", "not_in_channel", cure="uninvited")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A channel whose round is due on Monday, 30 November, at 09:30; it is 08:00."""
    with Ledger(tmp_path) as ledger:
        ledger.save(SETUP)
        yield ledger


STANDS = {
    "channel_archived": ("archived",),
    "channel_deleted": ("deleted",),
    "bot_removed": ("uninvited",),
    "channel_unarchived": (),
    "bot_added": (),
}
"""What the platform says of the channel from then on."""


def happened(ledger: Ledger, kind: Any, **values: str) -> None:
    ledger.chat.lacks = STANDS.get(kind, ledger.chat.lacks)
    given = {"channel": HERE.channel} | values
    assert ledger._runner.run(ledger.app.conversation.happened(Happening("playground", "w", kind, **given)))
    ledger.beat()


def asked(ledger: Ledger) -> list[str]:
    """What was asked of the channel."""
    return [call.verb for call in ledger.chat.calls if call.verb != "tell"]


def news(ledger: Ledger) -> list[str]:
    """What admins were told, but that the small bank is used up."""
    return [text for text in ledger.chat.told() if "has been asked" not in text]


def states(ledger: Ledger) -> list[str]:
    return [f"{r.local_date:%d} {r.state} {r.reason}".strip() for r in ledger.rounds("posted", "missed")]


# --- archived ---------------------------------------------------------------------------------------------------------


def test_an_archived_channel_is_asked_for_nothing_and_an_admin_hears_it_once(ledger: Ledger) -> None:
    """Its open round closes by the clock; what falls due is missed with the reason."""
    ledger.local("2026-11-30 09:30")
    ledger.right("ann")
    happened(ledger, "channel_archived")
    happened(ledger, "channel_archived")
    ledger.chat.calls.clear()
    ledger.right("bob")
    ledger.local("2026-12-03 12:00")
    assert asked(ledger) == []
    assert states(ledger) == ["30 posted", "01 missed archived", "02 missed archived"]
    (told,) = news(ledger)
    assert told.startswith("Drills in #drills wait: the channel is archived.")
    assert "Drills wait: the channel is archived." in said(ledger.admin("status")).replace("\n", "")
    assert "Right!" in said(ledger.tap("ann", f"mine:{ledger.open}")), "closed without its message"


def test_after_an_archive_drills_go_on_with_the_next_date_and_without_a_burst(ledger: Ledger) -> None:
    """The close and the result of the round that was open come at once; the questions of the days between do not."""
    ledger.local("2026-11-30 09:30")
    ledger.right("ann")
    happened(ledger, "channel_archived")
    ledger.local("2026-12-03 12:00")
    ledger.chat.calls.clear()
    happened(ledger, "channel_unarchived")
    assert asked(ledger) == ["edit", "reply"]
    ledger.local("2026-12-04 09:30")
    assert asked(ledger) == ["edit", "reply", "post"]
    assert states(ledger)[-2:] == ["03 missed archived", "04 posted"]
    ledger.check_whole()


def test_a_round_that_falls_due_just_before_the_channel_is_back_does_not_come_late(ledger: Ledger) -> None:
    happened(ledger, "channel_archived")
    ledger.local("2026-11-30 09:31")
    happened(ledger, "channel_unarchived")
    assert ledger.chat.made() == []
    assert states(ledger) == ["30 missed archived"]


def test_a_board_that_fell_due_in_an_archived_channel_is_made_when_it_is_back(ledger: Ledger) -> None:
    ledger.local("2026-12-06 12:00")
    happened(ledger, "channel_archived")
    ledger.local("2026-12-09 12:00")
    happened(ledger, "channel_unarchived")
    boards = [row for row in ledger.deliveries("sent") if row.step == "board"]
    assert len(boards) == 1
    assert ledger.chat.made()[-1].key == boards[0].key


@pytest.mark.parametrize("error", [ARCHIVED, NOT_THERE])
def test_a_refusal_tells_what_no_event_told(ledger: Ledger, error: ChatError) -> None:
    """One call, one word to the admin with a button, no further calls."""
    ledger.chat.before = raising(error, times=99, on="post")
    ledger.chat.lacks = (error.cure,)
    ledger.local("2026-12-03 12:00")
    assert asked(ledger) == ["post"]
    assert len(news(ledger)) == 1
    assert [r.state for r in ledger.rounds()][:3] == ["missed"] * 3
    assert all(r.reason for r in ledger.rounds("missed"))


def test_a_parked_channel_is_looked_at_once_a_day_and_comes_back_by_itself(ledger: Ledger) -> None:
    ledger.chat.before = raising(ARCHIVED, times=1)
    ledger.chat.lacks = ("archived",)
    ledger.local("2026-11-30 09:30")
    ledger.chat.checks.clear()
    for _ in range(47):
        ledger.forward(hours=1)
    assert len(ledger.chat.checks) == 2
    ledger.chat.lacks = ()
    for _ in range(30):
        ledger.forward(hours=1)
    assert [write.kind for write in ledger.chat.made()] == ["post"]
    ledger.check_whole()


# --- gone, away, somewhere else ---------------------------------------------------------------------------------------


def test_a_deleted_channel_ends_its_drills_and_keeps_what_was_won(ledger: Ledger) -> None:
    """No more dates are planned; the admin hears where to go on; answers stay."""
    ledger.local("2026-11-30 09:30")
    ledger.right("ann")
    happened(ledger, "channel_deleted")
    ledger.chat.calls.clear()
    ledger.local("2026-12-10 12:00")
    assert asked(ledger) == []
    assert [r.state for r in ledger.rounds()] == ["posted"]
    (told,) = news(ledger)
    assert "/drill setup" in told
    assert len(ledger.answers()) == 1
    other = ledger.channel("other")
    ledger.local("2026-12-11 09:30")
    assert [write.kind for write in ledger.chat.made(other)] == ["post"]


def test_a_bot_that_was_taken_out_and_invited_again_goes_on_with_nothing_twice(ledger: Ledger) -> None:
    ledger.local("2026-11-30 09:30")
    for _ in range(3):
        happened(ledger, "bot_removed")
        happened(ledger, "bot_added")
    ledger.local("2026-12-01 12:00")
    assert [write.kind for write in ledger.chat.made()] == ["post", "reply", "post"]
    ledger.check_whole()


def test_a_post_that_may_have_arrived_before_the_bot_was_taken_out_is_found_when_it_is_back(ledger: Ledger) -> None:
    """Its reply was lost, then the look-up is refused: nothing is called missed that stands there."""
    ledger.chat.after = raising(ChatError("unsure", "connection_reset"), on="post")
    ledger.chat.before = raising(NOT_THERE, on="find", times=99)
    ledger.local("2026-11-30 10:00")
    assert states(ledger) == []
    ledger.chat.before = lambda call: None
    happened(ledger, "bot_added")
    assert states(ledger) == ["30 posted"]
    assert len(ledger.chat.made()) == 1
    ledger.check_whole()


def test_a_workspace_that_is_left_and_joined_again(ledger: Ledger) -> None:
    """Nothing is sent to it, not even a message to an admin, until the bot is back; then what is late by no more than
    the rule for late posts is posted, and nothing older."""
    ledger.local("2026-11-30 09:30")
    happened(ledger, "workspace_left")
    ledger.chat.calls.clear()
    ledger.local("2026-12-02 12:00")
    assert ledger.chat.calls == []
    assert states(ledger) == ["30 posted", "01 missed left"]
    happened(ledger, "workspace_joined")
    ledger.local("2026-12-02 12:01")
    assert states(ledger) == ["30 posted", "01 missed left", "02 posted"]
    ledger.local("2026-12-03 09:30")
    assert [write.kind for write in ledger.chat.made()] == ["post", "reply", "post", "reply", "post"]
    ledger.check_whole()


def test_a_channel_that_gets_another_name_or_id_keeps_its_drills(ledger: Ledger) -> None:
    happened(ledger, "channel_renamed", name="  quiz\n<!channel> ")
    assert ledger.schedule().channel_name == "quiz <!channel>"
    moved = Place("w", "G2")
    ledger.chat.open_channel(moved, "quiz")
    happened(ledger, "channel_converted", moved_to="G2")
    happened(ledger, "channel_converted", moved_to="G2")
    ledger.local("2026-11-30 09:30")
    assert [write.kind for write in ledger.chat.made(moved)] == ["post"]
    assert ledger.chat.made() == []


def test_a_shared_channel_is_told_once(ledger: Ledger) -> None:
    happened(ledger, "channel_shared")
    happened(ledger, "channel_shared")
    (told,) = news(ledger)
    assert "another organisation" in told


@pytest.mark.parametrize("kind", ["channel_archived", "bot_added", "workspace_left", "member_left", "channel_renamed"])
def test_news_of_what_is_not_known_here_changes_nothing(ledger: Ledger, kind: Any) -> None:
    """Of another workspace, another channel, nobody; with odd names."""
    for workspace, channel in (("?", "drills"), ("w", "😀" * 500), ("w", "")):
        event = Happening("playground", workspace, kind, channel, "\x00\n" * 99, "'; DROP TABLE member;--")
        if (kind, workspace) != ("workspace_left", "w"):
            assert ledger._runner.run(ledger.app.conversation.happened(event))
    ledger.local("2026-11-30 09:30")
    assert len(ledger.chat.made()) == 1


# --- looked at before the drill ---------------------------------------------------------------------------------------


def test_what_is_missing_is_told_before_the_drill_and_once(ledger: Ledger) -> None:
    """Each set of things once; when all is well again and it comes back, it is told again."""
    ledger.chat.lacks = ("files",)
    for day in (30, 31, 32):
        ledger.until(at("2026-11-01 09:10") + timedelta(days=day - 1))
    assert [text for text in news(ledger) if text.startswith("Before the next drill")] == [news(ledger)[0]]
    assert "Attach Files" in said(ledger.admin("status"))
    ledger.chat.lacks = ()
    ledger.until(at("2026-12-03 09:10"))
    assert "Attach Files" not in said(ledger.admin("status"))
    ledger.chat.lacks = ("files",)
    ledger.until(at("2026-12-04 09:10"))
    assert len([text for text in news(ledger) if text.startswith("Before the next drill")]) == 2
    assert [write.kind for write in ledger.chat.made()][:2] == ["post", "reply"], "the drills came all the same"


def test_a_look_before_the_drill_parks_a_channel_without_one_refused_call(ledger: Ledger) -> None:
    ledger.chat.lacks = ("uninvited",)
    ledger.local("2026-11-30 09:10")
    ledger.local("2026-11-30 12:00")
    assert asked(ledger) == []
    assert ledger.read(lambda tx: tx.get_one(Schedule, 1)).channel_state == "removed"


# --- resumed and tried again ------------------------------------------------------------------------------------------


def test_resume_opens_a_parked_channel_and_makes_its_board(ledger: Ledger) -> None:
    ledger.local("2026-12-06 12:00")
    ledger.chat.before = raising(ChatError("permanent", "50013", cure="send"), times=99, on="post")
    ledger.local("2026-12-09 12:00")
    assert "paused" in news(ledger)[-1]
    ledger.chat.before = lambda call: None
    ledger.admin("resume")
    ledger.beat()
    assert [row.state for row in ledger.deliveries() if row.step == "board"][:1] == ["sent"]
    ledger.local("2026-12-10 12:00")
    assert states(ledger)[-1] == "10 posted"
    ledger.check_whole()
    happened(ledger, "channel_archived")
    assert "Saved" in said(ledger.admin("resume")), "a parked channel is opened by resume as well"


def test_after_resuming_it_takes_three_refusals_again(ledger: Ledger) -> None:
    ledger.chat.before = raising(ChatError("permanent", "50013", cure="send"), times=99, on="post")
    ledger.local("2026-12-02 12:00")
    ledger.admin("resume")
    ledger.local("2026-12-04 12:00")
    assert "is paused" not in said(ledger.admin("status"))
    assert len([text for text in news(ledger) if text.startswith("Three posts")]) == 1
    ledger.local("2026-12-05 12:00")
    assert len([text for text in news(ledger) if text.startswith("Three posts")]) == 2


def test_what_passes_by_itself_never_pauses_a_schedule(ledger: Ledger) -> None:
    """A platform that is down for days: each date is missed with the reason, and the first one after it is posted."""
    ledger.chat.before = raising(ChatError("unsure", "http_503", cure="outage"), times=10_000, on="post")
    ledger.local("2026-12-05 12:00")
    assert all("outage" in r.reason for r in ledger.rounds("missed"))
    ledger.chat.before = lambda call: None
    ledger.local("2026-12-06 09:40")
    assert states(ledger)[-1] == "06 posted"
    assert not [text for text in news(ledger) if text.startswith("Three posts")]


def test_three_results_in_a_row_that_are_refused_pause_the_schedule_too(ledger: Ledger) -> None:
    ledger.chat.before = raising(ChatError("permanent", "50013", cure="threads"), times=99, on="reply")
    ledger.local("2026-12-04 12:00")
    assert [text for text in news(ledger) if text.startswith("Three posts")]
