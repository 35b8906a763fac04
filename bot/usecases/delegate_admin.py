"""Delegate the drills to a member or a role, or take that back; only the workspace's own admins may."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.chat import Who
from bot.drill.errors import OnlyWorkspaceAdmins, WrongInput
from bot.usecases.meet_member import Met, clean_name
from storage import admins, audit, members
from storage.tables import DrillAdmin

_SLACK = re.compile(r"<@([UW][A-Z0-9]+)(?:\|([^>]*))?>")
_DISCORD = re.compile(r"<@!?(\d{5,25})(?:\|([^>]*))?>")
_ROLE = re.compile(r"<@&(\d{5,25})(?:\|([^>]*))?>")


@dataclass(frozen=True, slots=True)
class Delegates:
    """Who may do what admins do, besides the workspace's own. ``changed``: somebody was added or taken out."""

    rows: Sequence[DrillAdmin]
    changed: bool = False


def show_delegates(tx: Session, met: Met) -> Delegates:
    return Delegates(admins.all_of(tx, met.workspace_id))


def delegate(tx: Session, met: Met, who: Who, typed: str, now: datetime, *, remove: bool) -> Delegates:
    """Add or remove the person or role in ``typed``: a mention, or a name the workspace knows.

    Errors: OnlyWorkspaceAdmins, WrongInput.
    """
    if not who.admin:
        raise OnlyWorkspaceAdmins
    field = "remove" if remove else "add"
    kind, external_id, name = _meant(tx, met, who, typed.strip(), field)
    if remove:
        changed = admins.remove(tx, met.workspace_id, kind, external_id)
    else:
        changed = admins.add(tx, met.workspace_id, kind, external_id, name, met.id, now)
    if changed:
        detail = {"remove" if remove else "add": kind, "id": external_id}
        audit.record(tx, met.workspace_id, met.id, now, "admins", detail)
    return Delegates(admins.all_of(tx, met.workspace_id), changed)


def _meant(tx: Session, met: Met, who: Who, typed: str, field: str) -> tuple[str, str, str]:
    if who.platform == "slack" and (match := _SLACK.fullmatch(typed)):
        return "member", match[1], _name(tx, met, match)
    if who.platform == "discord" and (match := _DISCORD.fullmatch(typed)):
        return "member", match[1], _name(tx, met, match)
    if who.platform == "discord" and (match := _ROLE.fullmatch(typed)):
        if match[1] == who.workspace:  # @everyone has the server's own id
            raise _nobody(typed, field)
        return "role", match[1], clean_name(match[2] or "")
    wanted = typed.removeprefix("@")
    if not wanted:  # nobody, although rows without a name would match it
        raise _nobody(typed, field)
    found = admins.named(tx, met.workspace_id, wanted)
    listed = [row for row in admins.all_of(tx, met.workspace_id) if wanted in (row.name, row.external_id)]
    if field == "remove" and len(listed) == 1:
        return listed[0].kind, listed[0].external_id, listed[0].name
    if len(found) != 1:
        raise _nobody(typed, field)
    return "member", found[0].external_id, found[0].name


def _name(tx: Session, met: Met, match: re.Match[str]) -> str:
    """The name beside the mention, or the one the workspace knows."""
    known = members.by_external_id(tx, met.workspace_id, match[1])
    return clean_name(match[2] or "") or (known.name if known else "")


def _nobody(typed: str, field: str) -> WrongInput:
    return WrongInput(
        field,
        f"“{typed[:40]}” is not one person known here; mention them with @.",
        f"“{typed[:40]}”不是这里认识的某一个人，请用 @ 提到对方。",
    )
