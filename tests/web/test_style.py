"""The look: one stylesheet, one sample page that uses all of it, and what a real browser makes of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.charts import BoardRow, board_picture

ROOT = Path(__file__).parent.parent.parent
STYLE = ROOT / "bot" / "web" / "static" / "style.css"
SAMPLE = Path(__file__).with_name("sample.html")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
VIEWS = [(390, "light"), (390, "dark"), (1200, "light"), (1200, "dark")]

# Every element that shows text of its own, with the contrast of that text against what is really behind it (WCAG 2).
FAINT_TEXTS = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = rgb.slice(0, 3).map(c => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const rgba = numbers(getComputedStyle(at).backgroundColor);
      if (rgba.length === 3 || rgba[3] === 1) return rgba;
    }
    return [255, 255, 255];
  };
  const shown = (element) => element.getClientRects().length && !element.closest('.skip-link, .hidden-visually');
  const own = (element) => [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  return [...document.body.querySelectorAll('*')].filter(e => shown(e) && own(e)).map(element => {
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    return [element.textContent.trim().slice(0, 30), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  }).filter(([, contrast]) => contrast < 4.5);
}"""
SMALL_TARGETS = """() => [...document.querySelectorAll('button, summary, .choice, .field__input, .composer__input')]
  .filter(e => e.getClientRects().length && e.getBoundingClientRect().height < 40).map(e => e.textContent)"""


def class_names(html: str) -> set[str]:
    return {name for found in re.findall(r'class="([^"]+)"', html) for name in found.split()}


def split_style() -> tuple[str, str]:
    """The vocabulary at the top, and the rules without comments and values."""
    head, rules = STYLE.read_text(encoding="utf-8").split("*/", 1)
    return head, re.sub(r"\{[^{}]*\}", "{}", re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL))


def styled() -> set[str]:
    return set(re.findall(r"\.([a-z][a-z0-9_-]*)", split_style()[1]))


def test_the_sample_uses_every_class_and_only_classes_of_the_stylesheet() -> None:
    assert class_names(SAMPLE.read_text(encoding="utf-8")) == styled()


def test_the_vocabulary_names_every_class_and_no_other() -> None:
    named = set(re.findall(r"\.([a-z][a-z0-9_-]*)", re.sub(r"\S+\.(?:html|py)\b", "", split_style()[0])))
    ranges = {f"{stem}--{number}" for stem, last in (("avatar", 8), ("rank", 3)) for number in range(1, last + 1)}
    modified = {f"{block}--{end}" for block in ("option", "private__verdict") for end in ("right", "wrong", "partly")}
    assert styled() - named <= ranges | modified
    assert named <= styled()


def test_the_stylesheet_loads_nothing() -> None:
    """A page with it works offline and under a policy that allows our own files alone."""
    rules = split_style()[1] + STYLE.read_text(encoding="utf-8")
    assert "url(" not in rules
    assert "@import" not in rules


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the look was not checked")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def files() -> dict[str, tuple[bytes, str]]:
    picture = board_picture("# llm-daily", "", [BoardRow(1, "林晓雨", 21_250, 2, 5)], language="zh")
    return {
        "sample.html": (SAMPLE.read_bytes(), "text/html; charset=utf-8"),
        "style.css": (STYLE.read_bytes(), "text/css"),
        "board.png": (picture.png, "image/png"),
    }


@pytest.fixture(params=VIEWS, ids=lambda view: f"{view[0]}-{view[1]}")
def page(browser: Any, files: dict[str, tuple[bytes, str]], request: pytest.FixtureRequest) -> Iterator[Any]:
    width, scheme = request.param
    opened = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)

    def serve(route: Any) -> None:
        body, kind = files.get(route.request.url.rsplit("/", 1)[1], (b"", ""))
        route.fulfill(body=body, content_type=kind, status=200 if kind else 404)

    opened.route("**/*", serve)
    opened.goto("http://sample.test/sample.html")
    yield opened
    opened.close()


@pytest.mark.browser
def test_the_page_reads_well_at_every_width_in_light_and_dark(page: Any) -> None:
    """Nothing sticks out sideways, text stands out (4.5 to 1), and what is tapped is at least 40 pixels high."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    assert page.evaluate(FAINT_TEXTS) == []
    assert page.evaluate(SMALL_TARGETS) == []


@pytest.mark.browser
def test_a_form_fits_the_screen_and_keeps_its_buttons_in_sight(page: Any) -> None:
    page.evaluate("document.querySelector('dialog').showModal()")
    foot = page.locator(".modal__foot").bounding_box()
    assert foot["y"] + foot["height"] <= 844
    assert page.evaluate(FAINT_TEXTS) == []
    assert page.evaluate(SMALL_TARGETS) == []
