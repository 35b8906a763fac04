"""What a platform does to one channel stays in it: order, limits, refusals, and who is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.chat import ChatError
from bot.outbox import SEND_TIMEOUT
from bot.usecases.claim_deliveries import LEASE
from tests.faults.ledger import Call, Ledger, at, lost, raising
from tests.usecases.stage import HERE, said

SETUP = "setup time=09:30 zone=UTC days=daily kinds=single"


REFUSED = ChatError("permanent", "restricted_action", cure="restricted")


class Frozen(BaseException):
    """A sender that never comes back to report."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A channel whose round is due on Monday, 30 November, at 09:30; it is 08:00."""
    with Ledger(tmp_path) as ledger:
        ledger.save(SETUP)
        yield ledger


# --- limits ---------------------------------------------------------------------------------------------------------


def test_a_limit_is_kept_to_the_second_and_by_its_channel_alone(ledger: Ledger) -> None:
    """No call of that kind into that channel before *retry after* is over; other channels are posted at once."""
    other = ledger.channel("other")
    ledger.chat.before = raising(ChatError("retry", "ratelimited", 90.0), on="post", where=HERE)
    ledger.local("2026-11-30 09:40")
    posts = [(call.place, f"{call.at:%M:%S}") for call in ledger.chat.calls if call.verb == "post"]
    assert sorted(posts[:2], key=str) == [(HERE, "30:00"), (other, "30:00")]
    assert posts[2:] == [(HERE, "31:30")]


def test_a_limit_on_counts_is_kept_by_the_close_too(ledger: Ledger) -> None:
    """Both edit the same message: the close waits for what the count was told."""
    ledger.local("2026-11-30 09:30")
    ledger.right("ann")
    ledger.local("2026-12-01 09:29")
    ledger.right("bob")
    ledger.chat.calls.clear()
    ledger.chat.before = raising(ChatError("retry", "ratelimited", 120.0), on="edit")
    ledger.beat()
    ledger.local("2026-12-01 09:40")
    edits = [f"{call.at:%H:%M:%S}" for call in ledger.chat.calls if call.verb == "edit"]
    assert edits == ["09:29:00", "09:31:00"]


def test_a_later_delivery_of_a_channel_never_overtakes_an_earlier_one(ledger: Ledger) -> None:
    """The close is refused for minutes: result and next post wait for it, in their order."""
    ledger.local("2026-11-30 09:30")
    ledger.chat.calls.clear()
    ledger.chat.before = raising(ChatError("unsure", "http_503"), on="edit", times=5)
    ledger.local("2026-12-01 10:00")
    shown = [call for call in ledger.chat.calls if call.verb != "tell"]
    assert [call.verb for call in shown if call.done] == ["edit", "reply", "post"]
    assert [call.verb for call in shown] == ["edit"] * 6 + ["reply", "post"]


def test_a_platform_that_is_down_for_half_an_hour_is_asked_ever_less_often(ledger: Ledger) -> None:
    """The waits grow to five minutes, and all that was due is there soon after it is back, in order."""

    def down(call: Call) -> None:
        if at("2026-12-01 09:30") <= call.at < at("2026-12-01 10:00"):
            raise ChatError("unsure", "connection")

    ledger.local("2026-12-01 09:00")
    ledger.chat.calls.clear()
    ledger.chat.before = down
    ledger.local("2026-12-01 10:30")
    assert sum(not call.done for call in ledger.chat.calls) <= 40
    shown = [call.verb for call in ledger.chat.calls if call.done and call.verb not in ("find", "tell")]
    assert shown == ["edit", "reply", "post"]
    assert [round_.state for round_ in ledger.rounds()][:2] == ["posted", "posted"]
    ledger.check_whole()


@pytest.mark.parametrize("step", ["reply", "post"])
def test_a_result_or_board_that_cannot_be_looked_up_does_not_hold_up_the_next_question(
    ledger: Ledger, step: str
) -> None:
    """It may have arrived, the platform's history cannot be read: after an hour the channel goes on without it."""
    ledger.local("2026-12-06 12:00")
    board = at("2026-12-07 09:30")

    def losing(call: Call) -> None:
        if call.verb == step and call.at == board:
            raise ChatError("unsure", "connection_reset")

    ledger.chat.after = losing
    ledger.chat.before = raising(ChatError("unsure", "http_503"), on="find", times=1000)
    ledger.local("2026-12-07 11:00")
    monday = next(r for r in ledger.rounds() if r.local_date.day == 7)
    assert monday.state == "posted"
    assert monday.posted_at is not None
    assert at("2026-12-07 10:30") <= monday.posted_at < at("2026-12-07 10:40")
    ledger.chat.before = lambda call: None
    ledger.forward(hours=1)
    assert ledger.deliveries("unsure", "sending") == []
    ledger.check_whole()


def test_a_result_that_our_own_code_cannot_make_holds_up_nothing_for_long(ledger: Ledger) -> None:
    """A fault of ours is not mended by waiting: ten minutes, then the question is posted without it."""
    ledger.local("2026-11-30 12:00")
    ledger.chat.before = raising(RuntimeError("on purpose"), on="reply", times=1000)
    ledger.local("2026-12-01 10:00")
    tuesday = ledger.rounds("posted")[-1]
    assert tuesday.local_date.day == 1
    assert tuesday.posted_at is not None
    assert at("2026-12-01 09:40") <= tuesday.posted_at < at("2026-12-01 09:50")


def test_a_post_that_cannot_be_looked_up_holds_its_channel_so_that_it_cannot_stand_twice(ledger: Ledger) -> None:
    ledger.chat.after = raising(ChatError("unsure", "connection_reset"), on="post")
    ledger.chat.before = raising(ChatError("unsure", "http_503"), on="find", times=1000)
    ledger.local("2026-12-01 12:00")
    assert [write.kind for write in ledger.chat.made()] == ["post"]
    ledger.chat.before = lambda call: None
    ledger.forward(minutes=30)
    assert [round_.state for round_ in ledger.rounds()][:2] == ["posted", "posted"]
    ledger.check_whole()


# --- refusals -------------------------------------------------------------------------------------------------------


def test_a_refusal_is_one_try_one_word_to_the_admin_and_nothing_to_others(ledger: Ledger) -> None:
    other = ledger.channel("other")
    ledger.chat.before = raising(REFUSED, on="post", where=HERE)
    ledger.local("2026-11-30 12:00")
    assert [call.done for call in ledger.chat.calls if call.verb == "post" and call.place == HERE] == [False]
    assert ledger.chat.told() == [
        "The drill of Mon 30 Nov in #drills was missed: "
        "a setting of the channel or workspace lets others post there only; let the bot post too."
    ]
    assert [write.place for write in ledger.chat.log if write.kind == "post"] == [other]
    assert next(row.state for row in ledger.deliveries() if row.step == "post") == "failed"


def test_three_refusals_in_a_row_pause_the_schedule_until_the_admin_resumes_it(ledger: Ledger) -> None:
    """A success in between begins the count again."""
    ledger.chat.before = raising(REFUSED, on="post", times=2)
    ledger.local("2026-12-02 12:00")
    assert [r.state for r in ledger.rounds()][:3] == ["missed", "missed", "posted"]
    ledger.chat.before = raising(REFUSED, on="post", times=99)
    ledger.local("2026-12-05 12:00")
    assert [r.state for r in ledger.rounds()] == ["missed", "missed", "posted", "missed", "missed", "missed"]
    assert ledger.chat.told()[-1].startswith("Three posts in a row failed in #drills, so its drills are paused: a se")
    asked = len([call for call in ledger.chat.calls if call.verb == "post"])
    ledger.local("2026-12-08 12:00")
    assert len([call for call in ledger.chat.calls if call.verb == "post"]) == asked + 1, (
        "the week's board is still due"
    )
    assert "Three posts in a row failed" in said(ledger.admin("status"))
    ledger.chat.before = lambda call: None
    ledger.admin("resume")
    ledger.local("2026-12-09 12:00")
    assert ledger.rounds("posted")[-1].local_date.day == 9


def test_an_admin_who_cannot_be_told_is_tried_once_a_minute_and_holds_up_no_post(ledger: Ledger) -> None:
    ledger.chat.before = raising(REFUSED, on="post")
    ledger.local("2026-11-30 09:31")
    ledger.chat.log.clear()
    ledger.stop()
    ledger.clock.forward(timedelta(days=2))
    ledger.start()
    ledger.chat.calls.clear()
    ledger.chat.before = raising(ChatError("unsure", "http_500"), on="tell", times=5)
    for _ in range(600):
        ledger.beat()
        ledger.clock.forward(timedelta(seconds=1))
    tells = [call for call in ledger.chat.calls if call.verb == "tell"]
    assert 6 <= len(tells) <= 11
    assert all(notice.told_at is not None for notice in ledger.notices())


def test_a_message_that_was_deleted_costs_its_close_and_nothing_else(ledger: Ledger) -> None:
    ledger.local("2026-11-30 09:30")
    ledger.right("ann")
    gone = ChatError("permanent", "message_not_found", cure="message-gone")
    ledger.chat.before = raising(gone, on="edit", times=99)
    ledger.local("2026-12-01 10:00")
    assert [write.kind for write in ledger.chat.made()] == ["post", "reply", "post"]
    assert next(row.state for row in ledger.deliveries() if row.step == "close") == "failed"
    told = [text for text in ledger.chat.told() if "could not be shown" in text]
    assert told == [], "nobody has to do anything about it"


# --- leases and fences ----------------------------------------------------------------------------------------------


def test_a_call_ends_before_half_of_its_lease(ledger: Ledger) -> None:
    """So nobody else can be given a delivery whose sender is still at it."""
    assert LEASE.total_seconds() > 2 * SEND_TIMEOUT


def test_what_was_stored_by_nobody_is_looked_up_when_its_lease_is_over(ledger: Ledger) -> None:
    """The message stands, writing that down fails (a full disk): the ledger finds it instead of posting again."""
    write = ledger.app.database.write
    failing = True

    def full(verb: object) -> object:
        name = getattr(verb, "__qualname__", "")
        if failing and name.startswith(("Outbox._send", "Outbox._trouble")):
            raise OSError(28, "No space left on device")
        return write(verb)  # type: ignore[arg-type]

    ledger.app.database.write = full  # type: ignore[method-assign,assignment]
    ledger.local("2026-11-30 09:30")
    assert [row.state for row in ledger.deliveries() if row.attempt] == ["sending"]
    failing = False
    ledger.forward(minutes=3)
    assert [call.verb for call in ledger.chat.calls] == ["post", "find"]
    assert len(ledger.rounds("posted")) == 1
    ledger.check_whole()


def test_a_lease_given_before_the_clock_was_set_back_does_not_hold_the_channel_up(ledger: Ledger) -> None:
    """The sender died with the clock an hour ahead; another process, which may not void leases, takes over."""
    ledger.clock.set(at("2026-11-30 10:30"))
    ledger.chat.after = raising(Frozen(), on="post")
    with pytest.raises(Frozen):
        ledger.beat()
    ledger.clock.set(at("2026-11-30 09:30"))
    ledger.forward(minutes=5)
    assert len(ledger.rounds("posted")) == 1
    ledger.check_whole()


def test_a_sender_that_froze_past_its_lease_cannot_overwrite_what_another_settled(ledger: Ledger) -> None:
    """The attempt's number fences it: its late report is refused, and the message stands once."""
    from bot.chat import Message
    from bot.usecases.claim_deliveries import claim_deliveries
    from bot.usecases.record_delivery import record_sent

    ledger.clock.move_to(at("2026-11-30 09:30"))
    app, now = ledger.app, ledger.clock.now()
    frozen = ledger.change(lambda tx: claim_deliveries(tx, app.library, now, "frozen", ("playground",)))
    assert len(frozen) == 1
    ledger.forward(minutes=2)
    late = ledger.clock.now()
    report = ledger.change(lambda tx: record_sent(tx, frozen[0].claim, Message("late"), late, lambda: "key"))
    assert report is False
    assert [round_.message_id for round_ in ledger.rounds("posted")] == [ledger.chat.made()[0].id]
    ledger.check_whole()


def test_a_lost_reply_is_asked_after_only_when_the_message_can_have_arrived(ledger: Ledger) -> None:
    ledger.chat.after = raising(ChatError("unsure", "connection_reset"), on="post")
    ledger.local("2026-11-30 09:31")
    sent, asked = [call for call in ledger.chat.calls if call.verb in ("post", "find")]
    assert (sent.verb, asked.verb) == ("post", "find")
    assert asked.at - sent.at >= timedelta(seconds=1)


def test_every_reply_of_a_week_is_lost_and_nothing_stands_twice(ledger: Ledger) -> None:
    ledger.chat.after = lambda call: lost(call) if call.verb in ("post", "reply") else None
    ledger.local("2026-12-07 12:00")
    assert [write.kind for write in ledger.chat.made()] == ["post", *["reply", "post"] * 6, "reply", "post", "post"]
    ledger.check_whole()
