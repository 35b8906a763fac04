"""The converter's damage on purpose: pinyin behind traditional characters, put into bytes blind to their borders."""

from __future__ import annotations

from functools import cache

import opencc
import pypinyin

_TO_TRADITIONAL = opencc.OpenCC("s2t")
_TO_SIMPLIFIED = opencc.OpenCC("t2s")


@cache
def traditional(character: str) -> str:
    """A character by itself in traditional script, where GBK has it."""
    changed = _TO_TRADITIONAL.convert(character)
    try:
        changed.encode("gbk")
    except UnicodeEncodeError:
        return character
    return changed


@cache
def _note(pair: bytes) -> bytes:
    """What the converter writes behind two bytes that look to it like a traditional character."""
    try:
        character = pair.decode("gbk")
    except UnicodeDecodeError:
        return b""
    if len(character) != 1 or not "\u4e00" <= character <= "\u9fff" or _TO_SIMPLIFIED.convert(character) == character:
        return b""
    return f"({pypinyin.pinyin(character)[0][0]})".encode("gb18030")


def clean_line(text: str) -> str:
    """The line as it was before the damage: traditional, character by character."""
    return "".join(map(traditional, text))


def damaged(line: str) -> tuple[str, bool]:
    """A line (already traditional) after the converter, as a page shows it; and whether more than brackets is lost."""
    source = line.encode("gbk")
    out, i = bytearray(), 0
    while i < len(source):
        pair = source[i : i + 2]
        note = _note(bytes(pair)) if len(pair) == 2 and pair[0] > 0x80 else b""
        out += pair if note else source[i : i + 1]
        out += note
        i += 2 if note else 1
    return _shown(bytes(out))


def _shown(data: bytes) -> tuple[str, bool]:
    """Bytes as a lenient decoder shows them: a lead byte without a fitting one swallows what follows it."""
    out: list[str] = []
    i, lossy = 0, False
    while i < len(data):
        if data[i] <= 0x80:
            out.append(chr(data[i]) if data[i] < 0x80 else "€")  # code page 936 has the euro sign there
            i += 1
            continue
        for size in (2, 4):
            try:
                out.append(data[i : i + size].decode("gb18030"))
                i += size
                break
            except UnicodeDecodeError:
                continue
        else:
            out.append("?")
            # The bracket of an annotation is no loss; a digit, a space and the last byte of a line are.
            lossy = lossy or data[i + 1 : i + 2] != b"("
            i += 2
    return "".join(out), lossy
