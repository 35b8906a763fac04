"""What members look at: today's round, their progress, boards, help."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.chat import Command, Reply, Say
from bot.drill import errors
from bot.talk.desk import Desk, Planned, Theme
from bot.usecases.meet_member import Met, clean_name, is_drill_admin
from bot.usecases.show_board import BoardView, Period, show_board
from bot.usecases.show_progress import Progress, show_progress
from bot.usecases.show_today import Today, show_today


def do_today(desk: Desk, event: Command, now: datetime) -> Planned:
    def then(today: Today, language: str) -> Reply:
        return Say(desk.cards.today(today, language))

    return desk.look(event, lambda tx, met: show_today(tx, met, event.place.channel, now), then)


def do_me(desk: Desk, event: Command, now: datetime) -> Planned:
    def then(progress: Progress, language: str) -> Reply:
        return Say(desk.cards.progress(progress, clean_name(event.who.name) or event.who.member, language))

    return desk.look(event, lambda tx, met: show_progress(tx, met, event.place.channel, now), then)


def do_board(desk: Desk, event: Command, now: datetime) -> Planned:
    typed = event.options.get("period", "").strip().lower()
    period = _PERIODS.get(typed)
    if period is None:
        raise errors.WrongInput(
            "period",
            f"“{typed[:40]}” is no board; choose week, month or all.",
            f"没有“{typed[:40]}”榜，可选 week、month、all。",
        )

    def then(view: BoardView, language: str) -> Reply:
        return Say(desk.cards.board(view, None, language))

    return desk.look(event, lambda tx, met: show_board(tx, met, event.place.channel, period, now), then)


def do_help(desk: Desk, event: Command, now: datetime) -> Planned:
    def look(tx: Session, met: Met) -> bool:
        return event.who.admin or is_drill_admin(tx, event.who)

    def then(admin: bool, language: str) -> Reply:
        return Say(desk.cards.help(admin, language))

    return desk.look(event, look, then)


_PERIODS: dict[str, Period] = {
    **dict.fromkeys(("", "week", "周", "本周", "周榜"), "week"),
    **dict.fromkeys(("month", "月", "本月", "月榜"), "month"),
    **dict.fromkeys(("all", "总", "总榜", "全部"), "all"),
}

THEME = Theme(commands={"today": do_today, "me": do_me, "board": do_board, "help": do_help})
