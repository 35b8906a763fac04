"""The limits of messages, modals and home tabs: what fits passes, one more does not, and the fault names the place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.standins.slack.blocks import check_blocks, check_view
from tests.standins.slack.schema import load

SCHEMA = load()


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text}


def section(text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(**more: Any) -> dict[str, Any]:
    return {"type": "button", "text": plain("A"), **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def option(value: str, text: str = "One") -> dict[str, Any]:
    return {"text": plain(text), "value": value}


def options(count: int) -> list[dict[str, Any]]:
    return [option(str(n)) for n in range(count)]


def field(element: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "input", "label": plain("Label"), "element": element, **more}


def image(**more: Any) -> dict[str, Any]:
    return {"type": "image", "image_url": "https://example.com/a.png", "alt_text": "A chart", **more}


def modal(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "modal", "title": plain("Title"), "submit": plain("Send"), "blocks": list(blocks), **more}


FITS: dict[str, list[dict[str, Any]]] = {
    "50 blocks": [section()] * 50,
    "section of 3000": [section("x" * 3000)],
    "10 fields of 2000": [{"type": "section", "fields": [mrkdwn("x" * 2000)] * 10}],
    "25 buttons": [actions(*[button(action_id=f"a{n}") for n in range(25)])],
    "button text of 75": [
        actions(button(text=plain("x" * 75), value="v" * 2000, action_id="a" * 255, style="primary"))
    ],
    "header of 150": [{"type": "header", "text": plain("题" * 150)}],
    "10 in a context": [{"type": "context", "elements": [mrkdwn("x")] * 9 + [image()]}],
    "10 checkboxes": [actions({"type": "checkboxes", "options": options(10)})],
    "10 radio buttons": [field({"type": "radio_buttons", "options": options(10), "initial_option": option("3")})],
    "100 options": [actions({"type": "static_select", "placeholder": plain("?"), "options": options(100)})],
    "option groups": [
        actions({"type": "static_select", "option_groups": [{"label": plain("G"), "options": options(2)}]})
    ],
    "option of 75 and 150": [actions({"type": "checkboxes", "options": [option("v" * 150, "t" * 75)]})],
    "multi-select": [section(accessory={"type": "multi_static_select", "options": options(3)})],
    "times": [actions({"type": "timepicker", "initial_time": "09:30"}, {"type": "datepicker"})],
    "picture by file": [{"type": "image", "slack_file": {"id": "F1"}, "alt_text": "A chart"}],
    "markdown of 12000": [{"type": "markdown", "text": "x" * 12000}],
    "table": [{"type": "table", "rows": [[{"type": "raw_text", "text": "1"}, {"type": "raw_text", "text": "Ada"}]]}],
    "overflow of 5": [section(accessory={"type": "overflow", "options": options(5)})],
    "text input": [field({"type": "plain_text_input", "max_length": 3000, "multiline": True}, optional=True)],
    "confirm": [
        actions(
            button(confirm={"title": plain("?"), "text": mrkdwn("*Sure?*"), "confirm": plain("Y"), "deny": plain("N")})
        )
    ],
    "rich text": [
        {
            "type": "rich_text",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "code"}]}],
        }
    ],
}

TOO_MUCH: dict[str, tuple[list[dict[str, Any]], str]] = {
    "51 blocks": ([section()] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
    "section of 3001": ([section("x" * 3001)], "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
    "empty text": ([section("")], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    "bare section": ([{"type": "section"}], "must define either text or fields [json-pointer:/blocks/0]"),
    "11 fields": ([{"type": "section", "fields": [mrkdwn("x")] * 11}], "/blocks/0/fields]"),
    "field of 2001": ([{"type": "section", "fields": [mrkdwn("x" * 2001)]}], "/blocks/0/fields/0/text]"),
    "26 buttons": ([actions(*[button() for _ in range(26)])], "no more than 25 items allowed"),
    "no buttons": ([actions()], "no less than 1 items allowed"),
    "button text of 76": ([actions(button(text=plain("x" * 76)))], "/blocks/0/elements/0/text/text]"),
    "button in mrkdwn": ([actions(button(text=mrkdwn("A")))], "must be plain_text, not mrkdwn"),
    "value of 2001": ([actions(button(value="v" * 2001))], "/blocks/0/elements/0/value]"),
    "empty value": ([actions(button(value=""))], "must be more than 0 characters"),
    "action_id of 256": ([actions(button(action_id="a" * 256))], "/action_id]"),
    "odd style": ([actions(button(style="green"))], "must be primary or danger"),
    "same action_id": ([actions(button(action_id="a"), button(action_id="a"))], 'action_id "a" already exists'),
    "same block_id": ([section(block_id="b"), section(block_id="b")], 'block_id "b" already exists'),
    "block_id of 256": ([section(block_id="b" * 256)], "/blocks/0/block_id]"),
    "header of 151": ([{"type": "header", "text": plain("x" * 151)}], "/blocks/0/text/text]"),
    "header in mrkdwn": ([{"type": "header", "text": mrkdwn("x")}], "must be plain_text"),
    "11 in a context": ([{"type": "context", "elements": [mrkdwn("x")] * 11}], "no more than 10 items allowed"),
    "button in a context": ([{"type": "context", "elements": [button()]}], "must be plain_text or mrkdwn"),
    "11 checkboxes": ([actions({"type": "checkboxes", "options": options(11)})], "no more than 10 items allowed"),
    "no options": ([actions({"type": "radio_buttons", "options": []})], "no less than 1 items allowed"),
    "101 options": ([actions({"type": "static_select", "options": options(101)})], "no more than 100 items allowed"),
    "option text of 76": (
        [actions({"type": "checkboxes", "options": [option("v", "t" * 76)]})],
        "/options/0/text/text]",
    ),
    "option value of 151": ([actions({"type": "checkboxes", "options": [option("v" * 151)]})], "/options/0/value]"),
    "two options of one value": (
        [actions({"type": "checkboxes", "options": [option("v"), option("v")]})],
        "option value",
    ),
    "mrkdwn in a select": (
        [actions({"type": "static_select", "options": [{"text": mrkdwn("a"), "value": "a"}]})],
        "must be plain_text",
    ),
    "initial that is no option": (
        [actions({"type": "static_select", "options": options(2), "initial_option": option("9")})],
        "must be exactly one of the options",
    ),
    "6 in an overflow": (
        [section(accessory={"type": "overflow", "options": options(6)})],
        "no more than 5 items allowed",
    ),
    "picture without alt_text": (
        [{"type": "image", "image_url": "https://example.com/a.png"}],
        "missing required field: alt_text",
    ),
    "picture Slack cannot fetch": ([image(image_url="http://127.0.0.1/a.png")], "downloading image failed"),
    "picture from two places": ([image(slack_file={"id": "F1"})], "either image_url or slack_file"),
    "text input in actions": ([actions({"type": "plain_text_input"})], "unsupported type in actions"),
    "number input in a message": ([field({"type": "number_input", "is_decimal_allowed": True})], "cannot stand on"),
    "input without label": (
        [{"type": "input", "element": {"type": "plain_text_input"}}],
        "missing required field: label",
    ),
    "markdown of 12001": ([{"type": "markdown", "text": "x" * 12001}], "must be less than 12001 characters"),
    "unknown block": ([{"type": "poll"}], "unsupported type: poll"),
    "unknown key": ([section(color="red")], "invalid additional property: color"),
    "emoji in mrkdwn": (
        [{"type": "section", "text": {"type": "mrkdwn", "text": "a", "emoji": True}}],
        "invalid additional property: emoji",
    ),
    "two tables": ([{"type": "table", "rows": [[{"type": "raw_text", "text": "1"}]]}] * 2, "only one table block"),
    "bad time": ([actions({"type": "timepicker", "initial_time": "9:30"})], "/initial_time]"),
    "not an object": (["section"], "must be an object"),  # type: ignore[list-item]
}


@pytest.mark.parametrize("name", FITS)
def test_what_fits_is_taken(name: str) -> None:
    """A message at Slack's limits passes the hand-written limits and, where it is at hand, Slack's own schema."""
    assert check_blocks(FITS[name], "message") == []
    if SCHEMA:
        assert SCHEMA.check_blocks(FITS[name]) == []


@pytest.mark.parametrize("name", TOO_MUCH)
def test_one_more_is_refused_and_the_fault_names_the_place(name: str) -> None:
    blocks, fault = TOO_MUCH[name]
    assert any(fault in found for found in check_blocks(blocks, "message")), check_blocks(blocks, "message")


@pytest.mark.skipif(SCHEMA is None, reason="Slack's block schema (../shared/specs) is not at hand")
@pytest.mark.parametrize("name", ["unknown key", "emoji in mrkdwn", "picture without alt_text", "input without label"])
def test_the_schema_refuses_wrong_fields_too(name: str) -> None:
    """The schema is a second opinion: it finds wrong fields without our lists of keys."""
    assert SCHEMA
    assert SCHEMA.check_blocks(TOO_MUCH[name][0])


def test_a_modal_at_its_limits_is_taken() -> None:
    view = modal(
        *[section()] * 99,
        field({"type": "plain_text_input", "action_id": "a"}),
        title=plain("t" * 24),
        submit=plain("s" * 24),
        close=plain("c" * 24),
        callback_id="c" * 255,
        private_metadata="m" * 3000,
    )
    assert check_view(view) == []


@pytest.mark.parametrize(
    ("view", "fault"),
    [
        (modal(title=plain("t" * 25)), "/view/title/text]"),
        (modal(title=mrkdwn("t")), "must be plain_text"),
        (modal(submit=plain("s" * 25)), "/view/submit/text]"),
        (modal(close=plain("c" * 25)), "/view/close/text]"),
        (modal(callback_id="c" * 256), "/view/callback_id]"),
        (modal(private_metadata="m" * 3001), "/view/private_metadata]"),
        (modal(*[section()] * 101), "no more than 100 items allowed"),
        ({"type": "modal", "blocks": []}, "missing required field: title"),
        ({"type": "modal", "title": plain("T"), "blocks": [field({"type": "plain_text_input"})]}, "field: submit"),
        ({"type": "home", "blocks": [], "title": plain("T")}, "invalid additional property: title"),
        ({"type": "home", "blocks": [actions({"type": "datetimepicker"})]}, "cannot stand on a home"),
        (modal({"type": "markdown", "text": "x"}), "markdown cannot stand on a modal"),
        (modal(*[field({"type": "plain_text_input", "focus_on_load": True}) for _ in "ab"]), "focus_on_load"),
        (modal(field({"type": "plain_text_input", "max_length": 3001})), "/max_length]"),
        ({"type": "popup"}, "must be a modal or home view"),
    ],
)
def test_a_view_over_its_limits_is_refused(view: dict[str, Any], fault: str) -> None:
    assert any(fault in found for found in check_view(view)), check_view(view)
