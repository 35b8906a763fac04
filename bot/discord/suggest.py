"""What Discord suggests while an option is typed: topics, time zones, dates, questions, commands."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from zoneinfo import available_timezones

from babel.dates import get_timezone_location
from discord import app_commands
from sqlmodel import Session

from bot.app import App
from bot.commands import COMMANDS, CommandOption, CommandSpec
from bot.discord import inbound
from bot.discord.inbound import AnyInteraction
from bot.discord.slash import Suggest, Suggestions
from bot.discord.wording import LINE
from bot.texts import is_chinese, language_of, texts
from bot.usecases.channel_days import channel_with_drills, coming_days, may_steer
from content.question import Question, Text
from content.taxonomy import fold

SUGGESTED = 25
LONGEST = 100
"""Characters of a suggestion's name and of its value."""

Found = list[app_commands.Choice[str]]
DATES = ("date", "dates", "until")
LISTS = re.compile(r"((?:.*[,，、;；])?\s*)(.*)", re.DOTALL)
"""What stands before the last comma is kept; the rest is being typed."""


class Suggesting:
    """Suggestions out of the app: its topics, its questions, the channel's dates."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._folded: dict[str, tuple[str, ...]] = {}

    def all(self) -> Suggestions:
        """For every option of every command for which there is something to suggest."""
        found = {}
        for spec in (*COMMANDS, LINE):
            for option in spec.options:
                helper = self._for(spec, option)
                if helper is not None and not option.choices:
                    found[spec.name, option.name] = helper
        return found

    def _for(self, spec: CommandSpec, option: CommandOption) -> Suggest | None:
        if option.name in DATES:
            return self.free_dates if spec.name == "extra" else self.dates
        if (spec.name, option.name) == ("swap", "to"):
            return self.targets
        if spec.name == "topics" and option.name in ("set", "search"):
            return self.topics
        return {
            "zone": zones,
            "topics": self.topics,
            "question": self.questions,
            "day": weekdays,
            "line": lines,
        }.get(option.name)

    async def topics(self, interaction: AnyInteraction, typed: str) -> Found:
        """Topics for the last name that is being typed; what stands before it is kept."""
        kept, last = _last(typed)
        language = language_of(str(interaction.locale))
        found = self._app.taxonomy.search(last, language, limit=SUGGESTED)
        return _choices((f"{kept}{topic.name.get(language)}", f"{kept}{topic.slug}") for topic in found)

    async def dates(self, interaction: AnyInteraction, typed: str) -> Found:
        """The next dates that have a round in this channel, for those who may change them."""
        return await self._dates(interaction, typed, with_round=True)

    async def free_dates(self, interaction: AnyInteraction, typed: str) -> Found:
        """The next dates without a round."""
        return await self._dates(interaction, typed, with_round=False)

    async def targets(self, interaction: AnyInteraction, typed: str) -> Found:
        """What a round can be swapped for: a topic, or one question."""
        topics = await self.topics(interaction, typed)
        return [*topics, *await self.questions(interaction, typed)][:SUGGESTED]

    async def _dates(self, interaction: AnyInteraction, typed: str, *, with_round: bool) -> Found:
        kept, last = _last(typed)
        who = inbound.who(interaction)
        t = texts(language_of(who.language))
        now = self._app.clock.now()
        workspace, channels = str(interaction.guild_id or ""), inbound.channels(interaction)

        def look(tx: Session) -> tuple[date, ...]:
            channel = channel_with_drills(tx, who.platform, workspace, channels)
            return coming_days(tx, who, channel, now, with_round=with_round) if channel else ()

        days = await asyncio.wrap_future(self._app.database.read(look))
        named = ((f"{day.isoformat()} · {t.day(day)}", day.isoformat()) for day in days)
        wanted = last.strip().lower()
        return _choices((kept + name, kept + value) for name, value in named if wanted in name.lower())

    async def questions(self, interaction: AnyInteraction, typed: str) -> Found:
        """Questions whose id, topic or text holds what was typed, for those who may choose one."""
        who = inbound.who(interaction)
        if not await asyncio.wrap_future(self._app.database.read(lambda tx: may_steer(tx, who))):
            return []
        language, wanted = language_of(who.language), fold(typed)
        found = []
        for question in self._app.library:
            rank = next((n for n, part in enumerate(self._words(question)) if wanted in part), None)
            if rank is not None:
                found.append((rank, question.id, question.prompt.get(language)))
        found.sort(key=lambda entry: entry[:2])
        return _choices((f"{name} · {' '.join(text.split())}", name) for _, name, text in found)

    def _words(self, question: Question) -> tuple[str, ...]:
        """What a question can be found by, folded once: the nearest first."""
        if question.id not in self._folded:
            topics, prompt = self._app.taxonomy, question.prompt
            name = topics.topic(question.topic).name if question.topic in topics else Text("", "")
            self._folded[question.id] = tuple(map(fold, (question.id, name.en, name.zh, prompt.en, prompt.zh)))
        return self._folded[question.id]


async def zones(interaction: AnyInteraction, typed: str) -> Found:
    """Time zones whose name holds what was typed; those that begin with it (or whose city does) first."""
    wanted = typed.strip().lower().replace(" ", "_")
    found = [zone for zone in _zones() if wanted in zone[0].lower() or wanted in zone[1]]
    found.sort(
        key=lambda zone: (not any(p.startswith(wanted) for p in (*zone[0].lower().split("/"), zone[1])), zone[0])
    )
    chinese = is_chinese(language_of(str(interaction.locale)))
    return _choices((f"{name} · {city}" if chinese and city else name, name) for name, city in found)


async def weekdays(interaction: AnyInteraction, typed: str) -> Found:
    """The days of the week."""
    t = texts(language_of(str(interaction.locale)))
    short = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    named = ((t.weekday(number), name) for number, name in enumerate(short, 1))
    return _choices((n, v) for n, v in named if typed.strip().lower() in f"{n} {v}".lower())


async def lines(interaction: AnyInteraction, typed: str) -> Found:
    """The admins' commands, while their name is being typed."""
    language = language_of(str(interaction.locale))
    wanted = typed.strip().lower()
    named = ((f"{s.name} · {texts(language)(s.help)}", s.name) for s in COMMANDS if s.admin)
    if any(wanted.startswith(f"{spec.name} ") for spec in COMMANDS):
        return _choices([(typed, typed)])
    return _choices((n, v) for n, v in named if wanted in n.lower())


def _last(typed: str) -> tuple[str, str]:
    kept, last = LISTS.fullmatch(typed).groups()  # type: ignore[union-attr]
    return kept, last


def _choices(named: Iterable[tuple[str, str]]) -> Found:
    """At most ``SUGGESTED`` (name, value); a name that is too long is cut, a value that is too long left out."""
    found = []
    for name, value in named:
        if 1 <= len(value) <= LONGEST:
            shown = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
            found.append(app_commands.Choice(name=shown, value=value))
        if len(found) == SUGGESTED:
            break
    return found


@cache
def _zones() -> tuple[tuple[str, str], ...]:
    """(IANA name, its city in Chinese): about 500 names, made at the first use."""
    names = sorted(n for n in available_timezones() if "/" in n and not n.startswith(("Etc/", "SystemV/")))
    return (("UTC", ""), *((name, get_timezone_location(name, locale="zh", return_city=True)) for name in names))
