"""What admins do from day to day, on every platform: dates, swaps, previews, delegates, the audit."""

from __future__ import annotations

from dataclasses import replace

from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, KIM, MAX, day, question, set_up
from tests.slack.bank import SINGLE, TRUE_FALSE

OTHERS = tuple(replace(SINGLE, id=f"other-{n}") for n in range(8))


async def test_a_round_is_skipped_and_the_skip_taken_back(begin: Begin) -> None:
    """Privately, with the rounds that come then; the button works after a restart."""
    async with begin(SINGLE, TRUE_FALSE) as stage:
        await set_up(stage)
        skipped = await stage.command(ANN, "skip")
        assert skipped.head == "The round of Mon 5 Jan is skipped."
        assert "Tue 6 Jan 09:30" in skipped.words or "Tue 6 Jan 09" in skipped.words
        await stage.restart()
        back = await stage.tap(ANN, skipped, "Undo")
        assert back.head == "Mon 5 Jan is as the week has it again."
        await stage.command(ANN, "holiday 2026-01-06")
        await question(stage)
        await stage.at(day(1, 12))
        assert len(await stage.channel()) == 1, "no round on Tuesday"
        assert "Tue 6 Jan" in (await stage.command(ANN, "status")).text
        assert await stage.seen(MAX) == []


async def test_a_question_is_previewed_swapped_and_posted(begin: Begin) -> None:
    """The preview shows what the channel will see; what was saved in its place is what is posted."""
    async with begin(*OTHERS, TRUE_FALSE) as stage:
        await set_up(stage, kinds="single,true_false")
        preview = await stage.command(ANN, "preview")
        assert "Preview: only you see this." in preview.text
        assert preview.buttons == ("Another question", "Skip it")
        proposal = await stage.tap(ANN, preview, "Another question")
        assert proposal.buttons == ("Save", "Another", "Cancel")
        proposal = await stage.command(ANN, f"swap to={TRUE_FALSE.id}")
        saved = await stage.tap(ANN, proposal, "Save")
        assert saved.head == "Mon 5 Jan asks this now."
        stale = await stage.command(ANN, "swap")
        post = await question(stage)
        assert TRUE_FALSE.prompt.en in post.text
        late = await stage.tap(ANN, stale, "Another")
        assert "cannot be changed any more" in late.text


async def test_the_drills_are_delegated_by_name_or_mention(begin: Begin) -> None:
    """A delegate does what admins do from then on, on whatever the platform calls people."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await question(stage)
        await stage.tap(BEN, (await stage.channel())[0], "A")
        assert "Only admins" in (await stage.command(BEN, "skip")).text
        added = await stage.command(ANN, f"admins add={BEN.name}")
        assert "ben" in added.text
        assert "is skipped" in (await stage.command(BEN, "skip")).text
        assert "Only the workspace's own admins" in (await stage.command(BEN, "admins add=kim")).text
        await stage.command(ANN, f"admins remove={BEN.name}")
        assert "Only admins" in (await stage.command(BEN, "status")).text
        assert "Only admins" in (await stage.command(KIM, "audit")).text
        audit = await stage.command(ANN, "audit")
        assert "skipped a round 2026-01-06" in audit.words
        assert "changed the delegates" in audit.text
