"""The bytes of a document as numbered lines of text: encodings, line ends, limits. Nothing here knows of questions."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from content.importers.report import ImportFault, Problem

MAX_BYTES = 5 * 1024 * 1024

_COMMON = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方"
    "后多定行学法所民得经"
    "十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外"
    "天政四日那社义事平形相"
    "全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想"
    "已通并提直题程展五果料"
    "象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别手角期根论运农指選擇題單判斷"
    "填空答案數據訓練參模型"
    "這個為國時來們對會發動學經進著電實體機當業應開還與關線內間樣無變條沒結問總設長資邊統較組見計運錯誤確說選项"
    "错误确择判断题简述"
    "，。、；：？！（）【】《》“”·—…①②③④⑤１２３４５ＡＢＣＤＥ√×　"
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_WIDE_GAP = re.compile("[ \t\u00a0\u3000]{41,}")
_FOLDS = re.compile(r"</?(?:details|summary)>", re.I)  # what hides answers on web pages
_COMBINING = re.compile("[\u0300-\u036f]")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\u2061\u2062\u2063\ufeff\u00ad\u202a-\u202e\u2066-\u2069]")
# Marks that one character stands for but that are read as several: "⒈" is "1.", "⑴" is "(1)", "Ⓐ" is "(A)".
_EXPANDED = {
    **{chr(0x2488 + n): f"{n + 1}." for n in range(20)},
    **{chr(0x2474 + n): f"({n + 1})" for n in range(20)},
    **{chr(0x3220 + n): f"({'一二三四五六七八九十'[n]})" for n in range(10)},
    **{chr(0x24B6 + n): f"({chr(0x41 + n)})" for n in range(10)},
    **{chr(0x249C + n): f"({chr(0x61 + n)})" for n in range(10)},
    "☑️": "☑",
    "✔️": "✔",
    "✖️": "✖",
    "❌": "✗",
    "✅": "✓",
    "\u2028": " ",
    "\u2029": " ",
    "\x0b": " ",
    "\x0c": " ",
    "\x85": " ",
}
_EXPAND = re.compile("|".join(map(re.escape, sorted(_EXPANDED, key=len, reverse=True))))


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a line that a Word file sets off: ``underline``, or ``strong`` (bold, coloured or highlighted)."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``number`` counts from 1 as an editor (or, in Word, the paragraphs) would; ``gap``: blank before it."""

    number: int
    text: str
    gap: bool = False
    marks: tuple[Mark, ...] = ()
    indent: int = 0  # columns before the text; code keeps them


@dataclass(frozen=True, slots=True)
class Document:
    """The lines that hold text, in order, and what went wrong on the way."""

    lines: tuple[Line, ...]
    problems: tuple[Problem, ...] = ()
    sha256: str = ""


def clean(text: str) -> str:
    """One line without margins, control and invisible characters; all that may be done before damage is repaired."""
    text = _FOLDS.sub(" ", text)
    text = _WIDE_GAP.sub(lambda found: found[0][:40], _INVISIBLE.sub("", _CONTROL.sub("", text)))
    if _COMBINING.search(text):
        text = unicodedata.normalize("NFC", text)
    return text.strip()


def written_out(text: str) -> str:
    """The line in NFC, with list marks of one character ("⒈") as several ("1.")."""
    return unicodedata.normalize("NFC", _EXPAND.sub(lambda found: _EXPANDED[found.group(0)], text)).strip()


def numbered(texts: Sequence[str]) -> tuple[Line, ...]:
    """Lines that hold text, numbered from 1 with the blank ones counted."""
    lines: list[Line] = []
    gap = False
    for number, raw in enumerate(texts, 1):
        text = clean(raw)
        if text:
            margin = raw.lstrip("\ufeff").expandtabs(4)
            lines.append(Line(number, text, gap, indent=len(margin) - len(margin.lstrip())))
        gap = not text
    return tuple(lines)


def read_document(path: Path) -> Document:
    """The lines of a text or Word file, told apart by content.

    Raises ``ImportFault`` where there is nothing to read: no file, more than 5 MB, no text, an unsafe archive.
    """
    data = _bytes(path)
    return replace(_read(data, path), sha256=hashlib.sha256(data).hexdigest())


def _read(data: bytes, path: Path) -> Document:
    if data.startswith(b"PK\x03\x04"):
        from content.importers.word import read_word

        return read_word(data, path.name)
    _refuse_known_binaries(data, path.name)
    text = decode(data, path.name)
    lines = numbered(re.split(r"\r\n|\r|\n", text))
    if not lines:
        raise ImportFault(f"{path.name} is empty: save the document again with its text and import that file.")
    return Document(lines)


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise ImportFault(f"{path} is a folder: give the path of one .txt or .docx file.")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ImportFault(
                f"{path.name} has {size / 1024 / 1024:.1f} MB, more than the 5 MB that are read: split the document."
            )
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ImportFault(f"There is no file {path}: check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ImportFault(f"{path} cannot be read ({reason}): check the path and its permissions.") from None
    if len(data) > MAX_BYTES:
        raise ImportFault(f"{path.name} has more than the 5 MB that are read: split the document.")
    return data


def _refuse_known_binaries(data: bytes, name: str) -> None:
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise ImportFault(f"{name} is in the old Word format: open it in Word and save it as .docx.")
    if data.startswith(b"%PDF"):
        raise ImportFault(f"{name} is a PDF: copy its text into a .txt or .docx file and import that.")
    if data.startswith(b"{\\rtf"):
        raise ImportFault(f"{name} is in rich text format: save it as .docx or plain text.")


def decode(data: bytes, name: str = "The file") -> str:
    """The text of ``data`` in UTF-8/16/32, GB18030, Big5 or a Western encoding; raises ``ImportFault`` for no text."""
    text = _decode_marked(data)
    if text is None:
        text = _decode_strict(data, "utf-8")
    if text is None:
        text = _best_guess(data)
    odd = len(_CONTROL.findall(text)) + text.count("\ufffd")
    if odd > 0.1 * len(text) + 2:
        raise ImportFault(f"{name} is not a text: import a plain text (.txt) or Word (.docx) document.")
    return text


def _decode_strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _decode_marked(data: bytes) -> str | None:
    """Text with a byte order mark, or with the zero bytes that give UTF-16 away."""
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe\x00\x00", "utf-32-le"),
        (b"\x00\x00\xfe\xff", "utf-32-be"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if data.startswith(mark):
            body = data[len(mark) :]
            strict = _decode_strict(body, encoding)
            if strict is None and encoding == "utf-8":
                return _best_guess(body)
            return body.decode(encoding, "replace") if strict is None else strict
    sample = data[:4096]
    if len(sample) >= 4 and b"\x00" in sample:
        # Line ends and digits are ASCII in every exam, so UTF-16 shows zeros on one side of the pairs only.
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if odd > 4 * even or even > 4 * odd:
            return _decode_strict(data, "utf-16-le" if odd > even else "utf-16-be")
    return None


def _chinese_score(text: str) -> float:
    """Share of common Chinese characters among all that are not ASCII, less what no Chinese text holds."""
    other = [c for c in text if c > "\x7f"]
    if not other:
        return 1.0
    common = sum(c in _COMMON for c in other)
    odd = sum(c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn", "Cc") for c in other)
    return (common - 3 * odd) / len(other)


def _best_guess(data: bytes) -> str:
    """Text that is not UTF-8: a Western one shows single high bytes, a Chinese one pairs of them."""
    high = sum(b > 0x7F for b in data)
    paired = len(re.findall(rb"[\x81-\xfe][\x80-\xfe]", data)) * 2
    if high and paired < 0.4 * high:
        western = _decode_strict(data, "cp1252")
        return data.decode("latin-1") if western is None else western
    # Most scores tell the encodings apart on the first bytes; the cut may split a character, hence "replace".
    sample = data[:65_536]
    scores = {e: _chinese_score(sample.decode(e, "replace")) for e in ("gb18030", "big5hkscs", "utf-8")}
    best = max(scores, key=lambda e: scores[e])
    if scores[best] < 0.2:
        from charset_normalizer import from_bytes

        guess = from_bytes(sample).best()
        if guess is not None:
            return data.decode(guess.encoding, "replace")
    return data.decode(best, "replace")
