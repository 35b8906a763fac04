"""What an answer says: letters, a truth value, texts; and the rows of answer tables (``1.B 2.C``, ``1-5 BCADB``)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from content.importers.layout import LETTERS, Both, is_han

_SEPARATOR = r"[\s、,，;/&+|·.和与及]*(?:and\s+|or\s+)?[\s]*"
_LETTERS = re.compile(
    rf"(?:应?选\s*|选项\s*|option\s+|choice\s+"
    rf"|[(\[\"']\s*)*(?P<l>[A-J](?:{_SEPARATOR}[A-J])*)(?![A-Za-z0-9])\s*(?:选?项)?\s*[)\]\"']?(?:\s*(?:both"
    rf"|are correct|is correct))?"
)
_LOWER = re.compile(r"[(\[\"']?\s*(?P<l>[a-j](?:[\s、,;/&]*(?:and\s+)?[a-j])*)(?![A-Za-z0-9])\s*[)\]\"']?")
_CIRCLED = re.compile(r"(?P<l>[①-⑩](?:[\s、,]*[①-⑩])*)")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_END = r"(?=$|[\s.。,，;；:()\[\]!、/]|解析|因为|应|改)"
_TRUE = r"(?:正确的?|对的?|是的?|√|○|(?-i:O)(?!\s*\()|true|yes|right|correct|t|y|v)"
_FALSE = r"(?:不正确|错误的?|错的?|不对|不是|否|×|false|no|wrong|incorrect|f|n|x)"
_TRUTH = re.compile(
    rf"[(\[\"'\s]*(?:判断\s*[:]?\s*|该(?:说法|命题|陈述)|(?:这|此)(?:种|个)?说法|(?:the\s+)?statement is\s+"
    rf"|it is\s+|为)?(?:(?P<f>{_FALSE})|(?P<t>{_TRUE})){_END}\s*[)\]\"']?",
    re.I,
)


@dataclass(slots=True)
class Entry:
    """One row of an answer table, not yet matched to its question."""

    line: int
    number: int | None
    value: list[Both]
    why: list[Both] = field(default_factory=list)


def letters(value: Both) -> tuple[list[str], Both] | None:
    """The option letters an answer begins with, and the text behind; nothing where it begins otherwise."""
    roman = re.fullmatch(r"\(?(viii|vii|vi|iv|ix|iii|ii)[).]?", value.shape)
    if roman:
        return [LETTERS[_ROMANS.index(roman[1])]], Both("", "")
    for pattern in (_LETTERS, _LOWER, _CIRCLED):
        found = pattern.match(value.shape)
        if found and found["l"]:
            # "A model of …" is a text: a lone letter before plain Latin words says nothing.
            rest = value.cut(found.end())
            if len(found["l"]) == 1 and found["l"] in "Aa" and re.match(r"\s+[a-z]", value.shape[found.end("l") :]):
                return None
            signs = [c for c in found["l"] if c.upper() in LETTERS or "①" <= c <= "⑩"]
            if re.search(r"and|or", found["l"]):
                signs = [c for c in re.sub(r"and|or", " ", found["l"]) if c.upper() in LETTERS]
            names = [LETTERS[ord(c) - 0x2460] if c >= "①" else c.upper() for c in signs]
            rest = rest.cut(
                len(rest.shape) - len(rest.shape.lstrip(" .。,;:、)")) if not rest.shape.startswith("- ") else 2
            )
            return names, rest
    return None


def truth(value: Both) -> tuple[bool, Both] | None:
    """The truth value an answer begins with, and the text behind; nothing where it begins otherwise."""
    found = _TRUTH.match(value.shape)
    if not found:
        return None
    rest = value.cut(found.end())
    rest = rest.cut(len(rest.shape) - len(rest.shape.lstrip(" .。,;:、)")) if not rest.shape.startswith("- ") else 2)
    return found["t"] is not None, rest


_RANGE = re.compile(
    r"(?:第\s*)?(?P<a>\d{1,4})\s*题?\s*(?:-{1,3}|~|至|到|to)\s*(?:第\s*)?(?P<b>\d{1,4})\s*题?\s*[.:、)\]]*\s*", re.I
)
_UNIT = r"(?:[A-J](?:[\s、,]?[A-J])*|[a-j]{1,6}|√|×|○|正确|错误|不正确|对|错|True|False|[TFYNOX])"
_PAIR = re.compile(
    rf"[(\[]?\s*(?:第\s*|Q\s*|no\.?\s*)?(?P<n>\d{{1,4}})\s*(?:小?题)?\s*[)\]]?\s*[.、:)=\-,]*\s*(?:\[答案\]\s*:?"
    rf"|(?:正确)?答案\s*:?|选|(?:correct\s+)?answer\s*:?|ans\.?\s*:?)?\s*[(\[]?\s*(?P<v>{_UNIT})\s*[)\]]?(?=$"
    rf"|[\s;,.。、|/]|[(\[]?\s*\d)",
    re.I,
)


def entries(row: Both) -> list[tuple[int, Both]] | None:
    """Number and value of every answer in a row that holds nothing else; nothing for other rows.

    A range whose values do not fit its length gives an entry per number without a value.
    """
    if _RANGE.match(row.shape):
        return _ranges(row)
    out: list[tuple[int, Both]] = []
    position = 0
    while position < len(row.shape):
        found = _PAIR.match(row.shape, position)
        if not found:
            return None
        out.append((int(found["n"]), row.cut(found.start("v"), found.end("v"))))
        position = found.end()
        gap = re.compile(r"[\s;,.。、|/]*").match(row.shape, position)
        position = gap.end() if gap else position
    return out or None


def mixed_entries(row: Both, numbers: set[int | None]) -> list[tuple[int, Both]] | None:
    """``1. B 2. chain 3. key``: answers of any kind in one row, where all their numbers are among ``numbers``."""
    marks = list(re.finditer(r"(?:^|(?<=\s))\(?(\d{1,4})\s*[.、)]\s*(?=\S)(?!\d)", row.shape))
    found = [int(m[1]) for m in marks]
    if len(found) < 2 or marks[0].start() or found != list(range(found[0], found[0] + len(found))):
        return None
    if not set(found) <= numbers:
        return None
    ends = [m.start() for m in marks[1:]] + [len(row.shape)]
    values = [row.cut(m.end(), end) for m, end in zip(marks, ends, strict=True)]
    if any(not v or len(v.text) > 60 for v in values):
        return None
    return list(zip(found, values, strict=True))


def _ranges(row: Both) -> list[tuple[int, Both]] | None:
    out: list[tuple[int, Both]] = []
    marks = list(_RANGE.finditer(row.shape))
    if marks[0].start() != 0:
        return None
    for mark, end in zip(marks, [m.start() for m in marks[1:]] + [len(row.shape)], strict=True):
        first, last = int(mark["a"]), int(mark["b"])
        if not 0 < last - first < 200:
            return None
        values = series(row.cut(mark.end(), end), last - first + 1)
        if values is None and not re.fullmatch(r"[A-Ja-j√×○对错TFYN\s,;、.正确误不|/]*", row.shape[mark.end() : end]):
            return None
        empty = Both("", "")
        out += [(first + k, values[k] if values else empty) for k in range(last - first + 1)]
    return out


def series(text: Both, count: int | None) -> list[Both] | None:
    """``count`` values in a row: one sign each, or separated; nothing where they do not come out even."""
    tokens = [text.cut(m.start(), m.end()) for m in re.finditer(r"[^\s,;、.。|/]+", text.shape)]
    if not tokens or not all(re.fullmatch(rf"(?:{_UNIT})+", t.shape, re.I) for t in tokens):
        return None
    if count is not None and len(tokens) == count:
        return tokens
    signs: list[Both] = []
    for token in tokens:
        units = re.findall(r"不正确|正确|错误|[A-Ja-j√×○对错TFYNOX]", token.shape)
        if "".join(units) != token.shape:
            return None
        signs += [Both.of(u) for u in units]
    if count is None:
        return signs if len(signs) >= 2 and all(len(t.shape) >= 2 for t in tokens) else None
    return signs if len(signs) == count else None


_GRID = re.compile(
    rf"题号[\s:]+\d{{1,4}}(?:\s+\d{{1,4}})*|\d{{1,4}}(?:\s+\d{{1,4}}){{2,}}|(?:正确)?答案[\s:]+{_UNIT}(?:\s+{_UNIT})*|{_UNIT}(?:\s+{_UNIT}){{2,}}"
)


def is_answer_grid(folded: str) -> bool:
    """A row of numbers (``题号 1 2 3``) or of answers (``答案 B C A``), as tables look once they are plain text."""
    return bool(_GRID.fullmatch(folded))


_ORDERED = re.compile(
    r"\s*(?:[①-⑩]|[(（]\s*\d{1,2}\s*[)）]|第[一二三四五六七八九\d]空\s*[:：]?|blank\s*\d\s*[:：]|(?<!\d)\d{1,2}\s*[)、])\s*"
)
_BLANK_LABEL = re.compile(r"^(?:第[一1]空|\(1\)|（1）|①|blank\s*1)\s*[:：.]?\s*", re.I)
_OR = re.compile(r"\s+or\s+|\s*(?:或者?|亦可(?:写)?为|或写作)\s*")
_ALSO = re.compile(
    r"[(（\[【]\s*(?:或者?|也可(?:以)?(?:写|填|答)?(?:为|作|成)?|又称|也称|亦称|即|or"
    r"|also(?: accepted)?:?)\s*[:：]?\s*([^()（）\[\]【】]+)[)）\]】]",
    re.I,
)
_PAIRED_WORDS = re.compile(
    r"(?:TCP/IP|I/O|and/or|input/output|client/server|read/write|encoder/decoder|train/test|A/B|on/off|yes/no"
    r"|true/false|n/a|c/c\+\+|k/v|q/k/v|输入/输出)",
    re.I,
)


def blank_texts(value: str, blanks: int) -> list[str]:
    """The accepted texts of one blank, or one text per blank; the whole where the parts do not fit the blanks."""
    text = value.strip().rstrip("。").strip()
    text = _BLANK_LABEL.sub("", text) if blanks <= 1 else text
    if not text:
        return []
    if blanks > 1:
        parts = _per_blank(text, blanks)
        return parts if parts is not None else [text]
    return alternatives(text)


def _per_blank(text: str, blanks: int) -> list[str] | None:
    if len(_ORDERED.findall(text)) >= blanks:
        parts = [p.strip(" ;；,，、|。") for p in _ORDERED.split(text)]
        parts = [p for p in parts if p]
        if len(parts) == blanks:
            return parts
    for pattern in (r"[;；]", r"\|+", r"\t+|\s{2,}", r"、", r"[,，]", r"(?<!\d)[/／]|[/／](?!\d)", r"\s+", r"和|与"):
        parts = [p.strip() for p in re.split(pattern, text)]
        parts = [p for p in parts if p]
        if len(parts) == blanks:
            return parts
    return None


def alternatives(text: str) -> list[str]:
    """The texts accepted for one blank: split at 或, or, |, ；, ``（或 …）`` and a slash between like things."""
    extra = [m.strip() for m in _ALSO.findall(text)]
    text = _ALSO.sub("", text).strip()
    parts = [text]
    for pattern in (r"\s*\|+\s*", r"\s*[;；]\s*", _OR.pattern):
        parts = [piece for part in parts for piece in re.split(pattern, part)]
    parts = [piece for part in parts for piece in _at_slash(part)]
    out: list[str] = []
    for part in (*parts, *extra):
        part = part.strip()
        if part and part not in out:
            out.append(part)
    return out


def _at_slash(text: str) -> list[str]:
    pieces = re.split(r"\s+[/／]\s+", text)
    if len(pieces) > 1:
        return pieces
    pieces = re.split(r"[/／]", text)
    if len(pieces) < 2 or not all(p.strip() for p in pieces) or _PAIRED_WORDS.fullmatch(text.strip()):
        return [text]
    han = [any(is_han(c) for c in p) for p in pieces]
    if any(han):
        return (
            pieces
            if all(han)
            or all(h or re.fullmatch(r"[A-Za-z][\w .+-]*", p.strip()) for h, p in zip(han, pieces, strict=True))
            else [text]
        )
    # FP16/BF16, GB/s and 1/3 are one thing each; with a written-out word among them they are ways to say it.
    words = any(re.search(r"[A-Za-z][a-z]{3,}", p) for p in pieces) and all(len(p.strip()) > 1 for p in pieces)
    return pieces if words else [text]
