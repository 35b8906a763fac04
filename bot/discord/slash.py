"""The commands as Discord knows them, built from the table of commands.

``/drill`` is everybody's. ``/drill-admin`` is shown to those who may manage the server, since Discord can hide whole
commands only; ``/drill admin line:…`` takes the same commands typed, for people to whom the drills are delegated.
Rights are checked at use, whatever Discord shows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import discord
from discord import app_commands

from bot.commands import COMMANDS, CommandOption, CommandSpec
from bot.discord.inbound import AnyInteraction, Spot
from bot.discord.wording import LINE, ROOTS, WHERE

AsCommand = Callable[[AnyInteraction, str, dict[str, str], Spot | None], Any]
Suggest = Callable[[AnyInteraction, str], Any]
Suggestions = Mapping[tuple[str, str], Suggest]
"""What is suggested while an option is typed, by the command's and the option's name."""

REQUIRED = {("answer", "response")}
"""What a command cannot do without; Discord asks for it before sending."""

MENTIONED = {("admins", "add"), ("admins", "remove")}
"""Options that take a person or a role."""

SETS_ELSEWHERE = ("setup",)
"""Commands that may speak of another channel than the one they are typed in: nobody can type in a forum itself."""


class Channel(app_commands.Transformer):
    """A channel that can hold drills; taken as Discord tells it, not from the cache, which may be empty."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        return discord.AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        kinds = discord.ChannelType
        return [kinds.text, kinds.news, kinds.forum, kinds.public_thread, kinds.private_thread, kinds.news_thread]

    async def transform(self, interaction: AnyInteraction, value: Any, /) -> Spot:
        return Spot(str(value.id), value.name or "", value.type, str(getattr(value, "parent_id", None) or ""))


class Mention(app_commands.Transformer):
    """A person or a role, chosen from Discord's own list; given on as it is typed, with the name beside the id."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        return discord.AppCommandOptionType.mentionable

    async def transform(self, interaction: AnyInteraction, value: Any, /) -> str:
        mention, name = str(value.mention), str(getattr(value, "display_name", None) or getattr(value, "name", ""))
        return f"{mention.removesuffix('>')}|{name.replace('>', '')}>"


def groups(hear: AsCommand, suggestions: Suggestions) -> tuple[app_commands.Group, app_commands.Group]:
    """``/drill`` and ``/drill-admin`` with their subcommands, for servers alone."""
    members, admins = (_root(name) for name in ROOTS)
    admins.default_permissions = discord.Permissions(manage_guild=True)
    for spec in COMMANDS:
        (admins if spec.admin else members).add_command(_command(spec, spec.options, hear, suggestions))
    members.add_command(_command(LINE, LINE.options, hear, suggestions))
    return members, admins


def _root(name: str) -> app_commands.Group:
    return app_commands.Group(
        name=name,
        description=app_commands.locale_str(ROOTS[name]),
        guild_only=True,
        allowed_contexts=app_commands.AppCommandContext(guild=True),
        allowed_installs=app_commands.AppInstallationType(guild=True),
    )


def root_of(name: str) -> str:
    """Under which of the two commands a subcommand stands."""
    admin = next((spec.admin for spec in COMMANDS if spec.name == name), False)
    return list(ROOTS)[admin]


def _command(
    spec: CommandSpec, options: Iterable[CommandOption], hear: AsCommand, suggestions: Suggestions
) -> app_commands.Command[Any, ..., Any]:
    options = tuple(options)

    async def run(interaction: AnyInteraction, **given: Any) -> None:
        spot = given.pop(WHERE.name, None)
        values = {name: value for name, value in given.items() if value is not None}
        await hear(interaction, spec.name, values, spot)

    # The library reads the options from the signature, and this one is made from the table.
    cast(Any, run).__signature__ = inspect.Signature(list(_parameters(spec, options)))
    helps = {o.name: app_commands.locale_str(o.help) for o in options}
    if spec.name in SETS_ELSEWHERE:
        helps[WHERE.name] = app_commands.locale_str(WHERE.help)
    if helps:
        run = app_commands.describe(**helps)(run)
        run = app_commands.rename(**{name: app_commands.locale_str(name) for name in helps})(run)
    if chosen := {o.name: [_choice(value) for value in o.choices] for o in options if o.choices}:
        run = app_commands.choices(**chosen)(run)
    if helpers := {o.name: suggestions[spec.name, o.name] for o in options if (spec.name, o.name) in suggestions}:
        run = app_commands.autocomplete(**helpers)(run)
    name = app_commands.locale_str(spec.name)
    return app_commands.Command(name=name, description=app_commands.locale_str(spec.help), callback=run)


def _parameters(spec: CommandSpec, options: tuple[CommandOption, ...]) -> Iterable[inspect.Parameter]:
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    yield inspect.Parameter("interaction", kind, annotation=discord.Interaction)
    for option in sorted(options, key=lambda o: (spec.name, o.name) not in REQUIRED):
        if (spec.name, option.name) in REQUIRED or spec is LINE:
            yield inspect.Parameter(option.name, kind, default=empty, annotation=str)
        elif (spec.name, option.name) in MENTIONED:
            mention = app_commands.Transform[str, Mention] | None
            yield inspect.Parameter(option.name, kind, default=None, annotation=mention)
        else:
            yield inspect.Parameter(option.name, kind, default=None, annotation=str | None)
    if spec.name in SETS_ELSEWHERE:
        where = app_commands.Transform[Spot, Channel] | None
        yield inspect.Parameter(WHERE.name, kind, default=None, annotation=where)


def _choice(value: str) -> app_commands.Choice[str]:
    return app_commands.Choice(name=app_commands.locale_str(value), value=value)
