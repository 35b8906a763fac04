"""A member's data on every platform: a file for them alone, and being forgotten."""

from __future__ import annotations

import json

from tests.contracts.conftest import Begin
from tests.contracts.files import files
from tests.contracts.stage import BEN, KIM, ZHOU, day, question, set_up
from tests.slack.bank import SINGLE

NAME = "team-drills-2026-01-05.json"


async def test_a_member_gets_their_data_as_a_file_for_them_alone(begin: Begin) -> None:
    """Before close it holds what they chose and not what it came to; after it, both. Others get nothing of it."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        await stage.tap(BEN, post, "B")
        await stage.tap(KIM, post, "A")
        told = await stage.command(BEN, "export")
        assert "All that is stored of you is in this file." in told.text
        plain = json.loads((await files(stage, BEN))[NAME])
        assert plain["member"]["name"] == "ben"
        (answer,) = plain["answers"]
        assert "right" not in answer
        assert "kim" not in json.dumps(plain)
        assert NAME not in await stage.exposed() or stage.name.startswith("slack")
        await stage.at(day(0, 17, 31))
        shown = await stage.tap(BEN, await stage.command(BEN, "settings"), "My data")
        assert "All that is stored of you is in this file." in shown.text
        assert json.loads((await files(stage, BEN))[NAME])["answers"][0]["right"] is True


async def test_of_a_stranger_nothing_is_stored(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        assert (await stage.command(KIM, "export")).text == "Nothing is stored of you."
        assert (await stage.command(ZHOU, "forget")).text == "没有保存任何关于你的数据。"


async def test_forgetting_asks_first_and_is_for_good(begin: Begin) -> None:
    """Gone from the board at once, sums stay, the red button works after a restart, and twice is once."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        for person in (BEN, KIM):
            await stage.tap(person, post, "B")
        await stage.at(day(0, 17, 31))
        asked = await stage.command(BEN, "forget")
        assert asked.head == "Forget you for good?"
        assert asked.buttons == ("Forget me for good", "Cancel")
        assert "ben" in (await stage.command(KIM, "board")).text
        await stage.restart()
        done = await stage.tap(BEN, asked, "Forget me for good")
        assert done.text == "You are forgotten. If you answer later, you begin anew."
        assert "ben" not in (await stage.command(KIM, "board")).text
        (closed,) = await stage.channel()
        assert "2 of 2 right" in closed.text
        assert (await stage.command(BEN, "export")).text == "Nothing is stored of you."
        assert (await stage.command(BEN, "forget")).text == "Nothing is stored of you."
        anew = await stage.tap(BEN, await question(stage, 1), "B")
        assert "Only you see your answers." in anew.text


async def test_a_changed_mind_changes_nothing(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await stage.tap(ZHOU, await question(stage), "B")
        asked = await stage.command(ZHOU, "forget")
        assert asked.head == "要永久忘记你吗？"
        assert (await stage.tap(ZHOU, asked, "取消")).text == "没有任何改动。"
        assert "回答" in (await stage.command(ZHOU, "me")).text or (await stage.command(ZHOU, "me")).head == "你的进展"


async def test_forgetting_while_a_round_is_open_takes_the_answer_out_of_its_count(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        for person in (BEN, KIM):
            await stage.tap(person, post, "B")
        await stage.tap(BEN, await stage.command(BEN, "forget"), "Forget me for good")
        await stage.at(day(0, 9, 40))
        assert "1 answered" in (await stage.channel())[0].text
