"""The shape of a line: as many characters as its text, but in one spelling, so that one pattern covers all.

Full-width signs are ASCII, brackets of one kind, and the words of exams in simplified characters. Positions found in
the shape cut the text as it was written. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LETTERS = "ABCDEFGHIJ"
HAN_NUMERALS = "一二三四五六七八九十"

_FOLD: dict[int, str] = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_FOLD.update(
    {
        ord(a): b
        for a, b in zip(
            "\u3000\u00a0\u2002\u2003\u2009\u202f\t【〔〖］［】〕〗–—―‐‑−〜∶﹕．﹒＿﹍﹎✓✔☑✗✘✕✖╳☒❌✅“”‘’﹙﹚『』",
            "       [[[][]]]------~::..___√√√×××××××√\"\"''()[]",
            strict=True,
        )
    }
)
# The characters of exam words that differ in traditional script.
_FOLD.update(
    zip(
        map(
            ord,
            "題單選項擇斷簡問論釋應綜實驗錯誤確參標準與編號對類計數證詞讀譯設據點評詳說備註試審開發識總結當兩個"
            "為過沒學圖寫雙輔導節從頭錄內請難創並請術語詢濟幾無複連線辨證譯擬順匹閱",
        ),
        "题单选项择断简问论释应综实验错误确参标准与编号对类计数证词读译设据点评详说备注试审开发识总结当两个为过"
        "没学图写双辅导节从头录内请难创并请术语询济几无复连线辨证译拟顺匹阅",
        strict=True,
    )
)


def shape(text: str) -> str:
    """``text`` in the folded form that patterns match on; of the same length."""
    return text.translate(_FOLD)


@dataclass(frozen=True, slots=True)
class Both:
    """A stretch of a line: its text as written and its shape, cut together."""

    text: str
    shape: str

    @classmethod
    def of(cls, text: str) -> Both:
        """A stretch from its text."""
        return cls(text, shape(text))

    def cut(self, start: int, end: int | None = None) -> Both:
        """The part from ``start`` to ``end``, without margins."""
        text, folded = self.text[start:end], self.shape[start:end]
        left = len(folded) - len(folded.lstrip())
        right = len(folded.rstrip())
        return Both(text[left : max(left, right)], folded[left : max(left, right)])

    def __bool__(self) -> bool:
        return bool(self.shape)


NOTHING = Both("", "")


def is_han(character: str) -> bool:
    """A Chinese character (not punctuation)."""
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff"


def han_value(text: str) -> int:
    """一 .. 九十九 as a number; 0 where it is none."""
    if not text or any(c not in HAN_NUMERALS for c in text):
        return 0
    if "十" not in text:
        return HAN_NUMERALS.index(text) + 1 if len(text) == 1 else 0
    head, _, tail = text.partition("十")
    tens = HAN_NUMERALS.index(head) + 1 if len(head) == 1 else (1 if not head else 0)
    ones = HAN_NUMERALS.index(tail) + 1 if len(tail) == 1 and tail != "十" else 0
    return tens * 10 + ones if tens and (ones or not tail) else 0


def roman_value(text: str) -> int:
    """I .. XXXIX as a number; 0 where it is none."""
    if not re.fullmatch(r"X{0,3}(?:IX|IV|V?I{0,3})", text) or not text:
        return 0
    values = {"I": 1, "V": 5, "X": 10}
    total = 0
    for here, after in zip(text, text[1:] + " ", strict=True):
        total += -values[here] if values.get(after, 0) > values[here] else values[here]
    return total


_STARRED = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)+?)(?<=\S)\1(?![_*])")


def unstarred(text: str) -> str:
    """``text`` without Markdown's signs for bold; code such as ``2**3`` has none."""
    if "**" not in text:
        return text
    return re.sub(
        r"(?<!\w)\*\*(?=\S)((?:(?!\*\*).)+?)(?<=\S)\*\*|\*\*(?=[A-Z(]\S?[.):]?\s)((?:(?!\*\*).)+?)\*\*", r"\1\2", text
    )


def starred(text: str) -> bool:
    """The whole line, list marks aside, is bold in Markdown."""
    return bool(re.fullmatch(r"(?:[-*+]\s+)?\*\*[^*]+\*\*\s*", text)) or bool(
        re.fullmatch(r"(?:[-*+]\s+)?[A-J][.)]\s*\*\*[^*]+\*\*\s*", text)
    )
