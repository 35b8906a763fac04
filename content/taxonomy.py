"""Topics and areas: what the bank's slugs mean, and how a person finds one by typing."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from content.question import Text
from content.text_rules import simplify

IMPORTED = "imported"  # where drafts lie until an author gives them a topic
_CJK = re.compile(r"[\u3400-\u9fff]")
_SEPARATORS = re.compile(r"[\W_]+")


class UnknownTopicError(LookupError):
    """There is no such topic; ``suggestions`` are slugs that look alike (best first, may be empty)."""

    def __init__(self, slug: str, suggestions: tuple[str, ...] = ()) -> None:
        hint = (
            f"did you mean {' or '.join(suggestions)}?" if suggestions else "see content/taxonomy.yaml for the topics"
        )
        super().__init__(f"unknown topic '{slug}'; {hint}")
        self.slug = slug
        self.suggestions = suggestions


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic. ``aliases`` are for search in either language, ``damaged`` are mistranslations met in imports."""

    slug: str
    area: str
    name: Text
    aliases: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Area:
    """A group of topics, in the order of the taxonomy."""

    slug: str
    name: Text
    topics: tuple[Topic, ...]


_IMPORTED_TOPIC = Topic(IMPORTED, "", Text("Imported", "导入"))


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """All areas and topics; immutable."""

    areas: tuple[Area, ...]
    _by_slug: dict[str, Topic] = field(init=False, repr=False, compare=False)
    _names: tuple[tuple[str, str, int, Topic], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        topics = [topic for area in self.areas for topic in area.topics]
        by_slug = {topic.slug: topic for topic in topics}
        if len(by_slug) != len(topics):
            raise ValueError("the taxonomy has a slug twice; rename one in taxonomy.yaml")
        object.__setattr__(self, "_by_slug", by_slug)
        object.__setattr__(self, "_names", tuple(n for i, topic in enumerate(topics) for n in _names(i, topic)))

    def __contains__(self, slug: str) -> bool:
        """Is it a topic of the taxonomy? (``imported`` is not: nothing published lies there.)"""
        return slug in self._by_slug

    @property
    def topics(self) -> tuple[Topic, ...]:
        """Every topic, in the order of the taxonomy."""
        return tuple(self._by_slug.values())

    def topic(self, slug: str) -> Topic:
        """The topic of ``slug``, also of ``imported``. Raises UnknownTopicError, which names similar slugs."""
        if slug == IMPORTED:
            return _IMPORTED_TOPIC
        try:
            return self._by_slug[slug]
        except KeyError:
            raise UnknownTopicError(slug, self.suggest(slug)) from None

    def area(self, slug: str) -> Area:
        """The area of ``slug``. Raises LookupError that names the areas."""
        for area in self.areas:
            if area.slug == slug:
                return area
        raise LookupError(f"unknown area '{slug}'; the areas are {', '.join(a.slug for a in self.areas)}")

    def search(self, text: str, language: str = "en", limit: int = 25) -> tuple[Topic, ...]:
        """Topics that ``text`` may mean, best first; every topic for an empty text.

        Whole names go before beginnings, beginnings before parts, and names in ``language`` before others.
        Traditional characters find simplified names. Only where nothing contains the text, look-alikes are given.
        """
        wanted = fold(text)
        if not wanted:
            return self.topics[:limit]
        chinese = language.lower().startswith("zh")
        ranks: dict[str, tuple[int, int, int]] = {}
        for name, kind, position, topic in self._names:
            how = _match(wanted, name)
            if how is None:
                continue
            rank = (how, int(kind != ("zh" if chinese else "en")), position)
            if topic.slug not in ranks or rank < ranks[topic.slug]:
                ranks[topic.slug] = rank
        slugs = sorted(ranks, key=ranks.__getitem__) or self.suggest(text)
        return tuple(self._by_slug[slug] for slug in slugs[:limit])

    def suggest(self, text: str, limit: int = 3) -> tuple[str, ...]:
        """Slugs whose slug, name or alias looks like ``text``, for "did you mean …?"."""
        names = {name: topic.slug for name, _, _, topic in self._names}
        close = difflib.get_close_matches(fold(text), names, n=limit * 2, cutoff=0.7)
        return tuple(dict.fromkeys(names[name] for name in close))[:limit]


def fold(text: str) -> str:
    """``text`` for comparing: NFKC, no case, simplified characters, no spaces or punctuation between words."""
    text = unicodedata.normalize("NFKC", text).casefold()
    if _CJK.search(text):
        text = simplify(text)
    return _SEPARATORS.sub("", text)


def _names(position: int, topic: Topic) -> Iterator[tuple[str, str, int, Topic]]:
    yield fold(topic.slug), "slug", position, topic
    yield fold(topic.name.en), "en", position, topic
    # The file holds simplified names only, so folding them needs no dictionary.
    for kind, texts in (("zh", (topic.name.zh,)), ("alias", topic.aliases), ("damaged", topic.damaged)):
        for text in texts:
            yield _SEPARATORS.sub("", unicodedata.normalize("NFKC", text).casefold()), kind, position, topic


def _match(wanted: str, name: str) -> int | None:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    return 2 if wanted in name else None


def read_taxonomy(text: str) -> Taxonomy:
    """The taxonomy that ``text`` (the YAML of taxonomy.yaml) describes."""
    areas = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 safe loaders both
    return Taxonomy(tuple(_area(area) for area in areas))


def _area(plain: dict[str, Any]) -> Area:
    topics = tuple(
        Topic(
            slug=t["slug"],
            area=plain["area"],
            name=Text(t["en"], t["zh"]),
            aliases=tuple(t.get("aliases", ())),
            damaged=tuple(t.get("damaged", ())),
        )
        for t in plain["topics"]
    )
    return Area(plain["area"], Text(plain["en"], plain["zh"]), topics)


@cache
def default_taxonomy() -> Taxonomy:
    """The taxonomy that ships with the bank; read once."""
    return read_taxonomy((Path(__file__).parent / "taxonomy.yaml").read_text(encoding="utf-8"))
