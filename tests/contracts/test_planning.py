"""The plan of a channel, on every platform: dates, topics, previews, what was done, and mistakes of those who plan."""

from __future__ import annotations

from dataclasses import replace

from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, ZHOU, day, question, set_up
from tests.slack.bank import SINGLE, TRUE_FALSE

OTHERS = tuple(replace(SINGLE, id=f"other-{n}") for n in range(8))
LORA = replace(TRUE_FALSE, topic="lora")


async def test_dates_go_out_and_come_in_in_both_languages(begin: Begin) -> None:
    """By stretch, weekday or words; listed without an argument; a delegate reads it in their own language."""
    async with begin(*OTHERS) as stage:
        await set_up(stage, days="mon-fri", holidays="DE")
        await question(stage)
        await stage.tap(ZHOU, (await stage.channel())[0], "A")
        await stage.command(ANN, f"admins add={ZHOU.name}")
        out = await stage.command(ANN, "holiday 2026-01-07..2026-01-08")
        assert out.head == "No round on Wed 7 Jan, Thu 8 Jan."
        put = await stage.command(ZHOU, "extra 周六")
        assert put.head == "1月10日周六会出题。"
        listed = await stage.command(ANN, "holiday")
        assert "Wed 7 Jan, Thu 8 Jan" in listed.text
        assert "Sat 10 Jan" in listed.text
        assert "Fri 3 Apr" in listed.text, "Good Friday"
        for n in range(1, 6):
            await stage.at(day(n, 9, 30))
        assert [int(m.text.partition("#")[2].split()[0]) for m in await stage.channel()] == [1, 2, 3, 4]
        assert "Wed 7 Jan, Thu 8 Jan" not in (await stage.command(ANN, "holiday")).text


WRONG = (
    ("skip soon", "“soon” is no date; write it like 2026-12-31."),
    ("holiday 2026-02-30", "“2026-02-30” is no date"),
    ("extra 3/4", "“3/4” is no date"),
    ("skip 2026-01-05 off", "2026-01-05 is not skipped"),
    ("holiday 2026-01-01", "cannot be changed any more"),
    ("swap to=nonsense-of-mine", "is neither a question of the bank nor a topic"),
    ("preview 2027-12-24", "No round is planned for Fri 24 Dec"),
    ("audit zwei", "“zwei” is no page"),
    ("topics day=noday kv-cache", "noday"),
    ("topics lorra", "did you mean lora"),
    ("admins add=nobody-here", "is not one person known here"),
)


async def test_what_cannot_be_read_is_one_sentence_and_changes_nothing(begin: Begin) -> None:
    async with begin(*OTHERS) as stage:
        await set_up(stage)
        before = (await stage.command(ANN, "status")).text
        for typed, told in WRONG:
            assert told in (await stage.command(ANN, typed)).text, typed
        assert (await stage.command(ANN, "status")).text == before


async def test_topics_are_searched_and_set_by_name_area_and_weekday(begin: Begin) -> None:
    """With how many questions there are; the proposal names topics that give nothing yet."""
    async with begin(*OTHERS, LORA) as stage:
        await set_up(stage)
        found = await stage.command(ANN, "topics search inference")
        assert "area inference-serving" in found.words
        assert "kv-cache KV cache & reuse 8" in (await stage.command(ANN, "topics search kv-cache")).words
        area = await stage.command(ANN, "topics area:inference-serving")
        assert "No question fits these topics yet" in area.text
        await stage.tap(ANN, area, "Save")
        weekday = await stage.command(ANN, f"topics day=tue {LORA.topic}")
        await stage.tap(ANN, weekday, "Save")
        await stage.restart()
        shown = await stage.command(ANN, "topics")
        assert f"Tue {LORA.topic}" in shown.words
        await question(stage)
        await stage.at(day(1, 9, 30))
        _, second = await stage.channel()
        assert LORA.prompt.en in second.text


async def test_two_admins_at_once_and_an_old_proposal(begin: Begin) -> None:
    """Each saves what they looked at, the later word stands; a proposal that was saved or is too old says so."""
    async with begin(*OTHERS) as stage:
        await set_up(stage)
        one = await stage.command(ANN, "schedule time=10:00")
        other = await stage.command(ANN, "schedule time=11:00")
        await stage.tap(ANN, other, "Save")
        await stage.tap(ANN, one, "Save")
        assert "Time 10 00 UTC" in (await stage.command(ANN, "status")).words
        old = await stage.command(ANN, "schedule time=12:00")
        await stage.at(day(3, 8))
        assert "Begin again" in (await stage.tap(ANN, old, "Save")).text
        assert "Time 10 00 UTC" in (await stage.command(ANN, "status")).words


async def test_what_was_done_is_read_page_by_page(begin: Begin) -> None:
    """Twenty a page, the newest first; nobody else reads it."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        for _ in range(11):
            await stage.command(ANN, "pause")
            await stage.command(ANN, "resume")
        page = await stage.command(ANN, "audit")
        assert page.buttons == ("Older",)
        assert "set the schedule" not in page.text
        older = await stage.tap(ANN, page, "Older")
        assert older.buttons == ("Newer",)
        assert "set the schedule" in older.text
        assert "Only admins" in (await stage.command(BEN, "audit")).text
