"""What happens to a channel, told by the engine's own events: the same on every platform, in both languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import select

from bot.chat import ChatError, Happening, Message, Place
from storage.tables import Schedule, Workspace
from tests.contracts.conftest import Begin
from tests.contracts.direct import direct, press
from tests.contracts.stage import ANN, BEN, ZHOU, Stage, day, question, set_up
from tests.slack.bank import SINGLE


async def happened(stage: Stage, kind: Any, **values: str) -> None:
    """The platform tells of the stage's channel."""
    app = stage.app

    def where(tx):  # type: ignore[no-untyped-def]
        schedule = tx.exec(select(Schedule)).one()
        return tx.get_one(Workspace, schedule.workspace_id), schedule.channel_id

    workspace, channel = app.database.read(where).result()
    event = Happening(workspace.platform, workspace.external_id, kind, channel)
    assert await app.conversation.happened(replace(event, **values))
    await app.outbox.beat()


class Refusing:
    """The platform's chat where posts are refused for a while, and the check says what is missing."""

    def __init__(self, chat: Any, error: ChatError, times: int = 99, lacks: tuple[str, ...] | None = None) -> None:
        self.chat = chat
        self.error = error
        self.left = times
        self.lacks = lacks
        self.calls = 0
        self.blind = False

    async def post(self, place: Place, card: Any, key: str) -> Message:
        self.calls += 1
        if self.left:
            self.left -= 1
            raise self.error
        posted: Message = await self.chat.post(place, card, key)
        return posted

    async def check(self, place: Place, *, reactions: bool = False) -> Any:
        if self.blind:
            raise ChatError("unsure", "timeout", cure="outage")
        if self.lacks is not None:
            return self.lacks
        return await self.chat.check(place, reactions=reactions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.chat, name)


def refuse(stage: Stage, error: ChatError, times: int = 99, lacks: tuple[str, ...] | None = None) -> Refusing:
    ((platform, chat),) = stage.app.chats.items()
    refusing = Refusing(chat, error, times, lacks)
    stage.app.chats[platform] = refusing  # type: ignore[assignment]
    return refusing


REFUSED = ChatError("permanent", "restricted_action", cure="restricted")


async def test_an_archived_channel_waits_and_goes_on(begin: Begin) -> None:
    """The admin hears it once with the cure; status says it; afterwards the next date comes and nothing twice."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        await stage.tap(BEN, post, "B")
        refuse(stage, REFUSED, 0, ("archived",))
        await happened(stage, "channel_archived")
        await happened(stage, "channel_archived")
        (told,) = await direct(stage, ANN)
        assert "is archived. Unarchive it" in told.text
        await stage.at(day(1, 12))
        assert len(await stage.channel()) == 1
        assert "Drills wait: the channel is archived." in (await stage.command(ANN, "status")).text
        await stage.restart()
        await happened(stage, "channel_unarchived")
        (closed,) = await stage.channel()
        assert "1 of 1 right" in closed.text
        assert len(closed.thread) == 1
        await stage.at(day(2, 9, 30))
        assert len(await stage.channel()) == 2
        assert "2 rounds posted · 1 missed" in (await stage.command(ANN, "status")).text


@pytest.mark.parametrize("kind", ["bot_removed", "channel_deleted", "workspace_left"])
async def test_a_channel_that_cannot_be_used_is_asked_for_nothing(begin: Begin, kind: str) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        lacks = {"bot_removed": ("uninvited",), "channel_deleted": ("deleted",)}.get(kind)
        refusing = refuse(stage, REFUSED, 0, lacks)
        await happened(stage, kind)
        await stage.at(day(2, 12))
        assert refusing.calls == 0
        assert await stage.channel() == []


@pytest.mark.parametrize(("gone", "back"), [("bot_removed", "bot_added"), ("workspace_left", "workspace_joined")])
async def test_a_bot_that_is_back_goes_on_with_the_next_date(begin: Begin, gone: Any, back: Any) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await happened(stage, gone)
        await stage.at(day(0, 14))
        await happened(stage, back)
        await happened(stage, back)
        assert await stage.channel() == []
        await stage.at(day(1, 9, 30))
        assert len(await stage.channel()) == 1


async def test_a_channel_gets_another_name(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await happened(stage, "channel_renamed", name="quiz-time")
        refuse(stage, REFUSED, 1)
        await stage.at(day(0, 9, 30))
        await stage.at(day(0, 9, 31))
        (told,) = await direct(stage, ANN)
        assert "in #quiz-time was missed" in told.text


async def test_the_button_to_try_again_works_once_and_after_a_restart(begin: Begin) -> None:
    """In the direct message that told of the refusal."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        refuse(stage, REFUSED, 1)
        await stage.at(day(0, 9, 30))
        await stage.at(day(0, 9, 31))
        assert await stage.channel() == []
        await stage.restart()
        (told,) = await direct(stage, ANN)
        assert told.buttons == ("Try again",)
        await press(stage, ANN, told, "Try again")
        await stage.at(day(0, 9, 33))
        assert len(await stage.channel()) == 1
        await press(stage, ANN, told, "Try again")
        await stage.at(day(0, 9, 36))
        assert len(await stage.channel()) == 1
        assert "1 round posted · 0 missed" in (await stage.command(ANN, "status")).text


async def test_a_forged_button_to_try_again_is_for_admins_alone(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        refuse(stage, REFUSED, 1)
        await stage.at(day(0, 9, 30))
        forged = await stage.forge("retry:1", "reopen:1", "retry:99999")
        assert "Only admins" in (await stage.tap(BEN, forged, "1")).text
        assert "只有" in (await stage.tap(ZHOU, forged, "2")).text
        assert "not known here" in (await stage.tap(ANN, forged, "3")).text
        assert len(await stage.channel()) == 1, "the forged message alone"


async def test_after_three_refusals_the_schedule_pauses_and_says_so(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        await set_up(stage)
        refusing = refuse(stage, REFUSED)
        for number in range(5):
            await stage.at(day(number, 9, 30))
            await stage.at(day(number, 9, 31))
        assert refusing.calls == 3
        assert (await direct(stage, ANN))[-1].text.startswith("Three posts in a row failed")
        status = await stage.command(ANN, "status")
        assert "a setting of the channel or workspace lets others post there only" in status.text
        refusing.left = 0
        await stage.command(ANN, "resume")
        await stage.at(day(5, 9, 30))
        assert len(await stage.channel()) == 1


async def test_before_it_is_saved_the_admin_sees_what_the_channel_lacks(begin: Begin) -> None:
    """With the cure; it can be saved all the same, and status goes on saying it until it is mended."""
    async with begin(SINGLE) as stage:
        refuse(stage, REFUSED, 0, ("threads", "files"))
        proposal = await stage.command(ANN, "setup days=mon-sun time=09:30 zone=UTC")
        for cure in ("cannot open threads there", "Attach Files"):
            assert cure in proposal.text
        saved = await stage.tap(ANN, proposal, "Save")
        assert saved.head == "Saved. The next rounds:"
        assert "cannot open threads there" in saved.text
        assert "cannot open threads there" in (await stage.command(ANN, "status")).text


async def test_a_platform_that_cannot_be_asked_is_no_obstacle(begin: Begin) -> None:
    """The schedule is shown and saved; the daily look says later what is missing."""
    async with begin(SINGLE) as stage:
        blind = refuse(stage, REFUSED, 0)
        blind.blind = True
        assert (await set_up(stage)).head == "Saved. The next rounds:"
        await stage.at(day(0, 9, 5))
        await stage.at(day(0, 9, 30))
        assert len(await stage.channel()) == 1
        blind.blind, blind.lacks = False, ("threads",)
        await stage.at(day(1, 9, 5))
        (told,) = await direct(stage, ANN)
        assert told.text.startswith("Before the next drill in #drills: the bot cannot open threads there")
        await stage.at(day(1, 9, 30))
        await stage.at(day(2, 9, 5))
        again = [shown for shown in await direct(stage, ANN) if shown.text.startswith("Before the next drill")]
        assert len(again) == 1


async def test_where_no_person_can_make_drills_work_nothing_is_saved(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        refuse(stage, REFUSED, 0, ("direct",))
        refused = await stage.command(ANN, "setup days=mon-sun time=09:30 zone=UTC")
        assert (
            refused.text
            == "Nothing was saved: drills need a channel, and this is a direct message; set them up in a channel."
        )
        assert "no drills yet" in (await stage.command(ANN, "status")).text


async def test_in_a_channel_that_is_well_nothing_is_said(begin: Begin) -> None:
    """Asked of the real client: all that drills need is there."""
    async with begin(SINGLE) as stage:
        proposal = await stage.command(ANN, "setup days=mon-sun time=09:30 zone=UTC")
        assert "⚠" not in proposal.text
        await stage.tap(ANN, proposal, "Save")
        ((_, chat),) = stage.app.chats.items()

        def where(tx):  # type: ignore[no-untyped-def]
            schedule = tx.exec(select(Schedule)).one()
            return Place(tx.get_one(Workspace, schedule.workspace_id).external_id, schedule.channel_id)

        assert list(await chat.check(stage.app.database.read(where).result(), reactions=True)) == []
