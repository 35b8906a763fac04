"""What admins set: the schedule and its proposal, topics, pauses; and what comes next."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sqlmodel import Session

from bot.cards import notice_card
from bot.chat import Ask, Command, Event, Place, Reply, Say, Submission, Tap
from bot.drill import errors
from bot.drill.calendar import instant, local_date, parse_weekdays
from bot.talk.desk import CHOSEN, Button, Desk, FormTarget, Planned, Theme, number
from bot.talk.typed_days import read_days
from bot.texts import texts
from bot.usecases.meet_member import Met
from bot.usecases.note_check import note_saved
from bot.usecases.pause_schedule import pause_schedule
from bot.usecases.post_now import post_now
from bot.usecases.resume_schedule import resume_schedule
from bot.usecases.schedules import schedule_by_id, schedule_here
from bot.usecases.search_topics import Found, search_topics
from bot.usecases.set_schedule import (
    OPTIONS,
    Plan,
    Proposal,
    Saved,
    default_plan,
    draft_plan,
    drop_draft,
    plan_of,
    propose_schedule,
    read_topics,
    save_schedule,
)
from bot.usecases.show_status import Status, show_status
from storage import schedules
from storage.tables import Schedule, SetupDraft


def do_setup(desk: Desk, event: Command, now: datetime) -> Planned:
    given = {name: value for name, value in event.options.items() if name in OPTIONS and value.strip()}
    if given:
        return propose(desk, event, event.place, event.channel_name, given, now)

    def look(tx: Session, met: Met) -> Plan:
        existing = schedules.of_channel(tx, met.workspace_id, event.place.channel)
        return plan_of(existing) if existing else default_plan(met)

    def then(plan: Plan, language: str) -> Reply:
        form_id = f"setup:{event.place.channel}:{event.channel_name}"[:200]
        return Ask(desk.cards.setup_form(plan, form_id, language))

    return desk.look(event, look, then)


def open_setup(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """The form by a button: of a schedule that stands, or (``new``) of a channel that is chosen in it."""
    schedule_id = None if args[0] == "new" else number(args[0])

    def look(tx: Session, met: Met) -> tuple[Plan, str]:
        if schedule_id is None:
            return default_plan(met), CHOSEN
        found = schedule_by_id(tx, met.workspace_id, schedule_id)
        return plan_of(found), f"{found.channel_id}:{found.channel_name}"

    def then(found: tuple[Plan, str], language: str) -> Reply:
        plan, channel = found
        form = desk.cards.setup_form(plan, f"setup:{channel}"[:200], language)
        return Ask(form if channel != CHOSEN else replace(form, asks_place=texts(language)("Channel")))

    return desk.look(event, look, then)


def do_schedule(desk: Desk, event: Command, now: datetime) -> Planned:
    given = {name: value for name, value in event.options.items() if name in OPTIONS and value.strip()}
    return propose(desk, event, event.place, event.channel_name, given, now) if given else do_status(desk, event, now)


def propose(
    desk: Desk, event: Event, place: Place, channel_name: str, options: dict[str, str], now: datetime
) -> Planned:
    def decide(tx: Session, met: Met) -> Proposal:
        desk.lacking(place)
        return propose_schedule(tx, met, place, channel_name, options, desk.library, desk.taxonomy, now)

    return desk.decide(event, decide, partial(proposed, desk))


def proposed(desk: Desk, proposal: Proposal, language: str) -> Reply:
    return Say(desk.cards.proposal(proposal, language, desk.lacking(proposal.place)))


def setup_form(desk: Desk, event: Submission, rest: str, now: datetime) -> Planned:
    channel, _, channel_name = rest.partition(":")
    channel, _, draft = channel.partition("~")
    if channel == CHOSEN:
        channel, channel_name = event.place.channel if event.place else "", event.channel_name
    # The form's id went through the person's client: only the channel that the form stands in is theirs to set.
    if not channel or (event.place is not None and event.place.channel not in ("", channel)):
        raise errors.DraftGone
    place = Place(event.who.workspace, channel)
    options = {}
    for name, value in event.values.items():
        if name in OPTIONS:
            options[name] = ",".join(value) if isinstance(value, tuple) else value
    # An emptied field of a form means "no limit"; an option left out of a command means "as it is".
    for name in ("topics", "kinds"):
        if name in event.values and not options[name].strip():
            options[name] = "all"
    changing = int(draft) if draft.isascii() and draft.isdigit() and len(draft) < 19 else None

    def decide(tx: Session, met: Met) -> Proposal:
        desk.lacking(place)
        return propose_schedule(
            tx, met, place, channel_name, options, desk.library, desk.taxonomy, now, changing=changing, as_form=True
        )

    return desk.decide(event, decide, partial(proposed, desk))


def proposal_button(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    name, draft_id = event.action.split(":")[0], number(args[0])
    if name == "save":

        def save(tx: Session, met: Met) -> Saved:
            draft = schedules.draft(tx, draft_id)
            place = Place(event.who.workspace, draft.channel_id if draft else "")
            desk.lacking(place)
            done = save_schedule(tx, met, draft_id, desk.library, now, desk.new_key, desk.new_seed)
            if place in desk.lacks:
                note_saved(tx, done.schedule, desk.lacking(place, reactions=done.schedule.reactions), now)
            return done

        def saved(done: Saved, language: str) -> Reply:
            return desk.wake(Say(desk.cards.saved(done, language), replace=True))

        return desk.decide(event, save, saved)
    if name == "drop":

        def dropped(_: None, language: str) -> Reply:
            return Say(notice_card(texts(language)("Nothing was changed.")), replace=True)

        return desk.decide(event, lambda tx, met: drop_draft(tx, met, draft_id), dropped)

    def then(found: tuple[SetupDraft, Plan], language: str) -> Reply:
        draft, plan = found
        form_id = f"setup:{draft.channel_id}~{draft.id}:{draft.channel_name}"[:200]
        return Ask(desk.cards.setup_form(plan, form_id, language))

    return desk.look(event, lambda tx, met: draft_plan(tx, met, draft_id), then)


def do_topics(desk: Desk, event: Command, now: datetime) -> Planned:
    search, wanted, day = (event.options.get(name, "").strip() for name in ("search", "set", "day"))
    if not search and (match := _SEARCH.fullmatch(wanted)):
        search = match[1]
    if search:
        return find_topics(desk, event, search)
    if wanted and not day:
        return propose(desk, event, event.place, event.channel_name, {"topics": wanted}, now)
    if wanted or day:
        return weekday_topics(desk, event, wanted, day, now)

    def look(tx: Session, met: Met) -> Plan:
        return plan_of(schedule_here(tx, met.workspace_id, event.place.channel))

    def then(plan: Plan, language: str) -> Reply:
        return Say(desk.cards.topics_of(plan, desk.library.topics(), language))

    return desk.look(event, look, then)


_SEARCH = re.compile(r"(?:search|find|搜索|查找|搜|查)\s*[=＝:：]?\s*(\S.*)", re.IGNORECASE)
"""``topics search cache`` where the option has no name of its own, as in ``主题 搜索 缓存``."""


def find_topics(desk: Desk, event: Command, search: str) -> Planned:
    def look(tx: Session, met: Met) -> Found:
        return search_topics(
            tx, met, event.place.channel, search[:200], desk.library, desk.taxonomy, event.who.language
        )

    def then(found: Found, language: str) -> Reply:
        return Say(desk.cards.topics(found, search[:60], language))

    return desk.look(event, look, then)


def weekday_topics(desk: Desk, event: Command, wanted: str, day: str, now: datetime) -> Planned:
    day, wanted = _day_and_topics(day, wanted)
    try:
        days = parse_weekdays(day)
    except ValueError as error:
        raise errors.WrongInput("day", str(error), f"“{day[:40]}”不是星期几，请写成 mon 或 周一。") from None
    slugs = read_topics(wanted, desk.taxonomy) if wanted else ()

    def decide(tx: Session, met: Met) -> Proposal:
        schedule = schedule_here(tx, met.workspace_id, event.place.channel)
        changed = dict(plan_of(schedule).weekday_topics or {})
        for weekday in days:
            changed[str(weekday)] = slugs
        kept = {weekday: topics for weekday, topics in changed.items() if topics}
        return propose_schedule(
            tx, met, event.place, event.channel_name, {}, desk.library, desk.taxonomy, now, weekday_topics=kept
        )

    return desk.decide(event, decide, partial(proposed, desk))


def do_now(desk: Desk, event: Command, now: datetime) -> Planned:
    def then(_: object, language: str) -> Reply:
        return desk.wake(Say(desk.cards.posting_now(language)))

    return desk.decide(
        event, lambda tx, met: post_now(tx, met, event.place.channel, desk.library, now, desk.new_key), then
    )


def do_pause(desk: Desk, event: Command, now: datetime) -> Planned:
    typed = event.options.get("until", "").strip()

    def decide(tx: Session, met: Met) -> tuple[Schedule, datetime | None]:
        schedule = schedule_here(tx, met.workspace_id, event.place.channel)
        until = _end_of_pause(typed, schedule.zone, now) if typed else None
        return pause_schedule(tx, met, event.place.channel, until, now), until

    def then(done: tuple[Schedule, datetime | None], language: str) -> Reply:
        schedule, until = done
        return Say(desk.cards.paused(until, schedule.zone, language))

    return desk.decide(event, decide, then)


def _end_of_pause(typed: str, zone: str, now: datetime) -> datetime:
    """When the last day of a pause is over. Raises ``WrongInput``."""
    days = read_days(typed, local_date(now, zone), "until")
    if len(days) != 1:
        raise errors.WrongInput("until", "Give one day, the last of the pause.", "请只写一个日期：暂停的最后一天。")
    until = instant(days[0] + timedelta(days=1), datetime.min.time(), zone)
    if until <= now:
        raise errors.WrongInput(
            "until",
            f"{days[0]} is over already; give a day to come.",
            f"{days[0]} 已经过去，请给一个将来的日期。",
        )
    return until


def do_resume(desk: Desk, event: Command, now: datetime) -> Planned:
    def then(saved: Saved, language: str) -> Reply:
        return desk.wake(Say(desk.cards.saved(saved, language)))

    return desk.decide(
        event, lambda tx, met: resume_schedule(tx, met, event.place.channel, desk.library, now, desk.new_key), then
    )


def do_status(desk: Desk, event: Command, now: datetime) -> Planned:
    def then(status: Status, language: str) -> Reply:
        return Say(desk.cards.status(status, plan_of(status.schedule), language))

    return desk.look(event, lambda tx, met: show_status(tx, met, event.place.channel, desk.library, now), then)


def _day_and_topics(day: str, wanted: str) -> tuple[str, str]:
    """``day=mon kv-cache``: what stands behind the weekdays are topics."""
    words = day.split()
    for cut in range(len(words), 0, -1):
        try:
            parse_weekdays(" ".join(words[:cut]))
        except ValueError:
            continue
        return " ".join(words[:cut]), wanted or " ".join(words[cut:])
    return day, wanted


THEME = Theme(
    buttons={
        "setup": Button(open_setup, admin=True),
        **{name: Button(proposal_button, admin=True) for name in ("save", "change", "drop")},
    },
    forms={"setup": FormTarget(setup_form, admin=True)},
    commands={
        "setup": do_setup,
        "schedule": do_schedule,
        "topics": do_topics,
        "now": do_now,
        "pause": do_pause,
        "resume": do_resume,
        "status": do_status,
    },
)
