"""Admins: to whom the drills are delegated, and what was done."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.cards import admins as cards
from bot.chat import Command, Reply, Say, Tap
from bot.drill import errors
from bot.talk.desk import Button, Desk, Planned, Theme, number
from bot.usecases.delegate_admin import Delegates, delegate, show_delegates
from bot.usecases.meet_member import Met
from bot.usecases.show_audit import AuditPage, show_audit


def do_admins(desk: Desk, event: Command, now: datetime) -> Planned:
    add, remove = (event.options.get(name, "").strip() for name in ("add", "remove"))

    def then(found: Delegates, language: str) -> Reply:
        return Say(cards.delegates(found, language))

    if not add and not remove:
        return desk.look(event, lambda tx, met: show_delegates(tx, met), then)
    if add and remove:
        raise errors.WrongInput("add", "Add or remove, one at a time.", "添加和移除请分开进行。")

    def decide(tx: Session, met: Met) -> Delegates:
        return delegate(tx, met, event.who, add or remove, now, remove=bool(remove))

    return desk.decide(event, decide, then)


def do_audit(desk: Desk, event: Command, now: datetime) -> Planned:
    typed = event.options.get("page", "").strip()
    if typed and not (typed.isascii() and typed.isdigit() and len(typed) < 7):
        raise errors.WrongInput(
            "page", f"“{typed[:40]}” is no page; write 1, 2 ….", f"“{typed[:40]}”不是页码，请写 1、2 等。"
        )
    return _page(desk, event, int(typed or 1), replace=False)


def tap_audit(desk: Desk, event: Tap, args: list[str], now: datetime) -> Planned:
    return _page(desk, event, number(args[0]), replace=True)


def _page(desk: Desk, event: Command | Tap, page: int, *, replace: bool) -> Planned:
    def then(found: AuditPage, language: str) -> Reply:
        return Say(cards.audit(found, language), replace=replace)

    return desk.look(event, lambda tx, met: show_audit(tx, met, page), then)


THEME = Theme(
    buttons={"audit": Button(tap_audit, admin=True)},
    commands={"admins": do_admins, "audit": do_audit},
)
