"""Direct messages that nobody asked for just now: the greeting of who brought the bot, and reminders."""

from __future__ import annotations

from bot.card import Button, Buttons, Card, Code, Divider, Heading, Moment, Note, Paragraph, Part
from bot.texts import Texts, language_of, texts
from bot.usecases.greet_inviter import Greeting
from bot.usecases.remind_members import Reminding


def greeting(found: Greeting) -> Card:
    """For the person who brought the bot; in both languages where theirs is not known."""
    languages = [language_of(found.language)] if found.language else ["en", "zh"]
    parts: list[Part] = []
    for language in languages:
        parts += [Divider(), *_greeting(found, texts(language))] if parts else _greeting(found, texts(language))
    return Card(texts(languages[0])("Team Drills is here."), tuple(parts))


def _greeting(found: Greeting, t: Texts) -> list[Part]:
    parts: list[Part] = [
        Heading((t("Team Drills is here."),)),
        Paragraph((t("One good question a day in a channel, private answers, and a board once a week."),)),
    ]
    if found.channels:
        parts.append(Paragraph((t("Drills run already in {channels}.", channels=t.list(found.channels)),)))
        parts.append(Paragraph((t("To change them, type this in the channel:"), " ", Code("/drill schedule"))))
    else:
        parts.append(
            Paragraph(
                (
                    t("Nothing happens until you start it. Type this in the channel where it should be:"),
                    " ",
                    Code("/drill setup"),
                )
            )
        )
        parts.append(
            Note(
                (
                    t(
                        "It shows the next five dates before anything is saved. Members hear nothing until the first question."
                    ),
                )
            )
        )
    buttons = (
        Button(t("Show a sample question"), f"hello:sample-{t.language}", "primary"),
        Button(t("What can it do?"), f"hello:help-{t.language}"),
    )
    return [*parts, Buttons(buttons)]


def reminder(found: Reminding) -> Card:
    """An open question is not answered yet; or, after three such letters in vain, whether they should stop."""
    language = language_of(found.to.language)
    t = texts(language)
    if found.kind == "pause":
        said = t("You did not answer the last three questions I reminded you of. Shall I pause?")
        note = t("Your streak rests on a pause. To come back: /drill settings pause=off.")
        buttons = Buttons(
            (
                Button(t("Yes, pause"), "away:on", "primary"),
                Button(t("No, go on"), "remind:on"),
                Button(t("Stop reminders"), "remind:off"),
            )
        )
        return Card(said, (Paragraph((said,)), buttons, Note((note,))))
    zone = found.to.zone or found.to.channel_zone
    said = t("A question in {channel} waits for your answer.", channel=found.to.channel)
    closes = Moment(found.to.closes_at, "both", f"{t.time(found.to.closes_at, zone)} ({zone})")
    buttons = Buttons(
        (
            Button(t("Show the question"), f"read:{found.to.round_id}:{language}", "primary"),
            Button(t("Stop reminders"), "remind:off"),
        )
    )
    return Card(said, (Paragraph((said, " ", t("closes") + " ", closes)), buttons))
