"""Answering an interaction: heard, stored, and acknowledged within Discord's three seconds."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from typing import Any

import discord

from bot.card import Bold, Button, Buttons, Card, Form, Inline, Note, Paragraph
from bot.chat import Ask, Event, Reply, Say, Tap, Wrong
from bot.commands import BY_NAME
from bot.conversation import Conversation
from bot.discord import inbound
from bot.discord.inbound import AnyInteraction, Values
from bot.discord.invite import RIGHTS
from bot.discord.outbound import Dressed, filled, fits, modal, pages, panel, private
from bot.drill.errors import DrillError, UnknownRound, WrongInput
from bot.texts import language_of, texts

log = logging.getLogger(__name__)

PATIENCE = 1.5
"""Seconds after which an answer that is still on its way is announced, so that Discord waits for it."""

REMEMBERED = 500
TOO_LATE = (10062, 40060)
"""Unknown interaction (three seconds are over), and already acknowledged (by another process of ours)."""

NO_TEXT_CHANNEL = WrongInput(
    "channel",
    "Drills need a text channel, because each question has a thread; use /drill setup in one.",
    "每道题都带一个子区，所以需要文字频道；请在文字频道里使用 /drill setup。",
)


class Replies:
    """Hears what an interaction means and shows the reply to that person alone."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._typed: OrderedDict[tuple[int, str], Values] = OrderedDict()

    async def command(self, interaction: AnyInteraction, name: str, options: dict[str, str]) -> None:
        """A slash command."""
        if name == "setup" and not inbound.can_hold_threads(interaction):
            await self.mistake(interaction, NO_TEXT_CHANNEL)
            return
        await self._safely(interaction, self._hear(interaction, inbound.command(interaction, name, options), name))

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
        card = self._conversation.cards.explain(error, _language(interaction))
        await self._safely(interaction, self._show(interaction, Say(card)))

    # --- what was meant --------------------------------------------------------------------------------------

    async def _button(self, interaction: AnyInteraction, action: str) -> None:
        if interaction.guild_id is None:
            await self.stranger(interaction)
        elif action.startswith("page:"):
            number, origin = _page(action)
            await self._page(interaction, action, number, origin)
        else:
            await self._hear(interaction, inbound.tap(interaction, action), action)

    async def _form(self, interaction: AnyInteraction, action: str, values: Values) -> None:
        self._typed[interaction.user.id, action] = values
        while len(self._typed) > REMEMBERED:
            self._typed.popitem(last=False)
        if not action.startswith("page:"):
            await self._hear(interaction, inbound.submission(interaction, action, values), action)
            return
        _, origin = _page(action)
        reply = await self._conversation.hear(_origin(interaction, origin))
        if isinstance(reply, Ask):
            await self._send_form(interaction, reply.form, filled(reply.form) | values, action)
        else:
            await self._give(interaction, reply, action)

    async def _page(self, interaction: AnyInteraction, action: str, number: int, origin: str) -> None:
        """A page of a long form, or (0) the whole form as it stands."""
        reply = await self._conversation.hear(_origin(interaction, origin))
        if not isinstance(reply, Ask):
            await self._give(interaction, reply, action)
        elif number == 0:
            await self._send_form(interaction, reply.form, filled(reply.form), action)
        elif number <= len(pages(reply.form)):
            await self._open(interaction, pages(reply.form)[number - 1], action)
        else:
            await self.stranger(interaction)

    async def _send_form(self, interaction: AnyInteraction, form: Form, values: Values, action: str) -> None:
        """The long form with these values; what comes of it takes the place of the panel."""
        reply = await self._in_time(interaction, inbound.submission(interaction, form.id, values))
        if isinstance(reply, Wrong):
            reply = Say(self._faults(reply, form, action, _language(interaction)))
        elif isinstance(reply, Say):
            reply = Say(reply.card, replace=True)
            self._typed.pop((interaction.user.id, action), None)
        await self._give(interaction, reply, action)

    # --- hearing and showing ---------------------------------------------------------------------------------

    async def _hear(self, interaction: AnyInteraction, event: Event, action: str) -> None:
        reply = await self._in_time(interaction, event)
        if not isinstance(reply, Wrong):
            self._typed.pop((interaction.user.id, action), None)
        if action.startswith("save:") and isinstance(reply, Say):
            reply = Say(_with_missing_rights(reply.card, interaction), reply.replace)
        await self._give(interaction, reply, action)

    async def _in_time(self, interaction: AnyInteraction, event: Event) -> Reply:
        """The reply; where it takes longer, Discord is told in time to wait for it."""
        hearing = asyncio.ensure_future(self._conversation.hear(event))
        await asyncio.wait({hearing}, timeout=PATIENCE)
        if not hearing.done() and not interaction.response.is_done():
            try:
                await interaction.response.defer(ephemeral=True, thinking=True)
            except discord.HTTPException as error:
                log.warning("an interaction could not be acknowledged: %s", error)
        return await hearing

    async def _give(self, interaction: AnyInteraction, reply: Reply, action: str) -> None:
        match reply:
            case Say():
                await self._show(interaction, reply)
            case Ask(form) if interaction.response.is_done():
                # A form must be the first thing that Discord hears; nothing was changed, so trying again is safe.
                await self._show(interaction, Say(self._conversation.cards.broken(_language(interaction))))
            case Ask(form) if fits(form):
                await self._open(interaction, form, form.id)
            case Ask(form):
                card = panel(form, action)
                if form.id.startswith("setup:"):
                    card = _with_further_options(card, _language(interaction))
                await self._show(interaction, Say(card, replace=True))
            case Wrong():
                await self._show(interaction, Say(self._faults(reply, None, action, _language(interaction))))

    async def _open(self, interaction: AnyInteraction, form: Form, action: str) -> None:
        if interaction.response.is_done() or interaction.type is discord.InteractionType.modal_submit:
            await self._show(interaction, Say(self._conversation.cards.broken(_language(interaction))))
            return
        typed = self._typed.get((interaction.user.id, action))
        await interaction.response.send_modal(modal(form, action, typed))

    async def _show(self, interaction: AnyInteraction, say: Say) -> None:
        first, *more = private(say.card)
        response = interaction.response
        stood = interaction.message
        if response.is_done():
            await interaction.edit_original_response(view=first.view, attachments=first.files)
        elif say.replace and stood is not None and stood.flags.ephemeral:
            await response.edit_message(view=first.view, attachments=first.files)
        else:
            await response.send_message(**_parts(first), ephemeral=True)
        for dressed in more:
            await interaction.followup.send(**_parts(dressed), ephemeral=True)

    def _faults(self, wrong: Wrong, form: Form | None, action: str, language: str) -> Card:
        """A sentence for each faulty field, and (where the form can be opened again) a button back to it."""
        labels = {field.id: field.label for field in form.fields} if form else {}
        paragraphs = []
        for field, fault in wrong.faults.items():
            named: tuple[Inline, ...] = (Bold(labels[field]), ": ") if field in labels else ()
            paragraphs.append(Paragraph((*named, fault)))
        back = None
        if action.startswith("page:"):
            back = Button(texts(language)("Change"), action)
        elif action.startswith("answer:"):
            back = Button(texts(language)("Answer"), action.replace("answer:", "form:", 1))
        buttons = (Buttons((back,)),) if back else ()
        return Card(" ".join(wrong.faults.values()), (*paragraphs, *buttons))

    async def _safely(self, interaction: AnyInteraction, work: Any) -> None:
        """Nothing that goes wrong may leave a person with “This interaction failed”."""
        try:
            await work
        except discord.HTTPException as error:
            if error.code in TOO_LATE:
                log.warning("a reply came too late or was given already (%s)", error.code)
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


def _page(action: str) -> tuple[int, str]:
    """``page:1:change:17`` → 1 and ``change:17``. Raises ``UnknownRound`` for whatever else stands there."""
    found = re.fullmatch(r"page:(\d):(setup|change:\d+)", action, re.ASCII)
    if found is None:
        raise UnknownRound
    return int(found[1]), found[2]


def _origin(interaction: AnyInteraction, origin: str) -> Event:
    """The event that gives a long form again."""
    if origin in BY_NAME:
        return inbound.command(interaction, origin, {})
    return Tap(inbound.who(interaction), origin, inbound.place(interaction))


def _with_further_options(card: Card, language: str) -> Card:
    """The setup form does not hold everything that a schedule can say; this is how to say the rest."""
    t = texts(language)
    note = t("Window, board day and best rounds: {command}", command="/drill schedule window:8h board:mon best:5")
    return Card(card.text, (*card.parts, Note((note,))))


def _with_missing_rights(card: Card, interaction: AnyInteraction) -> Card:
    """A saved schedule, and what the bot still lacks in the channel to carry it out."""
    held = interaction.app_permissions.value
    missing = [name for name, bit in RIGHTS.items() if not held & bit]
    if not missing:
        return card
    t = texts(_language(interaction))
    sentence = t(
        "I cannot post here yet. Give me these permissions in this channel: {names}.", names=", ".join(missing)
    )
    return Card(f"{card.text} {sentence}", (*card.parts, Note((Bold("⚠"), " ", sentence))))
