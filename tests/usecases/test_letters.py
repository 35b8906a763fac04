"""Direct messages that nobody asked for just now: the greeting, and reminders; each once, whatever happens."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlmodel import select

from bot.card import Card
from bot.chat import ChatError, Say
from storage.tables import Member, Reminder, Workspace
from tests.usecases.stage import Stage, button, said

ZONE = {"zone": "UTC"}


def letters(stage: Stage, name: str = "noor") -> list[Card]:
    return [shown.card for shown in stage.chat.direct("w", name)]


def rows(stage: Stage) -> list[Reminder]:
    return list(stage.read(lambda tx: tx.exec(select(Reminder).order_by(Reminder.id)).all()))  # type: ignore[arg-type]


def joined(stage: Stage, inviter: str = "noor") -> None:
    assert asyncio.run(stage.app.conversation.joined("playground", "w", "Acme", inviter))


@pytest.fixture
def wanted(drill: Stage) -> Stage:
    """Noor has answered the first question and wants reminders; the second one is posted on Tuesday at 09:30."""
    drill.right("noor", **ZONE)
    drill.typed("noor", "settings reminders=on", **ZONE)
    drill.local("2026-12-01 09:30")
    return drill


def hourly(stage: Stage, until: str) -> None:
    """Let time pass with a beat an hour, as the ticker beats all the time."""
    last = datetime.fromisoformat(until).replace(tzinfo=UTC)
    while stage.clock.now() < last:
        stage.until(min(last, stage.clock.now() + timedelta(hours=1)))


class Refusing:
    """The playground's chat, whose direct messages fail as told."""

    def __init__(self, chat: Any, *faults: Exception, arrives: bool = False) -> None:
        self.chat, self.faults, self.arrives, self.tries = chat, list(faults), arrives, 0

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        self.tries += 1
        if self.faults:
            if self.arrives:
                await self.chat.tell(workspace, member, card)
            raise self.faults.pop(0)
        await self.chat.tell(workspace, member, card)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.chat, name)


# --- the greeting ---------------------------------------------------------------------------------------


def test_who_invites_the_bot_is_greeted_once_ever(stage: Stage) -> None:
    """What it does, that nothing happens yet, how it is started; not again for a second event, inviter or return."""
    joined(stage)
    stage.forward(seconds=5)
    (card,) = letters(stage)
    assert "One good question a day" in said(card)
    assert "Nothing happens until you start it." in said(card)
    assert "/drill setup" in said(card)
    joined(stage)
    joined(stage, "bea")
    stage.forward(minutes=5)
    assert len(letters(stage)) == 1
    assert letters(stage, "bea") == []


def test_the_greeting_speaks_their_language_where_it_is_known(stage: Stage) -> None:
    """Else both; where drills run already it says where."""
    joined(stage)
    stage.forward(seconds=5)
    assert {"Team Drills is here.", "Team Drills 来了。"} <= set(said(letters(stage)[0]).split("\n"))


def test_the_greeting_knows_drills_that_run_already(drill: Stage) -> None:
    drill.right("noor", language="zh-CN")
    joined(drill)
    drill.forward(seconds=5)
    (card,) = letters(drill)
    assert "每日一题已在 #drills 运行。" in said(card)
    assert "Team Drills is here." not in said(card)


def test_its_buttons_show_a_question_without_its_answer_and_what_it_can_do(stage: Stage) -> None:
    joined(stage)
    stage.forward(seconds=5)
    sample = said(stage.tap("noor", "hello:sample-en"))
    assert "A sample question" in sample
    assert "Because of" not in sample
    assert "/drill setup" in said(stage.tap("noor", "hello:help-en"))
    assert "示例题目" in said(stage.tap("noor", "hello:sample-zh"))


@pytest.mark.parametrize(
    ("fault", "arrives", "told"),
    [
        (ChatError("retry", "ratelimited", 30.0), False, 1),
        (ChatError("unsure", "lost_reply"), True, 1),
        (TimeoutError(), True, 1),
        (ChatError("permanent", "cannot_dm_bot"), False, 0),
    ],
)
def test_a_greeting_whose_way_is_troubled_comes_once_or_not_at_all(
    stage: Stage, fault: Exception, arrives: bool, told: int
) -> None:
    """Surely not sent: again. Maybe sent: not again. Refused: not for ever."""
    stage.app.chats["playground"] = Refusing(stage.chat, fault, arrives=arrives)
    joined(stage)
    for _ in range(5):
        stage.forward(minutes=2)
    assert len(letters(stage)) == told


def test_a_crash_between_claim_and_greeting_sends_none_twice(stage: Stage) -> None:
    joined(stage)
    stage.change(lambda tx: setattr(tx.exec(select(Workspace)).one(), "greeted_at", stage.clock.now()))
    stage.forward(minutes=5)
    assert letters(stage) == []


# --- reminders ------------------------------------------------------------------------------------------


def test_a_reminder_comes_two_hours_after_the_question_once(wanted: Stage) -> None:
    """With a button that shows the question, and one that ends them."""
    wanted.forward(hours=1, minutes=58)
    assert letters(wanted) == []
    wanted.forward(minutes=3)
    (card,) = letters(wanted)
    assert "A question in #drills waits for your answer." in said(card)
    wanted.forward(hours=20)
    assert len(letters(wanted)) == 1
    shown = wanted.tap("noor", f"read:{wanted.open}:en")
    assert "Daily drill #2" in said(shown)
    assert rows(wanted)[0].told_at is not None


def test_nobody_is_reminded_who_did_not_ask_or_has_answered_or_is_away(drill: Stage) -> None:
    for name in ("noor", "bea", "kim", "lea"):
        drill.right(name, **ZONE)
    for name in ("bea", "kim", "lea"):
        drill.typed(name, "settings reminders=on", **ZONE)
    drill.local("2026-12-01 09:31")
    drill.right("bea", **ZONE)
    drill.typed("kim", "settings pause=open", **ZONE)
    drill.typed("lea", "settings recording=off", **ZONE)
    hourly(drill, "2026-12-01 17:59")
    assert rows(drill) == []


def test_nobody_is_reminded_of_a_channel_they_do_not_answer_in(drill: Stage) -> None:
    """Never, or not within 28 days."""
    drill.typed("bea", "settings reminders=on", **ZONE)
    drill.right("noor", **ZONE)
    drill.typed("noor", "settings reminders=on", **ZONE)
    drill.admin("pause 2026-12-30")
    hourly(drill, "2026-12-31 17:00")
    assert rows(drill) == []


def test_outside_working_hours_nothing_comes(drill: Stage) -> None:
    """In the member's own zone; on the weekend neither."""
    drill.right("noor", zone="America/Los_Angeles")
    drill.typed("noor", "settings reminders=on", zone="America/Los_Angeles")
    drill.local("2026-12-01 16:58")
    assert letters(drill) == []
    drill.local("2026-12-01 17:01")
    assert len(letters(drill)) == 1, "it is nine in Los Angeles"
    hourly(drill, "2026-12-05 09:00")
    sent = len(letters(drill))
    hourly(drill, "2026-12-07 09:00")
    assert len(letters(drill)) == sent, "Saturday's and Sunday's rounds remind nobody"


def test_after_three_in_vain_it_asks_once_and_then_is_silent(wanted: Stage) -> None:
    """Until an answer, after which it begins anew."""
    hourly(wanted, "2026-12-10 17:00")
    told = [said(card) for card in letters(wanted)]
    assert [text.split("\n")[0].split(".")[0] for text in told] == [
        "A question in #drills waits for your answer",
        "A question in #drills waits for your answer",
        "A question in #drills waits for your answer",
        "You did not answer the last three questions I reminded you of",
    ]
    assert [row.kind for row in rows(wanted)] == ["remind"] * 3 + ["pause"]
    wanted.right("noor", **ZONE)
    hourly(wanted, "2026-12-11 12:00")
    assert len(letters(wanted)) == 5


def test_its_buttons_pause_or_go_on_or_stop(wanted: Stage) -> None:
    hourly(wanted, "2026-12-08 17:00")
    asked = letters(wanted)[-1]
    assert "Shall I pause?" in said(asked)
    assert "until you come back" in said(wanted.tap("noor", "away:on"))
    hourly(wanted, "2026-12-09 17:00")
    assert len(letters(wanted)) == 4
    wanted.typed("noor", "settings pause=off", **ZONE)
    wanted.tap("noor", button_of(asked, "remind"))
    hourly(wanted, "2026-12-10 17:00")
    assert len(letters(wanted)) == 6, "switched on anew, it begins anew: for that day and the next"
    wanted.tap("noor", "remind:off")
    hourly(wanted, "2026-12-14 17:00")
    assert len(letters(wanted)) == 6


def button_of(card: Card, name: str) -> str:
    return button(Say(card), name)


def test_switching_on_again_sends_no_second_one_for_the_same_round(wanted: Stage) -> None:
    hourly(wanted, "2026-12-01 12:00")
    assert len(letters(wanted)) == 1
    wanted.typed("noor", "settings reminders=off", **ZONE)
    wanted.typed("noor", "settings reminders=on", **ZONE)
    hourly(wanted, "2026-12-01 17:00")
    assert len(letters(wanted)) == 1


@pytest.mark.parametrize(
    ("fault", "arrives", "told", "error"),
    [
        (ChatError("retry", "ratelimited", 30.0), False, 1, ""),
        (ChatError("unsure", "lost_reply", cure="outage"), True, 1, "outage:lost_reply"),
        (TimeoutError(), True, 1, "outage:timeout"),
        (ChatError("permanent", "50007", cure="person-closed"), False, 0, "person-closed:50007"),
    ],
)
def test_a_reminder_whose_way_is_troubled_comes_once_or_not_at_all(
    wanted: Stage, fault: Exception, arrives: bool, told: int, error: str
) -> None:
    """Surely not sent: again. A lost reply: not again. Closed messages: written down, not tried again."""
    refusing = wanted.app.chats["playground"] = Refusing(wanted.chat, fault, arrives=arrives)
    hourly(wanted, "2026-12-01 17:00")
    for _ in range(5):
        wanted.forward(minutes=5)
    assert len(letters(wanted)) == told
    assert [row.error for row in rows(wanted)] == [error]
    assert refusing.tries <= 2


def test_closed_direct_messages_are_not_tried_for_ever(wanted: Stage) -> None:
    closed = [ChatError("permanent", "50007", cure="person-closed") for _ in range(50)]
    refusing = wanted.app.chats["playground"] = Refusing(wanted.chat, *closed)
    hourly(wanted, "2026-12-31 17:00")
    assert refusing.tries == 4, "three reminders, and the question whether to pause"


def test_a_reminder_that_was_claimed_by_a_process_that_died_is_not_sent(wanted: Stage) -> None:
    row = Reminder(round_id=wanted.open, member_id=member_id(wanted), kind="remind", made_at=wanted.clock.now())
    wanted.change(lambda tx: tx.add(row))
    wanted.forward(hours=6)
    assert letters(wanted) == []


def member_id(stage: Stage) -> int:
    found = stage.read(lambda tx: tx.exec(select(Member.id).where(Member.external_id == "noor")).one())
    assert found is not None
    return found


def test_a_slow_direct_message_holds_up_no_question(wanted: Stage) -> None:
    """The beat goes on beside it."""

    class Slow(Refusing):
        async def tell(self, workspace: str, member: str, card: Card) -> None:
            await asyncio.sleep(3600)

    wanted.app.chats["playground"] = Slow(wanted.chat)
    wanted.until(wanted.clock.now() + timedelta(hours=2, minutes=1))
    hourly(wanted, "2026-12-02 09:31")
    assert len(wanted.rounds("posted")) == 3
