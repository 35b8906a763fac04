"""Dates taken out and put in, another question, and what is to come, for admins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.card import Bold, Button, Buttons, Card, Heading, Note, Paragraph, Part
from bot.cards.deck import Cards, prose
from bot.drill.calendar import local_date
from bot.texts import Texts, texts
from bot.usecases.preview_round import Preview
from bot.usecases.set_schedule import Saved
from bot.usecases.show_dates import Dates
from bot.usecases.swap_question import Swap
from content.question import Question


@dataclass(frozen=True, slots=True)
class Done:
    """Dates that were set by ``verb`` (``off``: taken back). ``before``: what the first of them was, ``""``: as the week
    has it. ``held``: a pause keeps an extra date from having its round."""

    saved: Saved
    days: Sequence[date]
    verb: str
    off: bool
    before: str = ""
    held: bool = False


def dates_set(cards: Cards, done: Done, language: str) -> Card:
    """What was changed, and the rounds that come now."""
    t = texts(language)
    saved, days, verb, off = done.saved, done.days, done.verb, done.off
    shown = days_line(days, t)
    said = {
        ("holiday", False): t("No round on {days}.", days=shown),
        ("holiday", True): t("{days} is as the week has it again.", days=shown),
        ("extra", False): t("There is a round on {days}.", days=shown),
        ("extra", True): t("{days} is as the week has it again.", days=shown),
        ("skip", False): t("The round of {days} is skipped.", days=shown),
        ("skip", True): t("{days} is as the week has it again.", days=shown),
    }[verb, off]
    parts: list[Part] = [
        Heading((said,)),
        Paragraph((Bold(t("The next rounds")),)),
        cards.dates(saved.next_dates, saved.schedule.zone, t),
    ]
    if done.held:
        parts.insert(
            1, Paragraph((t("The drills are paused then: that round comes only if they are resumed before."),))
        )
    if not off and len(days) == 1 and done.before != verb:
        name = f"put-{done.before}" if done.before else f"undo-{verb}"
        undo = Button(t("Undo"), f"{name}:{saved.schedule.id}:{days[0].isoformat()}")
        parts.append(Buttons((undo,)))
    return Card(said, tuple(parts))


def dates(found: Dates, language: str) -> Card:
    """What differs from the week, from today on."""
    t = texts(language)
    head = t("Dates of this channel")
    parts: list[Part] = [Heading((head,))]
    rows = (
        (t("Holidays of this channel"), found.holidays),
        (t("Skipped"), found.skipped),
        (t("Extra rounds"), found.extra),
        (t("Public holidays of {country}", country=found.schedule.country), found.public),
        (t("Working weekends of {country}", country=found.schedule.country), found.make_up),
    )
    for label, days in rows:
        if days:
            parts.append(Paragraph((Bold(label), "\n", days_line(days, t))))
    if len(parts) == 1:
        parts.append(Paragraph((t("Every week is like the other: no holidays, no extra dates."),)))
    hint = t("Take a date out: /drill holiday 2026-12-24. Put one in: /drill extra 2026-12-26. Take it back: … off.")
    parts.append(Note((hint,)))
    return Card(head, tuple(parts))


def swap(cards: Cards, found: Swap, language: str) -> Card:
    """What the round asks now and what it could ask instead, before anything is saved."""
    t = texts(language)
    day = found.round.local_date
    head = t("Another question for {day}?", day=t.day(day))
    parts: list[Part] = [Heading((head,))]
    if found.now_asked is not None:
        parts += [Paragraph((Bold(t("Now")),)), *_question(cards, found.now_asked, t)]
    parts += [Paragraph((Bold(t("Instead")),)), *_question(cards, found.instead, t)]
    where, instead = f"{found.schedule.id}:{day.isoformat()}", found.instead.id
    parts.append(
        Buttons(
            (
                Button(t("Save"), f"swapsave:{where}:{instead}", "primary"),
                Button(t("Another"), f"swapnext:{where}:{instead}"),
                Button(t("Cancel"), "leave"),
            )
        )
    )
    return Card(head, tuple(parts))


def swapped(cards: Cards, found: Swap, language: str) -> Card:
    t = texts(language)
    head = t("{day} asks this now.", day=t.day(found.round.local_date))
    return Card(head, (Heading((head,)), *_question(cards, found.instead, t)))


def preview(cards: Cards, found: Preview, language: str) -> Card:
    """The message as the channel will see it, without its buttons; what is said about it is in the admin's language."""
    t = texts(language)
    view = found.view
    day = local_date(found.posts_at, view.schedule.zone)
    when = t("{day} {time}", day=t.day(day), time=t.time(found.posts_at, view.schedule.zone))
    note = t("Preview: only you see this. It comes on {when}.", when=when)
    shown = cards.question(view)
    parts = tuple(part for part in shown.parts if not isinstance(part, Buttons))
    where = f"{view.schedule.id}:{view.round.local_date.isoformat()}"
    buttons = Buttons((Button(t("Another question"), f"swap:{where}"), Button(t("Skip it"), f"skip:{where}")))
    return Card(note, (Note((note,)), *parts, buttons))


def days_line(days: Sequence[date], t: Texts) -> str:
    """The dates, at most twelve of them."""
    shown = t.list(t.day(day) for day in days[:12])
    return shown if len(days) <= 12 else f"{shown} … (+{len(days) - 12})"


def _question(cards: Cards, question: Question, t: Texts) -> list[Part]:
    level = t("level {level}", level=question.difficulty)
    about = f"{cards.topic(question.topic, t.language)} · {level} · {cards.kind(question.kind, t)} · {question.id}"
    return [*prose(question.prompt.get(t.language)), Note((about,))]
