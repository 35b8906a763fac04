"""Restarts, lost replies, forged buttons, secrets: nothing is posted twice, told early or left unanswered."""

from __future__ import annotations

import pytest

from content.question import Question
from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, KIM, ZHOU, day, question, set_up
from tests.slack.bank import BLANK, CASE, MULTIPLE, NUMERIC, SINGLE, TRUE_FALSE


async def test_the_buttons_of_old_messages_work_after_a_restart(begin: Begin) -> None:
    """In the channel, in a private reply and in a thread; the count goes on where it was."""
    async with begin(SINGLE) as stage:
        proposal = await stage.command(ANN, "setup days=mon-sun time=09:30 zone=UTC window=8h")
        await stage.restart()
        assert (await stage.tap(ANN, proposal, "Save")).head == "Saved. The next rounds:"
        post = await question(stage)
        await stage.tap(KIM, post, "A")
        await stage.restart()
        (post,) = await stage.channel()
        assert (await stage.tap(BEN, post, "B")).head == "Right! +15 points"
        assert "Your first answer stands." in (await stage.tap(KIM, post, "B")).text
        await stage.at(day(0, 9, 31))
        (counted,) = await stage.channel()
        assert "2 answered" in counted.text
        await stage.restart()
        await stage.at(day(0, 17, 30))
        await stage.restart()
        (closed,) = await stage.channel()
        assert "1 of 2 right" in closed.text
        assert (await stage.tap(BEN, closed.thread[0], "How did I do?")).head == "Right! +15 points"
        await stage.at(day(0, 17, 32))
        assert await stage.channel() == [closed]


async def test_a_form_that_was_open_during_a_restart_can_be_sent(begin: Begin) -> None:
    """What somebody has half written is not lost with the process that asked for it."""
    async with begin(BLANK) as stage:
        await set_up(stage)
        await stage.tap(BEN, await question(stage), "Answer")
        await stage.command(ANN, "setup")
        await stage.restart()
        assert (await stage.fill(BEN, answer="zyzzyva")).head == "Right! +15 points"
        assert "Time 10 15 UTC" in (await stage.fill(ANN, time="10:15")).words


async def test_a_post_whose_reply_was_lost_stands_once(begin: Begin) -> None:
    """The bot cannot know whether it arrived, so it looks before it would send again."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        made = await stage.lose_reply()
        post = await question(stage)
        for minute in range(31, 40):
            await stage.at(day(0, 9, minute))
        assert len(await stage.channel()) == 1
        assert made() == 1
        await stage.tap(BEN, post, "B")
        await stage.at(day(0, 9, 45))
        assert "1 answered" in (await stage.channel())[0].text
        await stage.at(day(1, 9, 30))
        assert made() == 2


async def test_a_question_that_fell_into_an_outage_comes_late_and_once(begin: Begin) -> None:
    """Within four hours it is posted after all; a later one is missed, and the status says so."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await stage.restart()
        await stage.at(day(0, 11, 0))
        await stage.at(day(0, 11, 1))
        (post,) = await stage.channel()
        assert post.head == "Daily drill #1"
        await stage.at(day(1, 20, 0))
        assert len(await stage.channel()) == 1
        assert "1 round posted · 1 missed" in (await stage.command(ANN, "status")).text


FORGED = (
    "answer:999999:a",
    "answer:1:zz",
    "answer:x:a",
    "answer:1'; DROP TABLE answers;--:a",
    "answer:1",
    "form:999",
    "mine:١٢",
    "read:1:xx:yy",
    "save:999999",
    "change:-1",
    "drop:",
    "none of ours",
    "九" * 90,
)


async def test_a_forged_button_gets_one_neutral_sentence(begin: Begin) -> None:
    """Whatever stands in it: a person is told, nothing is stored, everything goes on."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        forged = await stage.forge(*FORGED)
        for number in range(1, len(FORGED) + 1):
            told = await stage.tap(ANN, forged, str(number))
            assert told.text, FORGED[number - 1]
            assert "\n" not in told.text, told.text
            assert "went wrong" not in told.text, FORGED[number - 1]
        await stage.at(day(0, 9, 31))
        assert "0 answered" in (await stage.channel())[0].text
        assert (await stage.tap(BEN, post, "B")).head == "Right! +15 points"


SECRETS: list[tuple[Question, str, str]] = [
    (SINGLE, "B", "Because 512 MiB is right."),
    (MULTIPLE, "A C", "Because Grouped queries is right."),
    (TRUE_FALSE, "A", "The secret explanation."),
    (BLANK, "zyzzyva", "zyzzyva"),
    (NUMERIC, "98765", "98765"),
    (CASE, "measure", "quokka"),
]


@pytest.mark.parametrize("mode", ["instant", "together"])
async def test_nothing_shared_holds_the_key_before_close(begin: Begin, mode: str) -> None:
    """No text, id, hidden data or page; not even after people answered rightly. After close the thread has it."""
    async with begin(*(asked for asked, _, _ in SECRETS)) as stage:
        for number, (asked, answer, secret) in enumerate(SECRETS):
            await set_up(stage, mode=mode, language="en+zh", kinds=asked.kind.value)
            known = await stage.exposed()
            await question(stage, number)
            await stage.command(BEN, f"answer {answer}")
            await stage.command(ZHOU, f"answer {answer}")
            await stage.at(day(number, 9, 31))
            assert "2 answered" in (await stage.channel())[-1].text
            exposed = await stage.exposed()
            for kept in (secret, "Because", "The secret explanation.", '"correct"', "秘密"):
                assert exposed.count(kept) == known.count(kept), (asked.kind, kept)
            await stage.at(day(number, 17, 30))
            assert (await stage.exposed()).count(secret) > known.count(secret), asked.kind
