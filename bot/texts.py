"""Words in a reader's language: gettext catalogues in ``locale/`` (English is the source), dates by Babel.

Traditional Chinese (``zh-TW``) is the simplified one, converted by OpenCC when it is shown.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Iterable
from datetime import date, datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time, get_day_names
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from content.question import TRADITIONAL
from content.traditional import traditional

_WIDE = tuple("：，。！？；")
_LOCALES = {"zh": "zh_Hans_CN", TRADITIONAL: "zh_Hant_TW"}
LOCALE = Path(__file__).parent / "locale"
NAMES = {"en": "English", "zh": "中文"}


class Texts:
    """Texts in one language. Call it with an English sentence and the values that go into it."""

    def __init__(self, language: str, catalogue: gettext.NullTranslations) -> None:
        self.language = language
        self._catalogue = catalogue

    def __call__(self, message: str, /, **values: object) -> str:
        return self._dressed(self._catalogue.gettext(message)).format(**values)

    def n(self, one: str, many: str, count: int, /, **values: object) -> str:
        """The right plural for ``count``, which is also a value."""
        return self._dressed(self._catalogue.ngettext(one, many, count)).format(count=count, **values)

    def _dressed(self, text: str) -> str:
        """Before the values come in: what a person wrote stays as they wrote it."""
        return traditional(text) if self.language == TRADITIONAL else text

    @property
    def _locale(self) -> str:
        return _LOCALES.get(self.language, "en_GB")

    def day(self, day: date) -> str:
        """``Mon 30 Nov`` · ``11月30日周一``."""
        return format_date(day, "M月d日EEE" if is_chinese(self.language) else "EEE d MMM", locale=self._locale)

    def month(self, day: date) -> str:
        """``December 2026`` · ``2026年12月``."""
        return format_date(day, "y年M月" if is_chinese(self.language) else "MMMM y", locale=self._locale)

    def list(self, items: Iterable[str]) -> str:
        """``a, b`` · ``a、b``."""
        return ("、" if is_chinese(self.language) else ", ").join(items)

    def beside(self, *sentences: str) -> str:
        """Sentences one after the other: full-width marks bring their own space."""
        return "".join(f"{text}{'' if text[-1:] in _WIDE else ' '}" for text in sentences[:-1]) + sentences[-1]

    def time(self, moment: datetime, zone: str) -> str:
        return format_time(moment, "HH:mm", tzinfo=ZoneInfo(zone), locale=self._locale)

    def weekday(self, number: int) -> str:
        """The short name of ISO weekday 1..7."""
        return str(get_day_names("abbreviated", locale=self._locale)[number - 1])


def language_of(locale: str) -> str:
    """What is shown for a client's locale: ``zh``, ``zh-TW`` where traditional characters are read, else ``en``."""
    parts = locale.lower().replace("_", "-").split("-")
    if parts[0] != "zh":
        return "en"
    if "hans" in parts:
        return "zh"
    return TRADITIONAL if {"hant", "tw", "hk", "mo"} & set(parts) else "zh"


def is_chinese(language: str) -> bool:
    """Is it Chinese in either script?"""
    return language.startswith("zh")


def in_chinese(text: str, language: str) -> str:
    """A Chinese text in the script of ``language``."""
    return traditional(text) if language == TRADITIONAL else text


@cache
def texts(language: str) -> Texts:
    """Texts in ``language`` (``en``, ``zh`` or ``zh-TW``, which is made of ``zh``)."""
    source = "zh" if is_chinese(language) else language
    path = LOCALE / source / "LC_MESSAGES" / "drills.po"
    if language == "en" or not path.exists():
        return Texts("en", gettext.NullTranslations())
    with path.open("rb") as file:
        catalogue = read_po(file, locale=source)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Texts(language, gettext.GNUTranslations(compiled))
