"""Answering an interaction: heard, stored, and acknowledged within Discord's three seconds."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import discord

from bot.card import Bold, Button, Buttons, Card, Form, Inline, Note, Paragraph, Table
from bot.chat import Ask, Command, Event, Reply, Say, Submission, Tap, Wrong
from bot.commands import BY_NAME, parse
from bot.conversation import Conversation, needs_admin
from bot.discord import inbound
from bot.discord.direct import addressed, whose
from bot.discord.inbound import AnyInteraction, Spot, Values
from bot.discord.outbound import Dressed, filled, fits, modal, pages, panel, private
from bot.discord.seats import Seat, Seats
from bot.discord.wording import ADMINS, LINE
from bot.drill.errors import DrillError, UnknownRound
from bot.texts import language_of, texts

log = logging.getLogger(__name__)

PATIENCE = 1.5
"""Seconds after which an answer that is still on its way is announced, so that Discord waits for it."""

REMEMBERED = 500
LONGEST_ACTION = 80
"""Characters of a form's id for which a button that opens it again has room."""

TOO_LATE = (10062, 40060, 10015, 50027)
"""Unknown interaction (three seconds are over), already acknowledged (by another process of ours), and a follow-up
whose token is no longer valid (fifteen minutes are over)."""


@dataclass(frozen=True, slots=True)
class Open:
    """A form that a person has before them, and what they typed in it; lost with the process, which does no harm."""

    form: Form | None = None
    values: Values | None = None


MEND = "mend:"
"""What the button begins with that opens a form again."""


class Replies:
    """Hears what an interaction means and shows the reply to that person alone."""

    def __init__(self, conversation: Conversation, seats: Seats) -> None:
        self._conversation = conversation
        self._seats = seats
        self._opened: OrderedDict[tuple[int, str], Open] = OrderedDict()

    async def command(
        self, interaction: AnyInteraction, name: str, options: dict[str, str], elsewhere: Spot | None = None
    ) -> None:
        """A slash command; ``elsewhere`` is the channel that it names in place of its own."""
        await self._safely(interaction, self._command(interaction, name, options, elsewhere))

    async def button(self, interaction: AnyInteraction, action: str) -> None:
        """A button of ours."""
        await self._safely(interaction, self._button(interaction, action))

    async def form(self, interaction: AnyInteraction, action: str, values: Values) -> None:
        """A form of ours that came back."""
        await self._safely(interaction, self._form(interaction, action, values))

    async def stranger(self, interaction: AnyInteraction) -> None:
        """Something that is none of ours, or of a time long past."""
        await self.mistake(interaction, UnknownRound())

    async def mistake(self, interaction: AnyInteraction, error: DrillError) -> None:
        """Say what was wrong and what to do."""
        card = self._conversation.cards.explain(error, error.language or _language(interaction))
        await self._safely(interaction, self._show(interaction, Say(card)))

    # --- what was meant --------------------------------------------------------------------------------------

    async def _command(
        self, interaction: AnyInteraction, name: str, options: dict[str, str], elsewhere: Spot | None
    ) -> None:
        if name == LINE.name:
            name, options = parse(options.get("line", ""))
        seat = await self._seats.for_command(interaction, name, elsewhere)
        await self._hear(interaction, seat, seat.command(name, options), _origin_of(name, seat))

    async def _button(self, interaction: AnyInteraction, action: str) -> None:
        workspace, meant = _meant(interaction, action)
        if meant.startswith(MEND):
            await self._mend(interaction, meant.removeprefix(MEND), workspace)
        elif meant.startswith("page:"):
            number, origin = _page(meant)
            await self._page(interaction, meant, number, origin)
        else:
            seat = await self._seat(interaction, workspace, Tap(inbound.who(interaction), meant))
            await self._hear(interaction, seat, seat.tap(meant), meant)

    async def _form(self, interaction: AnyInteraction, action: str, values: Values) -> None:
        workspace, meant = _meant(interaction, action)
        self._keep(interaction, meant, values=values)
        if not meant.startswith("page:"):
            seat = await self._seat(interaction, workspace, Submission(inbound.who(interaction), meant, values))
            await self._hear(interaction, seat, seat.submission(meant, values), meant)
            return
        _, origin = _page(meant)
        seat, event = await self._again(interaction, origin)
        reply = await self._conversation.hear(event)
        if isinstance(reply, Ask):
            await self._send_form(interaction, seat, reply.form, filled(reply.form) | values, meant)
        else:
            await self._give(interaction, seat, reply, meant)

    async def _page(self, interaction: AnyInteraction, action: str, number: int, origin: str) -> None:
        """A page of a long form, or (0) the whole form as it stands."""
        seat, event = await self._again(interaction, origin)
        reply = await self._conversation.hear(event)
        if not isinstance(reply, Ask):
            await self._give(interaction, seat, reply, action)
        elif number == 0:
            await self._send_form(interaction, seat, reply.form, filled(reply.form), action)
        elif number <= len(pages(reply.form)):
            await self._open(interaction, seat, pages(reply.form)[number - 1], action)
        else:
            await self.stranger(interaction)

    async def _send_form(
        self, interaction: AnyInteraction, seat: Seat, form: Form, values: Values, action: str
    ) -> None:
        """The long form with these values; what comes of it takes the place of the panel."""
        reply = await self._in_time(interaction, seat.submission(form.id, values))
        if isinstance(reply, Wrong):
            reply = Say(self._faults(reply, form, action, _language(interaction)))
        elif isinstance(reply, Say):
            reply = Say(reply.card, replace=True)
            self._forget(interaction, action)
        await self._give(interaction, seat, reply, action)

    async def _mend(self, interaction: AnyInteraction, action: str, workspace: str) -> None:
        """A form again, with what was typed in it; another process asks for it anew."""
        kept = self._opened.get((interaction.user.id, action))
        if kept is not None and kept.form is not None:
            seat = await self._seat(interaction, workspace, Tap(inbound.who(interaction), action))
            await self._open(interaction, seat, kept.form, action)
            return
        name, _, rest = action.partition(":")
        if name == "answer":
            await self._button(interaction, f"form:{rest}")
        elif name in BY_NAME and not workspace:
            await self._command(interaction, name, {}, None)
        else:
            await self.stranger(interaction)

    # --- who speaks of what ----------------------------------------------------------------------------------

    async def _seat(self, interaction: AnyInteraction, workspace: str, event: Tap | Submission) -> Seat:
        if interaction.guild_id is None:
            if not workspace:
                raise UnknownRound
            return await self._seats.by_message(interaction, workspace, as_admin=needs_admin(event))
        if isinstance(event, Submission) and event.form.startswith("setup:"):
            return await self._seats.at(interaction, _channel_of(event.form))
        return await self._seats.of(interaction)

    async def _again(self, interaction: AnyInteraction, origin: str) -> tuple[Seat, Event]:
        """The event that gives a long form again: a command (``setup@200``), or a button's action."""
        if interaction.guild_id is None:
            raise UnknownRound
        name, is_command, channel = origin.partition("@")
        if not is_command:
            seat = await self._seats.of(interaction)
            return seat, seat.tap(origin)
        seat = await self._seats.at(interaction, channel)
        return seat, seat.command(name, {})

    def _keep(
        self, interaction: AnyInteraction, action: str, *, form: Form | None = None, values: Values | None = None
    ) -> None:
        key = (interaction.user.id, action)
        kept = self._opened.pop(key, Open())
        self._opened[key] = Open(form or kept.form, values if values is not None else kept.values)
        while len(self._opened) > REMEMBERED:
            self._opened.popitem(last=False)

    def _forget(self, interaction: AnyInteraction, action: str) -> None:
        self._opened.pop((interaction.user.id, action), None)

    # --- hearing and showing ---------------------------------------------------------------------------------

    async def _hear(self, interaction: AnyInteraction, seat: Seat, event: Event, action: str) -> None:
        reply = await self._in_time(interaction, event)
        if isinstance(event, Submission) and not isinstance(reply, Wrong):
            self._forget(interaction, action)
        if isinstance(event, Command) and event.name == "help" and isinstance(reply, Say) and not event.who.admin:
            reply = Say(_with_typed_commands(reply.card, _language(interaction)))
        await self._give(interaction, seat, reply, action)

    async def _in_time(self, interaction: AnyInteraction, event: Event) -> Reply:
        """The reply; where it takes longer, Discord is told in time to wait for it."""
        hearing = asyncio.ensure_future(self._conversation.hear(event))
        await asyncio.wait({hearing}, timeout=PATIENCE)
        if not hearing.done() and not interaction.response.is_done():
            try:
                await interaction.response.defer(ephemeral=True, thinking=True)
            except discord.HTTPException as error:
                log.info("an interaction could not be acknowledged: %s", error)
        return await hearing

    async def _give(self, interaction: AnyInteraction, seat: Seat, reply: Reply, action: str) -> None:
        match reply:
            case Say():
                await self._show(interaction, Say(addressed(reply.card, seat.workspace), reply.replace))
            case Ask(form) if fits(form):
                await self._open(interaction, seat, form, form.id)
            case Ask(form):
                card = panel(form, action)
                if form.id.startswith("setup:"):
                    card = _with_further_options(card, _language(interaction))
                await self._show(interaction, Say(card, replace=True))
            case Wrong():
                kept = self._opened.get((interaction.user.id, action))
                card = self._faults(reply, kept.form if kept else None, action, _language(interaction))
                await self._show(interaction, Say(addressed(card, seat.workspace)))

    async def _open(self, interaction: AnyInteraction, seat: Seat, form: Form, action: str) -> None:
        """The form, with what this person had typed in it. Where Discord takes no form now, a button that opens it."""
        self._keep(interaction, action, form=form)
        if interaction.response.is_done() or interaction.type is discord.InteractionType.modal_submit:
            back = Buttons((Button(form.title, _way_back(action), "primary"),))
            await self._show(interaction, Say(addressed(Card(form.title, (back,)), seat.workspace)))
            return
        typed = self._opened[interaction.user.id, action].values
        address = f"@{seat.workspace}:" if seat.workspace else ""
        await interaction.response.send_modal(modal(form, address + action, typed))

    async def _show(self, interaction: AnyInteraction, say: Say) -> None:
        first, *more = private(say.card)
        response, stood = interaction.response, interaction.message
        private_here = interaction.guild_id is None
        if response.is_done():
            await interaction.edit_original_response(view=first.view, attachments=first.files)
        elif say.replace and stood is not None and (stood.flags.ephemeral or private_here):
            await response.edit_message(view=first.view, attachments=first.files)
        else:
            await response.send_message(**_parts(first), ephemeral=not private_here)
        for dressed in more:
            await interaction.followup.send(**_parts(dressed), ephemeral=not private_here)

    def _faults(self, wrong: Wrong, form: Form | None, action: str, language: str) -> Card:
        """A sentence for each faulty field, and a button back to the form, which holds what was typed."""
        labels = {field.id: field.label for field in form.fields} if form else {}
        paragraphs = []
        for field, fault in wrong.faults.items():
            named: tuple[Inline, ...] = (Bold(labels[field]), ": ") if field in labels else ()
            paragraphs.append(Paragraph((*named, fault)))
        label = texts(language)("Answer" if action.startswith("answer:") else "Change")
        buttons = (Buttons((Button(label, _way_back(action)),)),) if len(action) <= LONGEST_ACTION else ()
        return Card(" ".join(wrong.faults.values()), (*paragraphs, *buttons))

    async def _safely(self, interaction: AnyInteraction, work: Any) -> None:
        """Nothing that goes wrong may leave a person with “This interaction failed”."""
        try:
            await work
        except discord.HTTPException as error:
            if error.code in TOO_LATE:
                log.info("a reply came too late or was given already (%s)", error.code)
                return
            log.exception("a reply could not be shown")
            await self._apologise(interaction)
        except DrillError as error:
            await self.mistake(interaction, error)
        except Exception:
            log.exception("an interaction could not be handled")
            await self._apologise(interaction)

    async def _apologise(self, interaction: AnyInteraction) -> None:
        try:
            await self._show(interaction, Say(self._conversation.cards.broken(_language(interaction))))
        except Exception:
            log.warning("nothing more can be said to this interaction", exc_info=True)


def _parts(dressed: Dressed) -> dict[str, Any]:
    return {"view": dressed.view, **({"files": dressed.files} if dressed.files else {})}


def _language(interaction: AnyInteraction) -> str:
    return language_of(str(interaction.locale))


def _meant(interaction: AnyInteraction, action: str) -> tuple[str, str]:
    """``whose`` of an action. Raises ``UnknownRound`` where a server's button speaks of another server."""
    workspace, meant = whose(action)
    if workspace and interaction.guild_id is not None:
        raise UnknownRound
    return workspace, meant


def _page(action: str) -> tuple[int, str]:
    """``page:1:change:17`` → 1 and ``change:17``. Raises ``UnknownRound`` for whatever else stands there."""
    found = re.fullmatch(r"page:(\d):(.+)", action, re.ASCII)
    if found is None:
        raise UnknownRound
    return int(found[1]), found[2]


def _origin_of(name: str, seat: Seat) -> str:
    """How a command is remembered in the buttons of its panel: it speaks of this channel wherever it was typed."""
    return f"{name}@{seat.place.channel}"


def _channel_of(form: str) -> str:
    """The channel that a form sets up: ``setup:200~17:drills`` → ``200``. Raises ``UnknownRound`` for none."""
    found = re.match(r"setup:(\d{1,20})(?=[~:]|$)", form, re.ASCII)
    if found is None:
        raise UnknownRound
    return found[1]


def _way_back(action: str) -> str:
    """The button's action that opens this form again; a page of a long form is opened by its own."""
    return action if action.startswith("page:") else MEND + action


def _with_typed_commands(card: Card, language: str) -> Card:
    """The help of somebody to whom the drills are delegated: Discord may not show them the admins' commands."""
    if not any(isinstance(part, Table) and ("/drill setup" in str(part.rows)) for part in card.parts):
        return card
    note = texts(language)(
        "If you do not see /{command}: type {line}.", command=ADMINS, line="/drill admin line:status"
    )
    return Card(card.text, (*card.parts, Note((note,))))


def _with_further_options(card: Card, language: str) -> Card:
    """The setup form does not hold everything that a schedule can say; this is how to say the rest."""
    t = texts(language)
    note = t("Window, board day and best rounds: {command}", command=f"/{ADMINS} schedule window:8h board:mon best:5")
    return Card(card.text, (*card.parts, Note((note,))))
