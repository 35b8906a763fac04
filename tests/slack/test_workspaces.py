"""Whose is a request, and with whose token is a call made? Shared channels, memory, limits."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.card import Card, Paragraph
from bot.chat import ChatError, Message, Place
from bot.clock import HandClock
from bot.slack.paths import INSTALL
from bot.slack.rests import MOST_REMEMBERED, Rests
from bot.slack.whose import bot_of, candidates, for_whole_organisation
from storage import installations
from storage.tables import Installation
from tests.slack.conftest import Start
from tests.slack.many import Browser, ManyBot, people, ready, rows
from tests.slack.team import Bot
from tests.standins.slack import SlackStandin
from tests.standins.slack.model import JSON

CARD = Card("Hello", (Paragraph(("Hello",)),))


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"team": {"id": "T1"}, "user": {"team_id": "T2"}}, ["T1", "T2"]),
        ({"team": {"id": "T2"}, "message": {"team": "T1"}, "user": {"team_id": "T2"}}, ["T1", "T2"]),
        ({"team": {"id": "T2"}, "view": {"app_installed_team_id": "T1", "team_id": "T2"}}, ["T1", "T2"]),
        ({"team_id": "T2", "authorizations": [{"team_id": "T1"}]}, ["T1", "T2"]),
        ({"team_id": "T1", "command": "/drill"}, ["T1"]),
        ({"team": None, "user": {"team_id": "T1"}}, ["T1"]),
        ({"team": "T1", "authorizations": "x", "message": [], "view": 3, "user": None}, []),
        ({"team": {"id": {"a": 1}}, "team_id": 7, "authorizations": [None, {"team_id": ""}]}, []),
        ({}, []),
    ],
)
def test_the_installation_is_named_before_the_person(body: JSON, named: list[str]) -> None:
    """Of several workspaces in a payload those come first that name the app's own; odd shapes name nobody."""
    assert candidates(body) == named


def test_payloads_of_an_organisation_are_told() -> None:
    assert for_whole_organisation({"is_enterprise_install": True})
    assert for_whole_organisation({"is_enterprise_install": "true", "command": "/drill"})
    assert for_whole_organisation({"authorizations": [{"is_enterprise_install": True}]})
    assert not for_whole_organisation({"is_enterprise_install": "false", "authorizations": []})
    assert bot_of({"message": {"bot_id": "B1"}}) == "B1"
    assert bot_of({"message": {"bot_id": 7}}) == bot_of({}) == ""


async def test_a_tap_in_a_shared_channel_belongs_to_who_posted_the_message(many: ManyBot, slack: SlackStandin) -> None:
    """Both organisations have the app; a guest's tap is answered by the workspace whose bot asked."""
    beta = slack.add_workspace("Beta")
    ada, channel = people(slack, slack.workspace, "ada")
    bea, _ = people(slack, beta, "bea")
    await many.install(slack.workspace, ada)
    await many.install(beta, bea)
    standing = many.running.standing
    guest: JSON = {
        "type": "block_actions",
        "team": {"id": beta.id},
        "user": {"id": bea.id, "team_id": beta.id},
        "message": {"team": slack.workspace.id, "bot_id": slack.workspace.bot_id},
    }
    assert await standing.workspace_of(guest) == slack.workspace.id
    without_team = guest | {"message": {"bot_id": slack.workspace.bot_id}, "team_id": slack.workspace.id}
    assert await standing.workspace_of(without_team) == slack.workspace.id
    # A bot that the payload's workspaces know nothing of decides nothing.
    foreign = guest | {"message": {"bot_id": slack.workspace.bot_id}}
    assert await standing.workspace_of(foreign) == beta.id
    assert await standing.workspace_of(guest | {"is_enterprise_install": True}) is None
    assert await standing.workspace_of({"team": {"id": "T404"}}) is None
    del channel


async def test_what_is_remembered_has_an_end(
    many: ManyBot, slack: SlackStandin, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After ten minutes the database is asked again, and no more than so many are kept."""
    from bot.slack import directory

    monkeypatch.setattr(directory, "MOST_REMEMBERED", 2)
    standing = many.running.standing
    spaces = [slack.workspace, slack.add_workspace("Beta"), slack.add_workspace("Gamma")]
    for n, space in enumerate(spaces):
        await many.install(space, people(slack, space, f"admin{n}")[0])
        await standing.client(space.id)
    assert len(standing._known) == 2  # type: ignore[attr-defined]

    def gone(tx: Any) -> None:
        installations.revoke(tx, "slack", spaces[2].id, clock.now())

    many.app.database.write(gone).result()  # as another process does
    assert await standing.installation(spaces[2].id) is not None
    clock.forward(timedelta(minutes=10.1))
    assert await standing.installation(spaces[2].id) is None
    with pytest.raises(ChatError) as caught:
        await standing.client(spaces[2].id)
    assert (caught.value.outcome, caught.value.code) == ("retry", "not_installed")


async def test_what_is_forgotten_while_it_is_read_is_read_again(many: ManyBot, slack: SlackStandin) -> None:
    """A token that is revoked at the very moment it is looked up is not remembered."""
    ada, _ = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    standing = many.running.standing
    read = standing._read  # type: ignore[attr-defined]
    times = 0

    async def slow(workspace: str) -> Any:
        nonlocal times
        times += 1
        found = await read(workspace)
        if times == 1:
            await standing.lose(workspace, "app_uninstalled")
        return found

    standing._read = slow  # type: ignore[attr-defined]
    with pytest.raises(ChatError, match="not_installed"):
        await standing.client(slack.workspace.id)
    assert times == 2


async def test_taps_at_once_renew_a_token_once(many: ManyBot, slack: SlackStandin, clock: HandClock) -> None:
    """Fifty calls in the last half hour of a token: one trade, and all of them are served."""
    slack.core.rotation = True
    ada, _ = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    for after, before_end in ((11 * 60 + 45, True), (13 * 60, False)):
        clock.forward(timedelta(minutes=after))
        many.running.standing.forget(slack.workspace.id)  # type: ignore[attr-defined]
        before = len(slack.writes("oauth.v2.access"))
        clients = await asyncio.gather(*(many.running.standing.client(slack.workspace.id) for _ in range(50)))
        assert len(slack.writes("oauth.v2.access")) == before + 1
        assert before_end or {client.token for client in clients} == {slack.workspace.bot_token}
        for client in {client.token: client for client in clients}.values():
            assert (await client.auth_test())["ok"]


async def test_a_refresh_token_that_slack_refuses_parks_the_workspace(
    many: ManyBot, slack: SlackStandin, clock: HandClock
) -> None:
    """Somebody has to install the app again; until then nothing is asked of Slack."""
    slack.core.rotation = True
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    slack.workspace.refresh_tokens.clear()
    clock.forward(timedelta(minutes=13 * 60))
    await many.beat()
    assert rows(many, Installation)[0].revoked_at is not None
    before = len(slack.calls)
    await many.after(hours=24)
    assert slack.calls[before:] == []


async def test_a_token_that_slack_calls_expired_is_renewed(many: ManyBot, slack: SlackStandin) -> None:
    """Slack's clock decides: the call is tried again with the next token, and nothing is lost."""
    slack.core.rotation = True
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    slack.fail("chat.postMessage", error="token_expired")
    await many.after(hours=1)
    await many.after(minutes=1)
    assert len(slack.messages(channel)) == 1
    assert [e.payload for e in slack.writes("oauth.v2.access")][1:] == [{"refresh_token": "(used)"}]


async def test_a_dead_token_that_a_tap_meets_is_not_used_again(many: ManyBot, slack: SlackStandin) -> None:
    """Revoked without an event: the first call of any kind that is refused is the last one."""
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    slack.workspace.bot_token = slack.core.new_token()  # the one that the bot knows is nobody's now
    await slack.command(ada, channel, "/drill", "status")
    await many.after(hours=1)
    assert [call.outcome for call in slack.calls].count("invalid_auth") == 1
    assert rows(many, Installation)[0].token == ""
    slack.violations.clear()


# --- limits ------------------------------------------------------------------------------------------------------


async def test_a_limit_holds_for_its_workspace_and_method_alone(
    many: ManyBot, slack: SlackStandin, clock: HandClock
) -> None:
    """While edits rest in one workspace no other edit is tried there; other workspaces and other calls go on."""
    beta = slack.add_workspace("Beta")
    ada, one = people(slack, slack.workspace, "ada")
    bea, other = people(slack, beta, "bea")
    await many.install(slack.workspace, ada)
    await many.install(beta, bea)
    second = slack.add_channel("second", ada)
    chat = many.app.chats["slack"]

    async def edit(space: str, channel: str, message: Message) -> str:
        try:
            await chat.edit(Place(space, channel), message, CARD)
        except ChatError as error:
            return error.code
        return "ok"

    here, there = slack.workspace.id, beta.id
    posted = {c.id: await chat.post(Place(c.team, c.id), CARD, c.id) for c in (one, second, other)}
    slack.fail("chat.update", retry_after=20)
    assert await edit(here, one.id, posted[one.id]) == "ratelimited"
    before = len(slack.calls)
    assert await edit(here, second.id, posted[second.id]) == "ratelimited"
    assert len(slack.calls) == before, "Slack was not asked"
    assert await edit(there, other.id, posted[other.id]) == "ok"
    await chat.post(Place(here, second.id), CARD, "k9")
    clock.forward(timedelta(minutes=0.35))
    assert await edit(here, second.id, posted[second.id]) == "ok"
    # Posts are counted by channel.
    slack.fail("chat.postMessage", retry_after=20)
    with pytest.raises(ChatError, match="ratelimited"):
        await chat.post(Place(here, one.id), CARD, "k10")
    await chat.post(Place(here, second.id), CARD, "k11")


def test_limits_that_are_over_are_not_kept_for_ever() -> None:
    now = 0.0
    rests = Rests(lambda: now)
    for n in range(MOST_REMEMBERED + 10):
        rests.note(n, ChatError("retry", "ratelimited", 5.0))
    assert len(rests._until) == MOST_REMEMBERED
    with pytest.raises(ChatError):
        rests.check(MOST_REMEMBERED)
    now = 5.0
    rests.check(MOST_REMEMBERED)
    rests.note("x", ChatError("unsure", "timeout", 5.0))
    rests.check("x")


# --- two modes ---------------------------------------------------------------------------------------------------


async def test_a_bot_token_wins(start: Start, slack: SlackStandin) -> None:
    """With one, the app serves that workspace alone, and there is no page to install it elsewhere."""
    bot = await start("http")
    address = bot.slack.postman.transport.urls["interactive"].removesuffix("/slack/events")  # type: ignore[union-attr]
    async with Browser() as browser:
        assert (await browser.get(address + INSTALL)).status == 404


async def test_a_new_bot_token_goes_on_where_the_dead_one_stopped(start: Start, slack: SlackStandin) -> None:
    """Uninstalled at nine, installed again and restarted at ten: today's question is posted once."""
    bot: Bot = await start()
    ada = slack.add_user("ada", is_admin=True)
    channel = slack.add_channel("ml", ada)
    await bot.setup(ada, channel, "kinds=single time=09:00 zone=UTC")
    await slack.uninstall()
    await slack.until(lambda: "slack" not in bot.app.chats)
    await bot.after(hours=1)
    await bot.end()
    slack.workspace.revoked, slack.workspace.bot_token = "", slack.core.new_token()
    bot = await start()
    await bot.after(hours=1)
    await bot.beat()
    assert len(slack.messages(channel)) == 1
