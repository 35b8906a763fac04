"""Find topics and areas by name, with how many questions a channel could be asked of each."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from bot.usecases.meet_member import Met
from bot.usecases.schedules import candidates_of
from content.library import Library
from content.taxonomy import Area, Taxonomy, fold
from storage import schedules


@dataclass(frozen=True, slots=True)
class Found:
    """Slugs with the number of questions of each, the likeliest first. ``fitting``: those that fit the channel's kinds,
    difficulty and languages; else all of the bank, since the channel has no schedule yet."""

    topics: tuple[tuple[str, int], ...]
    areas: tuple[tuple[Area, int], ...]
    fitting: bool


def search_topics(
    tx: Session, met: Met, channel_id: str, text: str, library: Library, taxonomy: Taxonomy, language: str
) -> Found:
    """Topics and areas that ``text`` may mean."""
    schedule = schedules.of_channel(tx, met.workspace_id, channel_id)

    def count(slugs: tuple[str, ...]) -> int:
        return len(candidates_of(schedule, library, slugs) if schedule else library.select(topics=slugs))

    wanted = fold(text)
    areas = [
        area
        for area in taxonomy.areas
        if wanted and any(wanted in fold(name) for name in (area.slug, area.name.en, area.name.zh))
    ]
    return Found(
        tuple((topic.slug, count((topic.slug,))) for topic in taxonomy.search(text, language)),
        tuple((area, count(tuple(topic.slug for topic in area.topics))) for area in areas),
        schedule is not None,
    )
