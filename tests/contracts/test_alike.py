"""The same words on every platform, whatever is shown: word for word, with moments and marks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from content.library import Library
from content.question import Text
from tests.contracts.stage import (
    ANN,
    BEN,
    KIM,
    LEA,
    MAX,
    ODD,
    STAGES,
    ZHOU,
    Name,
    Shown,
    Stage,
    day,
    on,
    question,
    set_up,
    words,
)
from tests.slack.bank import BLANK, CASE, MULTIPLE, NUMERIC, SINGLE

DISCUSSED = replace(SINGLE, discussion=Text("What does *GQA* change?", "GQA 改变了什么？"))


async def a_day(stage: Stage) -> dict[str, Shown]:
    """What is seen on the first day of a channel, and on the Monday after."""
    seen: dict[str, Shown] = {}
    seen["nothing yet"] = await stage.command(BEN, "today")
    seen["proposal"] = await stage.command(
        ANN, "setup days=1-7 time=09:30 zone=UTC window=8h language=en+zh holidays=DE"
    )
    seen["saved"] = await stage.tap(ANN, seen["proposal"], "Save")
    seen["post"] = post = await question(stage)
    seen["today in Chinese"] = await stage.tap(ZHOU, post, "中文")
    seen["right"] = await stage.tap(BEN, post, "B")
    seen["wrong in Chinese"] = await stage.tap(ZHOU, post, "A")
    seen["again"] = await stage.tap(BEN, post, "A")
    for person, letter in ((KIM, "B"), (LEA, "D"), (ODD, "B")):
        await stage.tap(person, post, letter)
    await stage.at(day(0, 9, 31))
    (seen["counted"],) = await stage.channel()
    await stage.at(day(0, 17, 30))
    (seen["closed"],) = await stage.channel()
    (seen["result"],) = seen["closed"].thread
    seen["how did I do"] = await stage.tap(KIM, seen["result"], "How did I do?")
    seen["not answered"] = await stage.tap(MAX, seen["result"], "How did I do?")
    seen["late"] = await stage.command(MAX, "answer b")
    for name in ("me", "board all", "help", "status", "topics", "schedule"):
        seen[name] = await stage.command(ANN, name)
    seen["me of Ben"] = await stage.command(BEN, "me")
    seen["board in Chinese"] = await stage.command(ZHOU, "board")
    seen["help in Chinese"] = await stage.command(ZHOU, "help")
    for number in range(1, 8):
        await stage.at(day(number, 9, 30))
    seen["board of the week"] = next(m for m in await stage.channel() if "Board of the week" in m.head)
    return seen


async def other_kinds(stage: Stage) -> dict[str, Shown]:
    """What is seen when a question is answered by a form."""
    seen: dict[str, Shown] = {}
    filled: dict[str, str | tuple[str, ...]] = {
        "multiple": ("a", "b"),
        "blank": "no idea",
        "numeric": "98,765 B",
        "case": "I would measure first.",
    }
    for number, (kind, answer) in enumerate(filled.items()):
        await set_up(stage, kinds=kind)
        seen[f"{kind}: post"] = post = await question(stage, number)
        seen[f"{kind}: form"] = await stage.tap(BEN, post, "Answer")
        seen[f"{kind}: verdict"] = await stage.fill(BEN, answer=answer)
        await stage.tap(ZHOU, post, "Answer")
        seen[f"{kind}: verdict in Chinese"] = await stage.fill(ZHOU, answer=answer)
        await stage.at(day(number, 17, 30))
        (seen[f"{kind}: result"],) = (await stage.channel())[-1].thread
    return seen


SCENES = {
    "a day": (a_day, (DISCUSSED,)),
    "other kinds": (other_kinds, (MULTIPLE, BLANK, NUMERIC, CASE)),
}


@pytest.mark.parametrize("scene", SCENES)
async def test_every_platform_shows_the_same_words(tmp_path: Path, scene: str) -> None:
    """Text, buttons and alt texts of every message, reply and form are those of the others."""
    play, bank = SCENES[scene]
    found: dict[Name, dict[str, Shown]] = {}
    for name in STAGES:
        folder = tmp_path / name
        folder.mkdir()
        async with on(name)(folder, Library.of(bank)) as stage:
            found[name] = await play(stage)
    expected = found["playground"]
    for name in STAGES:
        for what, shown in found[name].items():
            assert read(shown) == read(expected[what]), (name, what)
            assert shown.pings == (), (name, what)


COLUMNS = "Date Time Topic Question "
"""The head of a table that is too wide for a phone, where it becomes lines without one."""


def read(shown: Shown) -> tuple[object, ...]:
    """What must be equal. A form may repeat the options above its ticks: only which lines it has is compared."""
    text = (
        sorted({words(line) for line in shown.text.split("\n")}) if shown.fields else shown.words.replace(COLUMNS, "")
    )
    return text, shown.buttons, shown.pictures, shown.fields
