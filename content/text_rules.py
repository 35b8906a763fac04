"""What counts as the same text: one written form for all spellings of a typed answer.

Three views of a text, from near to far:

* ``plain``  – the same text in one spelling (widths, invisible characters, dashes, script); case and spaces stay;
* ``fold``   – the form in which two blanks are compared: nothing left but what carries meaning;
* ``says``   – whether a text mentions something, at word boundaries.

There is no fuzzy matching: equal forms are equal answers, everything else is another answer.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

LONGEST = 4000
"""Characters of an answer that are read at most; a longer one is no answer."""

_DROPPED_MARKS = frozenset("\u034f\u115f\u1160\u3164\uffa0\u180b\u180c\u180d\u180f")
_NOT_POWERS = frozenset("ªº™℠")

_SAME = {
    "-": "‐‑‒–—―⁃−➖﹘－˗⸺⸻",
    "'": "‘’‚‛′‵ʹʻʼ´`＇ˋ",
    '"': "“”„‟〝〞«»‹›「」『』《》〈〉【】〔〕〖〗",
    "~": "∼〜˜⁓",
    "×": "✕✖⨯╳⨉",
    "*": "∗⁎",
    "·": "⋅∙•‧・●▪",
    ":": "∶",
    "|": "∣❘",
    "/": "⁄∕÷⧸",
    "≤": "≦⩽≲",
    "≥": "≧⩾≳",
    "→": "⟶➝➔➜",
    "Σ": "∑",
    "Π": "∏",
    "Δ": "∆",
    "μ": "µ",
}
_ONE_SPELLING = {ord(other): one for one, others in _SAME.items() for other in others}
_BEFORE_NFKC = {ord(c): _ONE_SPELLING[ord(c)] for c in "´˜"}  # NFKC would make a space and an accent of them

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN_GAP = re.compile(rf"(?<=[{_HAN}])\s+(?=[{_HAN}])")
_HAS_HAN = re.compile(rf"[{_HAN}]")


@cache
def _simplifier() -> Any:
    """OpenCC's traditional-to-simplified converter, made on first use because it reads dictionaries."""
    import opencc

    return opencc.OpenCC("t2s")


def simplify(text: str) -> str:
    """Traditional Chinese as simplified; 著 as 着 too, which OpenCC leaves alone."""
    if not _HAS_HAN.search(text):
        return text
    converted: str = _simplifier().convert(text)
    return converted.replace("著", "着")


@cache
def _is_power(char: str) -> bool:
    return char not in _NOT_POWERS and unicodedata.decomposition(char).startswith("<super>")


def _spell_out(text: str) -> str:
    """Raised characters as ``^`` and what is raised, ½ as 1/2: NFKC alone would turn 10⁹ into 109 and 1½ into 11/2."""
    out: list[str] = []
    raised = False
    for char in text:
        if _is_power(char):
            out.append(char if raised or out[-1:] == ["^"] else "^" + char)
            raised = True
            continue
        raised = False
        if unicodedata.decomposition(char).startswith("<fraction>") and out and out[-1][-1].isdecimal():
            out.append(" ")
        out.append(char)
    return "".join(out)


def _visible(char: str) -> str:
    """The character, a space for white space, nothing for what cannot be seen; all decimal digits as 0–9."""
    category = unicodedata.category(char)
    if category in ("Cf", "Cs") or char in _DROPPED_MARKS or "\ufe00" <= char <= "\ufe0f" or char >= "\U000e0100":
        return ""
    if category == "Cc":
        return " " if char.isspace() else ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    return " " if category[0] == "Z" else char


def plain(text: str) -> str:
    """The same text in one spelling: NFKC, nothing invisible, one kind of dash, quote, space and script; idempotent."""
    text = "".join(map(_visible, text)).translate(_BEFORE_NFKC)
    text = unicodedata.normalize("NFKC", _spell_out(text)).translate(_ONE_SPELLING)
    text = "".join(map(_visible, text))
    text = re.sub(r"\s+", " ", _HAN_GAP.sub("", text)).strip()
    return unicodedata.normalize("NFKC", simplify(text))


# --- folding ---------------------------------------------------------------------------------------------------------

_GREEK = {
    char: unicodedata.name(char).split()[-1].lower().replace("lamda", "lambda") for char in "αβγδεζηθικλμνξοπρστυφχψω"
}
_FUNCTIONS = frozenset(
    (
        "log",
        "ln",
        "lg",
        "exp",
        "sqrt",
        "max",
        "min",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sum",
        "mean",
        "var",
        "softmax",
        "mod",
    )
)
_LATIN = "A-Za-z\u00df-\u00f6\u00f8-\u024f\u00c0-\u00d6\u00d8-\u00de\u0370-\u03ff\u1e00-\u1fff\u0300-\u036f"
_TOKEN = re.compile(rf"(?P<num>[0-9]+(?:\.[0-9]+)*)|(?P<word>[{_LATIN}]+)|(?P<space> +)|(?P<other>.)", re.DOTALL)
_THOUSANDS = re.compile(r"(?<![\d.,])([1-9]\d{0,2})((?:,\d{3})+)(?![\d,])")
_LEAD_IN = re.compile(
    r"^(?:(?:the |my )?(?:answer|ans)\b\.?(?: ?[:=]| is\b:?)|(?:it is|it's|that is) "
    r"|(?:我的|正确)?答案?(?:应该?)?(?:是|为|:|=)+|是(?![否非]))",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^(['\"])([^'\"]+)['\"]$")
_BULLET = re.compile(r"^(?:[*·] |- )")
_SIGNS = (
    (re.compile(r">="), "≥"),
    (re.compile(r"<="), "≤"),
    (re.compile(r"(?:!=|=/=|<>)"), "≠"),
    (re.compile(r"-{2,}"), "-"),
    (re.compile(r"->"), "→"),
    (re.compile(r"(?<=[\w)]) ?\*\* ?(?=[\w(-])"), "^"),
    (re.compile(r"^(\*{1,3})([^*]+)\1$"), r"\2"),
    (re.compile(r"^\$([^$]+)\$$"), r"\1"),
    (re.compile(r"\\(?=[A-Za-z])"), ""),
    (re.compile(r"√|根号"), "sqrt "),
    (re.compile(r"(?<=[\^_])\{([^{}]*)\}"), r"(\1)"),
    (re.compile(r"(\bsqrt)\{([^{}]*)\}"), r"\1(\2)"),
    (re.compile(r"(\^|_|\b(?:sqrt|log|ln|lg|exp)) ?\((-?[\w.]+)\)"), r"\1\2"),
    (re.compile(r"_{3,}"), " "),
    (re.compile(r"(?<=\w)\(\)"), ""),
    (re.compile(r"^\((?![\d,; ]*\))([^()]*)\)$"), r"\1"),
    (re.compile(r"^\[(\w+)\]$"), r"\1"),
)
_LONE_LETTER = re.compile(r"(?<![^\W\d_])[A-Za-z]$")
_OPERATOR = re.compile(r"[-+*/^=<>≤≥≠|·×√()]")


def _bare(source: str, formula: bool = False) -> str:
    """``plain`` without what people write around an answer, operators in one spelling."""
    text = plain(source)
    text = _LEAD_IN.sub("", text, count=1).strip()
    text = _QUOTED.sub(r"\2", text if formula else _BULLET.sub("", text))
    text = _THOUSANDS.sub(lambda m: m[0].replace(",", ""), text)
    for pattern, replacement in _SIGNS:
        text = pattern.sub(replacement, text)
    text = text[: _end(text)].lstrip(",;:。、!? ")
    return text or plain(source)


def _end(text: str) -> int:
    """Where a text ends without its closing punctuation: LoRA! is LoRA, but n! is not n."""
    end = len(text)
    while end and text[end - 1] in " .,;:。、?!":
        before = text[max(0, end - 3) : end - 1]
        if text[end - 1] == "!" and (before[-1:].isdecimal() or before[-1:] == ")" or _LONE_LETTER.search(before)):
            break
        end -= 1
    return end


def is_formula(text: str) -> bool:
    """A text of single letters, numbers and operators (``n-1``, ``−log p``): there a hyphen is a minus."""
    text = _bare(text, formula=True)
    if not (_OPERATOR.search(text) or "sqrt" in text) or _HAS_HAN.search(text):
        return False
    known = _FUNCTIONS | frozenset(_GREEK.values())
    return all(word.casefold() in known for word in re.findall(rf"[{_LATIN}]{{2,}}", text))


class _Token:
    """A piece of a text with its neighbours' spacing, enough to decide whether a sign means something here."""

    __slots__ = ("kind", "spaced", "text")

    def __init__(self, kind: str, text: str, spaced: bool) -> None:
        self.kind, self.text, self.spaced = kind, text, spaced

    @property
    def is_short(self) -> bool:
        """A number or a one-letter name."""
        return self.kind == "num" or (self.kind == "word" and len(self.text) == 1)

    @property
    def is_word(self) -> bool:
        """A Latin word of two letters or more, or a Chinese character."""
        return self.kind == "han" or (self.kind == "word" and len(self.text) > 1)


_NONE = _Token("none", "", False)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    spaced = False
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind == "space":
            spaced = True
            continue
        if kind == "other":
            kind = "han" if match[0].isalpha() or _HAS_HAN.match(match[0]) else "sign"
        tokens.append(_Token(kind, match[0], spaced))
        spaced = False
    return tokens


def _letters(word: str) -> str:
    """Case, accents of words (naïve; but ŷ stays), and Greek letters by name (β₁, beta1 and beta_1 are one)."""
    word = unicodedata.normalize("NFKC", word.casefold())
    if len(word) >= 3:
        parts = unicodedata.normalize("NFD", word)
        word = unicodedata.normalize("NFC", "".join(c for c in parts if unicodedata.category(c) != "Mn"))
    return "".join(_GREEK.get(c, c) for c in word)


def _minus(before: _Token, token: _Token, after: _Token, formula: bool) -> bool:
    if after is _NONE:
        return before.text == "^"
    if formula:
        return True
    if before is _NONE:
        return not after.spaced
    if before.kind == "num" and after.kind == "num":
        return True
    if before.kind == "sign":
        return before.text in "(^=<>≤≥≠*/+,|[~" and not after.spaced
    # x-1 is not x1; but F-1 is F1, and GPT-4 is GPT4
    return before.kind == "word" and len(before.text) == 1 and before.text.islower() and after.kind == "num"


def _sign(before: _Token, token: _Token, after: _Token, formula: bool) -> str:
    """What is left of a sign between its neighbours: itself, another spelling, or nothing."""
    text = token.text
    joined = not token.spaced and not after.spaced
    if text == "-":
        return "-" if _minus(before, token, after, formula) else ""
    if text == ".":
        decimal = after.kind == "num" and not after.spaced and before.kind in ("none", "sign")
        dotted = joined and before.is_word and after.is_word and before.kind == after.kind == "word"
        return "." if decimal or dotted else ""
    if text in ",;、":
        between = before.kind == "num" and after.kind == "num"
        return "," if between or (formula and after is not _NONE) else ""
    if text == ":":
        return ":" if before.is_short and after.is_short else ""
    if text == "!":
        return "!" if not token.spaced and (before.is_short or before.text == ")") else ""
    if text == "'":
        prime = before.kind == "word" and before.is_short and not token.spaced and not (after.is_word and joined)
        return "′" if prime else ""
    if text in "*·×":
        if after is _NONE or before is _NONE:
            return {"·": "", "×": "x"}.get(text, "*" if before is not _NONE or not after.spaced else "")
        return "" if text == "·" and before.is_word and after.is_word else "*"
    if text == "_":
        return "" if joined and before.kind in ("num", "word") and after.kind in ("num", "word") else "_"
    if text == "&":
        return "and" if before.is_word and after.is_word else "&"
    if text in "~≈=":
        return "" if before is _NONE and after is not _NONE else text
    return "" if text in '"?。' else text


def _quoted(tokens: list[_Token], index: int) -> bool:
    """A ' two places before: what stands between is quoted, and the second ' is no prime."""
    return index >= 2 and tokens[index - 2].text == "'"


def _without_article(tokens: list[_Token]) -> list[_Token]:
    if len(tokens) < 2 or not tokens[1].spaced:
        return tokens
    article = tokens[0].text.lower()
    dropped = (article == "the" and tokens[1].kind != "sign") or (article in ("a", "an") and tokens[1].is_word)
    return tokens[1:] if dropped else tokens


def fold(text: str, *, formula: bool = False) -> str:
    """The form in which blanks are compared. With ``formula`` every hyphen is a minus and commas stay."""
    tokens = _without_article(_tokens(_bare(text, formula)))
    out: list[str] = []
    last = _NONE
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else _NONE
        after = tokens[index + 1] if index + 1 < len(tokens) else _NONE
        if token.kind == "sign":
            piece = "" if token.text == "'" and _quoted(tokens, index) else _sign(before, token, after, formula)
        elif token.kind == "word":
            times = token.text in "xX" and before.kind == "num" and after.kind == "num"
            piece = "*" if times else _letters(token.text)
        else:
            piece = token.text.casefold()
        if token.kind == "num" and last.kind == "num":
            piece = " " + piece  # "1 2" is not 12
        if piece:
            out.append(piece)
            last = token
    return "".join(out)


# --- mentions --------------------------------------------------------------------------------------------------------

_SPOKEN_SIGNS = frozenset("+#%^*=<>≤≥≠√@×/")


def _spoken(text: str) -> list[str]:
    text = _THOUSANDS.sub(lambda m: m[0].replace(",", ""), plain(text)[:LONGEST])
    pieces = []
    for token in _tokens(text):
        if token.kind == "word":
            pieces.append(_letters(token.text))
        elif token.kind != "sign" or token.text in _SPOKEN_SIGNS:
            pieces.append(token.text.casefold())
    return pieces


class Speech:
    """A text that can be asked what it mentions: ``Speech(text).says("load shedding")``."""

    def __init__(self, text: str) -> None:
        pieces = _spoken(text[:LONGEST])
        self._all = "".join(pieces)
        self._edges = {0}
        end = 0
        for piece in pieces:
            end += len(piece)
            self._edges.add(end)

    def says(self, mention: str) -> bool:
        """The mention stands in the text, from one word's edge to another's; spaces and hyphens do not matter."""
        wanted = "".join(_spoken(mention[:LONGEST]))
        start = self._all.find(wanted) if wanted else -1
        while start >= 0:
            if start in self._edges and start + len(wanted) in self._edges:
                return True
            start = self._all.find(wanted, start + 1)
        return False
