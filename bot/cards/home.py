"""The home of one person: what Slack shows in the app's Home tab. In their own language, for their eyes alone."""

from __future__ import annotations

from bot.card import Bold, Button, Buttons, Card, Divider, Heading, Inline, Note, Paragraph, Part, Table
from bot.cards import settings
from bot.cards.deck import Cards, rich
from bot.drill.scoring import format_points
from bot.texts import Texts, texts
from bot.usecases.set_schedule import plan_of
from bot.usecases.show_home import Home, Mine, Run
from bot.usecases.show_today import Today

MOST_CHANNELS = 5
"""Channels that are shown whole; a Home tab holds a hundred blocks."""


def home(cards: Cards, found: Home, language: str) -> Card:
    """Today, streak, topics, settings; for admins their channels with what comes."""
    t = texts(language)
    parts: list[Part] = [Heading((t("One good question a day"),))]
    if not found.mine:
        parts.append(Paragraph((t("Answer a question in a channel, and your progress stands here."),)))
    for mine in found.mine[:MOST_CHANNELS]:
        parts += _mine(cards, mine, t)
    if len(found.mine) > MOST_CHANNELS:
        more = len(found.mine) - MOST_CHANNELS
        parts.append(
            Note(
                (
                    t.n(
                        "And {count} channel more: /drill me there.",
                        "And {count} channels more: /drill me there.",
                        more,
                    ),
                )
            )
        )
    parts += [Divider(), Paragraph((Bold(t("Your settings")),)), *settings.section(found.settings, t)]
    if found.admin:
        parts += [Divider(), Heading((t("For admins"),))]
        if not found.run:
            parts.append(Paragraph((t("No channel has drills yet."),)))
        for run in found.run[:MOST_CHANNELS]:
            parts += _run(cards, run, t)
        if len(found.run) > MOST_CHANNELS:
            more = len(found.run) - MOST_CHANNELS
            parts.append(
                Note(
                    (
                        t.n(
                            "And {count} channel more: /drill status there.",
                            "And {count} channels more: /drill status there.",
                            more,
                        ),
                    )
                )
            )
        parts.append(Buttons((Button(t("Set up a channel"), "setup:new", "" if found.run else "primary"),)))
        parts.append(Note((t("Or type /drill setup in the channel. What admins did: /drill audit."),)))
    return Card(t("Your drills"), tuple(parts))


def _mine(cards: Cards, mine: Mine, t: Texts) -> list[Part]:
    parts: list[Part] = [Divider(), Paragraph((Bold(_name(mine.schedule.channel_name, mine.schedule.channel_id)),))]
    if mine.today is None:
        parts.append(Paragraph((t("No question is open in this channel right now."),)))
    else:
        parts += _today(cards, mine.today, t)
    progress = mine.progress
    accuracy = f"{round(100 * progress.right / progress.answered)} %" if progress.answered else "–"
    rows = [
        (
            t("Streak"),
            t("{current} now, {longest} longest", current=progress.streak.current, longest=progress.streak.longest),
        ),
        (t("Points this week"), format_points(progress.week_points, t.language)),
        (t("Points in all"), format_points(progress.points, t.language)),
        (t("Right"), f"{progress.right} / {progress.answered} ({accuracy})"),
    ]
    weakest = [s for s in progress.topics if s.answered > s.right][:3]
    if weakest:
        rows.append((t("Weakest topics"), t.list(cards.topic(s.topic, t.language) for s in weakest)))
    return [*parts, Table((), tuple(rows))]


def _today(cards: Cards, today: Today, t: Texts) -> list[Part]:
    view = today.view
    prompt = view.question.prompt.get(t.language)
    shown = prompt if len(prompt) <= 300 else prompt[:299] + "…"
    line: list[Inline] = [Bold(t("Daily drill #{number}", number=view.round.number or "")), " · ", *rich(shown)]
    parts: list[Part] = [Paragraph(tuple(line))]
    answered = today.stored is not None
    if answered and view.mode == "instant":
        button = Button(t("How did I do?"), f"mine:{view.round.id}")
    elif answered:
        parts.append(Note((t("Recorded. You can change it until the close."),)))
        button = Button(t("See it again"), f"read:{view.round.id}:{t.language}")
    else:
        button = Button(t("Answer it"), f"read:{view.round.id}:{t.language}", "primary")
    return [*parts, Buttons((button,))]


def _run(cards: Cards, run: Run, t: Texts) -> list[Part]:
    schedule = run.schedule
    name = _name(schedule.channel_name, schedule.channel_id)
    plan = plan_of(schedule)
    about = f"{' '.join(t.weekday(day) for day in plan.weekdays)} · {plan.at} · {plan.zone}"
    change = Button(t("Change the schedule"), f"setup:{schedule.id}")
    parts: list[Part] = [Paragraph((Bold(name), f"  {about}")), Buttons((change,))]
    if run.pause is not None:
        parts.append(Note((t("Drills here are paused. Resume them with /drill resume."),)))
    if not run.coming:
        parts.append(Paragraph((t("No round is planned. See /drill status."),)))
        return parts
    for place, (round_, question) in enumerate(run.coming):
        day = round_.local_date
        topic = cards.topic(round_.topic, t.language) if round_.topic else "–"
        asked = _short(question.prompt.get(t.language), 120) if question else t("no question fits")
        parts.append(
            Paragraph((Bold(f"{t.day(day)} {t.time(round_.posts_at, schedule.zone)}"), f" · {topic}\n{asked}"))
        )
        where = f"{schedule.id}:{day.isoformat()}"
        buttons = [
            Button(t("Preview"), f"preview:{where}"),
            Button(t("Another question"), f"swap:{where}"),
            Button(t("Skip it"), f"skip:{where}"),
        ]
        if place == 0:
            buttons.append(Button(t("Send now"), f"now:{schedule.id}"))
        parts.append(Buttons(tuple(buttons)))
    return parts


def _name(name: str, channel: str) -> str:
    return f"#{name}" if name else channel


def _short(text: str, most: int) -> str:
    text = " ".join(text.replace("`", "").split())
    return text if len(text) <= most else text[: most - 1] + "…"
