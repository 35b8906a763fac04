"""Word files as lines: paragraphs and table cells in order, with the list numbers that Word only draws.

``paragraph.text`` has no list numbers (they live in ``numPr``), so a paper with automatic numbers would lose every
item and option mark; they are counted here as Word counts them. A line's number is the ordinal of its paragraph.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from content.importers.document import Document, Line, Mark, clean
from content.importers.report import ImportFault, Problem

MAX_EXPANDED = 50 * 1024 * 1024  # ten times the largest file that is read
_BOMB_RATIO, _BOMB_BYTES = 100, 5 * 1024 * 1024

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT_W = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
# Ticks, crosses and boxes of the Wingdings and Symbol fonts.
_SYMBOLS = {"F0FC": "✓", "F0FB": "✗", "F0FE": "☑", "F0FD": "☒", "F0A8": "□", "F050": "✓", "F04F": "✗", "F0D6": "√"}
_UP = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_DOWN = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_HAN_DIGITS = "〇一二三四五六七八九"
_SKIPPED = frozenset(
    (
        "del", "moveFrom", "instrText", "delText", "delInstrText", "rt", "pPr", "tblPr", "trPr", "tcPr", "sectPr",
        "txbxContent",
    )
)  # fmt: skip


def read_word(data: bytes, name: str) -> Document:
    """The lines of a .docx file; raises ``ImportFault`` where it is none, or not safe to open."""
    parts = _parts(data, name)
    body = _xml(parts["document"], name)
    numbering = _Numbering(parts, name)
    reader = _Reader(numbering)
    root = next((child for child in body if _tag(child) == "body"), body)
    reader.read(root)
    if not reader.lines:
        hint = "it holds only pictures" if reader.pictures else "it holds no text"
        raise ImportFault(f"{name} has nothing to read, {hint}: type the questions as text and import again.")
    return Document(tuple(reader.lines), tuple(reader.problems()))


def _parts(data: bytes, name: str) -> dict[str, bytes]:
    """The parts that matter, read within the limits whatever the archive's directory claims."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = {info.filename.lstrip("/"): info for info in archive.infolist()}
            main = "word/document.xml"
            if main not in infos:
                main = next((n for n in infos if re.fullmatch(r"word/document\d*\.xml", n)), "")
            if not main:
                raise ImportFault(f"{name} is an archive but no Word document: save the exam as .docx or plain text.")
            if sum(info.file_size for info in infos.values()) > MAX_EXPANDED:
                raise ImportFault(_bomb(name))
            wanted = {"document": main, "numbering": "word/numbering.xml", "styles": "word/styles.xml"}
            parts: dict[str, bytes] = {}
            for key, part in wanted.items():
                if part in infos:
                    with archive.open(infos[part]) as file:
                        parts[key] = file.read(MAX_EXPANDED + 1)
                    if _is_bomb(len(parts[key]), len(data)):
                        raise ImportFault(_bomb(name))
            return parts
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError):
        raise ImportFault(f"{name} is damaged or locked by a password: open it in Word and save it again.") from None


def _is_bomb(expanded: int, packed: int) -> bool:
    return expanded > MAX_EXPANDED or (expanded > _BOMB_BYTES and expanded > _BOMB_RATIO * packed)


def _bomb(name: str) -> str:
    return f"{name} unpacks to far more than a document of its size: copy its text into a new file and import that."


def _xml(data: bytes, name: str) -> Any:
    """The root element, by a parser that opens no entities and no network; a document type is refused."""
    from docx.oxml import parse_xml

    try:
        root = parse_xml(data)
    except Exception:
        raise ImportFault(f"{name} holds broken XML: open it in Word and save it again.") from None
    if root.getroottree().docinfo.doctype:
        raise ImportFault(f"{name} declares XML entities, which no Word file does: save it again in Word.")
    return root


def _tag(element: Any) -> str:
    """The local name of a WordprocessingML element; other namespaces keep a prefix; comments give nothing."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    for space in (_W, _STRICT_W):
        if tag.startswith(space):
            return tag[len(space) :]
    if tag.startswith(_M):
        return "m:" + tag[len(_M) :]
    if tag.startswith(_MC):
        return "mc:" + tag[len(_MC) :]
    return "x:" + tag.rpartition("}")[2]


def _children(element: Any, name: str) -> Iterator[Any]:
    return (child for child in element if _tag(child) == name)


def _child(element: Any, *names: str) -> Any:
    for name in names:
        element = next(_children(element, name), None) if element is not None else None
    return element


def _value(element: Any, name: str = "val") -> str:
    if element is None:
        return ""
    return str(element.get(_W + name) or element.get(_STRICT_W + name) or "")


def _on(element: Any) -> bool:
    return element is not None and _value(element) not in ("0", "false", "none", "off")


def _whole(text: str, default: int = 0) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else default


def _roman(number: int) -> str:
    out = ""
    signs = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
    for value, sign in signs:
        while number >= value and len(out) < 20:
            out, number = out + sign, number - value
    return out


def han_number(number: int) -> str:
    """1..99 in Chinese counting: 十, 十二, 二十三; other numbers digit by digit."""
    if not 0 < number < 100:
        return "".join(_HAN_DIGITS[int(d)] for d in str(abs(number)))
    tens, ones = divmod(number, 10)
    head = "" if not tens else ("十" if tens == 1 else _HAN_DIGITS[tens] + "十")
    return head + (_HAN_DIGITS[ones] if ones else "")


def _letters(number: int) -> str:
    return chr(0x41 + (number - 1) % 26) * ((number - 1) // 26 + 1) if number > 0 else ""


def _format(number: int, kind: str) -> str:
    if kind == "upperLetter":
        return _letters(number)
    if kind == "lowerLetter":
        return _letters(number).lower()
    if kind in ("upperRoman", "lowerRoman"):
        return _roman(number) if kind == "upperRoman" else _roman(number).lower()
    if kind.startswith(("chinese", "japanese", "taiwanese", "ideograph", "korean")):
        return han_number(number)
    if kind.startswith("decimalEnclosedCircle") and 0 < number <= 20:
        return chr(0x245F + number)
    if kind == "decimalZero":
        return f"{number:02d}"
    return str(number)


@dataclass(slots=True)
class _Level:
    start: int = 1
    kind: str = "decimal"
    text: str = ""
    restart: int | None = None


@dataclass(slots=True)
class _List:
    abstract: str
    starts: dict[int, int] = field(default_factory=dict)
    levels: dict[int, _Level] = field(default_factory=dict)
    fresh: set[int] = field(default_factory=set)


class _Numbering:
    """Word's list counters: one set per abstract list, restarted where a list says so."""

    def __init__(self, parts: dict[str, bytes], name: str) -> None:
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, _List] = {}
        self._styles: dict[str, tuple[str, str, str]] = {}  # style -> (numId, ilvl, parent)
        self._counts: dict[str, dict[int, int]] = {}
        if "numbering" in parts:
            self._read_numbering(_xml(parts["numbering"], name))
        if "styles" in parts:
            for style in _children(_xml(parts["styles"], name), "style"):
                num = _child(style, "pPr", "numPr")
                self._styles[_value(style, "styleId")] = (
                    _value(_child(num, "numId")) if num is not None else "",
                    _value(_child(num, "ilvl")) if num is not None else "",
                    _value(_child(style, "basedOn")),
                )

    def _read_numbering(self, root: Any) -> None:
        for abstract in _children(root, "abstractNum"):
            levels = {_whole(_value(lvl, "ilvl")): self._level(lvl) for lvl in _children(abstract, "lvl")}
            self._abstract[_value(abstract, "abstractNumId")] = levels
        for num in _children(root, "num"):
            listed = _List(_value(_child(num, "abstractNumId")))
            for override in _children(num, "lvlOverride"):
                level = _whole(_value(override, "ilvl"))
                start = _child(override, "startOverride")
                if start is not None:
                    listed.starts[level] = _whole(_value(start), 1)
                own = _child(override, "lvl")
                if own is not None:
                    listed.levels[level] = self._level(own)
            listed.fresh = set(listed.starts)
            self._lists[_value(num, "numId")] = listed

    @staticmethod
    def _level(lvl: Any) -> _Level:
        restart = _child(lvl, "lvlRestart")
        return _Level(
            _whole(_value(_child(lvl, "start")), 1),
            _value(_child(lvl, "numFmt")) or "decimal",
            _value(_child(lvl, "lvlText")),
            None if restart is None else _whole(_value(restart)),
        )

    def _place(self, properties: Any) -> tuple[str, int]:
        own = _child(properties, "numPr") if properties is not None else None
        number = _value(_child(own, "numId")) if own is not None else ""
        level = _value(_child(own, "ilvl")) if own is not None else ""
        style, seen = _value(_child(properties, "pStyle")) if properties is not None else "", 0
        while style and seen < 20 and not (number and level):
            style_number, style_level, parent = self._styles.get(style, ("", "", ""))
            number, level = number or style_number, level or style_level
            style, seen = parent, seen + 1
        return number, min(8, max(0, _whole(level)))

    def mark(self, properties: Any) -> str:
        """The number or letter that Word would draw before a paragraph with these properties, with a space."""
        number, level = self._place(properties)
        listed = self._lists.get(number)
        if listed is None or number in ("", "0"):
            return ""
        levels = {**self._abstract.get(listed.abstract, {}), **listed.levels}
        here = levels.get(level)
        if here is None:
            return ""
        counts = self._counts.setdefault(listed.abstract, {})
        if level in listed.fresh:
            listed.fresh.discard(level)
            counts[level] = listed.starts[level]
        else:
            counts[level] = counts[level] + 1 if level in counts else listed.starts.get(level, here.start)
        for deeper in [d for d in counts if d > level]:
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or 0 < restart > level:
                del counts[deeper]
        if here.kind == "bullet":
            return "• "
        if here.kind == "none" or not here.text:
            return ""
        text = re.sub(r"%(\d)", lambda m: self._counted(int(m[1]) - 1, levels, counts), here.text)
        return text + " "

    @staticmethod
    def _counted(level: int, levels: dict[int, _Level], counts: dict[int, int]) -> str:
        shape = levels.get(level, _Level())
        return _format(counts.get(level, shape.start), shape.kind)


class _Reader:
    """Walks the body and keeps the lines."""

    def __init__(self, numbering: _Numbering) -> None:
        self.lines: list[Line] = []
        self.pictures: list[int] = []
        self._numbering = numbering
        self._ordinal = 0
        self._gap = False

    def problems(self) -> list[Problem]:
        """Pictures, which nobody but a reader can turn into text."""
        return [
            Problem(
                ordinal,
                "W-PICTURE",
                "The paragraph holds a picture, which is not read.",
                "Say in words what the picture shows, or leave the question out.",
            )
            for ordinal in self.pictures
        ]

    def read(self, element: Any) -> None:
        """Paragraphs and tables of ``element`` in order, looking through containers such as content controls."""
        for child in element:
            tag = _tag(child)
            if tag == "p":
                self._paragraph(child)
            elif tag == "tbl":
                self._table(child)
            elif tag and tag not in _SKIPPED and tag != "mc:Fallback":
                self.read(child)

    def _paragraph(self, paragraph: Any) -> None:
        self._ordinal += 1
        text, marks = self._text(paragraph)
        self._add(self._numbering.mark(_child(paragraph, "pPr")) if text.strip() else "", text, marks)
        for box in _boxes(paragraph):
            self.read(box)

    def _add(self, prefix: str, text: str, marks: list[Mark]) -> None:
        start = 0
        for piece in text.split("\n"):
            whole = clean(prefix + piece)
            if whole:
                # Marks are kept only where cleaning moved nothing but the margins.
                shift = whole.find(piece.strip())
                lead = len(piece) - len(piece.lstrip())
                kept = tuple(
                    Mark(max(0, m.start - start - lead) + shift, m.end - start - lead + shift, m.kind)
                    for m in marks
                    if shift >= 0 and m.start < start + len(piece.rstrip()) and m.end > start + lead
                )
                self.lines.append(Line(self._ordinal, whole, self._gap, kept))
            self._gap = not whole
            start += len(piece) + 1
            prefix = ""

    def _text(self, paragraph: Any) -> tuple[str, list[Mark]]:
        pieces: list[str] = []
        marks: list[Mark] = []
        length = 0
        for run, kinds in self._runs(paragraph):
            if not run:
                continue
            for kind in kinds:
                if marks and marks[-1].kind == kind and marks[-1].end == length:
                    marks[-1] = Mark(marks[-1].start, length + len(run), kind)
                else:
                    marks.append(Mark(length, length + len(run), kind))
            pieces.append(run)
            length += len(run)
        return "".join(pieces), [m for m in marks if m.kind]

    def _runs(self, element: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
        for child in element:
            tag = _tag(child)
            if tag == "r":
                yield self._run(child)
            elif tag == "m:t":
                yield str(child.text or ""), ()
            elif tag and tag not in _SKIPPED and tag not in ("mc:Fallback", "p", "tbl"):
                yield from self._runs(child)

    def _run(self, run: Any) -> tuple[str, tuple[str, ...]]:
        text = "".join(self._run_pieces(run))
        properties = _child(run, "rPr")
        if properties is None or not text:
            return text, ()
        align = _value(_child(properties, "vertAlign"))
        if align == "superscript":
            raised = text.translate(_UP)
            text = raised if not re.search(r"[\w]", re.sub(r"[⁰¹²³⁴-⁹ⁿⁱ]", "", raised)) else "^" + text
        elif align == "subscript":
            text = text.translate(_DOWN)
        underlined = _on(_child(properties, "u")) and _value(_child(properties, "u")) != "none"
        if underlined and not text.strip():
            return "_" * max(4, len(text)), ()
        kinds: tuple[str, ...] = ("underline",) if underlined else ()
        coloured = _value(_child(properties, "color")).lower() not in ("", "auto", "000000", "111111", "333333")
        if _on(_child(properties, "b")) or coloured or _on(_child(properties, "highlight")):
            kinds += ("strong",)
        return text, kinds

    def _run_pieces(self, element: Any) -> Iterator[str]:
        for child in element:
            tag = _tag(child)
            if tag == "t":
                yield str(child.text or "")
            elif tag in ("tab", "ptab"):
                yield "\t"
            elif tag in ("br", "cr"):
                yield "\n"
            elif tag == "noBreakHyphen":
                yield "-"
            elif tag == "sym":
                yield _SYMBOLS.get(_value(child, "char").upper(), "")
            elif tag in ("drawing", "pict", "object"):
                if not any(True for _ in _boxes(child)) and self._ordinal not in self.pictures:
                    self.pictures.append(self._ordinal)
            elif tag in ("mc:AlternateContent", "mc:Choice", "ruby", "rubyBase", "r"):
                yield from self._run_pieces(child)

    def _table(self, table: Any) -> None:
        rows = [list(_cells(row)) for row in _rows(table)]
        texts = [[self._cell_text(cell) for cell in row] for row in rows]
        from content.importers.tables import rewritten

        plan = rewritten(texts)
        for row_index, row in enumerate(rows):
            if plan is not None:
                self._planned_row(row, plan[row_index])
                continue
            for cell in row:
                self.read(cell)
        self._gap = True

    def _planned_row(self, row: list[Any], planned: list[tuple[int, str]]) -> None:
        """A row of a table whose head told what its columns mean; every line gets its own cell's ordinal."""
        firsts: list[int] = []
        for cell in row:
            firsts.append(self._ordinal + 1)
            self._ordinal += sum(1 for _ in _paragraphs(cell))
        for column, text in planned:
            for piece in text.split("\n"):
                whole = clean(piece)
                if whole:
                    ordinal = firsts[column] if column < len(firsts) else self._ordinal
                    self.lines.append(Line(ordinal, whole, self._gap))
                    self._gap = False

    def _cell_text(self, cell: Any) -> str:
        ordinal, pictures = self._ordinal, list(self.pictures)
        texts = [self._text(paragraph)[0] for paragraph in _paragraphs(cell)]
        self._ordinal, self.pictures = ordinal, pictures
        return "\n".join(texts).strip()


def _boxes(element: Any) -> Iterator[Any]:
    for child in element:
        tag = _tag(child)
        if tag == "txbxContent":
            yield child
        elif tag and tag != "mc:Fallback" and tag not in ("p", "tbl"):
            yield from _boxes(child)


def _paragraphs(element: Any) -> Iterator[Any]:
    for child in element:
        tag = _tag(child)
        if tag == "p":
            yield child
        elif tag and tag != "mc:Fallback" and tag not in _SKIPPED:
            yield from _paragraphs(child)


def _rows(table: Any) -> Iterator[Any]:
    for child in table:
        tag = _tag(child)
        if tag == "tr":
            yield child
        elif tag in ("sdt", "sdtContent", "ins", "customXml"):
            yield from _rows(child)


def _cells(row: Any) -> Iterator[Any]:
    for child in row:
        tag = _tag(child)
        if tag == "tc":
            yield child
        elif tag in ("sdt", "sdtContent", "ins", "customXml"):
            yield from _cells(child)
