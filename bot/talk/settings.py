"""What members set for themselves: typed, in a form, or by a button; also from the letters that the bot sends."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from functools import partial
from typing import Any

from sqlmodel import Session

from bot.cards import settings as cards
from bot.chat import Ask, Command, Event, Reply, Say, Submission, Tap
from bot.drill import errors
from bot.drill.calendar import local_date
from bot.drill.errors import WrongInput
from bot.drill.reading import check_zone
from bot.talk.desk import Button, Desk, FormTarget, Planned, Theme
from bot.talk.typed_days import read_days
from bot.texts import language_of, texts
from bot.usecases.change_settings import UTC_ZONE, Away, Changes, MySettings, change_settings, show_settings
from bot.usecases.meet_member import Met
from bot.usecases.set_schedule import WrongOptions

Options = Mapping[str, str]

_ON = dict.fromkeys(("on", "yes", "true", "1", "开", "是", "開"), True)
_OFF = dict.fromkeys(("off", "no", "none", "false", "0", "关", "否", "關"), False)
_SWITCH = _ON | _OFF
_LANGUAGES = {
    **dict.fromkeys(("client", "auto", "off", "none", "默认", "跟随", "自动"), ""),
    **dict.fromkeys(("en", "english", "en-us", "en-gb", "英文", "英语"), "en"),
    **dict.fromkeys(("zh", "zh-cn", "zh-hans", "chinese", "中文", "简体", "简体中文"), "zh"),
    **dict.fromkeys(("zh-tw", "zh-hant", "zh-hk", "繁体", "繁體", "繁体中文", "繁體中文"), "zh-TW"),
}
_OPEN_ENDED = ("open", "on", "开", "一直", "直到我回来")
_NO_ZONE = ("client", "auto", "off", "none", "默认", "跟随", "自动")


def do_settings(desk: Desk, event: Command, now: datetime) -> Planned:
    """Without options: what is set. With them: change it at once."""
    given = {name: value for name, value in event.options.items() if value.strip()}
    if given:
        return _change(desk, event, given, now)
    return desk.look(event, lambda tx, met: show_settings(tx, met, now), _show)


def open_form(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    def then(mine: MySettings, language: str) -> Reply:
        return Ask(cards.form(mine, language))

    return desk.look(event, lambda tx, met: show_settings(tx, met, now), then)


def open_zone(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    def then(mine: MySettings, language: str) -> Reply:
        return Ask(cards.zone_form(mine, language))

    return desk.look(event, lambda tx, met: show_settings(tx, met, now), then)


def send_form(desk: Desk, event: Submission, rest: str, now: datetime) -> Planned:
    """All fields as they stand; an emptied one means *as my client*, or *no pause*."""
    options: dict[str, str] = {}
    for name, value in event.values.items():
        if name == "ticks":
            ticks = value if isinstance(value, tuple) else (value,)
            options |= {one: "on" if one in ticks else "off" for one in ("hide", "confirm", "reminders")}
        elif name in ("language", "zone", "pause"):
            text = "".join(value[:1]) if isinstance(value, tuple) else value
            options[name] = text if text.strip() else "off"
    return _change(desk, event, options, now)


def send_zone(desk: Desk, event: Submission, rest: str, now: datetime) -> Planned:
    value = event.values.get("zone", "")
    if not isinstance(value, str) or not value.strip():
        raise errors.EmptyResponse
    return _change(desk, event, {"zone": value}, now)


def press(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    """``recording:off``, ``remind:on``, ``away:on``: one setting by a button."""
    name, value = event.action.split(":")[0], args[0]
    if value not in ("on", "off"):
        raise errors.UnknownRound
    option = {"recording": "recording", "remind": "reminders", "away": "pause"}[name]
    return _change(desk, event, {option: "open" if option == "pause" and value == "on" else value}, now)


def _change(desk: Desk, event: Event, options: Options, now: datetime) -> Planned:
    def decide(tx: Session, met: Met) -> MySettings:
        before = show_settings(tx, met, now)
        changes = read_changes(options, before, now)
        if _is_form(event) and changes.reminders == before.reminders:
            # A form says all that stands in it: only a switch that was moved is switched.
            changes = _without_reminders(changes)
        return change_settings(tx, met, changes, now)

    # What was typed has nothing to take the place of, and a letter stays as it was.
    replace = not isinstance(event, Command) and not _is_of_letter(event)
    return desk.decide(event, decide, partial(_saved, replace))


def _is_form(event: Event) -> bool:
    return isinstance(event, Submission)


def _without_reminders(changes: Changes) -> Changes:
    return Changes(
        changes.language, changes.zone, changes.hidden, changes.away, changes.confirm, None, changes.recording
    )


def _show(mine: MySettings, language: str) -> Reply:
    return Say(cards.card(mine, language))


def _is_of_letter(event: Event) -> bool:
    return isinstance(event, Tap) and event.action.startswith(("remind:", "away:"))


def _saved(replace: bool, mine: MySettings, language: str) -> Reply:
    language = language_of(mine.language or mine.client_language)  # the one that holds from now on
    return Say(cards.card(mine, language, texts(language)("Saved.")), replace=replace)


def read_changes(options: Options, before: MySettings, now: datetime) -> Changes:
    """What was typed, as changes. Raises ``WrongOptions`` with all that cannot be read."""
    found: dict[str, Any] = {}
    faults: list[WrongInput] = []
    readers = {
        "language": _language,
        "zone": _zone,
        "hide": _switch,
        "confirm": _switch,
        "reminders": _switch,
        "recording": _switch,
    }
    for name, typed in options.items():
        text = unicodedata.normalize("NFKC", typed).strip()
        try:
            if name in readers:
                found[name] = readers[name](name, text)
        except WrongInput as fault:
            faults.append(fault)
    if "pause" in options:
        zone = found.get("zone") or (before.client_zone if found.get("zone") == "" else before.local_zone)
        try:
            found["away"] = _away(options["pause"], local_date(now, zone or UTC_ZONE))
        except WrongInput as fault:
            faults.append(fault)
    if faults:
        raise WrongOptions(faults)
    found["hidden"] = found.pop("hide", None)
    return Changes(**found)


def _language(_: str, text: str) -> str:
    if text.lower() not in _LANGUAGES:
        raise WrongInput(
            "language",
            f"“{text[:40]}” is no language here; choose en, zh, zh-TW or client.",
            f"没有“{text[:40]}”这种语言，可选 en、zh、zh-TW、client。",
        )
    return _LANGUAGES[text.lower()]


def _zone(_: str, text: str) -> str:
    if text.lower() in _NO_ZONE:
        return ""
    try:
        return check_zone(text)
    except ValueError as error:
        near = str(error).partition("did you mean ")[2].rstrip("?").replace(" or ", " 或 ")
        hint = f"是不是 {near}？" if near else "请写成 Asia/Shanghai 或 Europe/Berlin 这样的名称。"
        raise WrongInput("zone", str(error), f"没有“{text[:40]}”这个时区，{hint}") from None


def _switch(name: str, text: str) -> bool:
    found = _SWITCH.get(text.lower())
    if found is None:
        raise WrongInput(
            name,
            f"“{text[:40]}” is neither on nor off; write {name}=on.",
            f"“{text[:40]}”不是 on 或 off，请写成 {name}=on。",
        )
    return found


def _away(typed: str, today: date) -> Away:
    text = unicodedata.normalize("NFKC", typed).strip()
    if text.lower() in _OFF:
        return "off"
    if text.lower() in _OPEN_ENDED:
        return "open"
    days = read_days(text, today, "pause")
    if len(days) != 1:
        raise WrongInput("pause", "Give one day, the last of your pause.", "请只写一个日期：暂停的最后一天。")
    return days[0]


THEME = Theme(
    buttons={
        "settings": Button(open_form, 0),
        "zone": Button(open_zone, 0),
        **{name: Button(press) for name in ("recording", "remind", "away")},
    },
    forms={"settings": FormTarget(send_form), "zone": FormTarget(send_zone)},
    commands={"settings": do_settings},
)
