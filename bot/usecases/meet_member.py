"""Know the person behind an event: their row, made at first sight."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.chat import Who
from bot.drill.reading import known_zone
from storage import admins, members


@dataclass(frozen=True, slots=True)
class Met:
    """A member as the database knows them, and whether the platform calls them an admin right now.

    ``id`` 0 is a stranger who only looks. ``language`` is the client's locale, ``chosen_language`` what they set
    instead, ``zone`` an IANA name (the chosen one first), or ``""``. ``opted_out``: nothing is recorded of them.
    ``confirm``: one tap is asked about before it is final.
    """

    id: int
    workspace_id: int
    admin: bool
    language: str = ""
    zone: str = ""
    chosen_language: str = ""
    opted_out: bool = False
    confirm: bool = False


def is_drill_admin(tx: Session, who: Who) -> bool:
    """Did an admin of the workspace delegate the drills to this person, or to a role they have?"""
    workspace_id = members.find_workspace(tx, who.platform, who.workspace)
    return workspace_id is not None and admins.delegated(tx, workspace_id, who.member, who.roles)


def meet_member(tx: Session, who: Who, now: datetime) -> Met:
    """The member behind ``who``; names are kept on one line, without control characters."""
    name, workspace_name = clean_name(who.name) or who.member, clean_name(who.workspace_name)
    told_language, told_zone = _told_language(who.language), known_zone(who.zone)
    known = members.find(tx, who.platform, who.workspace, who.member)
    if known is None:
        workspace_id = members.workspace(tx, who.platform, who.workspace, workspace_name, now)
        member_id = members.add(tx, workspace_id, who.member, name, told_language, told_zone, now)
        return Met(member_id, workspace_id, who.admin, told_language, told_zone)
    language, zone = told_language or known.language, told_zone or known_zone(known.zone)
    if known.opted_out:
        return _met(known, who.admin, language, zone)
    if known.left or (name, language, zone) != (known.name, known.language, known.zone):
        members.note(tx, known.id, name, language, zone)
    if workspace_name and workspace_name != known.workspace_name:
        members.workspace(tx, who.platform, who.workspace, workspace_name, now)
    return _met(known, who.admin, language, zone)


def _met(known: members.Known, admin: bool, language: str, zone: str) -> Met:
    return Met(
        known.id,
        known.workspace_id,
        admin,
        language,
        known.chosen_zone or zone,
        known.chosen_language,
        known.opted_out,
        known.confirm,
    )


def known_member(tx: Session, who: Who) -> Met:
    """The same for looking only: nothing is written, and a stranger has no row (id 0)."""
    known = members.find(tx, who.platform, who.workspace, who.member)
    if known is not None:
        return _met(known, who.admin, known.language, known_zone(known.zone))
    workspace_id = members.find_workspace(tx, who.platform, who.workspace) or 0
    return Met(0, workspace_id, who.admin, _told_language(who.language), known_zone(who.zone))


def _told_language(locale: str) -> str:
    """A client's locale, or ``""`` where it cannot be one."""
    return locale if len(locale) <= LONGEST_LOCALE and locale.isascii() and locale.isprintable() else ""


LONGEST_LOCALE = 40
"""Characters; the longest that clients send is about ``zh-Hant-TW``."""


def clean_name(name: str) -> str:
    """A name as it may be shown: at most 80 characters, one line, nothing invisible that could forge a text.

    Empty where nothing of it can be seen; accents are cut where they would reach into the lines around.
    """
    line = " ".join(name[:2000].split())
    if not line.isascii():
        line = "".join(_seen(line))
        if not any(unicodedata.category(character)[0] in "LNPS" for character in line):
            return ""
    return "".join(c for c in line if c.isprintable())[:80].strip()


def _seen(line: str) -> Iterator[str]:
    marks = 0
    for character in line:
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks <= MOST_MARKS and character not in _BLANK:
            yield character


MOST_MARKS = 4
"""Accents and vowel signs on one letter: no script writes more."""

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that show nothing; the rest of what is invisible is not printable for Python either."""
