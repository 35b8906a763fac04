"""The playground's chat, used directly: what it accepts, who sees what, and what a restart keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.card import (
    Bold,
    Button,
    Buttons,
    Card,
    Code,
    CodeBlock,
    Divider,
    Heading,
    Image,
    Link,
    Moment,
    Note,
    OptionRow,
    Options,
    Paragraph,
    Table,
)
from bot.chat import Chat, ChatError, Message, Place
from bot.clock import HandClock
from bot.web.playground.chat import Person, PlaygroundChat
from bot.web.playground.journal import Journal, JournalFault, from_plain, to_plain

START = datetime(2026, 11, 30, 8, tzinfo=UTC)
PLACE = Place("w", "drills")


def card(text: str) -> Card:
    return Card(text, (Paragraph((text,)),))


def rich_card() -> Card:
    """One of everything a card can hold."""
    moment = Moment(START, "time", "09:00 (UTC)")
    return Card(
        "All",
        (
            Heading(("每日一题 ", Bold("#1"))),
            Paragraph(("a\n", Code("x = 1"), Link("source", "https://example.org/?a=1&b=2"), moment)),
            CodeBlock("for x in y:\n    pass"),
            Options((OptionRow("A", ("one",), "right", ("because",)), OptionRow("B", ("two",)))),
            Note((moment,)),
            Buttons((Button("A", "answer:1:a"), Button("Go", "form:1", "primary"))),
            Table(("#", "Name"), (("1", "Noor"),), frozenset({0})),
            Image(b"\x89PNG\x00", "alt", "board.png"),
            Divider(),
        ),
    )


@pytest.fixture
def clock() -> HandClock:
    return HandClock(START)


@pytest.fixture
def chat(clock: HandClock) -> PlaygroundChat:
    chat = PlaygroundChat(clock)
    chat.open_channel(PLACE, "drills")
    return chat


def test_it_is_a_chat(chat: PlaygroundChat) -> None:
    """It offers what the engine asks of every platform."""
    as_chat: Chat = chat
    assert as_chat.platform == "playground"


async def test_messages_threads_and_edits(chat: PlaygroundChat, clock: HandClock) -> None:
    """A post stands in the channel, replies stand in its thread alone, an edit changes what is shown."""
    posted = await chat.post(PLACE, card("one"), "k1")
    clock.forward(timedelta(hours=1))
    reply = await chat.reply(PLACE, posted, card("in the thread"), "k2")
    await chat.edit(PLACE, posted, card("changed"))
    (shown,) = chat.seen_by(PLACE, "noor")
    assert (shown.id, shown.card.text, shown.edits, shown.at) == (posted.id, "changed", 1, START)
    assert [m.id for m in chat.thread(PLACE, posted.id)] == [reply.id]
    assert shown.revision == chat.writes
    assert reply.thread == posted.id


async def test_find_sees_the_place_the_thread_and_the_time(chat: PlaygroundChat, clock: HandClock) -> None:
    """A message is found by its key where it was put, unless it is older than asked."""
    first = await chat.post(PLACE, card("one"), "k1")
    clock.forward(timedelta(hours=1))
    reply = await chat.reply(PLACE, first, card("two"), "k2")
    other = Place("w", "other")
    chat.open_channel(other, "other")
    assert await chat.find(PLACE, "k1", START) == first
    assert await chat.find(PLACE, "k1", START + timedelta(seconds=1)) is None
    assert await chat.find(PLACE, "k2", START) is None
    assert await chat.find(PLACE, "k2", START, first) == reply
    assert await chat.find(other, "k1", START) is None


async def test_the_same_key_twice_stands_there_twice(chat: PlaygroundChat) -> None:
    """The chat hides no mistake of the engine: a second post is a second message, in the log too."""
    await chat.post(PLACE, card("one"), "k1")
    await chat.post(PLACE, card("one"), "k1")
    assert len(chat.seen_by(PLACE, "")) == 2
    assert [(w.kind, w.key) for w in chat.log[1:]] == [("post", "k1"), ("post", "k1")]


async def test_what_is_not_there_is_refused_for_good(chat: PlaygroundChat) -> None:
    """An unknown channel or message is a permanent error, and nothing is logged."""
    before = chat.writes
    with pytest.raises(ChatError) as refused:
        await chat.post(Place("w", "nowhere"), card("x"), "k")
    assert (refused.value.outcome, refused.value.code) == ("permanent", "channel_not_found")
    with pytest.raises(ChatError) as refused:
        await chat.edit(PLACE, Message("m99"), card("x"))
    assert (refused.value.outcome, refused.value.code) == ("permanent", "message_not_found")
    with pytest.raises(ChatError):
        await chat.reply(PLACE, Message("m99"), card("x"), "k")
    assert chat.writes == before


async def test_private_replies_are_seen_by_one_person(chat: PlaygroundChat) -> None:
    """A whisper is shown to its reader alone; one about the same thing takes the place of the earlier."""
    await chat.post(PLACE, card("question"), "k1")
    chat.whisper(PLACE, "noor", card("first"), about="answer:1")
    again = chat.whisper(PLACE, "noor", card("again"), about="answer:1")
    assert [m.card.text for m in chat.seen_by(PLACE, "noor")] == ["question", "again"]
    assert [m.card.text for m in chat.seen_by(PLACE, "mira")] == ["question"]
    assert not chat.dismiss(PLACE, "mira", again.id)
    assert chat.dismiss(PLACE, "noor", again.id)
    assert not chat.dismiss(PLACE, "noor", again.id)
    with pytest.raises(ChatError):
        await chat.edit(PLACE, Message(again.id), card("x"))


def test_a_whisper_can_stand_in_for_the_one_it_came_from(chat: PlaygroundChat) -> None:
    """A replacing reply keeps its place in the channel; somebody else's cannot be replaced."""
    proposal = chat.whisper(PLACE, "mira", card("Save?"))
    chat.whisper(PLACE, "mira", card("later"))
    chat.whisper(PLACE, "mira", card("Saved."), instead=proposal.id)
    assert [m.card.text for m in chat.seen_by(PLACE, "mira")] == ["Saved.", "later"]
    chat.whisper(PLACE, "noor", card("mine"), instead=proposal.id)
    assert [m.card.text for m in chat.seen_by(PLACE, "mira")] == ["Saved.", "later"]


async def test_waiting_ends_with_the_next_write(chat: PlaygroundChat) -> None:
    """A page that waits hears of a write; where there is none it is told so."""
    before = chat.writes
    assert await chat.wait_beyond(before, 0.01) == before
    await chat.tell("w", "noor", card("hello"))
    assert await chat.wait_beyond(before, 5) == before + 1
    assert [m.card.text for m in chat.direct("w", "noor")] == ["hello"]
    assert chat.direct("w", "mira") == []


def test_a_card_survives_the_journal() -> None:
    """Every part of a card comes back equal."""
    assert from_plain(to_plain(rich_card())) == rich_card()


async def test_a_restart_forgets_nothing(clock: HandClock, tmp_path: Path) -> None:
    """A chat on the same journal shows the same, finds by key, and goes on numbering."""
    path = tmp_path / "chat.jsonl"
    chat = PlaygroundChat(clock, journal := Journal(path))
    chat.open_channel(PLACE, "drills")
    chat.join("w", Person("v1", "Gast", "zh", "Asia/Shanghai", visitor=True))
    posted = await chat.post(PLACE, rich_card(), "k1")
    await chat.reply(PLACE, posted, card("result"), "k2")
    await chat.edit(PLACE, posted, card("closed"))
    dropped = chat.whisper(PLACE, "v1", card("secret"))
    chat.whisper(PLACE, "v1", card("kept"))
    chat.dismiss(PLACE, "v1", dropped.id)
    await chat.tell("w", "v1", card("direct"))
    journal.close()

    again = PlaygroundChat(clock, Journal(path))
    assert again.log == chat.log
    assert again.seen_by(PLACE, "v1") == chat.seen_by(PLACE, "v1")
    assert again.thread(PLACE, posted.id) == chat.thread(PLACE, posted.id)
    assert again.direct("w", "v1") == chat.direct("w", "v1")
    assert again.people == chat.people
    assert await again.find(PLACE, "k1", START) == posted
    assert (await again.post(PLACE, card("next"), "k3")).id not in {write.id for write in chat.log}


async def test_a_line_that_a_crash_cut_short_is_dropped(clock: HandClock, tmp_path: Path) -> None:
    """Half a line at the end is no write; the next one begins a line of its own."""
    path = tmp_path / "chat.jsonl"
    chat = PlaygroundChat(clock, journal := Journal(path))
    chat.open_channel(PLACE, "drills")
    await chat.post(PLACE, card("one"), "k1")
    journal.close()
    with path.open("a") as file:
        file.write('{"kind":"post","at":"2026-')
    again = PlaygroundChat(clock, journal := Journal(path))
    assert again.log == chat.log
    await again.post(PLACE, card("two"), "k2")
    journal.close()
    assert len(PlaygroundChat(clock, Journal(path)).log) == 3


def test_a_damaged_journal_says_what_to_do(tmp_path: Path) -> None:
    """A line in the middle that is no JSON stops the start with a sentence."""
    path = tmp_path / "chat.jsonl"
    path.write_text("nonsense\n{}\n")
    with pytest.raises(JournalFault, match="without --keep"):
        Journal(path)
    path.write_text('{"kind":"post"}\n')
    with pytest.raises(JournalFault, match="without --keep"):
        PlaygroundChat(HandClock(START), Journal(path))
