"""The app is installed in a workspace, for the first time or again, or it is gone from there."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlmodel import Session

from bot.chat import Happening, Platform
from bot.usecases.note_happening import note_happening
from storage import audit, installations, members
from storage.installations import Grant
from storage.seal import Keyring, SealFault
from storage.tables import Workspace


def install_workspace(tx: Session, keyring: Keyring, platform: Platform, grant: Grant, now: datetime) -> None:
    """Store its tokens; what waited there goes on by the rule for what is late."""
    installations.save(tx, keyring, platform, grant, now)
    joined = Happening(platform, grant.workspace, "workspace_joined", name=grant.name, member=grant.installed_by)
    note_happening(tx, joined, now)
    workspace_id = members.find_workspace(tx, platform, grant.workspace)
    assert workspace_id is not None
    who = members.find(tx, platform, grant.workspace, grant.installed_by)
    audit.record(tx, workspace_id, who.id if who else None, now, "install", {"scopes": grant.scopes})


def uninstall_workspace(
    tx: Session,
    keyring: Keyring | None,
    platform: Platform,
    workspace: str,
    code: str,
    now: datetime,
    *,
    at: float | None = None,
    token: str = "",
) -> bool:
    """Delete its tokens and let what is due there wait. ``False``: that was said of an older installation.

    ``code``: why, in the platform's word; ``at``: when (seconds since 1970); ``token``: the one that was refused.
    ``keyring``: none where the token stands in the settings.
    """
    if keyring is not None and _is_older(tx, keyring, platform, workspace, now, at, token):
        return False
    installations.revoke(tx, platform, workspace, now)
    workspace_id = members.find_workspace(tx, platform, workspace)
    if workspace_id is None or tx.get_one(Workspace, workspace_id).left_at is not None:
        return True
    note_happening(tx, Happening(platform, workspace, "workspace_left"), now)
    audit.record(tx, workspace_id, None, now, "uninstall", {"reason": code})
    return True


def _is_older(
    tx: Session, keyring: Keyring, platform: Platform, workspace: str, now: datetime, at: float | None, token: str
) -> bool:
    """Events come late and twice: is the installation that stands newer than what is told?"""
    try:
        held = installations.held(tx, keyring, platform, workspace, now)
    except SealFault:
        return False
    if held is None:
        return False
    if token:
        return held.grant.token != token
    return at is not None and datetime.fromtimestamp(at, UTC) < held.installed_at.replace(microsecond=0)
