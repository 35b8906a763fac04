"""Cards as messages: within Discord's limits whatever they hold, and whole for the person they are for."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

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
    Note,
    OptionRow,
    Options,
    Paragraph,
    Table,
    TextField,
)
from bot.discord.outbound import marks_of, modal, pages, panel, private, public
from content.question import Kind, Option, Question, Status, Text
from tests.discord.contract import check_message
from tests.discord.questions import EVERY_KIND
from tests.discord.world import buttons, texts, world

GLYPHS = "张_*`😀[字]|@everyone <@1> # x\n> y "


def long(size: int, seed: str = GLYPHS) -> str:
    return (seed * (size // len(seed) + 1))[:size]


def monster(size: int) -> Card:
    """Every part, each with ``size`` characters of what is hardest to show."""
    rows = tuple(OptionRow(letter, (long(size),), "right", (long(size),)) for letter in "ABCDEF")
    return Card(
        "text",
        (
            Heading((long(size),)),
            Note((long(size), Bold(long(size)))),
            Paragraph((long(size), Code(long(size)))),
            CodeBlock(long(size)),
            Options(rows),
            Table(("#", "Name"), (("1", long(size)),) * 10),
            Divider(),
            Buttons(tuple(Button(letter, f"answer:12:{letter}") for letter in "ABCDEFG")),
            Image(b"png", long(size), "a b/ü.png"),
            Note((long(size),)),
        ),
    )


def body(view: Any) -> dict[str, Any]:
    return {"components": view.to_components(), "flags": 1 << 15}


@pytest.mark.parametrize("size", [1, 50, 300, 1000, 5000, 20000])
def test_a_shared_card_is_one_message_within_the_limits(size: int) -> None:
    dressed = public(monster(size), marks_of("key"))
    check_message(body(dressed.view))
    assert [file.filename for file in dressed.files] == ["a-b--.png"]
    assert len(dressed.files[0].description or "") <= 1024


@pytest.mark.parametrize("size", [1, 50, 300, 1000, 5000, 20000])
def test_a_private_card_is_whole(size: int) -> None:
    messages = private(monster(size))
    for dressed in messages:
        check_message(body(dressed.view))
    shown = "".join(item.content for dressed in messages for item in dressed.view.walk_children() if _is_text(item))
    # What is hardest to show stands there as often as it was said: 6 options, their reasons, and the other parts.
    assert shown.count("张") >= 17 * (size // len(GLYPHS))


def _is_text(item: Any) -> bool:
    return hasattr(item, "content")


def test_what_was_shortened_can_be_read_privately() -> None:
    shown = public(Card("t", (Paragraph((long(6000),)), Buttons((Button("A", "answer:12:a"),)))))
    assert [item.custom_id for item in shown.view.walk_children() if hasattr(item, "custom_id")] == [
        "drill:answer:12:a",
        "drill:read:12:",
    ]
    short = public(Card("t", (Paragraph(("short",)), Buttons((Button("A", "answer:12:a"),)))))
    assert [item.custom_id for item in short.view.walk_children() if hasattr(item, "custom_id")] == [
        "drill:answer:12:a"
    ]


def test_short_parts_stay_whole_beside_a_long_one() -> None:
    card = Card("t", (Heading(("Daily drill #1",)), Paragraph((long(9000),)), Note(("closes 18:00",))))
    (text,) = [item.content for item in public(card).view.walk_children() if _is_text(item)]
    assert text.startswith("### Daily drill #1\n")
    assert text.endswith(" …\n\n-# closes 18:00")


def test_a_key_has_marks_of_its_own() -> None:
    seen = {marks_of(f"key-{number}") for number in range(2000)}
    assert len(seen) == 2000
    assert all(1000 <= mark < 2**31 for marks in seen for mark in marks)


def test_an_action_that_no_button_can_hold_is_refused_by_us() -> None:
    with pytest.raises(ValueError, match="100 characters"):
        public(Card("t", (Buttons((Button("A", "x" * 95),)),)))


FORM = Form(
    "answer:12",
    "一二三四五六七八九十" * 5,
    "Send",
    (
        ChoiceField(
            "a", "A label that is much longer than Discord's forty-five", (("x", long(200)), ("y", "Y")), hint="h" * 200
        ),
        ChoiceField("b", "Ticks", (("x", "X"), ("y", "Y")), many=True, chosen=("y",), optional=True),
        TextField("c", "Words", value="v" * 5000, hint="h" * 300, multiline=True, max_length=5000),
        ChoiceField("d", "Only one", (("x", "X"),)),
    ),
    (Paragraph((long(9000),)),),
)


def test_a_form_keeps_to_the_limits_of_a_modal() -> None:
    opened = modal(FORM, FORM.id).to_dict()
    assert len(opened["title"]) <= 45
    assert len(opened["components"]) == 5
    check_message({"components": opened["components"], "title": ""})
    labels = [c["label"] for c in opened["components"] if c["type"] == 18]
    assert max(map(len, labels)) <= 45
    controls = [c["component"] for c in opened["components"] if c["type"] == 18]
    assert [c["type"] for c in controls] == [21, 22, 4, 22]
    assert [o.get("default") for o in controls[1]["options"]] == [False, True]
    assert (controls[1]["min_values"], controls[1]["required"]) == (0, False)
    assert len(controls[2]["value"]) == controls[2]["max_length"] == 4000


def test_what_was_typed_before_stands_in_the_form_again() -> None:
    opened = modal(FORM, FORM.id, {"a": ("y",), "b": ("x",), "c": "typed"}).to_dict()
    controls = [c["component"] for c in opened["components"] if c["type"] == 18]
    assert [o.get("default") for o in controls[0]["options"]] == [False, True]
    assert [o.get("default") for o in controls[1]["options"]] == [True, False]
    assert controls[2]["value"] == "typed"


@pytest.mark.parametrize("count", [1, 5, 6, 9, 10, 11, 20])
def test_a_long_form_has_pages_that_each_fit_and_together_hold_everything(count: int) -> None:
    form = Form("setup:1:x", "T", "S", tuple(TextField(f"f{n}", f"Field {n}") for n in range(count)))
    parts = pages(form)
    assert [field.id for part in parts for field in part.fields] == [f"f{n}" for n in range(count)]
    assert max(len(part.fields) for part in parts) <= 5
    actions = [b.action for part in panel(form, "setup").parts if isinstance(part, Buttons) for b in part.buttons]
    assert actions == [*(f"page:{n}:setup" for n in range(1, len(parts) + 1)), "page:0:setup"]


HUGE = Question(
    "huge",
    Kind.SINGLE,
    "kv-cache",
    5,
    Text("Prompt " + long(6000), "题目 " + long(6000)),
    Text(long(5000), long(5000)),
    status=Status.PUBLISHED,
    options=tuple(Option(key, Text(key + long(900), key + long(900)), key == "b", Text(long(900))) for key in "abcdef"),
)


def heavy(question: Question, size: int) -> Question:
    """The question with texts of this size in place of its own, full of what is hard to show."""
    text = Text(f"Q {long(size)}", f"题 {long(size)}")
    shown = tuple(replace(option, text=text, why=text) for option in question.options)
    rubric = tuple(replace(point, text=text) for point in question.rubric)
    model = text if question.model_answer else None
    return replace(
        question, prompt=text, explanation=text, discussion=text, options=shown, rubric=rubric, model_answer=model
    )


@pytest.mark.parametrize("size", [100, 3000])
@pytest.mark.parametrize("question", EVERY_KIND, ids=lambda question: str(question.kind.value))
async def test_every_kind_at_its_longest_is_posted_opened_answered_and_closed(
    tmp_path: Path, question: Question, size: int
) -> None:
    """Every body that is sent on the way is checked at the end of ``world``."""
    async with world(tmp_path, [heavy(question, size)]) as w:
        await w.setup(language="en+zh", days="thu", window="8h")
        await w.at(1, 9, 30)
        (post,) = w.posts()
        zhou = w.person("zhou", "zh-CN")
        for person in (w.ben, zhou):
            opened = await person.click(post, label=buttons(post)[0])
            if opened.modal is not None:
                (field,) = [part["component"] for part in opened.modal["components"] if "component" in part]
                given: Any = [option["value"] for option in field["options"][:1]] if "options" in field else "512"
                opened = await person.submit_modal(opened, {field["custom_id"]: given})
            assert opened.response.ephemeral
            assert texts(opened.response)
        await w.at(1, 17, 31)
        assert "Closed" in texts(w.posts()[0])
        assert len(w.posts(w.threads[0])) == 1


async def test_a_question_beyond_all_limits_is_posted_answered_and_closed(tmp_path: Path) -> None:
    """Every body that is sent on the way is checked at the end of ``world``."""
    async with world(tmp_path, [HUGE]) as w:
        await w.setup(language="en+zh", days="thu")
        await w.at(1, 9, 30)
        (post,) = w.posts()
        *letters, chinese, whole = buttons(post)
        assert (letters, chinese) == (list("ABCDEF"), "中文")
        shown = texts(post)
        assert all(re.search(rf"^\*\*{letter}\*\*  ", shown, re.MULTILINE) for letter in letters)
        zhou = w.person("zhou", "zh-CN")
        read = await zhou.click(post, label=whole)
        assert len(read.followups) > 1
        assert all(message.ephemeral for message in read.followups)
        assert "题目 " in texts(read.response)
        answered = await zhou.click(read.followups[-1], label="B")
        assert "### " in texts(answered.response)
        await w.at(2, 9, 30)
        assert "Closed" in texts(w.posts()[0])
        assert len(w.posts(w.threads[0])) == 1
