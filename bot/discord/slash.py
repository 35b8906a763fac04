"""``/drill`` as Discord knows it: one group, built from the table of commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, cast
from zoneinfo import available_timezones

import discord
from discord import app_commands

from bot.commands import COMMANDS, CommandOption, CommandSpec
from bot.discord.inbound import AnyInteraction
from bot.texts import language_of, texts
from content.taxonomy import Taxonomy

AsCommand = Callable[[AnyInteraction, str, dict[str, str]], Any]
Suggest = Callable[[AnyInteraction, str], Any]

REQUIRED = {("answer", "response")}
"""What a command cannot do without; Discord asks for it before sending."""

SUGGESTED = 25


def group(hear: AsCommand, taxonomy: Taxonomy) -> app_commands.Group:
    """``/drill`` with its subcommands. Everybody sees all of them; rights are checked at use."""
    drill = app_commands.Group(name="drill", description="One good question a day", guild_only=True)
    for spec in COMMANDS:
        drill.add_command(_command(spec, hear, taxonomy))
    return drill


def _command(spec: CommandSpec, hear: AsCommand, taxonomy: Taxonomy) -> app_commands.Command[Any, ..., Any]:
    async def run(interaction: AnyInteraction, **options: str | None) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        await hear(interaction, spec.name, given)

    empty = inspect.Parameter.empty
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("interaction", kind, annotation=discord.Interaction)]
    for option in spec.options:
        required = (spec.name, option.name) in REQUIRED
        annotation = str if required else str | None
        default = empty if required else None
        parameters.append(inspect.Parameter(option.name, kind, default=default, annotation=annotation))
    # The library reads the options from the signature, and discord's are made from the table.
    cast(Any, run).__signature__ = inspect.Signature(parameters)
    if spec.options:
        run = app_commands.describe(**{o.name: app_commands.locale_str(o.help) for o in spec.options})(run)
    chosen = {o.name: [app_commands.Choice(name=c, value=c) for c in o.choices] for o in spec.options if o.choices}
    if chosen:
        run = app_commands.choices(**chosen)(run)
    helpers = {o.name: helper for o in spec.options if (helper := _helper(o, spec, taxonomy))}
    if helpers:
        run = app_commands.autocomplete(**helpers)(run)
    return app_commands.Command(name=spec.name, description=app_commands.locale_str(spec.help), callback=run)


def _helper(option: CommandOption, spec: CommandSpec, taxonomy: Taxonomy) -> Suggest | None:
    if option.name == "zone":
        return _zones
    if option.name == "topics" or (spec.name == "topics" and option.name in ("set", "search")):
        return _topics(taxonomy)
    return None


async def _zones(_: AnyInteraction, typed: str) -> list[app_commands.Choice[str]]:
    """Time zones whose name holds what was typed; those that begin with it (or whose city does) first."""
    wanted = typed.strip().lower().replace(" ", "_")
    found = [name for name in _zone_names() if wanted in name.lower()]
    found.sort(key=lambda name: (not any(part.startswith(wanted) for part in name.lower().split("/")), name))
    return [app_commands.Choice(name=name, value=name) for name in found[:SUGGESTED]]


@cache
def _zone_names() -> tuple[str, ...]:
    places = (name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return ("UTC", *sorted(places))


def _topics(taxonomy: Taxonomy) -> Suggest:
    async def suggest(interaction: AnyInteraction, typed: str) -> list[app_commands.Choice[str]]:
        """Topics for the last name that is being typed; what stands before it is kept."""
        kept, last = re.fullmatch(r"((?:.*[,，、;；])?\s*)(.*)", typed, re.DOTALL).groups()  # type: ignore[union-attr]
        language = language_of(str(interaction.locale))
        found = taxonomy.search(last, language, limit=SUGGESTED) if last.strip() else taxonomy.topics[:SUGGESTED]
        choices = []
        for topic in found:
            value = f"{kept}{topic.slug}"
            if len(value) <= 100:
                name = f"{kept}{topic.name.get(language)}"
                choices.append(app_commands.Choice(name=name if len(name) <= 100 else value, value=value))
        return choices

    return suggest


class Chinese(app_commands.Translator):
    """Descriptions of commands for people whose Discord speaks Chinese."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        places = app_commands.TranslationContextLocation
        described = (places.command_description, places.group_description, places.parameter_description)
        if locale not in (discord.Locale.chinese, discord.Locale.taiwan_chinese) or context.location not in described:
            return None
        shown = texts("zh")(string.message)
        return shown if shown != string.message else None
