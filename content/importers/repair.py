"""Mends text that a converter damaged: pinyin in brackets behind traditional characters, at byte level.

The damage, common on Chinese document-sharing pages: text was turned into traditional characters, then ``(pinyin)``
was appended to every changed character by a program that worked on GBK bytes and ignored where characters begin.
Where it hit a character's border the following text was shifted by one byte until the next ASCII byte:
``因為它結合`` became ``因?yàn)樗…Y(jié)合``. The repair replays the bytes and keeps the reading that makes most sense.

Pure: text in, text out. Never raises; gives text back unchanged unless the whole document shows this damage.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

_PINYIN = "[a-zāáǎàēéěèīíǐìōóǒòūúǔùüǖǘǚǜêḿńňǹ]{1,6}"
_ANNOTATION = re.compile(rf"\(({_PINYIN})\)")
_LOST = re.compile(rf"[?\ufffd]\(?({_PINYIN})\)")
_TOKEN = re.compile(rf"(?P<lost>[?\ufffd]\(?(?P<l>{_PINYIN})\))|(?P<ann>\((?P<a>{_PINYIN})\))|(?P<char>.)", re.DOTALL)

_BEAM = 24
_LEAST_ANNOTATIONS = 5
_LEAST_SHARE = 0.9
_LEAD_IN = 6  # tokens before a loss that are replayed with it: the lost byte's own character and its annotation
_WINDOW = 2_000  # characters; a shifted stretch that long is not this damage
_BUDGET = 3_000_000  # states looked at per document: bounds the time at a few seconds

_ENDS = {"。": 2.0, "？": 1.8, "；": 0.5, "：": 0.4, "）": 0.3}  # signs that end lines
_UNKNOWN = "\ufffd".encode("gb18030")

_SURNAME_LIKE = "显名编专原卓昭论译巨土遗拙合所较新旧力大"  # before 著, where it is no aspect marker
_BOOK_LIKE = "名作者称述书录文于"  # after 著, likewise


@dataclass(frozen=True, slots=True)
class Repaired:
    """The lines after repair; how many annotations were taken out, and on which lines (from 0) bytes were realigned."""

    lines: list[str]
    removed: int = 0
    realigned: int = 0
    realigned_lines: tuple[int, ...] = ()
    first_line: int | None = None


@lru_cache(maxsize=2)
def _converter(name: str) -> Callable[[str], str]:
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC(name).convert
    return convert


@lru_cache(maxsize=1)
def _pinyin() -> Any:
    import pypinyin

    return pypinyin


@lru_cache(maxsize=65_536)
def _simple(character: str) -> str:
    return _converter("t2s")(character)


@lru_cache(maxsize=65_536)
def _readings(character: str) -> frozenset[str]:
    if not _is_han(character):
        return frozenset()
    found = _pinyin().pinyin(character, heteronym=True)
    return frozenset(unicodedata.normalize("NFC", reading) for reading in found[0]) if found else frozenset()


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff"


@lru_cache(maxsize=65_536)
def _pair(two: bytes) -> str:
    """The Han character of two GBK bytes, or nothing."""
    try:
        text = two.decode("gbk")
    except UnicodeDecodeError:
        return ""
    return text if len(text) == 1 and _is_han(text) else ""


@lru_cache(maxsize=65_536)
def _any_pair(two: bytes) -> str:
    """The character of two GBK bytes, or nothing."""
    try:
        text = two.decode("gbk")
    except UnicodeDecodeError:
        return ""
    return text if len(text) == 1 else ""


@lru_cache(maxsize=65_536)
def _plausibility(character: str) -> float:
    """How likely a character is in running text, without knowing the document."""
    if not _is_han(character):
        category = unicodedata.category(character)
        return -10.0 if category in ("Co", "Cn", "Cc") else 0.0
    try:
        row = _simple(character).encode("gb2312")[0]
    except (UnicodeEncodeError, IndexError):
        return -4.0
    return 0.5 if row <= 0xD7 else -2.0  # rows B0-D7 are level 1, the 3,755 commonest characters


def _matches(character: str, reading: str) -> bool:
    return reading in _readings(character)


def _is_damaged(lines: Sequence[str]) -> bool:
    """The document guard: text that teaches Chinese has annotations too, but on characters that are not traditional."""
    total = good = 0
    for line in lines:
        for found in _ANNOTATION.finditer(line):
            before = line[found.start() - 1] if found.start() else ""
            if not (before and _is_han(before)):
                # A lost pair or a plain `(x)` behind Latin text: neither speaks for nor against.
                continue
            total += 1
            good += _simple(before) != before and _matches(before, found.group(1))
    return total >= _LEAST_ANNOTATIONS and good >= _LEAST_SHARE * total


def _prior(lines: Sequence[str]) -> Counter[str]:
    """How often the document has each Han character (annotated ones twice) and each pair of neighbours."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(c for c in line if _is_han(c))
        before = (line[found.start() - 1 : found.start()] for found in _ANNOTATION.finditer(line))
        counts.update(c for c in before if c and _is_han(c))
        plain = _ANNOTATION.sub("", line)
        counts.update(a + b for a, b in pairwise(plain) if _is_han(a) and _is_han(b))
    return counts


def _drop_aligned(line: str) -> tuple[str, int]:
    """The line without annotations that stand right behind their own traditional character."""
    removed = 0

    def decide(found: re.Match[str]) -> str:
        nonlocal removed
        before = line[found.start() - 1] if found.start() else ""
        if "@" <= before <= "~" and found.start() > 1:
            # `的L(dòng)oRA`: the end of 的 and the L together looked like a character.
            before = _pair(_encode(line[found.start() - 2])[-1:] + before.encode("ascii"))
        if before and _matches(before, found.group(1)) and _simple(before) != before:
            removed += 1
            return ""
        return found.group(0)

    return _ANNOTATION.sub(decide, line), removed


def _score(text: str, prior: Counter[str]) -> float:
    total = 0.0
    for character in text:
        total += _plausibility(character)
        seen = prior.get(character, 0)
        if seen:
            total += 1.0 + min(1.0, seen / 20)
    total += sum(0.5 for a, b in pairwise(text) if prior.get(a + b, 0) > 1)
    return total


@dataclass(frozen=True, slots=True)
class _State:
    score: float
    data: bytes
    removed: int = 0
    realigned: int = 0


def _encode(character: str) -> bytes:
    try:
        return character.encode("gb18030")
    except UnicodeEncodeError:  # a lone surrogate
        return b"?"


def _after_annotation(state: _State, token: str, reading: str) -> _State:
    here = _pair(state.data[-2:])
    if here and _matches(here, reading):
        doubt = 0.0 if _simple(here) != here else -1.0
        return _State(state.score + doubt, state.data, state.removed + 1, state.realigned)
    return _State(state.score - 2.0, state.data + token.encode("gb18030"), state.removed, state.realigned)


def _after_loss(state: _State, token: str, reading: str, prior: Counter[str]) -> list[_State]:
    states = [_State(state.score - 6.0, state.data + token.encode("gb18030"), state.removed, state.realigned)]
    lead = state.data[-1:]
    if not lead or lead[0] < 0x81:
        return states
    # The lost byte began the next character, so it is none of the bytes that only end one.
    for trail in range(0x81, 0xFF):
        seen = _pair(lead + bytes((trail,)))
        if seen and _matches(seen, reading):
            gain = 0.5 if _simple(seen) != seen else -1.0
            gain += 0.5 if prior.get(seen) else 0.0
            data = state.data + bytes((trail,))
            states.append(_State(state.score + gain, data, state.removed + 1, state.realigned + 1))
    return states


def _after_character(state: _State, character: str, prior: Counter[str], *, last: bool) -> list[_State]:
    """The character's bytes; in a shifted stretch ``€`` may be the byte 80, and ``?`` a byte and what it swallowed."""
    states = [_State(state.score, state.data + _encode(character), state.removed, state.realigned)]
    if not state.realigned or character not in "€?\ufffd":
        return states
    if character == "€":
        return [*states, _State(state.score, state.data + b"\x80", state.removed, state.realigned)]
    lead = state.data[-1:]
    if lead[0] < 0x81:
        return states
    # What stood behind the byte is gone, except at the end of the line: that is said, and not guessed.
    swallowed = b"" if last else _UNKNOWN
    states.append(_State(state.score - 2.5, state.data[:-1] + _UNKNOWN, state.removed, state.realigned))
    before = _pair(state.data[-3:-1])
    for gain, trail in _clear(before, lead, prior, last=last):
        data = state.data + bytes((trail,)) + swallowed
        states.append(_State(state.score - 1.5 + gain, data, state.removed, state.realigned))
    return states


def _clear(before: str, lead: bytes, prior: Counter[str], *, last: bool) -> list[tuple[float, int]]:
    """Last bytes for ``lead`` with their gain: a sign that ends lines, or the one character the document wants here."""
    known: list[tuple[int, int]] = []
    ends: list[tuple[float, int]] = []
    for trail in range(0x40, 0xFF):
        seen = _any_pair(lead + bytes((trail,)))
        if seen and _is_han(seen) and prior.get(before + seen):
            known.append((prior[before + seen], trail))
        elif last and seen in _ENDS:
            ends.append((_ENDS[seen], trail))
    known.sort(reverse=True)
    if known and (len(known) == 1 or known[0][0] > 3 * known[1][0]):
        ends.append((min(2.0, known[0][0] / 5), known[0][1]))
    return ends


def _mend_window(text: str, prior: Counter[str], *, at_end: bool) -> tuple[str, int, int, int]:
    """Best reading of a stretch with lost bytes: text, annotations removed, of them realigned, states looked at."""
    states = [_State(0.0, b"")]
    work = 0
    for token in _TOKEN.finditer(text):
        last = at_end and token.end() == len(text)
        if token["lost"]:
            states = [after for s in states for after in _after_loss(s, token["lost"], token["l"], prior)]
        elif token["ann"]:
            states = [_after_annotation(s, token["ann"], token["a"]) for s in states]
        else:
            states = [after for s in states for after in _after_character(s, token["char"], prior, last=last)]
        work += len(states)
        if len(states) > _BEAM:
            states = sorted(states, key=lambda s: -s.score)[:_BEAM]
    best, best_score = (text, 0, 0), float("-inf")
    for state in states:
        try:
            read = state.data.decode("gb18030")
        except UnicodeDecodeError:
            continue
        score = state.score + _score(read, prior)
        if score > best_score:
            best, best_score = (read, state.removed, state.realigned), score
    return (*best, work)


def _windows(line: str) -> list[tuple[int, int]]:
    """Stretches around lost bytes: from a few tokens before to past the next ASCII, where all is aligned again."""
    spans: list[tuple[int, int]] = []
    tokens = list(_TOKEN.finditer(line))
    position = 0
    while position < len(tokens):
        if not tokens[position]["lost"]:
            position += 1
            continue
        first = max(0, position - _LEAD_IN)
        while first > 0 and not (tokens[first]["char"] and tokens[first]["char"] >= "\x80"):
            first -= 1
        end = position
        while end < len(tokens):
            token = tokens[end]
            if end > position and token["char"] and token["char"] < "\x80":
                end += 1
                # An annotation right behind belongs to the character that this ASCII byte completes.
                if end < len(tokens) and tokens[end]["ann"]:
                    end += 1
                break
            if token["lost"]:
                position = end
            end += 1
        spans.append((tokens[first].start(), tokens[end - 1].end()))
        position = end
    return spans


def _mend_line(line: str, prior: Counter[str], budget: int) -> tuple[str, int, int, int]:
    """One line: text, annotations removed, of them realigned, states looked at."""
    if not _LOST.search(line):
        mended, removed = _drop_aligned(line)
        return mended, removed, 0, 0
    out: list[str] = []
    removed = realigned = work = 0
    cursor = 0
    for start, end in _windows(line):
        start = max(start, cursor)
        plain, dropped = _drop_aligned(line[cursor:start])
        out.append(plain)
        removed += dropped
        window = line[start:end]
        if len(window) <= _WINDOW and work < budget:
            window, dropped, shifted, cost = _mend_window(window, prior, at_end=end == len(line))
            removed, realigned, work = removed + dropped, realigned + shifted, work + cost
        out.append(window)
        cursor = end
    plain, dropped = _drop_aligned(line[cursor:])
    return "".join([*out, plain]), removed + dropped, realigned, work


def repair(lines: Sequence[str]) -> Repaired:
    """The lines without the converter's damage; the very same lines where the document does not show it."""
    if not _is_damaged(lines):
        return Repaired(list(lines))
    prior = _prior(lines)
    out: list[str] = []
    removed = realigned = 0
    shifted_lines: list[int] = []
    first: int | None = None
    budget = _BUDGET
    for index, line in enumerate(lines):
        mended, dropped, shifted, work = _mend_line(line, prior, budget)
        budget -= work
        removed += dropped
        realigned += shifted
        if dropped and first is None:
            first = index
        if shifted:
            shifted_lines.append(index)
        out.append(mended)
    return Repaired(out, removed, realigned, tuple(shifted_lines), first)


def simplify(text: str) -> str:
    """Traditional to simplified characters, with 著 as aspect marker written 着 (OpenCC leaves it)."""
    simple = _converter("t2s")(text)
    return re.sub(rf"(?<![{_SURNAME_LIKE}])著(?![{_BOOK_LIKE}])", "着", simple)
