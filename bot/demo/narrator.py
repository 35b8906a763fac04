"""What the terminal tells of the week: what was posted, who answered (never what), results and boards."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.status import Status
from rich.table import Table as RichTable
from rich.text import Text

from bot.card import Card, Heading, Note, Paragraph, Table, plain
from bot.drill.calendar import local_date
from bot.texts import texts

SAID: dict[str, tuple[str, str]] = {
    "title": (
        "Team Drills — a team's week in about {seconds:.0f} seconds",
        "Team Drills：约 {seconds:.0f} 秒过完团队的一周",
    ),
    "page": (
        "The channel is at {url} — open it to answer; the clock waits for you.",
        "频道在 {url} ，打开就能作答，时钟会等你。",
    ),
    "kept": ("Going on with the database {path}", "接着用数据库 {path}"),
    "fresh": ("A fresh database: {path}", "新建数据库 {path}"),
    "moved": (
        "Port {taken} is taken by another program, so the page is on port {port}.",
        "端口 {taken} 已被占用，页面改用端口 {port}。",
    ),
    "open": (
        "This page can be reached from other machines: anybody there can take part.",
        "其他机器也能打开这个页面，任何人都能参与。",
    ),
    "setup": (
        "{name} sets the channel up: {days} at {time} ({zone}), {questions} questions",
        "{name} 设置频道：{days} {time}（{zone}），共 {questions} 道题",
    ),
    "answered": ("{name} answered", "{name} 已作答"),
    "late": ("{name} answered late: no points, the streak goes on", "{name} 迟交：不计分，连续天数保留"),
    "wait": ("The clock waits for {names}.", "时钟停下，等 {names} 作答。"),
    "picture": ("The board as a picture: {path}", "排行榜图片：{path}"),
    "over": ("The week is over: {rounds} rounds, {answers} answers.", "一周结束：{rounds} 轮，{answers} 份作答。"),
    "serves": ("The page stays at {url} — Ctrl-C ends it.", "页面仍在 {url} ，按 Ctrl-C 结束。"),
    "ended": ("Stopped. Go on later with: drills demo --keep", "已停止。之后可用 drills demo --keep 接着来。"),
    "failures": ("{count} beats failed; the reasons are above.", "有 {count} 次心跳失败，原因见上。"),
}


class Narrator:
    """Prints to ``console``; on a terminal a status line shows the demo's clock as it runs."""

    def __init__(self, console: Console, language: str, zone: str) -> None:
        self.console = console
        self.language = language
        self.zone = zone
        self._texts = texts(language)
        self._status: Status | None = None
        self._day = ""

    def __enter__(self) -> Narrator:
        if self.console.is_terminal:
            self._status = self.console.status("")
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def words(self, key: str, **values: object) -> str:
        return SAID[key][self.language == "zh"].format(**values)

    def say(self, key: str, style: str = "", **values: object) -> None:
        """One of our sentences, without a time."""
        self._print(Text(self.words(key, **values), style))

    def event(self, at: datetime, key: str, style: str = "", **values: object) -> None:
        """One of our sentences, at its time."""
        self._at(at, Text(self.words(key, **values), style))

    def clock(self, at: datetime) -> None:
        if self._status is not None:
            self._status.update(Text(f"{self._date(at)} {self._time(at)}", "dim"))

    def question(self, at: datetime, card: Card) -> None:
        """A question was posted: its number, topic, level and kind, never its text's key."""
        title, about = _first(card, Heading), _first(card, Note)
        self._at(at, Text.assemble(("● ", "bold blue"), (title, "bold"), f" · {about}"))
        self._indented(card.text.split(": ", 1)[-1], "")

    def result(self, at: datetime, card: Card) -> None:
        """A round was closed: the key, how many were right, and why."""
        self._at(at, Text.assemble(("■ ", "bold green"), (card.text, "bold")))
        reasons = [plain(part.line) for part in card.parts if isinstance(part, Paragraph)][1:2]
        for reason in reasons:
            self._indented(reason, "dim")

    def board(self, at: datetime, card: Card) -> None:
        """The weekly board as a table."""
        self._at(at, Text.assemble(("▲ ", "bold yellow"), (_first(card, Heading), "bold")))
        table = next((part for part in card.parts if isinstance(part, Table)), None)
        if table is not None:
            shown = RichTable(header_style="bold")
            for place, name in enumerate(table.header):
                shown.add_column(Text(name), justify="right" if place in table.right else "left")
            for row in table.rows:
                shown.add_row(*[Text(cell) for cell in row])
            self.console.print(shown)
        self._indented(_first(card, Note), "dim")

    def _at(self, at: datetime, line: Text) -> None:
        day = self._date(at)
        if day != self._day:
            self._day = day
            self._print(Text(f"\n{day}", "bold"))
        self._print(Text.assemble((f"{self._time(at)}  ", "cyan"), line))

    def _indented(self, text: str, style: str) -> None:
        for paragraph in text.strip().splitlines():
            if not self.console.is_terminal:
                self._print(Text(f"       {paragraph}"))
                continue
            for line in Text(paragraph, style).wrap(self.console, max(30, self.console.width - 8)):
                self._print(Text.assemble("       ", line))

    def _print(self, text: Text) -> None:
        self.console.print(text, soft_wrap=not self.console.is_terminal)

    def _date(self, at: datetime) -> str:
        return self._texts.day(local_date(at, self.zone))

    def _time(self, at: datetime) -> str:
        return self._texts.time(at, self.zone)

    def saved_picture(self, path: Path) -> None:
        self.say("picture", path=path)


def _first(card: Card, kind: type[Heading] | type[Note]) -> str:
    return next((plain(part.line) for part in card.parts if isinstance(part, kind)), "")
