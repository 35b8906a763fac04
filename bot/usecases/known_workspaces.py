"""Which workspaces of a platform have the bot, as far as we know: to be compared with what the platform says."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, select

from storage.tables import Workspace


@dataclass(frozen=True, slots=True)
class KnownWorkspaces:
    """The platform's own ids."""

    active: frozenset[str]
    left: frozenset[str]


def known_workspaces(tx: Session, platform: str) -> KnownWorkspaces:
    """Every workspace that was ever met on the platform."""
    w = Workspace
    rows = tx.exec(select(w.external_id, w.left_at).where(w.platform == platform)).all()
    left = frozenset(name for name, since in rows if since is not None)
    return KnownWorkspaces(frozenset(name for name, _ in rows) - left, left)
