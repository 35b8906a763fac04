"""Writes docs/errors.md from the tables: ``python -m tests.laws.errors_page > docs/errors.md``."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable

from bot.cards.trouble import sentences
from bot.discord import errors as discord
from bot.drill.trouble import CURES
from bot.slack import errors as slack
from bot.texts import texts

HEAD = """# Errors: what a platform's refusal means, and who mends it

Made from `bot/slack/errors.py`, `bot/discord/errors.py` and `bot/cards/trouble.py` by
`python -m tests.laws.errors_page > docs/errors.md`; a test holds it to them.

- *retry*: surely not done; tried again after the time that the platform asks for, else ever more slowly.
- *unsure*: may have been done; the platform is asked before anything is sent again.
- *permanent*: refused until a person mends it. An admin is told in a direct message, with a *Try again* button; after
  three in a row the schedule pauses itself. Where the channel is archived, gone or closed to the bot, its drills wait
  instead (`docs/platforms.md`), and no further call is made.

A code that stands in no table is *permanent*; its cure is guessed from its family (Slack) or its HTTP status (Discord).

## Cures

| cure | mended by | drills | in English | 中文 |
|---|---|---|---|---|
"""

WHO = {"admin": "an admin", "operator": "the operator", "member": "the member", "nobody": "nobody"}


def page() -> str:
    """The whole page."""
    return "".join([HEAD, *_cures(), *_slack(), *_discord()])


def _cures() -> Iterable[str]:
    english, chinese = sentences(texts("en")), sentences(texts("zh"))
    for name, cure in CURES.items():
        if name == "unknown":
            said = ("the platform refused (code).", "平台拒绝了（代码）。")
        else:
            said = (english[name], chinese[name])
        effect = f"wait ({cure.parks})" if cure.parks else "not possible there" if cure.hopeless else ""
        yield f"| `{name}` | {WHO[cure.mender]} | {effect} | {said[0]} | {said[1]} |\n"


def _slack() -> Iterable[str]:
    yield "\n## Slack\n\n| code | means | cure | answered by |\n|---|---|---|---|\n"
    calls: dict[str, list[str]] = defaultdict(list)
    for method, codes in slack.METHODS.items():
        for code in codes:
            calls[code].append(f"`{method}`")
    for code, meaning in sorted(slack.MEANINGS.items()):
        by = "any call" if code in slack.COMMON else ", ".join(calls[code])
        yield f"| `{code}` | {meaning.outcome}{_patience(meaning.patience)} | `{meaning.cure}` | {by} |\n"
    methods = ", ".join(f"`{method}`" for method, codes in slack.METHODS.items() if not codes)
    yield f"\nCalls with the common codes alone: {methods}.\n"


def _discord() -> Iterable[str]:
    yield "\n## Discord\n\nDiscord does not say which call answers which code; those of one meaning stand together.\n\n"
    yield "| means | cure | codes |\n|---|---|---|\n"
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for code, meaning in sorted(discord.MEANINGS.items()):
        groups[f"{meaning.outcome}{_patience(meaning.patience)}", meaning.cure].append(code)
    for (outcome, cure), codes in groups.items():
        yield f"| {outcome} | `{cure}` | {', '.join(map(str, codes))} |\n"


def _patience(seconds: float | None) -> str:
    return f", after {seconds:.0f} s" if seconds else ""


if __name__ == "__main__":
    sys.stdout.write(page())
