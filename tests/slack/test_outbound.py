"""Cards and forms as Block Kit: valid whatever stands in them, and nothing in them is markup."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.card import (
    Bold,
    Button,
    Buttons,
    Card,
    ChoiceField,
    Code,
    CodeBlock,
    Divider,
    Form,
    Heading,
    Image,
    Inline,
    Line,
    Link,
    Moment,
    Note,
    OptionRow,
    Options,
    Paragraph,
    Part,
    Table,
    TextField,
)
from bot.cards import Cards
from bot.slack.outbound import blocks, card_view, form_view, message, shares
from bot.slack.tables import monospaced, width
from bot.slack.wording import cut, size, split_line
from content.taxonomy import default_taxonomy
from tests.slack.team import said
from tests.standins.slack import pings
from tests.standins.slack.blocks import MESSAGE_TEXT, check_blocks, check_view, text_length
from tests.standins.slack.model import Ephemeral
from tests.standins.slack.schema import load

SCHEMA = load()
NASTY = "<!channel> <@U12345678> <https://evil.example|click> *bold* _it_ ~no~ `code` & &lt; @here #general :smile:"
WIDE = "缓存🙂é"
AT = datetime(2026, 12, 1, 17, 0, tzinfo=UTC)

long = st.sampled_from([(WIDE, 400), ("字", 4000), ("x", 20_000), ("🙂", 7000), ("\n", 50)])
texts = st.text(max_size=80) | st.sampled_from(["", " ", NASTY]) | long.map(lambda given: given[0] * given[1])
short = st.text(max_size=80)
moments = st.builds(
    Moment, st.just(AT), st.sampled_from(["time", "date", "both"]), st.sampled_from(["17:00 UTC", "", NASTY])
)
links = st.builds(Link, texts, st.sampled_from(["https://example.org/?a=1&b=2", "javascript:alert(1)", "", "x" * 4000]))
inlines: st.SearchStrategy[Inline] = texts | st.builds(Bold, texts) | st.builds(Code, texts) | links | moments
lines: st.SearchStrategy[Line] = st.lists(inlines, max_size=5).map(tuple)
rows = st.builds(
    OptionRow, st.sampled_from("ABCDEFGHIJ"), lines, st.sampled_from(["", "right", "wrong", "chosen"]), lines
)
buttons = st.builds(Button, texts, st.text(max_size=100), st.sampled_from(["", "primary", "danger"]))
cells = st.lists(texts, max_size=5).map(tuple)
parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Heading, lines),
    st.builds(Paragraph, lines),
    st.builds(CodeBlock, texts),
    st.builds(Options, st.lists(rows, max_size=10).map(tuple)),
    st.builds(Note, lines),
    st.builds(Buttons, st.lists(buttons, max_size=12).map(tuple)),
    st.builds(Table, cells, st.lists(cells, max_size=12).map(tuple), st.frozensets(st.integers(0, 4))),
    st.builds(Image, st.just(b""), texts, st.just("board.png")),
    st.just(Divider()),
)
cards = st.builds(Card, texts, st.lists(parts, max_size=60).map(tuple))
text_fields = st.builds(
    TextField,
    st.sampled_from(["one", "two"]),
    texts,
    value=texts,
    hint=texts,
    multiline=st.booleans(),
    max_length=st.sampled_from([1, 20, 3000, 9000]),
    optional=st.booleans(),
)
choices = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=10, unique=True).flatmap(
    lambda keys: st.lists(texts, min_size=len(keys), max_size=len(keys)).map(
        lambda labels: tuple(zip(keys, labels, strict=True))
    )
)
choice_fields = st.builds(
    ChoiceField,
    st.sampled_from(["three", "four"]),
    texts,
    choices,
    many=st.booleans(),
    chosen=st.lists(st.sampled_from("abz"), max_size=3).map(tuple),
    hint=texts,
    optional=st.booleans(),
)
forms = st.builds(
    Form,
    st.text(max_size=200),
    st.text(min_size=1, max_size=60).filter(str.strip),
    st.text(min_size=1, max_size=60).filter(str.strip),
    st.lists(text_fields | choice_fields, max_size=4, unique_by=lambda field: field.id).map(tuple),
    st.lists(parts, max_size=8).map(tuple),
)


@settings(max_examples=100, deadline=None)
@given(cards)
def test_every_card_is_a_message_that_slack_takes(card: Card) -> None:
    """Blocks, their number, each limit and the text in all: valid for whatever a card holds."""
    made = message(card, ["F1"] * sum(isinstance(part, Image) for part in card.parts))
    assert check_blocks(made["blocks"], "message") == []
    assert SCHEMA is None or SCHEMA.check_blocks(made["blocks"]) == []
    assert text_length(made["blocks"]) <= MESSAGE_TEXT
    assert made["text"].strip()
    assert len(made["text"]) <= 3000
    json.dumps(made).encode()


@settings(max_examples=60, deadline=None)
@given(forms)
def test_every_form_is_a_modal_that_slack_takes(form: Form) -> None:
    """Titles, labels, options, initial values: valid for whatever a form holds, and the id comes back whole."""
    view = form_view(form, "C1")
    if form.fields:
        assert check_view(view) == []
        assert SCHEMA is None or SCHEMA.check_view(view) == []
    assert json.loads(view["private_metadata"]) == {"form": form.id, "channel": "C1"}


@settings(max_examples=30, deadline=None)
@given(cards, texts)
def test_every_card_is_a_modal_that_slack_takes(card: Card, title: str) -> None:
    """A verdict is shown in the window of its form."""
    assert check_view(card_view(card, title.strip(), "C1")) == []


@pytest.mark.parametrize(
    "part",
    [
        Heading((NASTY,)),
        Paragraph((NASTY, Bold(NASTY), Code(NASTY), Link(NASTY, NASTY))),
        CodeBlock(NASTY),
        Options((OptionRow("A", (NASTY,), "right", (NASTY,)),)),
        Note((NASTY,)),
        Note((NASTY, Moment(AT, "time", NASTY))),
        Note((Bold(NASTY), Link(NASTY, "https://example.org"), "<!here>", Moment(AT, "both", "17:00"))),
        Buttons((Button(NASTY, "answer:1:a"),)),
        Table(("Name",), ((NASTY,),), frozenset({1})),
        Table((), (("Name", NASTY),)),
        Image(b"", NASTY, "x.png"),
    ],
)
def test_nothing_a_person_wrote_is_markup(part: Part) -> None:
    """Names and questions that look like mentions, links or formats are shown as they were written."""
    made = message(Card(NASTY, (part,)))
    assert pings(Ephemeral("1.0", "C1", "U1", made["text"], made["blocks"])) == []
    for element in (e for block in made["blocks"] for e in block.get("elements", []) if e.get("type") == "mrkdwn"):
        assert "<!channel" not in element["text"]
        assert "<https://evil" not in element["text"]
    rich = json.dumps([block for block in made["blocks"] if block["type"] == "rich_text"])
    assert '"type": "user"' not in rich
    assert '"type": "broadcast"' not in rich


def test_a_moment_is_shown_in_each_readers_clock() -> None:
    """Slack computes the time for the reader; the fallback is for clients that cannot."""
    (paragraph, note) = blocks(
        (Paragraph((Moment(AT, "time", "17:00"),)), Note(("closes ", Moment(AT, "both", "17:00"))))
    )
    assert paragraph["elements"][0]["elements"] == [
        {"type": "date", "timestamp": int(AT.timestamp()), "format": "{time}", "fallback": "17:00"}
    ]
    assert note["elements"][0]["text"] == f"closes <!date^{int(AT.timestamp())}^{{date_short_pretty}} {{time}}|17:00>"


def test_buttons_stand_five_in_a_row_with_ids_of_their_own() -> None:
    """Slack wants action ids that differ; what a button does is its value."""
    made = blocks(
        (Buttons(tuple(Button(str(n), f"answer:1:{n}") for n in range(7))), Buttons((Button("x", "form:1"),)))
    )
    assert [len(row["elements"]) for row in made] == [5, 2, 1]
    elements = [element for row in made for element in row["elements"]]
    assert len({element["action_id"] for element in elements}) == 8
    assert elements[6]["value"] == "answer:1:6"


def test_a_long_question_keeps_its_options_and_buttons() -> None:
    """When a card is too long the longest text is shortened; what is short stays whole."""
    rows = tuple(OptionRow(letter, (f"option {letter} " * 8,)) for letter in "ABCD")
    made = blocks((Paragraph(("字" * 30_000,)), Options(rows), Buttons((Button("A", "answer:1:a"),))))
    shown = json.dumps(made, ensure_ascii=False)
    assert all(f"option {letter} " * 8 in shown for letter in "ABCD")
    assert made[-1]["type"] == "actions"
    assert "…" in shown


def test_marks_are_signs() -> None:
    """Right and wrong are told apart without colour."""
    rows = (OptionRow("A", ("one",), "right", ("because",)), OptionRow("B", ("two",), "wrong"))
    shown = said(Ephemeral("1.0", "C1", "U1", "", blocks((Options(rows),))))
    assert shown.startswith("✅ A  one\n      because\n❌ B  two")


def test_a_table_of_numbers_is_aligned_for_chinese_names() -> None:
    """Chinese takes two columns a character; every row has the same width."""
    table = Table(("#", "名字", "Points"), (("1", "王小明", "15"), ("2", "Bartholomew", "7.5")), frozenset({0, 2}))
    text = monospaced(table)
    assert text is not None
    assert [width(line) for line in text.split("\n")] == [width(text.split("\n")[0])] * 3
    assert text.split("\n")[1] == "1  王小明           15"


def test_a_table_of_words_that_is_too_wide_becomes_a_list() -> None:
    """A phone wraps wide monospaced lines until nobody can read them."""
    table = Table(("Date", "Question"), (("Mon 30 Nov", "How much memory " * 6),))
    assert monospaced(table) is None
    (block,) = blocks((table,))
    assert block["elements"][0]["type"] == "rich_text_section"


@settings(deadline=None)
@given(st.text(max_size=200), st.integers(0, 220))
def test_a_cut_text_is_short_enough_and_begins_like_the_whole(text: str, most: int) -> None:
    """Cutting counts as Slack's clients count, and marks what is left out."""
    short = cut(text, most)
    assert size(short) <= most
    assert short == text or (text.startswith(short.removesuffix("…")) and (short.endswith("…") or most == 0))


@settings(deadline=None)
@given(
    st.lists(short | st.builds(Bold, short) | st.builds(Code, short) | moments, max_size=4).map(tuple),
    st.integers(2, 60),
)
def test_pieces_of_a_line_are_short_and_lose_nothing_but_line_feeds(line: Line, most: int) -> None:
    """A long paragraph becomes several, in order and whole."""
    pieces = split_line(line, most)
    for piece in pieces:
        assert (
            sum(size(part if isinstance(part, str) else part.text) for part in piece if not isinstance(part, Moment))
            <= most
        )

    def whole(shown: Line) -> str:
        return "".join((part if isinstance(part, str) else part.text) for part in shown if not isinstance(part, Moment))

    assert "".join(whole(piece) for piece in pieces).replace("\n", "") == whole(line).replace("\n", "")


@given(st.lists(st.integers(0, 500), max_size=12), st.integers(0, 2000))
def test_room_is_shared_fairly(sizes: list[int], room: int) -> None:
    """Nobody gets more than they need, the room is used up, and who is cut has no less than anyone else who is cut."""
    given = shares(sizes, room)
    assert all(got <= size for got, size in zip(given, sizes, strict=True))
    assert sum(given) == min(room, sum(sizes)) or room - sum(given) < len(sizes)
    cut_ones = [got for got, size in zip(given, sizes, strict=True) if got < size]
    assert not cut_ones or max(cut_ones) - min(cut_ones) <= 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_fits(language: str) -> None:
    """The engine's own cards are valid too, in both languages."""
    made = message(Cards(default_taxonomy()).help(True, language))
    assert check_blocks(made["blocks"], "message") == []
