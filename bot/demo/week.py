"""What the demo's channel asks on which day, so that a week shows every kind of question. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from content.library import Library
from content.question import Kind

KIND_OF_DAY = {
    1: Kind.SINGLE,
    2: Kind.TRUE_FALSE,
    3: Kind.NUMERIC,
    4: Kind.MULTIPLE,
    5: Kind.CASE,
    6: Kind.BLANK,
}
"""ISO weekday → the kind its topics ask."""

TOPICS_A_DAY = 3


def languages_for(library: Library, first: str) -> tuple[str, ...]:
    """The channel's languages: both where most questions have both, ``first`` leading; else what most are in."""
    both = len(library.select(languages=("en", "zh")))
    if both * 2 >= len(library):
        return ("zh", "en") if first == "zh" else ("en", "zh")
    counts = {name: len(library.select(languages=(name,))) for name in ("en", "zh")}
    return ("zh",) if counts["zh"] > counts["en"] else ("en",)


def plan_week(library: Library, languages: tuple[str, ...]) -> tuple[Library, Mapping[int, tuple[str, ...]]]:
    """Topics for each weekday, and the library in which those topics ask their day's kind alone.

    A day without topics of its own takes any. A bank with few topics gets no plan: its questions come in turn.
    """
    usable = library.select(languages=languages)
    counts: dict[Kind, Counter[str]] = {kind: Counter() for kind in Kind}
    for question in usable:
        counts[question.kind][question.topic] += 1
    if len({question.topic for question in usable}) < 2 * len(KIND_OF_DAY):
        return library, {}
    day_of: dict[str, int] = {}
    # The kinds with the fewest questions choose first: the others find topics anyway.
    for day, kind in sorted(KIND_OF_DAY.items(), key=lambda item: counts[item[1]].total()):
        free = [topic for topic, _ in counts[kind].most_common() if topic not in day_of]
        day_of |= dict.fromkeys(free[:TOPICS_A_DAY], day)
    kept = tuple(
        entry
        for entry in library.entries
        if entry.question.topic not in day_of or entry.question.kind is KIND_OF_DAY[day_of[entry.question.topic]]
    )
    topics = {day: tuple(topic for topic, its in day_of.items() if its == day) for day in KIND_OF_DAY}
    return Library(kept), {day: found for day, found in topics.items() if found}
