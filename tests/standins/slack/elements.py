"""Limits of the interactive elements and composition objects, by hand.

Sources: Slack's reference/block-kit pages and the ``*_max_length`` constants of slack_sdk's models. Where Slack is
silent but a careful app would not go (two options with one value), we refuse too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from tests.standins.slack.checking import Check

COMMON = {"type", "action_id", "confirm", "focus_on_load"}
LISTS = {"users", "conversations", "channels"}
PICKERS = {
    "datepicker": ("initial_date", re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")),
    "timepicker": ("initial_time", re.compile(r"([01]\d|2[0-3]):[0-5]\d")),
    "datetimepicker": ("initial_date_time", re.compile(r"\d{10}")),
}
SELECTS = {f"{many}{kind}_select" for many in ("", "multi_") for kind in ("static", "external", *sorted(LISTS))}
EVERYWHERE = {"button", "checkboxes", "datepicker", "overflow", "radio_buttons", "timepicker", *SELECTS}
IN = {
    "section": EVERYWHERE | {"image"},
    "actions": EVERYWHERE | {"datetimepicker"},
    "input": (EVERYWHERE - {"button", "overflow"})
    | {"datetimepicker", "plain_text_input", "number_input", "email_text_input", "url_text_input"},
}
ONLY_ON = {
    "number_input": {"modal"},
    "email_text_input": {"modal"},
    "url_text_input": {"modal"},
    "datetimepicker": {"modal", "message"},
}


def element(check: Check, at: str, value: Any, inside: str) -> None:
    """Check one element that stands ``inside`` a section, actions or input block."""
    if not check.object(at, value):
        return
    kind = value.get("type")
    if kind not in IN[inside]:
        check.fault(f"{at}/type", f"unsupported type in {inside}: {kind}")
        return
    if check.surface not in ONLY_ON.get(kind, {check.surface}):
        check.fault(f"{at}/type", f"{kind} cannot stand on a {check.surface}")
    if kind == "image":
        image(check, at, value, set())
        return
    check.strings(at, value, action_id=255)
    if (confirm := value.get("confirm")) is not None:
        _confirm(check, f"{at}/confirm", confirm)
    check.plain(f"{at}/placeholder", value.get("placeholder"), 150)
    _rule(kind)(check, at, value)


def _rule(kind: str) -> Callable[[Check, str, dict[str, Any]], None]:
    if kind in PICKERS:
        return _picker
    if kind in SELECTS:
        return _select
    return {
        "button": _button,
        "overflow": _overflow,
        "checkboxes": _boxes,
        "radio_buttons": _boxes,
    }.get(kind, _input)


def _button(check: Check, at: str, value: dict[str, Any]) -> None:
    allowed = (COMMON - {"focus_on_load"}) | {"text", "value", "url", "style", "accessibility_label"}
    check.keys(at, value, allowed, ("text",))
    check.plain(f"{at}/text", value.get("text"), 75)
    check.strings(at, value, value=2000, url=3000, accessibility_label=75)
    if value.get("style") not in (None, "primary", "danger"):
        check.fault(f"{at}/style", "must be primary or danger")


def _overflow(check: Check, at: str, value: dict[str, Any]) -> None:
    check.keys(at, value, (COMMON - {"focus_on_load"}) | {"options"}, ("options",))
    options(check, f"{at}/options", value.get("options"), 5, plain=True, extra={"url"})


def _boxes(check: Check, at: str, value: dict[str, Any]) -> None:
    initial = "initial_options" if value["type"] == "checkboxes" else "initial_option"
    check.keys(at, value, COMMON | {"options", initial}, ("options",))
    known = options(check, f"{at}/options", value.get("options"), 10, plain=False)
    _initial(check, f"{at}/{initial}", value.get(initial), known)


def _picker(check: Check, at: str, value: dict[str, Any]) -> None:
    initial, shape = PICKERS[value["type"]]
    extra = {"timezone"} if value["type"] == "timepicker" else set()
    placeholder = set() if value["type"] == "datetimepicker" else {"placeholder"}
    check.keys(at, value, COMMON | {initial} | placeholder | extra)
    if (given := value.get(initial)) is not None and not shape.fullmatch(str(given)):
        check.fault(f"{at}/{initial}", f"must look like {shape.pattern}")


def _select(check: Check, at: str, value: dict[str, Any]) -> None:
    kind = value["type"].removeprefix("multi_")
    many = value["type"].startswith("multi_")
    source = kind.removesuffix("_select")
    initial = ("initial_options" if many else "initial_option") if source in ("static", "external") else None
    if source in LISTS:
        initial = f"initial_{source}" if many else f"initial_{source.removesuffix('s')}"
    allowed = COMMON | {"placeholder", str(initial)} | ({"max_selected_items"} if many else set())
    allowed |= {"static": {"options", "option_groups"}, "external": {"min_query_length"}}.get(source, set())
    if source == "conversations":
        allowed |= {"default_to_current_conversation", "filter"}
    if source in ("conversations", "channels") and not many:
        allowed |= {"response_url_enabled"}
    check.keys(at, value, allowed)
    if (most := value.get("max_selected_items")) is not None and (not isinstance(most, int) or most < 1):
        check.fault(f"{at}/max_selected_items", "must be at least 1")
    if source == "static":
        _initial(check, f"{at}/{initial}", value.get(str(initial)), _choices(check, at, value))


def _choices(check: Check, at: str, value: dict[str, Any]) -> list[Any]:
    if ("options" in value) == ("option_groups" in value):
        check.fault(at, "must define either options or option_groups")
        return []
    if "options" in value:
        return options(check, f"{at}/options", value["options"], 100, plain=True)
    known: list[Any] = []
    for n, group in enumerate(check.items(f"{at}/option_groups", value["option_groups"], 100)):
        here = f"{at}/option_groups/{n}"
        if check.object(here, group):
            check.keys(here, group, {"label", "options"}, ("label", "options"))
            check.plain(f"{here}/label", group.get("label"), 75)
            known += options(check, f"{here}/options", group.get("options"), 100, plain=True)
    return known


def options(
    check: Check, at: str, value: Any, most: int, *, plain: bool, extra: set[str] | frozenset[str] = frozenset()
) -> list[Any]:
    """Check a list of option objects; ``plain`` where mrkdwn is refused (selects, overflow)."""
    kinds = ("plain_text",) if plain else ("plain_text", "mrkdwn")
    given = check.items(at, value, most)
    for n, option in enumerate(given):
        here = f"{at}/{n}"
        if not check.object(here, option):
            continue
        check.keys(here, option, {"text", "value", "description", *extra}, ("text", "value"))
        check.text(f"{here}/text", option.get("text"), 75, kinds)
        check.text(f"{here}/description", option.get("description"), 75, kinds)
        check.strings(here, option, value=150, url=3000)
    check.unique(at, "option value", [option.get("value") for option in given if isinstance(option, dict)])
    return given


def _initial(check: Check, at: str, chosen: Any, known: list[Any]) -> None:
    for one in chosen if isinstance(chosen, list) else [chosen]:
        if one is not None and not any(_same(one, option) for option in known):
            check.fault(at, "must be exactly one of the options")
    if chosen == []:
        check.fault(at, "no less than 1 items allowed")


def _same(one: Any, other: Any) -> bool:
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return False
    text, its = one.get("text") or {}, other.get("text") or {}
    return one.get("value") == other.get("value") and text.get("text") == its.get("text")


def _input(check: Check, at: str, value: dict[str, Any]) -> None:
    kind = value["type"]
    allowed = COMMON - {"confirm"} | {"placeholder", "initial_value", "dispatch_action_config"}
    if kind == "plain_text_input":
        check.keys(at, value, allowed | {"multiline", "min_length", "max_length"})
        for key, low in (("min_length", 0), ("max_length", 1)):
            if (given := value.get(key)) is not None and not (isinstance(given, int) and low <= given <= 3000):
                check.fault(f"{at}/{key}", f"must be between {low} and 3000")
        check.string(f"{at}/initial_value", value.get("initial_value"), value.get("max_length") or 3000, least=0)
    elif kind == "number_input":
        check.keys(at, value, allowed | {"is_decimal_allowed", "min_value", "max_value"}, ("is_decimal_allowed",))
        for key in ("initial_value", "min_value", "max_value"):
            check.string(f"{at}/{key}", value.get(key), 255)
    else:
        check.keys(at, value, allowed)


def _confirm(check: Check, at: str, value: Any) -> None:
    if check.object(at, value):
        check.keys(at, value, {"title", "text", "confirm", "deny", "style"}, ("title", "text", "confirm", "deny"))
        for key, most in (("title", 100), ("confirm", 30), ("deny", 30)):
            check.plain(f"{at}/{key}", value.get(key), most)
        check.text(f"{at}/text", value.get("text"), 300)


def image(check: Check, at: str, value: dict[str, Any], extra: set[str]) -> None:
    """An image block or element: one source, and a text for those who cannot see it."""
    check.keys(at, value, {"type", "alt_text", "image_url", "slack_file", *extra}, ("alt_text",))
    check.strings(at, value, alt_text=2000, image_url=3000)
    if ("image_url" in value) == ("slack_file" in value):
        check.fault(at, "must define either image_url or slack_file")
    if isinstance(url := value.get("image_url"), str):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname in (None, "localhost", "127.0.0.1", "0.0.0.0"):
            check.fault(f"{at}/image_url", "downloading image failed: Slack cannot reach it")
    if isinstance(file := value.get("slack_file"), dict):
        check.keys(f"{at}/slack_file", file, {"id", "url"})
        if len(file) != 1:
            check.fault(f"{at}/slack_file", "must define either id or url")
