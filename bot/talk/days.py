"""Admins: dates out and in, another question, a look ahead."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Literal

from sqlmodel import Session

from bot.cards import days as cards
from bot.cards import notice_card
from bot.chat import Command, Reply, Say, Tap
from bot.drill import errors
from bot.drill.calendar import is_drill_date, local_date
from bot.talk.desk import Button, Desk, Planned, Theme, number
from bot.talk.typed_days import read_days
from bot.texts import texts
from bot.usecases.meet_member import Met
from bot.usecases.post_now import post_now
from bot.usecases.preview_round import Preview, preview_round
from bot.usecases.schedules import calendar_of, round_to_come, schedule_by_id, schedule_here
from bot.usecases.set_dates import Kind, kind_of, set_dates
from bot.usecases.show_dates import Dates, show_dates
from bot.usecases.swap_question import Swap, propose_swap, swap_question
from content.taxonomy import UnknownTopicError
from storage.tables import Schedule

Verb = Literal["holiday", "extra", "skip"]
Find = Callable[[Session, Met], Schedule]
_OFF = ("off", "no", "undo", "取消", "关", "恢复")


def do_holiday(desk: Desk, event: Command, now: datetime) -> Planned:
    return _typed(desk, event, "holiday", now)


def do_extra(desk: Desk, event: Command, now: datetime) -> Planned:
    return _typed(desk, event, "extra", now)


def do_skip(desk: Desk, event: Command, now: datetime) -> Planned:
    typed, off = _parts(event)
    if typed:
        return _typed(desk, event, "skip", now)

    def days(tx: Session, schedule: Schedule) -> list[date]:
        return [round_to_come(tx, schedule, None, now).local_date]

    if off:
        raise _which("skip")
    return _set(desk, event, _here(event), "skip", days, False, now)


def _parts(event: Command) -> tuple[str, bool]:
    """The dates as typed, and whether they are to be taken back."""
    words = event.options.get("date", "").split()
    off = bool(words) and words[-1].lower() in _OFF
    return " ".join(words[:-1] if off else words), off


def _which(field: str) -> errors.WrongInput:
    return errors.WrongInput(
        "date",
        f"Say which date, such as /drill {field} 2026-12-24 off.",
        f"请写明日期，例如 /drill {field} 2026-12-24 off。",
    )


def _typed(desk: Desk, event: Command, verb: Verb, now: datetime) -> Planned:
    typed, off = _parts(event)
    if not typed:
        if off:
            raise _which(verb)
        return _list(desk, event, now)

    def days(_: Session, schedule: Schedule) -> list[date]:
        return read_days(typed, local_date(now, schedule.zone), "date")

    return _set(desk, event, _here(event), verb, days, off, now)


def _list(desk: Desk, event: Command, now: datetime) -> Planned:
    def look(tx: Session, met: Met) -> Dates:
        return show_dates(tx, schedule_here(tx, met.workspace_id, event.place.channel), now)

    return desk.look(event, look, lambda found, language: Say(cards.dates(found, language)))


def _set(
    desk: Desk,
    event: Command | Tap,
    find: Find,
    verb: Verb,
    days: Callable[[Session, Schedule], list[date]],
    off: bool,
    now: datetime,
) -> Planned:
    kind: Kind | None = None if off else verb

    def decide(tx: Session, met: Met) -> cards.Done:
        schedule = find(tx, met)
        chosen = days(tx, schedule)
        before = kind_of(tx, schedule, chosen[0])
        saved = set_dates(tx, met, schedule, chosen, kind, verb, desk.library, now, desk.new_key)
        calendar = calendar_of(tx, schedule)
        held = kind == "extra" and not all(is_drill_date(calendar, day) for day in chosen)
        return cards.Done(saved, chosen, verb, off, before, held)

    def then(done: cards.Done, language: str) -> Reply:
        return desk.wake(Say(cards.dates_set(desk.cards, done, language)))

    return desk.decide(event, decide, then)


def _here(event: Command) -> Find:
    return lambda tx, met: schedule_here(tx, met.workspace_id, event.place.channel)


def _button(args: list[str]) -> tuple[Find, date]:
    """Buttons name the schedule and the date: rounds to come are planned anew, and their ids with them."""
    schedule_id = number(args[0])
    try:
        day = date.fromisoformat(args[1])
    except ValueError:
        raise errors.UnknownRound from None
    return (lambda tx, met: schedule_by_id(tx, met.workspace_id, schedule_id)), day


def tap_date(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    find, day = _button(args)
    name = event.action.split(":")[0]
    verb: Verb = "holiday" if name.endswith("holiday") else "extra" if name.endswith("extra") else "skip"
    return _set(desk, event, find, verb, lambda tx, schedule: [day], name.startswith("undo-"), now)


def do_swap(desk: Desk, event: Command, now: datetime) -> Planned:
    typed, wanted = event.options.get("date", "").strip(), event.options.get("to", "").strip()
    if wanted and desk.library.get(wanted) is None:
        wanted = _topic(desk, wanted)

    def look(tx: Session, met: Met) -> Swap:
        schedule = schedule_here(tx, met.workspace_id, event.place.channel)
        return propose_swap(tx, schedule, _one(typed, schedule, now), desk.library, now, wanted=wanted)

    return desk.look(event, look, lambda found, language: Say(cards.swap(desk.cards, found, language)))


def _one(typed: str, schedule: Schedule, now: datetime) -> date | None:
    if not typed:
        return None
    found = read_days(typed, local_date(now, schedule.zone), "date")
    if len(found) != 1:
        raise errors.WrongInput("date", "Name one date.", "请只写一个日期。")
    return found[0]


def _topic(desk: Desk, typed: str) -> str:
    try:
        return desk.taxonomy.topic(typed.lower()).slug
    except UnknownTopicError:
        near = [topic.slug for topic in desk.taxonomy.search(typed[:200], "en")][:3]
        hint = f" Near it: {', '.join(near)}." if near else ""
        hint_zh = f"相近的有：{'、'.join(near)}。" if near else ""
        raise errors.WrongInput(
            "to",
            f"“{typed[:40]}” is neither a question of the bank nor a topic.{hint}",
            f"“{typed[:40]}”既不是题库中的题目，也不是主题。{hint_zh}",
        ) from None


def tap_swap(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """Propose another question; ``swapnext`` the one after that which was just shown."""
    find, day = _button(args)
    after = args[2] if len(args) > 2 else ""

    def look(tx: Session, met: Met) -> Swap:
        return propose_swap(tx, find(tx, met), day, desk.library, now, after=after)

    def then(found: Swap, language: str) -> Reply:
        return Say(cards.swap(desk.cards, found, language), replace=bool(after))

    return desk.look(event, look, then)


def save_swap(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    find, day = _button(args)

    def decide(tx: Session, met: Met) -> Swap:
        return swap_question(tx, met, find(tx, met), day, args[2], desk.library, now)

    def then(done: Swap, language: str) -> Reply:
        return Say(cards.swapped(desk.cards, done, language), replace=True)

    return desk.decide(event, decide, then)


def leave(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    def then(_: None, language: str) -> Reply:
        return Say(notice_card(texts(language)("Nothing was changed.")), replace=True)

    return desk.look(event, lambda tx, met: None, then)


def do_preview(desk: Desk, event: Command, now: datetime) -> Planned:
    typed = event.options.get("date", "").strip()

    def look(tx: Session, met: Met) -> Preview:
        schedule = schedule_here(tx, met.workspace_id, event.place.channel)
        return preview_round(tx, schedule, _one(typed, schedule, now), desk.library, now)

    return desk.look(event, look, lambda found, language: Say(cards.preview(desk.cards, found, language)))


def tap_preview(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    find, day = _button(args)

    def look(tx: Session, met: Met) -> Preview:
        return preview_round(tx, find(tx, met), day, desk.library, now)

    return desk.look(event, look, lambda found, language: Say(cards.preview(desk.cards, found, language)))


def tap_now(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    schedule_id = number(args[0])

    def decide(tx: Session, met: Met) -> object:
        channel = schedule_by_id(tx, met.workspace_id, schedule_id).channel_id
        return post_now(tx, met, channel, desk.library, now, desk.new_key)

    return desk.decide(event, decide, lambda _, language: desk.wake(Say(desk.cards.posting_now(language))))


THEME = Theme(
    buttons={
        "skip": Button(tap_date, 2, admin=True),
        "undo-skip": Button(tap_date, 2, admin=True),
        "undo-holiday": Button(tap_date, 2, admin=True),
        "undo-extra": Button(tap_date, 2, admin=True),
        "put-skip": Button(tap_date, 2, admin=True),
        "put-holiday": Button(tap_date, 2, admin=True),
        "put-extra": Button(tap_date, 2, admin=True),
        "swap": Button(tap_swap, 2, admin=True),
        "swapnext": Button(tap_swap, 3, admin=True),
        "swapsave": Button(save_swap, 3, admin=True),
        "preview": Button(tap_preview, 2, admin=True),
        "now": Button(tap_now, admin=True),
        "leave": Button(leave, 0),
    },
    commands={
        "holiday": do_holiday,
        "extra": do_extra,
        "skip": do_skip,
        "swap": do_swap,
        "preview": do_preview,
    },
)
