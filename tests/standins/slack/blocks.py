"""Hand-written limits of messages, modals and home tabs (Slack's reference/block-kit; see elements.py too).

A block type for which no limits are written here is refused: write them down before the product uses it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.standins.slack.checking import Check, Surface
from tests.standins.slack.elements import element, image

MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
# Undocumented; seen at about 13,200 characters over all blocks of a message (slackapi/bolt-js#2509).
MESSAGE_TEXT = 13_200
VIEW_BYTES = 250_000
VIEW_KEYS = {"type", "blocks", "private_metadata", "callback_id", "external_id"}
PASSIVE = {"image", "plain_text", "mrkdwn"} | {
    f"rich_text_{kind}" for kind in ("section", "list", "preformatted", "quote")
}
MODAL_KEYS = VIEW_KEYS | {"title", "submit", "close", "clear_on_close", "notify_on_close"}


def check_blocks(blocks: Any, surface: Surface, at: str = "/blocks") -> list[str]:
    """Every fault of these blocks, each ending in its JSON pointer; empty when Slack would take them."""
    check = Check(surface)
    given = check.items(at, blocks, MOST_BLOCKS[surface], least=0)
    for n, block in enumerate(given):
        _block(check, f"{at}/{n}", block)
    good = [block for block in given if isinstance(block, dict)]
    check.unique(at, "block_id", [block.get("block_id") for block in good])
    if sum(bool(part.get("focus_on_load")) for part in _parts(good)) > 1:
        check.fault(at, "only one element may have focus_on_load")
    if sum(len(str(block.get("text", ""))) for block in good if block.get("type") == "markdown") > 12_000:
        check.fault(at, "markdown blocks must be less than 12001 characters together")
    if sum(block.get("type") == "table" for block in good) > 1:
        check.fault(at, "only one table block is allowed")
    return check.found


def check_view(view: Any) -> list[str]:
    """Every fault of a modal or home view."""
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        return ["must be a modal or home view [json-pointer:/view/type]"]
    modal = view["type"] == "modal"
    check = Check("modal" if modal else "home")
    required = ("title", "blocks") if modal else ("blocks",)
    check.keys("/view", view, MODAL_KEYS if modal else VIEW_KEYS, required)
    for key in ("title", "submit", "close"):
        check.plain(f"/view/{key}", view.get(key), 24)
    check.strings("/view", view, callback_id=255, external_id=255)
    check.string("/view/private_metadata", view.get("private_metadata"), 3000, least=0)
    blocks = view.get("blocks")
    if modal and isinstance(blocks, list) and any(_type(block) == "input" for block in blocks):
        check.keys("/view", view, MODAL_KEYS, ("submit",))
    if len(json.dumps(view).encode()) > VIEW_BYTES:
        check.fault("/view", "view_too_large")
    return check.found + check_blocks(blocks, check.surface, "/view/blocks")


def text_length(blocks: list[dict[str, Any]]) -> int:
    """Characters shown by these blocks, as Slack's ``msg_blocks_too_long`` counts them."""
    return sum(len(text) for text in texts(blocks))


def texts(value: Any) -> Iterator[str]:
    """Every text in blocks or views, in reading order."""
    if isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("text", "alt_text") and isinstance(item, str):
                yield item
            elif key not in ("value", "block_id", "action_id", "private_metadata", "callback_id", "state"):
                yield from texts(item)


def _type(block: Any) -> Any:
    return block.get("type") if isinstance(block, dict) else None


def _block(check: Check, at: str, block: Any) -> None:
    if not check.object(at, block):
        return
    rule = RULES.get(block.get("type", ""))
    if rule is None:
        check.fault(f"{at}/type", f"unsupported type: {block.get('type')}")
        return
    check.strings(at, block, block_id=255)
    rule(check, at, block)


def _section(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id", "text", "fields", "accessory", "expand"})
    if block.get("text") is None and block.get("fields") is None:
        check.fault(at, "must define either text or fields")
    check.text(f"{at}/text", block.get("text"), 3000)
    if "fields" in block:
        for n, text in enumerate(check.items(f"{at}/fields", block["fields"], 10)):
            check.text(f"{at}/fields/{n}", text, 2000)
    if "accessory" in block:
        element(check, f"{at}/accessory", block["accessory"], "section")


def _actions(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id", "elements"}, ("elements",))
    given = check.items(f"{at}/elements", block.get("elements"), 25)
    for n, part in enumerate(given):
        element(check, f"{at}/elements/{n}", part, "actions")
    ids = [part.get("action_id") for part in given if isinstance(part, dict)]
    check.unique(f"{at}/elements", "action_id", ids)


def _context(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id", "elements"}, ("elements",))
    for n, part in enumerate(check.items(f"{at}/elements", block.get("elements"), 10)):
        here = f"{at}/elements/{n}"
        if _type(part) == "image":
            image(check, here, part, set())
        else:
            check.text(here, part, 3000)


def _header(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id", "text"}, ("text",))
    check.plain(f"{at}/text", block.get("text"), 150)


def _divider(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id"})


def _image(check: Check, at: str, block: dict[str, Any]) -> None:
    image(check, at, block, {"block_id", "title"})
    check.plain(f"{at}/title", block.get("title"), 2000)


def _input(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(
        at,
        block,
        {"type", "block_id", "label", "element", "hint", "optional", "dispatch_action"},
        ("label", "element"),
    )
    check.plain(f"{at}/label", block.get("label"), 2000)
    check.plain(f"{at}/hint", block.get("hint"), 2000)
    if "element" in block:
        element(check, f"{at}/element", block["element"], "input")


def _markdown(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id", "text"}, ("text",))
    check.string(f"{at}/text", block.get("text"), 12_000)
    if check.surface != "message":
        check.fault(f"{at}/type", f"markdown cannot stand on a {check.surface}")


def _rich_text(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id", "elements"}, ("elements",))
    kinds = {"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}
    for n, part in enumerate(check.items(f"{at}/elements", block.get("elements"), 1000)):
        if _type(part) not in kinds:
            check.fault(f"{at}/elements/{n}/type", f"unsupported type: {_type(part)}")


def _table(check: Check, at: str, block: dict[str, Any]) -> None:
    check.keys(at, block, {"type", "block_id", "rows", "column_settings"}, ("rows",))
    if check.surface != "message":
        check.fault(f"{at}/type", f"table cannot stand on a {check.surface}")
    for n, row in enumerate(check.items(f"{at}/rows", block.get("rows"), 100)):
        for m, cell in enumerate(check.items(f"{at}/rows/{n}", row, 20)):
            if _type(cell) not in ("raw_text", "rich_text"):
                check.fault(f"{at}/rows/{n}/{m}/type", f"unsupported type: {_type(cell)}")
            elif cell["type"] == "raw_text":
                check.string(f"{at}/rows/{n}/{m}/text", cell.get("text"), 3000)


RULES: dict[str, Callable[[Check, str, dict[str, Any]], None]] = {
    "section": _section,
    "actions": _actions,
    "context": _context,
    "header": _header,
    "divider": _divider,
    "image": _image,
    "input": _input,
    "markdown": _markdown,
    "rich_text": _rich_text,
    "table": _table,
}


def _parts(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        raw = [block.get("element"), block.get("accessory")]
        if isinstance(elements := block.get("elements"), list):
            raw += elements
        yield from (part for part in raw if isinstance(part, dict))


def elements_of(blocks: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every (block, element) a person could touch."""
    for block in blocks:
        for part in _parts([block]):
            if "action_id" in part:
                yield block, part


def images_of(blocks: list[dict[str, Any]], at: str = "/blocks") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every (pointer, slack_file) named in these blocks."""
    for n, block in enumerate(blocks):
        for part in [block, *_parts([block])]:
            if part.get("type") == "image" and isinstance(part.get("slack_file"), dict):
                yield f"{at}/{n}/slack_file", part["slack_file"]


def as_stored(blocks: list[dict[str, Any]], new_id: Callable[[], str]) -> list[dict[str, Any]]:
    """The blocks as Slack gives them back: new ids where none were given, ``emoji`` and ``verbatim`` spelled out."""
    stored = copy.deepcopy(blocks)
    for block in stored:
        block.setdefault("block_id", new_id())
        for part in _parts([block]):
            if part.get("type") not in PASSIVE:
                part.setdefault("action_id", new_id())
        _spell_out(block)
    return stored


def _spell_out(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _spell_out(item)
    elif isinstance(value, dict):
        if value.get("type") == "plain_text":
            value.setdefault("emoji", True)
        elif value.get("type") == "mrkdwn":
            value.setdefault("verbatim", False)
        for item in value.values():
            _spell_out(item)
