"""``make screenshots``: a picture of every kind of message as the playground shows it, in both languages.

The messages are the engine's own, made by people who tap, type and fill in forms; nothing is staged but the clock.
``python -m tests.web.gallery FOLDER`` needs a Chromium on the machine.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from bot.clock import HandClock
from content.question import Kind
from tests.web.conftest import START, Stand, bank, start, stop
from tests.web.test_browser import ARGUMENTS, CHROMIUM, HIDE, opened
from tests.web.test_pages import answer_rightly, asked

LANGUAGES = ("en", "zh")
NAMES = {"en": "Robin", "zh": "小王"}


@dataclass(slots=True)
class Booth:
    """One person at one browser; ``take`` writes a picture of the last element that a selector finds."""

    stand: Stand
    page: Any
    folder: Path
    language: str

    async def take(self, name: str, selector: str) -> None:
        shown = self.page.locator(selector).last
        await shown.wait_for()
        await self.page.evaluate(HIDE, True)
        _keep(await shown.screenshot(), self.folder / f"{name}-{self.language}.png")
        await self.page.evaluate(HIDE, False)
        print(f"{name}-{self.language}.png", flush=True)  # noqa: T201 — a tool that says what it does

    async def say(self, text: str) -> None:
        """Type a command and wait for what it brings: a private reply or a form."""
        before = await self.page.locator(".private").count()
        await self.page.fill("#command", text)
        await self.page.press("#command", "Enter")
        await self.page.wait_for_function(
            "before => document.querySelectorAll('.private').length > before || document.querySelector('.modal')",
            arg=before,
        )

    async def close_form(self) -> None:
        await self.page.keyboard.press("Escape")
        await self.page.wait_for_selector(".modal", state="detached")


def _keep(png: bytes, path: Path) -> None:
    """Written with few colours, which is enough for flat ones and a quarter of the size."""
    Image.open(io.BytesIO(png)).convert("RGB").quantize(96).save(path, optimize=True)


@asynccontextmanager
async def booth(
    browser: Any, folder: Path, language: str, *kinds: Kind, person: str = "", width: int = 560, **options: str
) -> AsyncIterator[Booth]:
    """A channel that asks these kinds, and a page of somebody in it (of a team member where ``person`` is one)."""
    with TemporaryDirectory() as place:
        stand = await start(Path(place), bank(*kinds), HandClock(START))
        try:
            shared = "zh+en" if language == "zh" else "en+zh"
            await stand.set_up(**({"language": shared} | options))
            window = await opened(browser, width, language)
            if person:
                await window.page.goto(f"{stand.url}/as/{person}/channel/daily-drill")
                await window.page.wait_for_selector("#command")
            else:
                await window.come_in(stand, NAMES[language])
            yield Booth(stand, window.page, folder, language)
            await window.page.context.close()
        finally:
            await stop(stand)


async def a_day(browser: Any, folder: Path, language: str) -> None:
    """A question, a wrong and a right answer, the close, its thread, the board, one's own progress."""
    async with booth(browser, folder, language, Kind.SINGLE) as b:
        await b.stand.post()
        await b.page.wait_for_selector(".message--new")
        await b.take("question", ".message--new")
        for name in ("Kim", "Alex", "Sam", "陈晨", "Noa"):
            await answer_rightly(await b.stand.visitor(name), asked(b.stand))
        buttons = b.page.locator(".message--new .button--letter")
        keys = [option.key for option in asked(b.stand).options if not option.correct]
        await b.page.click(f".message--new button[value$=':{keys[0]}']")
        await b.page.wait_for_selector(".private")
        await b.take("verdict", ".private")
        assert await buttons.count()
        await b.stand.move_to(START + timedelta(hours=10))
        await b.page.wait_for_selector(".message--closed details.thread")
        await b.page.evaluate("document.querySelectorAll('details.thread').forEach(d => d.open = true)")
        await b.take("result", ".message--closed")
        await b.say("/drill me")
        await b.take("progress", ".private")
        for day in range(1, 8):
            await b.stand.move_to(START + timedelta(days=day, minutes=90))
        await b.page.reload()
        await b.take("board", "li:has(table.board--ranks)")


async def other_kinds(browser: Any, folder: Path, language: str) -> None:
    """Forms and what they bring: ticks, a number, a case."""
    for kind in (Kind.MULTIPLE, Kind.NUMERIC, Kind.CASE):
        async with booth(browser, folder, language, kind) as b:
            await b.stand.post()
            await b.page.wait_for_selector(".message--new")
            await b.page.click(".message--new .button--primary")
            await b.page.wait_for_selector(".modal")
            question = asked(b.stand)
            if kind is Kind.MULTIPLE:
                await b.page.check(f'.modal input[value="{min(question.right_keys)}"]')
            elif question.number is not None:
                await b.page.fill(".modal .field__input", f"{question.number.value} {question.number.unit}")
            else:
                await b.page.fill(".modal .field__input", question.model_answer.get(language)[:400])
            await b.take(f"form-{kind.value}", ".modal__box")
            await b.page.click(".modal .modal__foot .button--primary")
            await b.page.wait_for_selector(".private")
            await b.take(f"verdict-{kind.value}", ".private")


async def together(browser: Any, folder: Path, language: str) -> None:
    """Reactions as a third way in, and an answer that is kept until the close."""
    async with booth(browser, folder, language, Kind.SINGLE, mode="together", kinds="single", reactions="on") as b:
        await b.stand.post()
        await b.page.wait_for_selector(".message--new")
        await b.page.click(".message--new .button--letter")
        await b.page.wait_for_selector(".private")
        await b.take("recorded", ".private")
        await b.take("question-reactions", ".message--new")


COMMANDS = {
    "help": "help",
    "settings": "settings",
    "privacy": "forget",
    "status": "status",
    "topics": "topics inference-serving",
    "audit": "audit",
    "preview": "preview",
    "swap": "swap",
    "schedule": "schedule time=10:00",
}


async def commands(browser: Any, folder: Path, language: str) -> None:
    """What an admin reads, privately."""
    async with booth(browser, folder, language, person="mira" if language == "en" else "xiaolin") as b:
        admin = language == "en"
        for name, typed in COMMANDS.items():
            if admin or name in ("help", "settings", "privacy"):
                await b.say(f"/drill {typed}")
                await b.take(name, ".private")
        if admin:
            await b.say("/drill setup")
            await b.take("form-setup", ".modal__box")
            await b.close_form()


SCENES: tuple[Callable[[Any, Path, str], Awaitable[None]], ...] = (a_day, other_kinds, together, commands)


async def main(folder: Path) -> None:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for language in LANGUAGES:
            for scene in SCENES:
                await scene(browser, folder, language)
        await browser.close()


if __name__ == "__main__":
    pictures = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures/messages")
    pictures.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(pictures))
