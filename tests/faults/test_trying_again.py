"""Trying again: what was refused, and telling an admin. Once each, whatever is pressed, lost or restarted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from bot.chat import ChatError, Happening, Who
from bot.simulate.crashes import Crash
from storage.tables import DrillAdmin, Workspace
from tests.faults.ledger import Call, Ledger, at, raising
from tests.usecases.stage import buttons, said

SETUP = "setup time=09:30 zone=UTC days=daily kinds=single"
REFUSED = ChatError("permanent", "restricted_action", cure="restricted")
CLOSED = ChatError("permanent", "50007", cure="person-closed")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A channel whose round is due on Monday, 30 November, at 09:30; it is 08:00."""
    with Ledger(tmp_path) as ledger:
        ledger.save(SETUP)
        yield ledger


def offered(ledger: Ledger) -> str:
    """The action of the newest button to try again that an admin was given."""
    cards = [write.card for write in ledger.chat.log if write.kind == "tell" and write.card is not None]
    (action,) = [button.action for button in buttons(cards[-1])]
    return action


def press(ledger: Ledger, action: str, name: str = "boss", *, admin: bool = True, workspace: str = "w") -> str:
    told = said(ledger.tap(name, action, admin=admin, workspace=workspace))
    ledger.beat()
    return told


def posts(ledger: Ledger) -> int:
    return len([write for write in ledger.chat.made() if write.kind == "post"])


def refuse_the_first(ledger: Ledger, error: ChatError = REFUSED) -> str:
    ledger.chat.before = raising(error, on="post", times=1)
    ledger.local("2026-11-30 09:31")
    assert posts(ledger) == 0
    return offered(ledger)


# --- the button -------------------------------------------------------------------------------------------------------


def test_the_button_sends_what_was_refused_once_however_often_it_is_pressed(ledger: Ledger) -> None:
    action = refuse_the_first(ledger)
    assert "Trying again" in press(ledger, action)
    assert posts(ledger) == 1
    assert [r.state for r in ledger.rounds("posted", "missed")] == ["posted"]
    assert "done already" in press(ledger, action)
    ledger.forward(hours=1)
    assert posts(ledger) == 1
    ledger.check_whole()


def test_the_button_works_after_a_restart_and_for_two_admins_at_once(ledger: Ledger) -> None:
    action = refuse_the_first(ledger)
    ledger.restart()
    first = said(ledger.tap("boss", action, admin=True))
    second = said(ledger.tap("vice", action, admin=True))
    ledger.forward(minutes=2)
    assert "Trying again" in first
    assert "on its way already" in second
    assert posts(ledger) == 1
    ledger.check_whole()


def test_the_button_is_for_admins_of_that_workspace(ledger: Ledger) -> None:
    action = refuse_the_first(ledger)
    assert "Only admins" in press(ledger, action, "ann", admin=False)
    assert "not known here" in press(ledger, action, workspace="elsewhere")
    for forged in ("retry:999", "retry:x", "retry:", "retry:1:2", "reopen:999", "reopen:-1", "retry:٣"):
        assert "not known here" in press(ledger, forged), forged
    assert posts(ledger) == 0


def test_the_button_refuses_when_it_is_too_late(ledger: Ledger) -> None:
    """Four hours after its time a question comes no more; the next one does."""
    action = refuse_the_first(ledger)
    ledger.local("2026-11-30 13:31")
    assert "too late" in press(ledger, action)
    ledger.local("2026-12-01 09:30")
    assert posts(ledger) == 1
    assert [r.state for r in ledger.rounds("posted", "missed")] == ["missed", "posted"]


def test_a_second_refusal_is_told_again_with_its_button(ledger: Ledger) -> None:
    action = refuse_the_first(ledger)
    ledger.chat.before = raising(REFUSED, on="post", times=1)
    press(ledger, action)
    assert len(ledger.chat.told()) == 2
    assert "Trying again" in press(ledger, offered(ledger))
    assert posts(ledger) == 1


def test_the_button_opens_a_parked_channel_and_sends_what_met_with_it(ledger: Ledger) -> None:
    ledger.chat.lacks = ("uninvited",)
    action = refuse_the_first(ledger, ChatError("permanent", "not_in_channel", cure="uninvited"))
    ledger.chat.lacks = ()
    assert "Trying again" in press(ledger, action)
    assert posts(ledger) == 1
    ledger.check_whole()


def test_a_channel_parked_by_an_event_has_a_button_too(ledger: Ledger) -> None:
    ledger.chat.lacks = ("uninvited",)
    assert ledger._runner.run(ledger.app.conversation.happened(Happening("playground", "w", "bot_removed", "drills")))
    ledger.beat()
    assert "Drills go on" in press(ledger, offered(ledger))
    ledger.chat.lacks = ()
    ledger.local("2026-11-30 09:30")
    assert posts(ledger) == 1
    assert "done already" in press(ledger, offered(ledger))


def test_a_result_that_was_refused_can_be_tried_again(ledger: Ledger) -> None:
    ledger.local("2026-11-30 09:30")
    ledger.right("ann")
    ledger.chat.before = raising(ChatError("permanent", "160005", cure="locked"), on="reply", times=1)
    ledger.local("2026-12-01 12:00")
    notices = [w.card for w in ledger.chat.log if w.kind == "tell" and w.card is not None and buttons(w.card)]
    (action,) = [button.action for button in buttons(notices[-1])]
    assert "Trying again" in press(ledger, action)
    assert [write.kind for write in ledger.chat.made()] == ["post", "post", "reply"]
    ledger.check_whole()


def test_what_may_stand_there_is_neither_repeated_nor_called_missed(ledger: Ledger) -> None:
    """The reply was lost and the history may not be read: an admin hears it once, the next days come all the same."""
    ledger.chat.after = raising(ChatError("unsure", "connection_reset"), on="post")
    first = at("2026-11-30 09:30")
    key = ""

    def unreadable(call: Call) -> None:
        nonlocal key
        key = key or (call.key if call.verb == "post" else "")
        if call.verb == "find" and call.key == key:
            raise ChatError("permanent", "160002", cure="history")

    ledger.chat.before = unreadable
    ledger.local("2026-12-02 10:00")
    assert posts(ledger) == 3
    unsure = [text for text in ledger.chat.told() if "may stand there already" in text]
    assert len(unsure) == 1
    assert len([call for call in ledger.chat.calls if call.verb == "find"]) < 110
    ledger.chat.before = lambda call: None
    ledger.forward(hours=2)
    assert posts(ledger) == 3
    assert [r.state for r in ledger.rounds("posted", "missed")] == ["posted"] * 3
    assert ledger.rounds()[0].posts_at == first
    ledger.check_whole()


# --- who is told ------------------------------------------------------------------------------------------------------


def told_to(ledger: Ledger) -> list[str]:
    return [write.only for write in ledger.chat.log if write.kind == "tell"]


def delegate(ledger: Ledger, *names: str) -> None:
    def add(tx):  # type: ignore[no-untyped-def]
        for name in names:
            tx.add(DrillAdmin(workspace_id=1, kind="member", external_id=name, made_at=at("2026-11-01 09:00")))

    ledger.change(add)


def test_who_set_it_up_is_told_and_when_they_have_left_the_next(ledger: Ledger) -> None:
    delegate(ledger, "gone", "vice")
    for name in ("boss", "gone"):
        event = Happening("playground", "w", "member_left", member=name)
        assert ledger._runner.run(ledger.app.conversation.happened(event))
    refuse_the_first(ledger)
    assert told_to(ledger) == ["vice"]


def test_whoever_takes_no_messages_has_colleagues_who_may(ledger: Ledger) -> None:
    """The delegates in their order, then whoever brought the bot; each is asked once."""
    delegate(ledger, "vice")

    def invite(tx):  # type: ignore[no-untyped-def]
        workspace = tx.get_one(Workspace, 1)
        workspace.inviter, workspace.greeted_at = "owner", workspace.created_at

    ledger.change(invite)

    def closed(call: Call) -> None:
        if call.verb == "post":
            raise REFUSED
        if call.verb == "tell" and call.place.channel in ("boss", "vice"):
            raise CLOSED

    ledger.chat.before = closed
    ledger.local("2026-11-30 09:31")
    ledger.forward(minutes=10)
    assert told_to(ledger) == ["owner"]
    assert [call.place.channel for call in ledger.chat.calls if call.verb == "tell"] == ["boss", "vice", "owner"]


def test_what_nobody_could_be_told_stands_under_status(ledger: Ledger) -> None:
    ledger.chat.before = raising(CLOSED, on="tell", times=99)
    other = ledger.chat.before

    def both(call: Call) -> None:
        if call.verb == "post":
            raise REFUSED
        other(call)

    ledger.chat.before = both
    ledger.local("2026-11-30 10:00")
    assert told_to(ledger) == []
    assert len([call for call in ledger.chat.calls if call.verb == "tell"]) == 1
    shown = said(ledger.typed("vice", "status", admin=True))
    assert "The drill of Mon 30 Nov in this channel was missed" in shown
    chinese = said(ledger.typed("vice", "status", admin=True, language="zh-CN"))
    assert "没有发出" in chinese


# --- telling once -----------------------------------------------------------------------------------------------------


def test_a_process_that_dies_after_telling_tells_nobody_twice(ledger: Ledger) -> None:
    """The next one looks whether the message stands there."""
    died = False

    def dies(call: Call) -> None:
        nonlocal died
        if call.verb == "tell" and not died:
            died = True
            raise Crash("after the message was taken")

    ledger.chat.before = raising(REFUSED, on="post", times=1)
    ledger.chat.after = dies
    ledger.local("2026-11-30 10:00")
    assert died
    assert ledger.starts == 1
    assert len(ledger.chat.told()) == 1
    assert all(notice.told_at is not None for notice in ledger.notices())


def test_a_process_that_dies_before_telling_leaves_it_to_the_next(ledger: Ledger) -> None:
    died = False

    def dies(call: Call) -> None:
        nonlocal died
        if call.verb == "post":
            raise REFUSED
        if call.verb == "tell" and not died:
            died = True
            raise Crash("before the message was sent")

    ledger.chat.before = dies
    ledger.local("2026-11-30 10:00")
    assert len(ledger.chat.told()) == 1


def test_a_message_whose_reply_was_lost_is_looked_for_before_it_is_sent_again(ledger: Ledger) -> None:
    ledger.chat.before = raising(REFUSED, on="post", times=1)
    ledger.chat.after = raising(ChatError("unsure", "connection_reset"), on="tell", times=1)
    ledger.local("2026-11-30 09:30")
    ledger.forward(minutes=1.5)
    ledger.forward(minutes=1.5)
    assert len(ledger.chat.told()) == 1
    assert all(notice.told_at is not None for notice in ledger.notices())


# --- whatever happens -------------------------------------------------------------------------------------------------

HAPPENINGS = (
    "channel_archived",
    "channel_unarchived",
    "bot_removed",
    "bot_added",
    "workspace_left",
    "workspace_joined",
)
ERRORS = (
    ChatError("permanent", "is_archived", cure="archived"),
    ChatError("permanent", "not_in_channel", cure="uninvited"),
    REFUSED,
    ChatError("permanent", "message_not_found", cure="message-gone"),
    ChatError("permanent", "odd_code"),
    ChatError("unsure", "http_503", cure="outage"),
    ChatError("retry", "ratelimited", 30.0, "busy"),
)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_each_date_is_posted_at_most_once_and_no_miss_is_without_its_reason(
    tmp_path: Path, seed: int
) -> None:
    """Two weeks of events, refusals, lost replies, restarts, pauses and pressed buttons, in an order drawn by lot."""
    rng = Random(seed)
    with Ledger(tmp_path) as ledger:
        ledger.save(SETUP)

        def before(call: Call) -> None:
            if rng.random() < 0.25:
                raise rng.choice(ERRORS)

        def after(call: Call) -> None:
            if rng.random() < 0.35:
                raise ChatError("unsure", "connection_reset")

        ledger.chat.before, ledger.chat.after = before, after
        for _ in range(14 * 6):
            ledger.clock.forward(timedelta(hours=rng.uniform(1, 7)))
            ledger.beat()
            match rng.randrange(6):
                case 0:
                    event = Happening("playground", "w", rng.choice(HAPPENINGS), "drills")
                    assert ledger._runner.run(ledger.app.conversation.happened(event))
                case 1:
                    ledger.restart()
                case 2:
                    ledger.admin(rng.choice(("resume", "pause", "now", "status")))
                case 3 | 4:
                    for row in ledger.deliveries("failed", "missed"):
                        ledger.tap("boss", f"retry:{row.id}", admin=True)
                    ledger.tap("boss", "reopen:1", admin=True)
                case _:
                    ledger.chat.lacks = rng.choice((None, ("archived",), ("files",), ("uninvited",)))
            ledger.forward(minutes=rng.uniform(1, 90))
        ledger.chat.before = ledger.chat.after = lambda call: None
        ledger.chat.lacks = None
        for kind in ("workspace_joined", "channel_unarchived", "bot_added"):
            assert ledger._runner.run(ledger.app.conversation.happened(Happening("playground", "w", kind, "drills")))
        ledger.admin("resume")
        ledger.forward(hours=30)
        ledger.forward(hours=30)
        ledger.check_whole()
        now = ledger.clock.now()
        over = [r for r in ledger.rounds() if r.posts_at < now - timedelta(hours=6)]
        assert [r.local_date for r in over if r.state == "planned"] == []
        assert [r.local_date for r in over if r.state == "missed" and not r.reason] == []
        stands = [write.key for write in ledger.chat.made() if write.kind == "post"]
        assert len(stands) == len(set(stands))
        assert len({r.local_date for r in ledger.rounds()}) == len(ledger.rounds())


def test_events_are_noted_for_people_of_any_name(ledger: Ledger) -> None:
    """A member who leaves is on no current board; who comes back is."""
    person = Who("playground", "w", "\u202egnp", "\u202egnp")
    ledger.local("2026-11-30 09:30")
    ledger.tap(person.member, f"answer:{ledger.open}:c")
    assert ledger._runner.run(
        ledger.app.conversation.happened(Happening("playground", "w", "member_left", member=person.member))
    )
    ledger.local("2026-12-01 09:31")
    board = said(ledger.typed("ann", "board all"))
    assert "gnp" not in board.lower()
