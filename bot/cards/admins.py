"""Who may do what admins do, and what they did."""

from __future__ import annotations

from typing import Any

from bot.card import Button, Buttons, Card, Heading, Note, Paragraph, Part, Table
from bot.drill.calendar import local_date
from bot.texts import Texts, texts
from bot.usecases.delegate_admin import Delegates
from bot.usecases.show_audit import AuditPage


def delegates(found: Delegates, language: str) -> Card:
    """The list of delegates, after a change with a word on it."""
    t = texts(language)
    head = t("Who may do what admins do")
    parts: list[Part] = [Heading((head,))]
    if found.changed:
        parts.append(Paragraph((t("Changed."),)))
    parts.append(
        Paragraph((t("Every admin of this workspace, and:") if found.rows else t("Every admin of this workspace."),))
    )
    if found.rows:
        kinds = {"member": t("person"), "role": t("role")}
        rows = tuple((row.name or row.external_id, kinds.get(row.kind, row.kind)) for row in found.rows)
        parts.append(Table((), rows))
    parts.append(Note((t("Add somebody: /drill admins add=@name. Take it back: /drill admins remove=@name."),)))
    return Card(head, tuple(parts))


def audit(page: AuditPage, language: str) -> Card:
    """One page of what admins did."""
    t = texts(language)
    head = t("What admins did")
    parts: list[Part] = [Heading((head,))]
    if not page.rows:
        parts.append(Paragraph((t("Nothing yet.") if page.page == 1 else t("There is no more."),)))
    rows = tuple(
        (
            f"{t.day(local_date(row.at, page.zone))} {t.time(row.at, page.zone)}",
            _short(name, 24) or (t("a file") if row.detail.get("actor") == "file" else t("the bot")),
            _what(row.verb, row.detail, t),
            _where(row.detail, page.channels),
        )
        for row, name in page.rows
    )
    if rows:
        parts.append(Table((t("When"), t("Who"), t("What"), t("Channel")), rows))
        parts.append(Note((t("Times are of {zone}.", zone=page.zone),)))
    buttons = []
    if page.page > 1:
        buttons.append(Button(t("Newer"), f"audit:{page.page - 1}"))
    if page.more:
        buttons.append(Button(t("Older"), f"audit:{page.page + 1}"))
    if buttons:
        parts.append(Buttons(tuple(buttons)))
    return Card(head, tuple(parts))


def _where(detail: dict[str, Any], channels: dict[str, str]) -> str:
    channel = str(detail.get("channel", ""))
    name = channels.get(channel, "")
    return f"#{_short(name, 24)}" if name else channel


def _what(verb: str, detail: dict[str, Any], t: Texts) -> str:
    said = {
        "schedule": t("set the schedule"),
        "apply": t("applied a file"),
        "pause": t("paused"),
        "resume": t("resumed"),
        "now": t("posted at once"),
        "holiday": t("holiday"),
        "extra": t("extra round"),
        "skip": t("skipped a round"),
        "swap": t("swapped a question"),
        "admins": t("changed the delegates"),
        "retry": t("tried again"),
        "forget": t("a member was forgotten"),
        "install": t("the app was installed"),
        "uninstall": t("the app was removed"),
    }.get(verb, verb)
    if detail.get("off"):
        said += " " + t("(taken back)")
    dates = detail.get("dates") or ([detail["date"]] if detail.get("date") else [])
    shown = ", ".join(str(day) for day in dates[:3]) + (" …" if len(dates) > 3 else "")
    return f"{said} {shown}".strip()


def _short(text: str, most: int) -> str:
    """Twenty rows have to fit into one message of every platform."""
    return text if len(text) <= most else text[: most - 1] + "…"
