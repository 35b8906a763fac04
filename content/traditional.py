"""Chinese as readers in Taiwan and Hong Kong write it: traditional characters and their own words, by OpenCC."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

_HAN = re.compile("[\u3400-\u9fff]")
_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)

TERMS = {
    "参数": "參數",
    "激活": "激活",
    "函数": "函數",
    "集成": "集成",
    "连接": "連接",
    "循环": "循環",
    "实例": "實例",
}
"""Words of our field that OpenCC takes for those of programming (参数 as arguments of a call, 激活 as switching on)."""

_TERM = re.compile(f"({'|'.join(TERMS)})")
_WEEK = re.compile("周(?=[排一二三四五六日天末內的])")
"""Weeks that OpenCC takes for the surname, which keeps its 周."""


@cache
def _converter() -> Any:
    """Made on first use, because it reads dictionaries."""
    import opencc

    return opencc.OpenCC("s2twp")


@lru_cache(maxsize=8192)
def traditional(text: str) -> str:
    """Simplified Chinese in traditional characters; code between backticks stays as it is."""
    if not _HAN.search(text):
        return text
    pieces = _CODE.split(text)
    return "".join(piece if number % 2 else _converted(piece) for number, piece in enumerate(pieces))


def _converted(text: str) -> str:
    pieces = _TERM.split(text)
    plain = "".join(TERMS.get(piece) or str(_converter().convert(piece)) for piece in pieces if piece)
    return _WEEK.sub("週", plain).replace("頻道里", "頻道裡")
