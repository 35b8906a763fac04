"""The playground in a real browser: every kind answered by tapping, on a phone and on a desk, in two languages.

Pictures of what was seen go to the folder that ``DRILLS_PICTURES`` names (the documentation's are made this way).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from content.question import Kind
from tests.web.conftest import START, MakeStand, Stand
from tests.web.test_pages import ONLY_YOU, answer_rightly, asked

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
STAYS = ".composer, .jump, .clock, .channel__head"
HIDE = f"hide => document.querySelectorAll('{STAYS}').forEach(e => e.style.visibility = hide ? 'hidden' : '')"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: the page was not tried in a browser"),
]


@pytest.fixture
async def browser() -> AsyncIterator[Any]:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        await opened.close()


class Window:
    """A page with its own cookies, and all that went wrong in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)

    async def come_in(self, stand: Stand, name: str) -> None:
        await self.page.goto(stand.url)
        await self.page.fill("#name", name)
        await self.page.click(".welcome__form button")
        await self.page.wait_for_selector("#messages")

    async def picture(self, name: str, selector: str = "") -> None:
        folder = os.environ.get("DRILLS_PICTURES")
        if not folder:
            return
        path = Path(folder) / f"{name}.png"
        if not selector:
            await self.page.screenshot(path=path)
            return
        # What stays in sight while the page scrolls would lie over the picture.
        await self.page.evaluate(HIDE, True)
        await self.page.locator(selector).last.screenshot(path=path)
        await self.page.evaluate(HIDE, False)

    async def reply(self, language: str) -> str:
        """The private reply that was made last."""
        shown = self.page.locator(".private").last
        await shown.wait_for()
        text = str(await shown.inner_text())
        assert ONLY_YOU[language] in text
        return text


async def opened(
    browser: Any, width: int, language: str, scheme: str = "light", height: int = 844, **options: Any
) -> Window:
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        locale="zh-CN" if language == "zh" else "en-GB",
        timezone_id="UTC",
        color_scheme=scheme,
        device_scale_factor=2,
        **options,
    )
    return Window(await context.new_page())


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize(("width", "language"), [(390, "zh"), (1200, "en")])
async def test_every_kind_is_answered_by_tapping(
    make_stand: MakeStand, browser: Any, kind: Kind, width: int, language: str
) -> None:
    """The question comes by itself; a tap or a form answers it; the verdict stands under it in one's language."""
    stand = await make_stand(kind)
    window = await opened(browser, width, language)
    page = window.page
    await window.come_in(stand, "小王" if language == "zh" else "Robin")
    await stand.post()
    await page.wait_for_selector(".message--new")
    question = asked(stand)
    if kind.is_one_tap:
        await page.locator(".message--new .button--letter").first.click()
    else:
        await page.click(".message--new .button--primary")
        await page.wait_for_selector(".modal")
        if kind is Kind.MULTIPLE:
            for key in question.right_keys:
                await page.check(f'.modal input[value="{key}"]')
            await window.picture(f"form-{language}-{width}")
        elif kind is Kind.NUMERIC:
            assert question.number is not None
            await page.fill(".modal .field__input", f"{question.number.value} {question.number.unit}")
        elif kind is Kind.BLANK:
            await page.fill(".modal .field__input", question.accept[language][0])
        else:
            await page.fill(".modal .field__input", question.model_answer.get(language))
        await page.click(".modal .modal__foot .button--primary")
    reply = await window.reply(language)
    assert question.explanation.get(language)[:12].replace("`", "") in reply or kind is Kind.CASE
    assert await page.locator(".modal").count() == 0
    assert stand.answers() == 1
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    assert window.faults == []


async def test_enter_sends_a_form_and_escape_leaves_it(make_stand: MakeStand, browser: Any) -> None:
    """Who has typed an answer presses Enter, and it is recorded; Escape stores nothing."""
    stand = await make_stand(Kind.BLANK)
    window = await opened(browser, 1200, "en")
    page = window.page
    await window.come_in(stand, "Robin")
    await stand.post()
    await page.wait_for_selector(".message--new")
    for key, answers in (("Escape", 0), ("Enter", 1)):
        await page.click(".message--new .button--primary")
        await page.fill(".modal .field__input", asked(stand).accept["en"][0])
        await page.press(".modal .field__input", key)
        await page.wait_for_selector(".modal", state="detached")
        assert stand.answers() == answers
    assert "Right!" in await window.reply("en")
    assert window.faults == []


async def test_short_cells_of_a_table_stay_on_one_line(make_stand: MakeStand, browser: Any) -> None:
    """The dates and times of the next rounds are read at a glance, on a phone too, and nothing sticks out."""
    stand = await make_stand(Kind.SINGLE)
    window = await opened(browser, 390, "en")
    page = window.page
    await page.goto(f"{stand.url}/as/mira/channel/daily-drill")
    await page.fill("#command", "/drill status")
    await page.press("#command", "Enter")
    await window.reply("en")
    heights = "cells => cells.map(cell => cell.getClientRects().length && getComputedStyle(cell).whiteSpace)"
    cells = page.locator(".private .cell--short")
    assert set(await cells.evaluate_all(heights)) == {"nowrap"}
    texts = await cells.all_inner_texts()
    assert "09:30" in texts
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


async def test_a_page_changes_while_it_is_looked_at(make_stand: MakeStand, browser: Any) -> None:
    """Count, close, thread and the clock arrive by themselves, and what a visitor writes meanwhile stays."""
    stand = await make_stand(Kind.BLANK)
    window = await opened(browser, 390, "en")
    page = window.page
    await window.come_in(stand, "Robin")
    assert await page.locator(".empty").count() == 1
    await stand.post()
    await page.click(".message--new .button--primary")
    await page.fill(".modal .field__input", "half a tho")
    for name in ("Kim", "Alex"):
        await answer_rightly(await stand.visitor(name), asked(stand))
    stand.clock.forward(timedelta(seconds=10))
    await stand.app.ticker.beat()
    await page.wait_for_selector("text=2 answered")
    assert await page.input_value(".modal .field__input") == "half a tho"
    await page.keyboard.press("Escape")
    await page.wait_for_selector(".modal", state="detached")
    await stand.move_to(START + timedelta(hours=10))
    await page.wait_for_selector(".message--closed details.thread")
    await page.wait_for_selector(".clock__time >> text=18:00")
    assert await page.locator("text=How did I do?").count() == 1
    assert window.faults == []


async def test_a_page_says_when_the_demo_has_ended(make_stand: MakeStand, browser: Any) -> None:
    """A page whose server is gone does not pretend that the clock still runs."""
    stand = await make_stand(Kind.SINGLE)
    window = await opened(browser, 390, "en")
    await window.come_in(stand, "Robin")
    await window.page.wait_for_selector(".clock__state >> text=running")
    await stand.server.stop()
    await window.page.wait_for_selector(".clock__state >> text=no connection")


async def test_a_visitor_without_scripts_can_do_everything(make_stand: MakeStand, browser: Any) -> None:
    """With scripts switched off buttons load pages, and the reply is there."""
    stand = await make_stand(Kind.MULTIPLE)
    await stand.post()
    window = await opened(browser, 390, "en", java_script_enabled=False)
    page = window.page
    await window.come_in(stand, "Robin")
    await page.click(".message--new .button--primary")
    await page.locator(".modal .choice").first.click()
    await page.click(".modal .modal__foot .button--primary")
    await window.reply("en")
    assert stand.answers() == 1
    await page.fill("#command", "/drill me")
    await page.click("#composer .button--primary")
    assert "Your progress" in await window.reply("en")


async def test_an_admin_sets_the_channel_up(make_stand: MakeStand, browser: Any) -> None:
    """The form of ``/drill setup`` is filled, mended where it was wrong, looked at and saved."""
    stand = await make_stand(Kind.SINGLE)
    window = await opened(browser, 1200, "en")
    page = window.page
    await page.goto(f"{stand.url}/switch?to=mira")
    await page.fill("#command", "/drill setup")
    await page.keyboard.press("Enter")
    await page.fill("#field-time", "25:99")
    await page.click(".modal .modal__foot .button--primary")
    await page.wait_for_selector(".field__fault")
    await window.picture("setup-fault")
    await page.fill("#field-time", "08:45")
    await page.click(".modal .modal__foot .button--primary")
    assert "08:45" in await window.reply("en")
    await window.picture("proposal", ".private")
    await page.click(".private >> text=Save")
    await page.wait_for_selector(".private >> text=Saved.")
    assert window.faults == []


async def test_two_windows_are_two_people(make_stand: MakeStand, browser: Any) -> None:
    """What one is told, the other does not see; both see the same channel."""
    stand = await make_stand(Kind.SINGLE)
    await stand.post()
    one, other = await opened(browser, 390, "en"), await opened(browser, 390, "zh")
    await one.come_in(stand, "Robin")
    await other.come_in(stand, "小王")
    await one.page.locator(".message--new .button--letter").first.click()
    await one.reply("en")
    assert await other.page.locator(".private").count() == 0
    await other.page.locator(".message--new .button--letter").nth(1).click()
    await other.reply("zh")
    assert stand.answers() == 2


async def test_the_pictures_of_the_documentation(make_stand: MakeStand, browser: Any) -> None:
    """A week's channel as the papers show it: question, verdict and board, in both languages, light and dark."""
    from bot.demo.team import TEAM, mate_of, response_of
    from bot.demo.week import plan_week
    from content.library import default_bank_path
    from content.loader import load_bank

    library, _ = plan_week(load_bank(default_bank_path()), ("en", "zh"))
    kept = type(library).of(question for question in library if question.topic in ("kv-cache", "lora", "moe-sparse"))
    stand = await make_stand(library=kept, topics="lora, kv-cache", kinds="single, true_false")
    for mate in TEAM:
        stand.chat.join("playground", mate.person)
    for day in range(3):
        shown = await stand.post(day)
        for mate in TEAM[: 7 - day]:
            who = await stand.as_member(mate.person.id)
            key = response_of(mate_of(mate.person.id), asked(stand), "week").choices[0]
            action = next(b.action for p in shown.card.parts if type(p).__name__ == "Buttons" for b in p.buttons
                          if b.action.endswith(f":{key}"))  # fmt: skip
            await who.client.post(f"{who.path}/tap", data={"action": action, "from": shown.id})
        stand.clock.forward(timedelta(minutes=5))
        await stand.app.ticker.beat()
        if day < 2:
            await stand.move_to(START + timedelta(days=day, hours=10))
    windows = {}
    for name, width, language, scheme in (
        ("playground-en", 1200, "en", "light"),
        ("playground-zh", 1200, "zh", "light"),
        ("phone-en", 390, "en", "light"),
        ("phone-zh-dark", 390, "zh", "dark"),
    ):
        window = windows[name] = await opened(browser, width, language, scheme, 1180 if width > 900 else 844)
        await window.come_in(
            stand, {"playground-en": "Robin", "playground-zh": "小王", "phone-en": "Kim"}.get(name, "阿宁")
        )
        await window.page.wait_for_selector(".message--new")
        if name == "phone-en":
            await window.picture("question", ".message--new .message__body")
            await window.picture("phone-question")
        await window.page.locator(".message--new .button--letter").nth(1).click()
        await window.reply(language)
        await window.picture(name)
    await stand.move_to(START + timedelta(days=7, hours=2))
    window = windows["playground-en"]
    await window.page.wait_for_selector("text=Board of the week")
    await window.page.locator(".picture").last.scroll_into_view_if_needed()
    await window.picture("board", "li.message:has(.board) .message__body")
    await window.page.fill("#command", "/drill help")
    await window.page.keyboard.press("Enter")
    await window.page.wait_for_selector(".private >> text=One good question a day")
    await window.picture("help", ".private")
    for window in windows.values():
        assert window.faults == []
