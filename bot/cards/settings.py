"""What a member has set, and the form in which they change it; confirming an answer before it is final."""

from __future__ import annotations

from datetime import timedelta

from bot.card import Button, Buttons, Card, ChoiceField, Form, Heading, Note, Paragraph, Part, Table, TextField
from bot.drill.calendar import local_date
from bot.texts import Texts, language_of, texts
from bot.usecases.change_settings import MySettings

AS_CLIENT = "client"
LANGUAGES = {"en": "English", "zh": "简体中文", "zh-TW": "繁體中文"}
"""What a member may read in; each by its own name."""


def card(mine: MySettings, language: str, said: str = "") -> Card:
    """What is set now. ``said``: what was just done, in one sentence."""
    t = texts(language)
    head = t("Your settings")
    parts: list[Part] = [Heading((head,))]
    if said:
        parts.append(Paragraph((said,)))
    return Card(said or head, (*parts, *section(mine, t)))


def section(mine: MySettings, t: Texts) -> list[Part]:
    """The settings without a heading: a table, what is to be known about them, and the buttons that change them."""
    parts: list[Part] = [Table((), rows(mine, t))]
    if mine.asks_zone:
        parts.append(Note((t("Your time zone is not known yet. Set it, so that days and hours are yours."),)))
    if mine.opted_out:
        parts.append(Note((t("Nothing is recorded of you: your answers are not taken."),)))
    change = [Button(t("Change"), "settings", "primary")]
    if mine.asks_zone:
        change.insert(0, Button(t("Set my time zone"), "zone", "primary"))
    record = Button(t("Record my answers again"), "recording:on", "primary")
    if not mine.opted_out:
        record = Button(t("Stop recording me"), "recording:off")
    parts.append(Buttons((*change, record, Button(t("My data"), "export"), Button(t("Forget me"), "forget", "danger"))))
    return parts


def rows(mine: MySettings, t: Texts) -> tuple[tuple[str, str], ...]:
    """Every setting with what it says now."""
    yes, no = t("yes"), t("no")
    language = LANGUAGES.get(mine.language, "")
    if not language:
        language = t("as your client: {language}", language=LANGUAGES[language_of(mine.client_language)])
    zone = mine.zone
    if not zone:
        zone = t("as your client: {zone}", zone=mine.client_zone) if mine.client_zone else t("not known")
    return (
        (t("Language"), language),
        (t("Time zone"), zone),
        (t("Shown on boards"), no if mine.hidden else yes),
        (t("On a pause"), _pause(mine, t)),
        (t("Confirm before final"), yes if mine.confirm else no),
        (t("Reminders"), yes if mine.reminders else no),
        (t("Answers are recorded"), no if mine.opted_out else yes),
    )


def _pause(mine: MySettings, t: Texts) -> str:
    if not mine.away:
        return t("no")
    if mine.away_until is None:
        return t("until you come back")
    return t("through {day}", day=t.day(local_date(mine.away_until - timedelta(microseconds=1), mine.local_zone)))


def form(mine: MySettings, language: str) -> Form:
    """Everything a member can set, as it stands; four fields, so that it fits every platform."""
    t = texts(language)
    until = ""
    if mine.away:
        until = "open"
        if mine.away_until is not None:
            until = local_date(mine.away_until - timedelta(microseconds=1), mine.local_zone).isoformat()
    ticks = (
        ("hide", t("Hide me from boards")),
        ("confirm", t("Ask me before one tap is final")),
        ("reminders", t("Remind me of open questions, in working hours")),
    )
    on = tuple(name for name, is_on in zip(("hide", "confirm", "reminders"), _ticks(mine), strict=True) if is_on)
    fields = (
        ChoiceField(
            "language",
            t("Language"),
            ((AS_CLIENT, t("As my client")), *LANGUAGES.items()),
            chosen=(mine.language or AS_CLIENT,),
        ),
        TextField(
            "zone",
            t("Time zone (empty: as my client)"),
            mine.zone,
            hint=mine.client_zone or "Asia/Shanghai",
            max_length=60,
            optional=True,
        ),
        TextField(
            "pause",
            t("Pause until (empty: no pause)"),
            until,
            hint="2026-12-31",
            max_length=40,
            optional=True,
        ),
        ChoiceField("ticks", t("And"), ticks, many=True, chosen=on, optional=True),
    )
    return Form("settings:", t("Your settings"), t("Save"), fields)


def _ticks(mine: MySettings) -> tuple[bool, bool, bool]:
    return mine.hidden, mine.confirm, mine.reminders


def zone_form(mine: MySettings, language: str) -> Form:
    """The time zone alone, for people whose platform does not tell it."""
    t = texts(language)
    field = TextField("zone", t("Time zone"), mine.zone or mine.client_zone, hint="Asia/Shanghai", max_length=60)
    return Form("zone:", t("Set my time zone"), t("Save"), (field,))


def confirm(round_id: int, option: str, shown: str, language: str) -> Card:
    """*Answer B?*, before it is final. Nothing is stored yet."""
    t = texts(language)
    question = t("Answer {letters}?", letters=shown)
    buttons = (
        Button(t("Yes"), f"sure:{round_id}:{option}", "primary"),
        Button(t("No"), f"unsure:{round_id}"),
    )
    return Card(
        question,
        (Heading((question,)), Note((t("Nothing is recorded yet. Your first answer is final."),)), Buttons(buttons)),
    )


def not_answered(language: str) -> Card:
    t = texts(language)
    said = t("Nothing was recorded. Choose again under the question.")
    return Card(said, (Paragraph((said,)),))
