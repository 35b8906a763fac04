"""Build the demo, play it, and put everything away again."""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from rich.console import Console

from bot.app import App, build
from bot.card import Button
from bot.chat import Command, Event, Place, Say, Tap
from bot.clock import HandClock
from bot.demo.narrator import Narrator
from bot.demo.options import DemoFault, DemoOptions, check
from bot.demo.show import DAYS, Show
from bot.demo.team import TEAM
from bot.demo.week import KIND_OF_DAY, languages_for, plan_week
from bot.drill.calendar import Week, board_instant, check_zone, instant, local_date
from bot.settings import Settings
from bot.texts import texts
from bot.web.access import LOOPBACK, hosts_for
from bot.web.playground import inbound
from bot.web.playground.chat import PlaygroundChat
from bot.web.playground.journal import Journal, JournalFault
from bot.web.playground.pages import Playground, playground_site
from bot.web.playground.stage import Stage
from bot.web.playground.views import buttons_of
from bot.web.server import ListenFault, PortTaken, WebServer, listen
from content.library import Library, default_bank_path
from content.loader import BankFault, load_bank
from storage.database import DatabaseFault
from storage.lock import ProcessLock

WORKSPACE, CHANNEL, CHANNEL_NAME = "playground", "daily-drill", "daily-drill"
POSTS_AT = time(9, 30)
WINDOW = "8h"
BOARD_DAY = 1
BEAT = 0.25
"""Real seconds between two beats."""

OVERHEAD = 4.0
"""Real seconds that starting and drawing pictures take."""

OWN_FILES = re.compile(r"drills\.db(-wal|-shm|-journal)?|chat\.jsonl|board-\d{4}-W\d{2}\.png")


@dataclass(frozen=True, slots=True)
class Stagecraft:
    """What the demo is played with: the bank, its languages, and the topics of each weekday."""

    library: Library
    languages: tuple[str, ...]
    topics: Mapping[int, tuple[str, ...]]


def run_demo(options: DemoOptions, console: Console | None = None) -> int:
    """Play the demo until its end or a signal; the exit code. A fault is one sentence on standard error, and 2."""
    _write_anything()
    try:
        check(options)
        with suppress(KeyboardInterrupt):
            _run(options, console or Console(highlight=False))
        return 0
    except (DemoFault, BankFault, DatabaseFault, JournalFault, ListenFault) as fault:
        print(fault, file=sys.stderr)  # noqa: T201 — this is the command line
        return 2


def _run(options: DemoOptions, console: Console) -> None:
    craft = _stagecraft(options)
    zone = options.zone or _own_zone()
    _make_folder(options.folder)
    lock = ProcessLock(options.folder / "drills.db")
    if not lock.try_acquire():
        raise DemoFault(f"A demo runs in {options.folder} already: end it first, or start this one in another folder.")
    with lock:
        bound, moved_from = _listen(options)
        with bound:
            kept = _prepare(options)
            journal = Journal(options.folder / "chat.jsonl")
            try:
                narrator = Narrator(console, options.language, zone)
                with narrator:
                    asyncio.run(_play(options, craft, zone, bound, moved_from, journal, kept, narrator))
            finally:
                journal.close()


async def _play(
    options: DemoOptions,
    craft: Stagecraft,
    zone: str,
    bound: socket.socket,
    moved_from: int | None,
    journal: Journal,
    kept: bool,
    narrator: Narrator,
) -> None:
    clock = HandClock(_first_moment(options, zone))
    chat = PlaygroundChat(clock, journal)
    if chat.last_at is not None:
        clock.move_to(chat.last_at)
    app = _app(options, craft, clock, chat)
    stage = Stage(zone)
    _on_signals(stage)
    playground = Playground(app.conversation, chat, stage, clock, WORKSPACE)
    hosts = hosts_for(options.host)
    site = playground_site(playground, hosts, lambda: {"beats": app.ticker.beats, "failed": app.ticker.failures})
    server = WebServer(site, bound, stage.close)
    place = Place(WORKSPACE, CHANNEL)
    pace = max(options.seconds - OVERHEAD, 0.5 * options.seconds) / DAYS
    show = Show(app, chat, stage, clock, narrator, place, options.folder, pace)
    try:
        await _open_channel(show)
        await server.start()
        _greet(narrator, options, server, moved_from, kept)
        await app.ticker.start()
        if not kept:
            await _set_up(show, craft, zone)
        await show.until(_end_of_week(clock.now(), zone))
        if not stage.closing:
            narrator.say("over", "bold", rounds=show.rounds, answers=show.answers)
        if not options.once:
            if not stage.closing:
                narrator.say("serves", url=server.url)
            await show.serve()
    finally:
        await server.stop()
        await app.ticker.stop()
        app.close()
        if app.ticker.failures:
            narrator.say("failures", "bold red", count=app.ticker.failures)
    if not options.once:
        narrator.say("ended")


def _greet(narrator: Narrator, options: DemoOptions, server: WebServer, moved_from: int | None, kept: bool) -> None:
    narrator.say("title", "bold", seconds=options.seconds)
    narrator.say("kept" if kept else "fresh", path=options.folder / "drills.db")
    if moved_from is not None:
        narrator.say("moved", "yellow", taken=moved_from, port=server.port)
    narrator.say("page", "bold cyan", url=server.url)
    if options.host not in LOOPBACK:
        narrator.say("open", "yellow")


# --- what it is played with ------------------------------------------------------------------------------------


def _stagecraft(options: DemoOptions) -> Stagecraft:
    library = load_bank(options.bank or default_bank_path(), drafts=options.bank is not None)
    if not len(library):
        raise DemoFault(
            f"There is no question in {options.bank} that can be asked: see what is wrong with "
            f"drills content lint {options.bank}."
        )
    languages = languages_for(library, options.language)
    # Somebody's own questions are all asked, in turn; ours are laid out so that the week shows every kind.
    planned, topics = plan_week(library, languages) if options.bank is None else (library, {})
    return Stagecraft(planned, languages, topics)


def _app(options: DemoOptions, craft: Stagecraft, clock: HandClock, chat: PlaygroundChat) -> App:
    # The demo takes no setting from the environment: a token or database of the real bot must not end up in it.
    url = f"sqlite:///{options.folder / 'drills.db'}"
    settings = Settings.model_construct(database_url=url, http_host=options.host, http_port=options.port)
    app = build(settings, clock=clock, library=craft.library, beat_every=BEAT)
    app.chats["playground"] = chat
    app.outbox.void_leases()
    # Beats that are skipped because one still runs are how a fast beat works, nothing to warn of.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    return app


def _first_moment(options: DemoOptions, zone: str) -> datetime:
    """Shortly before the first question of the week that ``monday`` lies in."""
    day = options.monday or date.today()  # noqa: DTZ011 — the date on this machine's wall
    return instant(Week.of(day).monday, POSTS_AT, zone) - timedelta(minutes=35)


def _end_of_week(now: datetime, zone: str) -> datetime:
    """When the board of the running week is posted."""
    return board_instant(Week.of(local_date(now, zone)), BOARD_DAY, POSTS_AT, zone)


async def _open_channel(show: Show) -> None:
    show.chat.open_channel(show.place, CHANNEL_NAME)
    for mate in TEAM:
        if (WORKSPACE, mate.person.id) not in show.chat.people:
            show.chat.join(WORKSPACE, mate.person)
    await show.begin()


async def _set_up(show: Show, craft: Stagecraft, zone: str) -> None:
    """An admin sets the channel up, with the commands and buttons that every admin has."""
    admin = next(mate.person for mate in TEAM if mate.person.admin)
    at = POSTS_AT.strftime("%H:%M")
    days = ",".join(str(day) for day in KIND_OF_DAY)
    options = {"days": days, "time": at, "zone": zone, "language": "+".join(craft.languages), "window": WINDOW}
    commands = [("setup", options)]
    for day, topics in sorted(craft.topics.items()):
        commands.append(("topics", {"set": ", ".join(topics), "day": str(day)}))
    for name, given in commands:
        who = inbound.who(admin, WORKSPACE)
        save = await _press_save(show, Command(who, show.place, name, given, CHANNEL_NAME))
        await show.hear(admin, Tap(who, save.action, show.place), "/drill setup")
    t = texts(show.narrator.language)
    first, last = t.weekday(min(KIND_OF_DAY)), t.weekday(max(KIND_OF_DAY))
    days = f"{first}–{last}"
    count = len(craft.library)
    show.narrator.event(show.clock.now(), "setup", name=admin.name, days=days, time=at, zone=zone, questions=count)


async def _press_save(show: Show, event: Event) -> Button:
    reply = await show.app.conversation.hear(event)
    found = buttons_of(reply.card) if isinstance(reply, Say) else []
    save = next((button for button in found if button.action.startswith("save:")), None)
    if save is None:
        said = reply.card.text if isinstance(reply, Say) else "a form was asked for"
        raise DemoFault(f"The channel could not be set up: {said}")
    return save


# --- folder, port, signals -------------------------------------------------------------------------------------


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        raise DemoFault(f"The folder {folder} cannot be used ({reason}): start the demo in another folder.") from error


def _prepare(options: DemoOptions) -> bool:
    """Clear the demo's own files away, or keep them; whether something was kept."""
    database, journal = options.folder / "drills.db", options.folder / "chat.jsonl"
    if options.keep and database.exists() != journal.exists():
        gone = journal if database.exists() else database
        raise DemoFault(f"{gone} is gone, so the week cannot go on: start afresh, without --keep.")
    if options.keep and database.exists():
        return True
    for path in options.folder.iterdir():
        if OWN_FILES.fullmatch(path.name):
            path.unlink()
    return False


def _listen(options: DemoOptions) -> tuple[socket.socket, int | None]:
    """A listening socket, and the port that was asked for where it was taken."""
    try:
        return listen(options.host, options.port), None
    except PortTaken:
        return listen(options.host, 0), options.port


def _on_signals(stage: Stage) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Not on Windows, and not outside the main thread: there Ctrl-C raises KeyboardInterrupt instead.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, stage.close)


def _own_zone() -> str:
    """The machine's zone, so that times in the terminal and on the page are the reader's own."""
    from tzlocal import get_localzone_name

    try:
        return check_zone(get_localzone_name() or "UTC")
    except (ValueError, LookupError, OSError):
        return "UTC"


def _write_anything() -> None:
    """A terminal that cannot show a character shows a question mark: no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
