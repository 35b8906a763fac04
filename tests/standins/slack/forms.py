"""What a person can do with an element: its value as Slack sends it, and what Slack's client would not let them do."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from tests.standins.slack.elements import PICKERS
from tests.standins.slack.model import JSON


class CannotDo(Exception):
    """No person could do this in Slack's client: no such button, option or open form, or refused by the client."""


# element type -> (key in state and action payloads, does it hold several)
VALUES = {
    "plain_text_input": ("value", False),
    "number_input": ("value", False),
    "email_text_input": ("value", False),
    "url_text_input": ("value", False),
    "static_select": ("selected_option", False),
    "external_select": ("selected_option", False),
    "radio_buttons": ("selected_option", False),
    "overflow": ("selected_option", False),
    "checkboxes": ("selected_options", True),
    "multi_static_select": ("selected_options", True),
    "multi_external_select": ("selected_options", True),
    "users_select": ("selected_user", False),
    "multi_users_select": ("selected_users", True),
    "conversations_select": ("selected_conversation", False),
    "multi_conversations_select": ("selected_conversations", True),
    "channels_select": ("selected_channel", False),
    "multi_channels_select": ("selected_channels", True),
    "datepicker": ("selected_date", False),
    "timepicker": ("selected_time", False),
    "datetimepicker": ("selected_date_time", False),
}
INITIALS = {
    "plain_text_input": "initial_value",
    "number_input": "initial_value",
    "email_text_input": "initial_value",
    "url_text_input": "initial_value",
    "datepicker": "initial_date",
    "timepicker": "initial_time",
    "datetimepicker": "initial_date_time",
}


def initial(element: JSON) -> JSON | None:
    """The state an element starts with; None for elements that have none (buttons, overflow menus)."""
    kind = element["type"]
    if kind in ("button", "overflow") or kind not in VALUES:
        return None
    key, many = VALUES[kind]
    value = element.get(INITIALS.get(kind, key.replace("selected", "initial")))
    return {"type": kind, key: value if value is not None else ([] if many else None)}


def chosen(element: JSON, raw: Any) -> JSON:
    """The state after a person put ``raw`` in: text, an option's value, or a list of those. None empties it."""
    kind = element["type"]
    if kind not in VALUES:
        raise CannotDo(f"Nothing can be put into a {kind}.")
    key, many = VALUES[kind]
    if raw is None or raw == "" or raw == []:
        return {"type": kind, key: [] if many else None}
    if many != isinstance(raw, list | tuple):
        raise CannotDo(f"A {kind} takes {'a list' if many else 'one value'}, not {raw!r}.")
    if key.startswith("selected_option"):
        found = [_option(element, one) for one in (raw if many else [raw])]
        most = element.get("max_selected_items")
        if most and len(found) > most:
            raise CannotDo(f"At most {most} options can be chosen.")
        return {"type": kind, key: found if many else found[0]}
    if many:
        return {"type": kind, key: [str(one) for one in raw]}
    return {"type": kind, key: _typed(element, raw)}


def _option(element: JSON, value: Any) -> JSON:
    groups = [group["options"] for group in element.get("option_groups", [])]
    known: list[JSON] = [*element.get("options", []), *(option for group in groups for option in group)]
    for option in known:
        if option["value"] == value:
            return option
    raise CannotDo(f"There is no option {value!r}; there are {[option['value'] for option in known]}.")


def _typed(element: JSON, raw: Any) -> Any:
    kind, text = element["type"], str(raw)
    if kind in PICKERS:
        if not PICKERS[kind][1].fullmatch(text):
            raise CannotDo(f"A {kind} cannot hold {text!r}.")
        return int(text) if kind == "datetimepicker" else text
    if kind == "plain_text_input":
        low, high = element.get("min_length", 0), element.get("max_length", 3000)
        if not low <= len(text) <= high:
            raise CannotDo(f"This field takes {low} to {high} characters, not {len(text)}.")
        if "\n" in text and not element.get("multiline"):
            raise CannotDo("This field has one line.")
    if kind == "number_input":
        _number(element, text)
    return text


def _number(element: JSON, text: str) -> None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise CannotDo(f"{text!r} is no number.") from None
    if not element["is_decimal_allowed"] and number != number.to_integral_value():
        raise CannotDo("This field takes whole numbers.")
    low, high = (Decimal(element.get(key, number)) for key in ("min_value", "max_value"))
    if not low <= number <= high:
        raise CannotDo(f"{text} is not between {low} and {high}.")


def is_empty(state: JSON) -> bool:
    key, _ = VALUES[state["type"]]
    return state[key] in (None, "", [])


def action(block: JSON, element: JSON, raw: Any, at: str) -> JSON:
    """One entry of a block_actions payload's ``actions``."""
    kind = element["type"]
    body: JSON = {"type": kind, "action_id": element["action_id"], "block_id": block["block_id"], "action_ts": at}
    if kind == "button":
        if raw is not None:
            raise CannotDo("A button takes no value.")
        for key in ("text", "value", "style"):
            if key in element:
                body[key] = element[key]
        return body
    body |= chosen(element, raw)
    if "placeholder" in element:
        body["placeholder"] = element["placeholder"]
    if (start := initial(element)) and not is_empty(start):
        key, _ = VALUES[kind]
        body[INITIALS.get(kind, key.replace("selected", "initial"))] = start[key]
    return body
