"""*Challenge this answer*, on every platform: kept with the member's words, acknowledged to them alone."""

from __future__ import annotations

from bot.usecases.challenge_answer import list_challenges
from tests.contracts.conftest import Begin
from tests.contracts.stage import BEN, KIM, MAX, ZHOU, Stage, day, question, set_up
from tests.slack.bank import SINGLE

THANKS = "Thank you, your challenge was kept for the authors."


def kept(stage: Stage) -> list[str]:
    return [dispute.text for dispute in stage.app.database.read(list_challenges).result()]


async def test_an_answer_is_challenged_from_the_thread_the_verdict_and_by_typing(begin: Begin) -> None:
    """A later text takes the place of an earlier one, also after a restart; nobody else sees any of it."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        verdict = await stage.tap(BEN, post, "A")
        assert "Challenge this answer" in verdict.buttons
        form = await stage.tap(BEN, verdict, "Challenge this answer")
        assert form.fields == ("text",)
        assert THANKS in (await stage.fill(BEN, text="A is right, see <!channel> §3")).text
        assert "not final" not in (await stage.command(KIM, "challenge B is wrong")).text
        assert kept(stage) == ["A is right, see <!channel> §3"], "who has not answered an open round may not ask"
        await stage.at(day(0, 17, 30))
        await stage.restart()
        (closed,) = await stage.channel()
        (result,) = closed.thread
        assert result.buttons == ("How did I do?", "Challenge this answer")
        again = await stage.tap(BEN, result, "Challenge this answer")
        assert "A is right, see <!channel> §3" in again.text or again.fields == ("text",)
        await stage.fill(BEN, text="Both are right.")
        assert "谢谢" in (await stage.command(ZHOU, "质疑 题目有歧义")).text
        assert sorted(kept(stage)) == ["Both are right.", "题目有歧义"]
        assert await stage.seen(MAX) == []


async def test_an_empty_challenge_is_asked_for_again(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        verdict = await stage.tap(BEN, post, "A")
        await stage.tap(BEN, verdict, "Challenge this answer")
        wrong = await stage.fill(BEN, text="   ")
        assert "That answer is empty" in wrong.text or "empty" in wrong.text
        assert kept(stage) == []
