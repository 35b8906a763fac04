"""What people's taps, forms and commands lead to, one module a theme; ``conversation.py`` reads their tables."""

from __future__ import annotations

from bot.talk import (
    administering,
    answering,
    challenging,
    days,
    hello,
    looking,
    marking,
    mending,
    privacy,
    scheduling,
    settings,
)
from bot.talk.desk import Button, CommandPlan, FormTarget

THEMES = (
    administering.THEME,
    answering.THEME,
    challenging.THEME,
    days.THEME,
    hello.THEME,
    looking.THEME,
    marking.THEME,
    mending.THEME,
    privacy.THEME,
    scheduling.THEME,
    settings.THEME,
)

BUTTONS: dict[str, Button] = {name: button for theme in THEMES for name, button in theme.buttons.items()}
FORMS: dict[str, FormTarget] = {name: form for theme in THEMES for name, form in theme.forms.items()}
COMMAND_PLANS: dict[str, CommandPlan] = {name: plan for theme in THEMES for name, plan in theme.commands.items()}
