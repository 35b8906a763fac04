"""Cases, on every platform: the rubric with its ticks, which the member corrects in a form."""

from __future__ import annotations

from tests.contracts.conftest import Begin
from tests.contracts.stage import BEN, MAX, ZHOU, question, set_up
from tests.slack.bank import CASE


async def test_a_member_corrects_the_ticks_of_their_case(begin: Begin) -> None:
    """The form holds the points as they were found; what is ticked there is shown, also after a restart."""
    async with begin(CASE) as stage:
        await set_up(stage)
        post = await question(stage)
        await stage.tap(BEN, post, "Answer")
        verdict = await stage.fill(BEN, answer="I would look at the logs.")
        assert "☐ Measures first (2)" in verdict.text
        assert verdict.buttons == ("Correct the ticks", "Challenge this answer")
        await stage.restart()
        form = await stage.tap(BEN, verdict, "Correct the ticks")
        assert form.fields == ("ticks0",)
        assert "Measures first" in form.text
        corrected = await stage.fill(BEN, ticks0=("1",))
        assert "☑ Measures first (2)" in corrected.text
        assert "Ticked by yourself: 2 of 2." in corrected.text
        await stage.tap(ZHOU, (await stage.channel())[0], "Answer")
        chinese = await stage.fill(ZHOU, answer="先测量")
        assert "☑ 先测量 (2)" in chinese.text
        await stage.tap(ZHOU, chinese, "修改打勾")
        assert "你自己打的勾：2 分中得 0 分。" in (await stage.fill(ZHOU, ticks0=())).text
        assert await stage.seen(MAX) == []
