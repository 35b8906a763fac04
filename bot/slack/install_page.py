"""What a browser shows while the app is installed: both languages on each page, the reader's first."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from html import escape
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from bot.texts import Texts, is_chinese, language_of, texts
from storage.installations import Grant

STYLE = (
    "body{font:16px/1.6 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1.2rem;color:#1c2330;"
    "background:#fff}h1{font-size:1.4rem;line-height:1.3}section+section{margin-top:2.5rem;padding-top:1.5rem;"
    "border-top:1px solid #d5d9e0}a.button{display:inline-block;padding:.55rem 1.1rem;border-radius:.4rem;"
    "background:#4a154b;color:#fff;text-decoration:none;font-weight:600}code{background:#eef0f4;padding:.1rem .3rem;"
    "border-radius:.2rem}@media(prefers-color-scheme:dark){body{background:#14181f;color:#e8ebf0}"
    "code{background:#2a303b}section+section{border-color:#343b47}a.button{background:#b07ab2;color:#14181f}}"
)

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'sha256-"
        + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
        + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    # The address of the last page holds a code and a state.
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "vary": "accept-language",
}

STATUS = {
    "declined": 403,
    "refused": 403,
    "unknown": 400,
    "browser": 400,
    "code": 400,
    "organisation": 400,
    "other_team": 502,
    "away": 502,
    "settings": 500,
    "storage": 500,
    "crowd": 503,
}
"""Why a walk can end, each with its HTTP status."""

BEGIN = "install?go"
"""From either of our addresses."""

Section = Callable[[Texts], str]


def invitation(languages: str) -> HTMLResponse:
    """What the app is, and the way to Slack."""

    def section(t: Texts) -> str:
        return (
            _title(t("Add Team Drills to Slack"))
            + _line(t("One good question a day in your channels, about LLM and deep-learning engineering."))
            + _line(t("Slack shows next what the app may do. It posts only in channels it was invited to."))
            + _button(BEGIN, t("Add to Slack"))
        )

    return _page(languages, section, 200)


def done_page(languages: str, grant: Grant) -> HTMLResponse:
    """It is installed; what comes next."""
    link = "https://slack.com/app_redirect?" + urlencode({"app": grant.app_id, "team": grant.workspace})

    def section(t: Texts) -> str:
        return (
            _title(t("Team Drills is installed in {name}.", name=grant.name or grant.workspace))
            + _line(t("In a channel, type this first:"))
            + "<p><code>/invite @Team Drills</code></p>"
            + _line(t("Then, as an admin of the workspace, this:"))
            + "<p><code>/drill setup</code></p>"
            + _button(link, t("Open Slack"))
        )

    return _page(languages, section, 200)


def trouble_page(languages: str, why: str, code: str = "") -> HTMLResponse:
    """What went wrong and what to do; nothing was installed. ``code``: Slack's word, lower-case letters alone."""
    shown = f" ({code})" if re.fullmatch("[a-z_]{1,60}", code) else ""

    def section(t: Texts) -> str:
        return _title(t("Nothing was installed")) + _line(_sentence(t, why) + shown) + _button(BEGIN, t("Begin again"))

    return _page(languages, section, STATUS[why])


def _sentence(t: Texts, why: str) -> str:
    match why:
        case "declined":
            return t("The request was declined in Slack; begin again when you like.")
        case "unknown":
            return t("This link was used already, or is older than ten minutes; begin again.")
        case "browser":
            return t("Another browser began this; begin and finish in the same one, with cookies allowed.")
        case "code":
            return t("Slack does not take this code any more; begin again.")
        case "organisation":
            return t("The app is installed in one workspace at a time: choose a workspace, not the whole organisation.")
        case "away":
            return t("Slack could not be reached, or did not answer; begin again in a minute.")
        case "settings":
            return t("The app's own settings at Slack are wrong; tell whoever runs Team Drills.")
        case "crowd":
            return t("Too many installations are under way; begin again in ten minutes.")
        case "storage":
            return t("It could not be stored on our side; tell whoever runs Team Drills, and begin again later.")
        case "other_team":
            return t("Slack's answer does not fit together; begin again.")
    return t("Slack refuses it; ask an owner of the workspace to allow the app, then begin again.")


def _page(languages: str, section: Section, status: int) -> HTMLResponse:
    first = preferred(languages)
    order = [first, "en" if is_chinese(first) else "zh"]
    tags = {"en": "en", "zh": "zh-Hans", "zh-TW": "zh-Hant"}
    body = "".join(f'<section lang="{tags[name]}">{section(texts(name))}</section>' for name in order)
    html = (
        f'<!doctype html><html lang="{tags[first]}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Team Drills</title>'
        f"<style>{STYLE}</style></head><body><main>{body}</main></body></html>"
    )
    return HTMLResponse(html, status, HEADERS)


def preferred(languages: str) -> str:
    """``en`` or ``zh``, whichever an *Accept-Language* header names first with the higher weight."""
    best, most = "en", 0.0
    for part in languages[:200].split(","):
        name, _, weight = part.strip().partition(";q=")
        if not re.match("(?i)(en|zh)\\b", name):
            continue
        value = float(weight) if re.fullmatch(r"[01](\.[0-9]{1,3})?", weight) else 1.0
        if value > most:
            best, most = language_of(name), value
    return best


def _title(text: str) -> str:
    return f"<h1>{escape(text)}</h1>"


def _line(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _button(link: str, text: str) -> str:
    return f'<p><a class="button" href="{escape(link)}">{escape(text)}</a></p>'
