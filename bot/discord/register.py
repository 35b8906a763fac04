"""Telling Discord the commands: once for all servers, and only when they are not there as they should be.

They are global (no server is asked for anything) and compared with what Discord has, so that a start changes nothing
and another process, or another version, is noticed.
"""

from __future__ import annotations

import logging
from typing import Any

import discord
from discord import app_commands
from discord.http import Route

log = logging.getLogger(__name__)

TELLING = (
    "type",
    "name",
    "name_localizations",
    "description",
    "description_localizations",
    "options",
    "choices",
    "required",
    "autocomplete",
    "channel_types",
    "default_member_permissions",
    "contexts",
    "integration_types",
    "value",
)
"""What we say of a command; Discord adds ids, versions and its own defaults."""


async def register(tree: app_commands.CommandTree[Any], client: discord.Client) -> bool:
    """Sends the commands if Discord has others; did it? Raises ``discord.HTTPException``."""
    wanted = await payload(tree)
    assert client.application_id is not None
    route = Route("GET", "/applications/{application_id}/commands", application_id=client.application_id)
    there: Any = await client.http.request(route, params={"with_localizations": "true"})
    if _comparable(there) == _comparable(wanted):
        return False
    await client.http.bulk_upsert_global_commands(client.application_id, payload=wanted)
    log.info("the commands were registered with Discord")
    return True


async def payload(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """The commands as Discord is told them, in every language."""
    translator = tree.translator
    assert translator is not None
    return [await command.get_translated_payload(tree, translator) for command in tree.get_commands()]


def _comparable(value: Any) -> Any:
    """Nested commands without what is empty, and without what only Discord knows; the order of commands is free."""
    if isinstance(value, dict):
        kept = {key: _comparable(value[key]) for key in TELLING if key in value}
        kept = {key: part for key, part in kept.items() if part not in (None, False, [], {}, "")}
        if "default_member_permissions" in kept:
            kept["default_member_permissions"] = str(kept["default_member_permissions"])
        for localized in ("name_localizations", "description_localizations"):
            if localized in kept:
                kept[localized] = value[localized]
        return kept
    if isinstance(value, list):
        parts = [_comparable(part) for part in value]
        return sorted(parts, key=lambda p: p["name"]) if parts and _are_roots(value) else parts
    return value


def _are_roots(values: list[Any]) -> bool:
    return all(isinstance(value, dict) and "default_member_permissions" in value for value in values)
