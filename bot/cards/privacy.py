"""What a member hears of their data: the file with it, what *forget me* takes and leaves, that it is done."""

from __future__ import annotations

import json
from datetime import datetime

from bot.card import Button, Buttons, Card, File, Heading, Line, Note, Paragraph, Part
from bot.texts import texts
from bot.usecases.export_member import Plain


def export(plain: Plain | None, now: datetime, language: str) -> Card:
    """All that is stored of them, as a file for them alone."""
    t = texts(language)
    if plain is None:
        return _one(t("Nothing is stored of you."))
    data = json.dumps(plain, ensure_ascii=False, indent=2).encode() + b"\n"
    said = t("All that is stored of you is in this file. Only you can open it.")
    where = t("On Slack it comes as a direct message. Results stand in it once a round is closed.")
    name = f"team-drills-{now:%Y-%m-%d}.json"
    return Card(said, (Paragraph((said,)), File(name, "application/json", data), Note((where,))))


def ask_forget(known: bool, reacted: bool, language: str) -> Card:
    """What goes and what stays, before anything is done. ``reacted``: keycaps of theirs stand under open questions."""
    t = texts(language)
    if not known:
        return _one(t("Nothing is stored of you."))
    goes: Line = (
        t("What goes: your name and id, your settings, pauses and reminders, your place on every board, ")
        + t("your answers to questions that are still open, and what you wrote where it names you."),
    )
    stays: Line = (
        t("What stays: your other answers without a name, so that results of the past stay as they are. ")
        + t("What stands in the channel already is not changed."),
    )
    parts: list[Part] = [Heading((t("Forget you for good?"),)), Paragraph(goes), Paragraph(stays)]
    if reacted:
        parts.append(
            Paragraph(
                (t("Take away the emoji you left under open questions, or they count as those of somebody new."),)
            )
        )
    note = t("It cannot be undone. If you answer later, you begin anew.")
    buttons = Buttons((Button(t("Forget me for good"), "erase", "danger"), Button(t("Cancel"), "spare")))
    return Card(t("Forget you for good?"), (*parts, Note((note,)), buttons))


def forgotten(known: bool, language: str) -> Card:
    t = texts(language)
    return _one(
        t("You are forgotten. If you answer later, you begin anew.") if known else t("Nothing is stored of you.")
    )


def spared(language: str) -> Card:
    return _one(texts(language)("Nothing was changed."))


def _one(said: str) -> Card:
    return Card(said, (Paragraph((said,)),))
