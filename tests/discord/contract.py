"""Every request that the bot made, held against Discord's own description of its interface."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from simcord.components import walk_components

from bot.discord.invite import ASKED, needed

SPEC = Path(__file__).parents[3] / "shared" / "specs" / "discord-openapi.json"

FOREIGN = "?"
"""The content of messages that a test posts in the bot's place."""


@cache
def spec() -> dict[str, Any]:
    return json.loads(SPEC.read_text())


@cache
def _bodies() -> tuple[tuple[str, re.Pattern[str], Draft202012Validator], ...]:
    """(method, path, validator of the body) for every operation that takes JSON."""
    found = []
    for path, operations in spec()["paths"].items():
        pattern = re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path))
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}) if isinstance(operation, dict) else {}
            if "application/json" in content:
                schema = {**content["application/json"]["schema"], "components": spec()["components"]}
                found.append((method.upper(), pattern, Draft202012Validator(schema)))
    return tuple(found)


def check_requests(requests: Iterable[Any]) -> None:
    """Fails with the place of the first body that Discord's schema does not take."""
    for request in requests:
        rights = needed(request.method, request.path)
        assert rights is not None, f"{request.method} {request.path} stands in no list of calls (bot/discord/invite.py)"
        assert set(rights) <= set(ASKED)
        body = request.json
        if isinstance(body, dict):
            inner = body.get("data") or body.get("message")
            check_message(inner if isinstance(inner, dict) else body)
        # The library writes this one id as a number; Discord takes both.
        if not SPEC.exists() or body is None or request.path == "/users/@me/channels":
            continue
        if isinstance(body, dict):
            body = _with_text_ids(body)
        for method, pattern, validator in _bodies():
            if method == request.method and pattern.fullmatch(request.path):
                faults = [f"{'/'.join(map(str, e.path))}: {e.message[:200]}" for e in validator.iter_errors(body)]
                assert not faults, (request.method, request.path, faults[:3], body)


def _with_text_ids(body: dict[str, Any]) -> dict[str, Any]:
    """The library writes the ids of attachments and of messages that are answered as numbers; Discord takes both."""
    plain = json.loads(json.dumps(body))
    for holder in (plain, plain.get("data") or {}, plain.get("message") or {}):
        for attachment in holder.get("attachments") or ():
            attachment["id"] = str(attachment["id"])
        for name in ("message_id", "channel_id"):
            if name in (holder.get("message_reference") or {}):
                holder["message_reference"][name] = str(holder["message_reference"][name])
    return plain


def check_message(body: dict[str, Any] | None) -> None:
    """The limits of a message and of a form that the schema cannot say, and: it can ping nobody."""
    if not body or "components" not in body or body.get("content") == FOREIGN:
        return
    components = body["components"]
    assert len(list(walk_components(components))) <= 40
    assert sum(len(c.get("content", "").encode("utf-16-le")) // 2 for c in walk_components(components)) <= 4000
    if "title" not in body:
        assert body["flags"] & 1 << 15, "not a Components V2 message"
        assert body.get("allowed_mentions", {"parse": []}) == {"parse": []}, body["allowed_mentions"]
