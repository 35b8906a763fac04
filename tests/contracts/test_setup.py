"""Setting a channel up: everything is looked at before it is saved."""

from __future__ import annotations

import re

from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, Shown, day, question, set_up
from tests.slack.bank import SINGLE, TRUE_FALSE

DATES = "Mon 5 Jan 09:30\nTue 6 Jan 09:30\nWed 7 Jan 09:30\nThu 8 Jan 09:30\nFri 9 Jan 09:30"


def dates(shown: Shown) -> list[str]:
    return re.findall(r"^\w{3} \d+ \w{3} \d\d:\d\d$", shown.text, re.MULTILINE)


async def test_setup_by_options_shows_five_dates_and_saves_nothing_until_save(begin: Begin) -> None:
    """The proposal is only looked at: before Save there is no schedule and nothing is posted; Cancel drops it."""
    async with begin(SINGLE) as stage:
        proposal = await stage.command(ANN, "setup days=mon-sun time=09:30 zone=UTC topics=kv-cache mode=together")
        assert DATES in proposal.text
        assert len(dates(proposal)) == 5
        assert "Nothing is saved yet." in proposal.text
        assert proposal.buttons == ("Save", "Change", "Cancel")
        assert "no drills yet" in (await stage.command(ANN, "status")).text
        assert "no drills yet" in (await stage.command(BEN, "today")).text
        dropped = await stage.tap(ANN, proposal, "Cancel")
        assert dropped.text == "Nothing was changed."
        await stage.at(day(0, 9, 30))
        assert await stage.channel() == []


async def test_save_saves_and_says_the_dates_again(begin: Begin) -> None:
    """In place of the proposal, privately; the channel is told nothing."""
    async with begin(SINGLE) as stage:
        saved = await set_up(stage)
        assert saved.head == "Saved. The next rounds:"
        assert saved.text.endswith(DATES)
        assert saved.buttons == ()
        assert not any("Nothing is saved yet." in shown.text for shown in await stage.seen(ANN))
        assert "0 rounds posted" in (await stage.command(ANN, "status")).text
        assert await stage.channel() == []
        assert await stage.seen(BEN) == []


async def test_setup_by_form_tells_every_faulty_field_and_keeps_the_rest(begin: Begin) -> None:
    """Each wrong field has its sentence and nothing is saved; mended, the form leads to the same proposal."""
    async with begin(SINGLE, TRUE_FALSE) as stage:
        await stage.command(ANN, "setup")
        wrong = await stage.fill(ANN, days=("2", "4"), time="25:00", zone="Mars/Olympus", difficulty="1-4")
        assert "“25:00” is not a time of day" in wrong.text
        assert "Mars/Olympus" in wrong.text
        shown = await stage.fill(
            ANN, time="上午10:15", zone="Europe/Berlin", kinds=("single",), language="zh+en", mode="together"
        )
        assert shown.buttons == ("Save", "Change", "Cancel")
        for row in (
            "Days Tue Thu",
            "Time 10 15 Europe/Berlin",
            "Difficulty 1–4",
            "Kinds single choice",
            "Language 中文 + English",
            "Answers together verdict at close, last answer counts",
        ):
            assert row in shown.words
        assert dates(shown)[0] == "Tue 6 Jan 10:15"
        assert "no drills yet" in (await stage.command(ANN, "status")).text


async def test_the_form_of_setup_is_saved_as_it_was_looked_at(begin: Begin) -> None:
    """Looked at, changed, looked at again and saved: the last look is what stands."""
    async with begin(SINGLE) as stage:
        await stage.command(ANN, "setup")
        shown = await stage.fill(ANN, days=("1", "2", "3"), time="10:15", zone="UTC")
        await stage.tap(ANN, shown, "Change")
        shown = await stage.fill(ANN, time="10:45")
        saved = await stage.tap(ANN, shown, "Save")
        assert dates(saved)[:3] == ["Mon 5 Jan 10:45", "Tue 6 Jan 10:45", "Wed 7 Jan 10:45"]
        await stage.at(day(0, 10, 15))
        assert await stage.channel() == []
        await stage.at(day(0, 10, 45))
        assert len(await stage.channel()) == 1


async def test_a_schedule_is_changed_by_naming_what_changes(begin: Begin) -> None:
    """``schedule time=…`` proposes the same with another time; what has been posted stays."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await question(stage)
        proposal = await stage.command(ANN, "schedule time=10:00")
        assert proposal.head == "Change the schedule?"
        await stage.tap(ANN, proposal, "Save")
        status = await stage.command(ANN, "schedule")
        assert "Time 10 00 UTC" in status.words
        assert "Open for 8 h" in status.words
        await stage.at(day(1, 9, 30))
        assert len(await stage.channel()) == 1
        await stage.at(day(1, 10, 0))
        assert len(await stage.channel()) == 2
