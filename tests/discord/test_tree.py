"""The commands as Discord is told them: its limits, its languages, and what is suggested while typing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from discord import app_commands
from jsonschema import Draft202012Validator

from bot.commands import CHINESE, COMMANDS, CommandOption
from bot.discord.register import payload
from bot.discord.wording import CHOICES, LINE, OPTION_NAMES, ROOTS, WHERE, spoken
from bot.texts import texts as words
from tests.discord.contract import SPEC, spec
from tests.discord.questions import EVERY_KIND, SINGLE
from tests.discord.world import World, texts, world

NAME = re.compile(r"[-_\w]{1,32}")
LOCALES = {"zh-CN", "zh-TW"}


@pytest.fixture
async def tree(tmp_path: Path) -> list[dict[str, Any]]:
    async with world(tmp_path, [SINGLE]) as w:
        return await payload(w.env.bot.tree)


def walk(commands: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for command in commands:
        yield command
        yield from walk(command.get("options") or [])


def test_there_are_two_commands_for_servers_alone_and_one_of_them_is_the_managers(tree: list[dict[str, Any]]) -> None:
    members, admins = tree
    assert [members["name"], admins["name"]] == list(ROOTS)
    assert members["default_member_permissions"] is None
    assert admins["default_member_permissions"] == 1 << 5
    for root in tree:
        assert root["contexts"] == [0]
        assert root["integration_types"] == [0]
        assert root["dm_permission"] is False
    assert [c["name"] for c in members["options"]] == [*(s.name for s in COMMANDS if not s.admin), "admin"]
    assert [c["name"] for c in admins["options"]] == [s.name for s in COMMANDS if s.admin]


@pytest.mark.skipif(not SPEC.exists(), reason="Discord's interface description is not beside this checkout")
def test_discord_takes_the_commands_as_they_are_sent(tree: list[dict[str, Any]]) -> None:
    schema = {"$ref": "#/components/schemas/ApplicationCommandUpdateRequest", "components": spec()["components"]}
    for root in tree:
        assert [error.message[:200] for error in Draft202012Validator(schema).iter_errors(root)] == []


def test_names_and_descriptions_keep_discords_limits_in_every_language(tree: list[dict[str, Any]]) -> None:
    for root in tree:
        assert size(root) <= 8000, f"{root['name']}: names and descriptions of a command hold 8,000 characters"
    for part in walk(tree):
        assert len(part.get("options") or []) <= 25
        assert len(part.get("choices") or []) <= 25
        for name in (part["name"], *part.get("name_localizations", {}).values()):
            assert NAME.fullmatch(name), name
            assert name == name.lower()
        for description in (part["description"], *part.get("description_localizations", {}).values()):
            assert 1 <= len(description) <= 100, description


def test_no_two_names_beside_each_other_are_the_same_in_any_language(tree: list[dict[str, Any]]) -> None:
    for part in [{"options": tree}, *walk(tree)]:
        for locale in ("", *LOCALES):
            names = [o.get("name_localizations", {}).get(locale, o["name"]) for o in part.get("options") or ()]
            assert len(names) == len(set(names)), names


def test_what_must_be_given_stands_before_what_may_be(tree: list[dict[str, Any]]) -> None:
    for part in walk(tree):
        needed = [bool(option.get("required")) for option in part.get("options") or ()]
        assert needed == sorted(needed, reverse=True)


def test_everything_has_its_name_and_description_in_both_chinese_scripts(tree: list[dict[str, Any]]) -> None:
    for part in walk(tree):
        assert set(part.get("description_localizations") or ()) == LOCALES, part["name"]
        if part["name"] not in ROOTS:
            assert set(part.get("name_localizations") or ()) == LOCALES, part["name"]
        for choice in part.get("choices") or ():
            if choice["name"].isalpha():
                assert set(choice.get("name_localizations") or ()) == LOCALES, choice["name"]
    today = tree[0]["options"][0]
    assert today["name_localizations"] == {"zh-CN": "今天", "zh-TW": "今天"}
    topics = next(c for c in tree[1]["options"] if c["name"] == "topics")
    assert topics["name_localizations"] == {"zh-CN": "主题", "zh-TW": "主題"}


def test_every_word_of_the_commands_stands_in_the_catalogue() -> None:
    zh = words("zh")
    for text in (*ROOTS.values(), LINE.help, WHERE.help, *(o.help for o in LINE.options)):
        assert zh(text) != text, text
    options: set[CommandOption] = {option for spec in COMMANDS for option in spec.options}
    assert {o.name for o in options} - set(OPTION_NAMES) == set(), "give it a name in bot/discord/wording.py"
    assert {c for o in options for c in o.choices if c.isalpha()} - set(CHOICES) == set()
    assert {spec.name for spec in COMMANDS} - set(CHINESE) == set(), "give it a name in bot/commands.py"


def test_texts_name_commands_as_they_are_called_here() -> None:
    assert spoken("Then: /drill resume.") == "Then: /drill-admin resume."
    assert spoken("see /drill today or /drill help") == "see /drill today or /drill help"
    assert (
        spoken("write /drill schedule time=10:00, not best =3") == "write /drill-admin schedule time:10:00, not best =3"
    )
    assert spoken("time=10:00") == "time=10:00"
    assert spoken("/drill admin line") == "/drill admin line"
    assert spoken("/drill nothing, a/drill") == "/drill nothing, a/drill"


def size(part: Any) -> int:
    """Characters that count for Discord's limit of a command: the longest of each name, description and value."""
    total = 0
    for field in ("name", "description"):
        total += max(map(len, (part.get(field, ""), *(part.get(f"{field}_localizations") or {}).values())))
    for choice in part.get("choices") or ():
        total += max(map(len, (choice["name"], *(choice.get("name_localizations") or {}).values())))
        total += len(str(choice["value"]))
    return total + sum(size(option) for option in part.get("options") or ())


# --- while typing ----------------------------------------------------------------------------------------------------


async def suggested(w: World, who: Any, command: str, option: str, typed: str) -> list[str]:
    found = await who.autocomplete(w.channel, command, option, typed)
    assert len(found) <= 25
    assert all(1 <= len(choice["name"]) <= 100 and 1 <= len(choice["value"]) <= 100 for choice in found)
    return [choice["value"] for choice in found]


async def test_topics_are_found_by_their_english_and_chinese_names_and_what_stands_is_kept(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        assert "lora, kv-cache" in await suggested(w, w.admin, "drill-admin setup", "topics", "lora, kv")
        assert "kv-cache" in await suggested(w, w.admin, "drill-admin topics", "set", "键值缓存")
        assert await suggested(w, w.admin, "drill-admin topics", "search", "xyzzyxyzzy") == []
        assert len(await suggested(w, w.admin, "drill-admin setup", "topics", "")) == 25
        zhou = w.person("zhou", "zh-CN")
        names = await zhou.autocomplete(w.channel, "drill admin", "line", "")
        assert "setup · 在本频道开始或修改每日一题" in [choice["name"] for choice in names]


async def test_zones_are_found_by_name_and_by_their_city_in_chinese(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        assert (await suggested(w, w.admin, "drill-admin setup", "zone", "shang"))[0] == "Asia/Shanghai"
        assert (await suggested(w, w.admin, "drill-admin setup", "zone", "new york"))[0] == "America/New_York"
        assert await suggested(w, w.admin, "drill-admin setup", "zone", "柏林") == ["Europe/Berlin", "Europe/Dublin"]
        assert len(await suggested(w, w.admin, "drill-admin setup", "zone", "")) == 25
        assert await suggested(w, w.admin, "drill-admin schedule", "zone", "no such zone") == []


async def test_admins_commands_are_suggested_where_they_are_typed(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        assert set(await suggested(w, w.ben, "drill admin", "line", "")) == {s.name for s in COMMANDS if s.admin}
        assert "pause" in await suggested(w, w.ben, "drill admin", "line", "pau")
        assert await suggested(w, w.ben, "drill admin", "line", "pause 2026-01-09") == ["pause 2026-01-09"]


async def test_dates_with_a_round_are_suggested_to_those_who_may_change_them(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        assert await suggested(w, w.admin, "drill-admin pause", "until", "") == []
        await w.setup(days="mon-fri")
        dates = await suggested(w, w.admin, "drill-admin pause", "until", "")
        assert dates[:3] == ["2026-01-01", "2026-01-02", "2026-01-05"]
        assert await suggested(w, w.admin, "drill-admin pause", "until", "2026-01-0") == [
            date for date in dates if date.startswith("2026-01-0")
        ]


async def test_extra_dates_are_suggested_from_those_without_a_round(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(days="mon-fri")
        assert (await suggested(w, w.admin, "drill-admin extra", "date", ""))[:2] == ["2026-01-03", "2026-01-04"]
        assert (await suggested(w, w.admin, "drill-admin skip", "date", ""))[:2] == ["2026-01-01", "2026-01-02"]


async def test_a_round_can_be_swapped_for_a_suggested_topic_or_question(tmp_path: Path) -> None:
    async with world(tmp_path, list(EVERY_KIND)) as w:
        await w.setup()
        found = await suggested(w, w.admin, "drill-admin swap", "to", "kv-")
        assert "kv-cache" in found
        assert "kv-1" in found


async def test_drills_are_delegated_to_a_role_or_person_of_discords_own_list(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        role = w.guild.create_role("Drillers")
        cat = w.guild.add_member(w.env.create_user("cat"), roles=[role])
        assert "Only admins" in texts((await cat.slash(w.channel, "drill admin", line="status")).response)
        await w.admin.slash(w.channel, "drill-admin admins", add=role)
        assert "Only admins" not in texts((await cat.slash(w.channel, "drill admin", line="status")).response)
        await w.admin.slash(w.channel, "drill-admin admins", remove=role)
        await w.admin.slash(w.channel, "drill-admin admins", add=w.ben)
        assert "Only admins" in texts((await cat.slash(w.channel, "drill admin", line="status")).response)
        assert "Only admins" not in texts((await w.ben.slash(w.channel, "drill admin", line="status")).response)


async def test_no_question_is_suggested_to_whoever_may_not_choose_one(tmp_path: Path) -> None:
    from bot.discord.suggest import Suggesting

    async with world(tmp_path, list(EVERY_KIND)) as w:
        await w.setup()
        found: dict[str, list[app_commands.Choice[str]]] = {}
        suggesting = Suggesting(w.app)

        async def ask(interaction: Any, typed: str) -> list[app_commands.Choice[str]]:
            found[interaction.user.name] = await suggesting.questions(interaction, typed)
            return []

        command: Any = w.env.bot.tree.get_command("drill").get_command("admin")
        command._params["line"].autocomplete = ask
        await w.ben.autocomplete(w.channel, "drill admin", "line", "cache")
        await w.admin.autocomplete(w.channel, "drill admin", "line", "cache")
        assert found["ben"] == []
        values = [choice.value for choice in found["ann"]]
        assert "ms-1" in values
        assert all(choice.name.startswith(choice.value) and len(choice.name) <= 100 for choice in found["ann"])
        await w.admin.autocomplete(w.channel, "drill admin", "line", "缓存")
        assert "tf-1" in [choice.value for choice in found["ann"]]


async def test_a_long_question_is_suggested_by_its_beginning(tmp_path: Path) -> None:
    from bot.discord.suggest import _choices

    (choice,) = _choices([("x" * 300, "id")])
    assert len(choice.name) == 100
    assert _choices([("too long a value", "v" * 101), ("nothing", "")]) == []
    assert len(_choices([("n", "v")] * 60)) == 25


async def test_a_command_that_is_typed_keeps_its_options_and_its_mistakes(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        shown = await w.admin.slash(w.channel, "drill admin", line="setup time=9:30 zone=Asia/Shanghai days=mon-fri")
        assert "**Time**: 09:30 · Asia/Shanghai" in texts(shown.response)
        wrong = await w.admin.slash(w.channel, "drill admin", line="")
        assert wrong.response is not None
