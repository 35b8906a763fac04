"""The invitation asks for what the bot's calls need, and for nothing else."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlparse

import discord
from typer.testing import CliRunner

from bot.cli import app
from bot.discord.invite import _CALLS, ASKED, RIGHTS, explanation, invite_url, needed
from tests.discord.questions import SINGLE
from tests.discord.world import texts, world

ROOT = Path(__file__).parents[2]


def granted() -> discord.Permissions:
    return discord.Permissions(int(parse_qs(urlparse(invite_url(123)).query)["permissions"][0]))


def test_the_link_names_the_application_its_scopes_and_the_fewest_permissions() -> None:
    asked = parse_qs(urlparse(invite_url(123)).query)
    assert asked["client_id"] == ["123"]
    assert asked["scope"] == ["bot applications.commands"]
    assert granted() == discord.Permissions(
        view_channel=True,
        send_messages=True,
        send_messages_in_threads=True,
        create_public_threads=True,
        attach_files=True,
        read_message_history=True,
        add_reactions=True,
    )


def test_every_permission_is_needed_by_a_call_and_every_call_by_none_that_is_not_asked_for() -> None:
    assert {right for rights in _CALLS.values() for right in rights} == set(ASKED)


def test_a_call_that_is_in_no_list_needs_no_guess() -> None:
    assert needed("DELETE", "/guilds/1/members/2") is None
    assert needed("POST", "/channels/1/messages/2/threads") == _CALLS["POST /channels/{}/messages/{}/threads"]


def test_each_permission_is_explained_on_demand_and_in_the_docs() -> None:
    printed = CliRunner().invoke(app, ["discord", "invite", "123", "--explain"]).output
    assert explanation() in printed
    docs = (ROOT / "docs" / "discord.md").read_text()
    for right in ASKED:
        assert right.name in printed
        assert right.name in docs
    assert len(CliRunner().invoke(app, ["discord", "invite", "123"]).output.splitlines()) == 1


async def test_with_exactly_these_permissions_a_day_goes_well(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        guild = w.env.backend.get_guild(w.guild.id)
        bot = guild.members[w.env.bot.user.id]
        guild.everyone_role.permissions = 0
        for role_id in bot.role_ids:
            guild.roles[role_id].permissions = granted().value
        bare = w.guild.create_role("Bare", permissions=granted())
        bot.role_ids[:] = [bare.id]
        people = w.guild.create_role(
            "People", permissions=discord.Permissions(view_channel=True, use_application_commands=True)
        )
        guild.members[w.ben.id].role_ids.append(people.id)
        guild.members[w.admin.id].role_ids.append(people.id)
        await w.setup(window="8h")
        await w.at(1, 9, 30)
        (question,) = w.posts()
        await w.ben.click(question, label="B")
        await w.at(1, 17, 30)
        (thread,) = w.threads
        assert "512 MiB" in texts(w.posts(thread)[0])


def test_what_every_channel_needs_is_part_of_what_is_asked_for() -> None:
    assert set(RIGHTS) == {right.name for right in ASKED} - {"Add Reactions"}
