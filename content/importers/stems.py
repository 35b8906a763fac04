"""Keys that stand inside a stem: in brackets, in its blanks, under Word's underline; and the stem without them."""

from __future__ import annotations

import re

from content.importers import layout
from content.importers.items import Item
from content.importers.layout import Both

_BRACKET = re.compile(
    r"[(\[]\s*(?:(?:答案|选|ans(?:wer)?)\s*:?\s*)?(?P<l>[A-Ja-j](?:[\s、,;/]*[A-Ja-j])*)\s*[)\]]"
    r"|_+\s*(?P<u>[A-J](?:[\s、,]*[A-J])*)\s*_+"
)


def bracket_key(stem: Both, allowed: str) -> tuple[list[str], int, int, bool] | None:
    """A key in brackets inside a stem: letters, where it is, and whether it stands at the end.

    The last one that holds nothing but letters of options counts; two different ones in mid-sentence are labels.
    """
    found: list[tuple[list[str], int, int, bool]] = []
    for match in _BRACKET.finditer(stem.shape):
        raw = match["l"] or match["u"]
        signs = [c for c in raw if c.isalpha()]
        names = [c.upper() for c in signs]
        if (
            len(set(names)) != len(names)
            or any(n not in allowed for n in names)
            or (raw != raw.upper() and raw != raw.lower())
        ):
            continue
        if any(c.islower() for c in signs) and match.end() != len(stem.shape.rstrip(" .。?:")):
            continue
        found.append((sorted(names), match.start(), match.end(), not stem.shape[match.end() :].strip(" .。?!:,;")))
    if not found:
        return None
    if not found[-1][3] and len({tuple(f[0]) for f in found}) > 1:
        return None
    return found[-1]


_END_KEY = re.compile(r"(?<=[:?。_)\]])\s*(?P<l>[A-J](?:[\s、,]*[A-J])*)\s*[.。]?\s*$")


def end_key(stem: Both, allowed: str) -> tuple[list[str], Both] | None:
    """A key without brackets behind the whole stem (``…的是：B``, ``…？ AC``): letters, and the stem without them."""
    found = _END_KEY.search(stem.shape)
    names = [c for c in found["l"] if c.isalpha()] if found else []
    if found is None or not found.start() or len(set(names)) < len(names) or any(n not in allowed for n in names):
        return None
    return sorted(names), stem.cut(0, found.start())


def without_bracket(stem: Both, start: int, end: int) -> Both:
    """The stem without its key: nothing is left where it was appended, an empty bracket inside a sentence."""
    after = stem.text[end:]
    if start == 0:
        return stem.cut(end)
    if not after.strip():
        return stem.cut(0, start)
    gap = stem.text[start] + " " + stem.text[end - 1]
    if stem.text[start] == "_":
        gap = "____"
    return Both.of(stem.text[:start] + gap + after)


def without_end_bracket(stem: Both, found: re.Match[str]) -> Both:
    tail = stem.text[found.end() :]
    stop = re.search(r"[.。;]\s*$", stem.shape[found.start() :])
    head = stem.cut(0, found.start())
    if stop and not head.shape.endswith((".", "。", "?", "!", ";")):
        return Both.of(head.text + stop[0].strip() + tail)
    return head


def untagged(stem: Both) -> tuple[Both, str | None]:
    found = layout.kind_tag(stem.shape)
    if found is None:
        return stem.cut(0), None
    kind, start, end = found
    before, after = stem.cut(0, start), stem.cut(end)
    return Both(before.text + after.text, before.shape + after.shape), kind


def filled_blanks(item: Item, stem: Both) -> tuple[Both, list[str]]:
    """Answers that stand in the blanks themselves: ``__text__``, 【text】, or Word's underline."""
    for pattern in (
        r"_{2,}\s*([^_\n]{1,40}?)\s*_{2,}",
        r"_([^_\s][^_\n]{0,38}?)_(?!_)",
        r"\[\s*([^\[\]\n]{1,40}?)\s*\]",
    ):
        found = [m for m in re.finditer(pattern, stem.shape) if re.search(r"\w", m[1])]
        if found and not (pattern.startswith("_{2") and len(layout.BLANK.findall(stem.shape)) > len(found) * 2):
            texts = [stem.text[m.start(1) : m.end(1)].strip() for m in found]
            text = stem.text
            for m in reversed(found):
                text = text[: m.start()] + "____" + text[m.end() :]
            return Both.of(text), texts
    lines = [(row, mark) for row in item.stem for mark in row.marks if mark.kind == "underline"]
    texts = [row.both.text[mark.start : mark.end].strip(" _") for row, mark in lines]
    if texts and all(texts) and not layout.BLANK.search(stem.shape):
        text = stem.text
        for filled in texts:
            text = text.replace(filled, "____", 1)
        return Both.of(re.sub(r"[_\s]*____[_\s]*", "____", text)), texts
    inside = re.findall(r"[(（]\s*([^()（）]{1,40}?)\s*[)）]", stem.text)
    if item.section.kind == "blank" and len(inside) == 1 and not layout.BLANK.search(stem.shape):
        return Both.of(re.sub(r"[(（]\s*[^()（）]{1,40}?\s*[)）]", "____", stem.text)), [inside[0]]
    return stem, []
